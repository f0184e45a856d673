"""The kind *agreement within a region*, put together."""

from typing import Any

from annotation import agreement, consensus
from annotation.kinds import Fields, Kind, Read, Value
from annotation.models import Task
from annotation.selectors import inputs, suggestable
from annotation.services import gold
from annotation.suggesting import Suggester, within

NAME = "agreement"
ABOUT = (
    "Read all answers. They agree where enough of them say exactly the same practice in whatever "
    "words or spelling; what overlaps only in part does not agree. Write the practice in one plain "
    "sentence and tick every answer that says it. A festival or a custom with a name agrees with "
    "the same one only. If in doubt, they do not agree."
)


def _shown(task: Task, value: Value) -> dict[str, Any]:
    answers = inputs.shown(task.project.study, _answers(task))
    concepts = value.get("concepts") or []
    rows = min(len(concepts) + 1, agreement.MOST)
    blank = {"text": "", "answers": []}
    return {
        "answers": answers,
        "needed": _needed(task),
        "concepts": [*concepts, blank][:rows],
        "choice": value.get("choice", ""),
    }


def _read(task: Task, fields: Fields) -> Read:
    return agreement.read(fields, _answers(task), _needed(task))


def _answers(task: Task) -> list[int]:
    return task.payload.get("answers", [])


def _needed(task: Task) -> int:
    return task.payload.get("needed", consensus.threshold(0))


KIND = Kind(
    name=NAME,
    title="Agreement within a region",
    about=ABOUT,
    template="annotation/_agreement.html",
    summary="annotation/_agreement_summary.html",
    sources=inputs.within_regions,
    shown=_shown,
    read=_read,
    same=consensus.same,
    category=consensus.category,
    decided=gold.write_answer,
    outdated=gold.outdate_answer,
    suggester=Suggester(
        prompt="suggest/agreement",
        tokens=800,
        about=suggestable.of_answers,
        read=within.read,
        by_rule=within.by_rule,
        claims=within.claims,
    ),
)
