"""The annotation *is this answer right?*: people judge replies that judges judged, and see neither
whose reply it is nor what was said of it."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation import relations
from annotation.kinds import Asked, Fields, Kind, Read, Source, Value
from annotation.models import Decision, Project, Task
from evaluation import benchmarks
from evaluation.benchmarks import ForPeople
from evaluation.models import DrawnReply, Reply
from evaluation.services import people
from evaluation.validation import draws

NAME = "verdict"
CHOICES = (  # value, key, what it means
    ("correct", "c", "It says what the gold answer says, in whatever words, and nothing beyond."),
    (
        "partially correct",
        "p",
        "It says some of it, or all of it with something added or left vague.",
    ),
    ("incorrect", "i", "It says something else, the opposite, or nothing that answers."),
)
ABOUT = (
    "Does the answer say what the gold answer says? Only the gold answer decides: judge by it, not "
    "by what you know of the place, and look nothing up.\n\n"
    "Correct: it says the same, in whatever words; another name for the same thing is the same. "
    "Nothing is added that the gold answer does not say.\n\n"
    "Partially correct: some of the gold answer is there and some is missing, or it is all there "
    "but the answer adds to it, hedges, or stays so general that it would fit elsewhere too.\n\n"
    "Incorrect: it says something else, contradicts the gold answer, or does not answer.\n\n"
    "Long or short, plain or polished, does not matter. Judge alone, and leave the pages of the "
    "runs closed until you are done: they show what machines said of the same answers."
)


def label(value: Mapping[str, Any]) -> str:
    """One of `verdicts.LABELS`, of what people decided."""
    return str(value["choice"]).upper().replace(" ", "_")


def _sources(project: Project, question: int | None) -> Iterator[Source]:
    """Every drawn reply; none is about a question of the study."""
    if question is None:
        for row in draws.drawn_in(project):
            yield Source(
                key=draws.task_key(row),
                position=row.pk,
                payload={"drawn": row.pk},
                inputs=_hash(_what(row.reply)),
            )


def _shown(task: Task, value: Value) -> dict[str, Any]:
    row = draws.of_tasks([task]).get(task.pk)
    return {
        "judged": for_people(row) if row else None,
        "choices": CHOICES,
        "choice": value.get("choice", ""),
    }


def _asked(tasks: Sequence[Task]) -> dict[int, Asked]:
    seen = {pk: for_people(row) for pk, row in draws.of_tasks(tasks).items()}
    return {pk: Asked(each.question, each.language, each.about) for pk, each in seen.items()}


def for_people(row: DrawnReply) -> ForPeople:
    reply = row.reply
    judging = benchmarks.find(reply.run.benchmark).judging
    if judging is None:
        raise LookupError(f"the replies of {reply.run} are not judged")
    return judging.for_people(reply.item, reply.variant, reply.text)


def _read(task: Task, fields: Fields) -> Read:
    choice, *strange = fields("choice") or [""]
    if choice not in {each for each, *_ in CHOICES}:
        return Read({"choice": ""}, {"choice": "Choose one of the three."}, strange)
    return Read({"choice": choice}, strange=strange)


def _decided(task: Task, decision: Decision) -> None:
    row = draws.of_tasks([task]).get(task.pk)
    people.enter(task, row, decision, label(decision.value))


def _outdated(task: Task) -> None:
    """What people said of something else is no verdict on this."""
    decision = task.decisions.filter(current=True).first()
    if task.stale or decision is None:
        people.withdraw(task)
    else:
        _decided(task, decision)


def _what(reply: Reply) -> list[str]:
    """All that is shown of a reply hangs on these: a release never changes."""
    return [reply.item.release.sha256, reply.item.key, reply.variant, reply.sha]


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


KIND = Kind(
    name=NAME,
    title="Is this answer right?",
    about=ABOUT,
    template="evaluation/_verdict.html",
    summary="evaluation/_verdict_summary.html",
    sources=_sources,
    shown=_shown,
    read=_read,
    same=relations.same,
    category=relations.category,
    decided=_decided,
    outdated=_outdated,
    makes_gold=False,
    asked=_asked,
    evidence="evaluation/_verdict_evidence.html",
    keys=tuple((key.upper(), value) for value, key, _ in CHOICES),
)
