"""Tasks that wait for somebody's decision, and what was said of them.

Nothing of a task is shown to who may still judge it: first passes only once all are in, and
nothing at all to who holds a place at it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from string import ascii_uppercase
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.models import Assignment, Judgement, Project, Task
from annotation.selectors import knowing
from core.errors import NotFound

Status = Assignment.Status
REASONS = ("disputed", "stale", "flagged")


@dataclass(frozen=True)
class Pass:
    """A first pass under a letter; `outdated` if other answers were judged than those of now."""

    letter: str
    value: dict[str, Any]
    note: str
    guideline: int
    outdated: bool
    at: datetime
    annotator: User | None


def waiting(project: Project, user: User, reason: str = "") -> QuerySet[Task]:
    """What waits for a decision that this reader may see, for one of `REASONS` or all."""
    found = project.tasks.filter(_waits(user, reason))
    return found.select_related("question", "region")


def waiting_in(studies: Collection[int], user: User) -> dict[int, int]:
    """How many tasks wait for this reader's decision, by the ids of the studies that have some."""
    found = Task.objects.filter(_waits(user), project__study__in=studies).order_by()
    return dict(found.values_list("project__study").annotate(n=Count("pk")))


def counts(project: Project, user: User) -> dict[str, int]:
    """How many wait by reason, and in `all`."""
    found = {reason: waiting(project, user, reason).count() for reason in REASONS}
    return found | {"all": sum(found.values())}


def access_waiting(project: Project, user: User, source_key: str) -> Task:
    """A task to decide, to decide anew, or that is flagged; raises `task.not_waiting` (404)."""
    tasks = project.tasks.filter(opens_to(user))
    tasks = tasks.select_related("project__study", "question", "region")
    task = tasks.filter(source_key=source_key).first()
    if task is None:
        raise NotFound(
            "task.not_waiting",
            "This task does not wait for a decision: it is not judged by all who shall, or you "
            "are one of them. The list shows what does.",
        )
    return task


def opens_to(user: User) -> Q:
    """Which tasks this reader may open to decide them, to decide them anew or to see a flag."""
    settled = ~Q(status=Task.Status.OPEN) | _left_without_answers()
    return ~_holds_slot(user) & settled | _flagged(user)


def passes(task: Task) -> list[Pass]:
    """First passes as they were sent; none while not all are in."""
    if task.status == Task.Status.OPEN:
        return []
    rows = Judgement.objects.filter(
        assignment__task=task, assignment__slot__isnull=False, phase=Judgement.Phase.FIRST
    ).select_related("assignment__annotator", "guideline")
    return [
        Pass(
            letter,
            row.value,
            row.note,
            row.guideline.version,
            row.inputs != task.inputs,
            row.at,
            row.assignment.annotator,
        )
        for letter, row in zip(ascii_uppercase, rows.order_by("assignment__slot"), strict=False)
    ]


def flags(task: Task) -> list[Assignment]:
    rows = task.assignments.filter(status=Status.FLAGGED).select_related("annotator")
    return list(rows.order_by("slot"))


def may_read(task: Task, flag: Assignment, user: User) -> bool:
    """Whether this person may be shown what a flag says: it is theirs, or they have given up
    judging the task alone."""
    return flag.annotator_id == user.pk or knowing.knows(task.pk, user.pk)


def wants_decision(task: Task) -> bool:
    """Whether there is something to decide: all have judged it, or none can any more."""
    return task.status != Task.Status.OPEN or (task.stale and not task.inputs)


def _waits(user: User, reason: str = "") -> Q:
    decided_once = Q(status=Task.Status.DECIDED) | _left_without_answers()
    conditions = {
        "disputed": Q(status=Task.Status.DISPUTED),
        "stale": Q(~_holds_slot(user), decided_once, stale=True),
        "flagged": _flagged(user),
    }
    every = conditions["disputed"] | conditions["stale"] | conditions["flagged"]
    return conditions.get(reason, every)


def _left_without_answers() -> Q:
    """Judged by some, and nothing is left for the others to judge."""
    return Q(status=Task.Status.OPEN, stale=True, inputs="")


def _flagged(user: User) -> Q:
    flagged = Assignment.objects.filter(task=OuterRef("pk"), status=Status.FLAGGED)
    open_ones = Q(status=Task.Status.OPEN) & ~_left_without_answers()
    return Q(Exists(flagged), ~Exists(_held(user))) & open_ones


def _holds_slot(user: User) -> Q:
    return Q(Exists(_held(user).filter(slot__isnull=False)))


def _held(user: User) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(task=OuterRef("pk"), annotator=user)
    return rows.filter(status__in=Assignment.HELD)
