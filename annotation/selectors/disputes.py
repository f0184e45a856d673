"""Tasks that wait for somebody's decision, and what was said of them.

Nothing of a task is shown to who may still judge it: first passes only once all are in, and
nothing at all to who holds a place at it.
"""

from dataclasses import dataclass
from datetime import datetime
from string import ascii_uppercase
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.models import Assignment, Judgement, Project, Task
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
    conditions = {
        "disputed": Q(status=Task.Status.DISPUTED),
        "stale": Q(stale=True, status=Task.Status.DECIDED),
        "flagged": _flagged(user),
    }
    wanted = conditions.get(reason) or (
        conditions["disputed"] | conditions["stale"] | conditions["flagged"]
    )
    return project.tasks.filter(wanted).select_related("question", "region")


def counts(project: Project, user: User) -> dict[str, int]:
    """How many wait by reason, and in `all`."""
    found = {reason: waiting(project, user, reason).count() for reason in REASONS}
    return found | {"all": sum(found.values())}


def access_waiting(project: Project, user: User, source_key: str) -> Task:
    """A task to decide, to decide anew, or that is flagged; raises `task.not_waiting` (404)."""
    tasks = project.tasks.filter(~Q(status=Task.Status.OPEN) | _flagged(user))
    tasks = tasks.select_related("project__study", "question", "region")
    task = tasks.filter(source_key=source_key).first()
    if task is None:
        raise NotFound(
            "task.not_waiting",
            "This task does not wait for a decision: it is not judged by all who shall, or you "
            "are one of them. The list shows what does.",
        )
    return task


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


def is_decided_since(task: Task, known: str) -> bool:
    """Whether the current decision is another than the one known by its id; empty for none."""
    current = task.decisions.filter(current=True).values_list("pk", flat=True).first()
    return str(current or "") != known


def flags(task: Task) -> list[Assignment]:
    return list(task.assignments.filter(status=Status.FLAGGED).order_by("slot"))


def _flagged(user: User) -> Q:
    rows = Assignment.objects.filter(task=OuterRef("pk"))
    held = rows.filter(annotator=user, status__in=Assignment.HELD)
    return Q(Exists(rows.filter(status=Status.FLAGGED)), ~Exists(held), status=Task.Status.OPEN)
