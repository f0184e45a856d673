"""The shape of exported annotations: a row is one thing somebody did with a task.

| `row`        | what it is                                                          |
|--------------|---------------------------------------------------------------------|
| `first pass` | what one annotator said, as it stands                               |
| `skip`       | a task somebody left to others; it is no answer                     |
| `flag`       | a task somebody said is not as it should be                         |
| `decision`   | what was decided, by the rule or by a person; earlier ones are there too |
| `suggestion` | what a machine or a file would say, and what became of it; nobody's answer |

A row has the columns of COLUMNS, whatever it is; what does not apply is empty.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.tables import Value

FORMATS = ("csv", "csv-safe", "jsonl", "xlsx")
FIRST_PASS, SKIP, FLAG, DECISION = ACTS = ("first pass", "skip", "flag", "decision")
SUGGESTION = "suggestion"
ROWS = (*ACTS, SUGGESTION)
COLUMNS = (
    *("study", "kind", "task", "question", "region", "row"),
    *("annotator", "status", "category", "value", "texts", "participants", "note"),
    *("opened", "sent", "ms", "guideline_version", "inputs_sha256"),
    *("suggestion", "suggested_by", "simulated"),
)


@dataclass(frozen=True, slots=True)
class Act:
    """What was done with a task; instants are ISO-8601. `annotator` is empty where the rule
    decided, `status` is of the place at the task, says whether a decision still stands, or what
    became of a suggestion. `suggestion` is where it was beside a first pass, and whether the two
    say the same.
    `participants` are the pseudonyms of those whose answers support it."""

    kind: str
    task: str
    question: str | None
    region: str | None
    row: str
    annotator: str
    status: str
    note: str
    category: str | None = None
    value: Mapping[str, Any] | None = None
    participants: Sequence[str] = ()
    opened: str | None = None
    sent: str | None = None
    ms: int | None = None
    guideline: int | None = None
    inputs: str | None = None
    suggestion: str | None = None
    suggested_by: str | None = None
    simulated: bool = False


def supporting(value: Mapping[str, Any]) -> list[int]:
    """Ids of the answers a judgement rests on, each once; none in kinds that have no texts."""
    concepts = value.get("concepts") or ()
    return list(dict.fromkeys(answer for each in concepts for answer in each["answers"]))


def rows(study: str, simulated: bool, acts: Iterable[Act]) -> Iterator[Sequence[Value]]:
    """Under COLUMNS; `value` as JSON, several texts on lines of their own."""
    for act in acts:
        yield (
            *(study, act.kind, act.task, act.question, act.region, act.row),
            *(act.annotator, act.status, act.category, _json(act.value)),
            *(_texts(act.value), " ".join(act.participants), act.note),
            *(act.opened, act.sent, act.ms, act.guideline, act.inputs),
            *(act.suggestion, act.suggested_by, simulated or act.simulated),
        )


def _json(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _texts(value: Mapping[str, Any] | None) -> str:
    return "\n".join(each["text"] for each in (value or {}).get("concepts") or ())
