"""Everything that was done with the tasks of a study, read for an export.

Tasks are read a few hundred at a time by primary key, and no transaction stays open, so that
nobody waits and a million rows need the memory of one page.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from accounts.models import User
from annotation import exporting, kinds
from annotation.exporting import Act
from annotation.models import Assignment, Decision, Judgement, Task
from collection.models import Answer
from core import clock
from studies.models import Participant, Study

TASKS_AT_ONCE = 200
Status = Assignment.Status
About = dict[str, Any]  # what names a task
SIDE = {Status.SKIPPED: exporting.SKIP, Status.FLAGGED: exporting.FLAG}


def withdrawn(study: Study) -> int:
    return study.participants.filter(status=Participant.Status.WITHDRAWN).count()


def acts(study: Study) -> Iterator[Act]:
    """In order of projects and tasks; of a task first passes by slot, skips, flags, decisions."""
    for project in study.projects.order_by("pk"):
        last = 0
        while some := _tasks(project.pk, last):
            last = some[-1].pk
            yield from _of_tasks(some, kinds.of(project.kind))


def _tasks(project: int, after: int) -> list[Task]:
    found = Task.objects.filter(project=project, pk__gt=after).order_by("pk")
    return list(found.select_related("project", "question", "region")[:TASKS_AT_ONCE])


def _of_tasks(tasks: Sequence[Task], kind: kinds.Kind) -> Iterator[Act]:
    judged = _by_task(
        Judgement.objects.filter(assignment__task__in=tasks, phase=Judgement.Phase.FIRST)
        .select_related("assignment__annotator", "guideline")
        .order_by("assignment__slot"),
        lambda row: row.assignment.task_id,
    )
    aside = _by_task(
        Assignment.objects.filter(task__in=tasks, status__in=SIDE).select_related("annotator"),
        lambda row: row.task_id,
    )
    decided = _by_task(
        Decision.objects.filter(task__in=tasks).select_related("decided_by").order_by("pk"),
        lambda row: row.task_id,
    )
    codes = _codes(
        row.value for found in (judged, decided) for each in found.values() for row in each
    )
    for task in tasks:
        about: About = {
            "kind": task.project.kind,
            "task": task.source_key,
            "question": task.question.key if task.question else None,
            "region": task.region.slug if task.region else None,
        }
        yield from (_first_pass(about, row, kind, codes) for row in judged[task.pk])
        yield from (_aside(about, row) for row in aside[task.pk])
        yield from (_decision(about, row, kind, codes) for row in decided[task.pk])


def _first_pass(about: About, row: Judgement, kind: kinds.Kind, codes: dict[int, str]) -> Act:
    return Act(
        **about,
        row=exporting.FIRST_PASS,
        annotator=_email(row.assignment.annotator),
        status=row.assignment.status,
        note=row.note,
        category=kind.category(row.value),
        value=row.value,
        participants=_named(row.value, codes),
        opened=_instant(row.assignment.opened),
        sent=_instant(row.at),
        ms=row.ms,
        guideline=row.guideline.version,
        inputs=row.inputs,
    )


def _aside(about: About, row: Assignment) -> Act:
    return Act(
        **about,
        row=SIDE[Status(row.status)],
        annotator=_email(row.annotator),
        status=row.status,
        note=row.note,
        opened=_instant(row.opened),
    )


def _decision(about: About, row: Decision, kind: kinds.Kind, codes: dict[int, str]) -> Act:
    return Act(
        **about,
        row=exporting.DECISION,
        annotator=_email(row.decided_by),
        status="current" if row.current else "earlier",
        note=row.reason,
        category=kind.category(row.value),
        value=row.value,
        participants=_named(row.value, codes),
        sent=_instant(row.at),
        inputs=row.inputs,
    )


def _email(user: User | None) -> str:
    """Empty for nobody: the rule decides by no name."""
    return user.email if user else ""


def _by_task(found: Iterable[Any], task: Any) -> dict[int, list[Any]]:
    together: dict[int, list[Any]] = defaultdict(list)
    for row in found:
        together[task(row)].append(row)
    return together


def _codes(values: Iterable[dict[str, Any]]) -> dict[int, str]:
    """Pseudonyms by answer, without those who have withdrawn."""
    answers = {answer for value in values for answer in exporting.supporting(value)}
    who = "submission__participation__participant"
    rows = Answer.objects.filter(pk__in=answers).exclude(
        **{f"{who}__status": Participant.Status.WITHDRAWN}
    )
    return dict(rows.values_list("pk", f"{who}__code"))


def _named(value: dict[str, Any], codes: dict[int, str]) -> list[str]:
    named = (codes.get(answer) for answer in exporting.supporting(value))
    return list(dict.fromkeys(code for code in named if code))


def _instant(at: Any) -> str | None:
    return clock.isoformat(at) if at else None
