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
from annotation.models import Assignment, Decision, Judgement, PutBack, Suggestion, Task
from annotation.selectors import suggestions
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
        .select_related("assignment__annotator", "guideline", "suggestion")
        .order_by("assignment__slot"),
        lambda row: row.assignment.task_id,
    )
    aside = _by_task(
        Assignment.objects.filter(task__in=tasks, status__in=SIDE).select_related("annotator"),
        lambda row: row.task_id,
    )
    put_back = _by_task(
        PutBack.objects.filter(assignment__task__in=tasks).select_related("assignment__annotator"),
        lambda row: row.assignment.task_id,
    )
    decided = _by_task(
        Decision.objects.filter(task__in=tasks).select_related("decided_by").order_by("pk"),
        lambda row: row.task_id,
    )
    suggested = _by_task(
        Suggestion.objects.filter(task__in=tasks).select_related("task__project", "model"),
        lambda row: row.task_id,
    )
    values = [
        *(row.value for found in (judged, decided) for each in found.values() for row in each),
        *({"concepts": [{"answers": row.answers}]} for each in suggested.values() for row in each),
    ]
    codes = _codes(values)
    for task in tasks:
        about: About = {
            "kind": task.project.kind,
            "task": task.source_key,
            "question": task.question.key if task.question else None,
            "region": task.region.slug if task.region else None,
        }
        yield from (_first_pass(about, row, kind, codes) for row in judged[task.pk])
        yield from (_aside(about, row) for row in aside[task.pk])
        yield from (_put_back(about, row) for row in put_back[task.pk])
        yield from (_decision(about, row, kind, codes) for row in decided[task.pk])
        current = next((row for row in decided[task.pk] if row.current), None)
        for row in suggested[task.pk]:
            if all(answer in codes for answer in row.answers):  # else somebody has withdrawn
                became = suggestions.became(row, current, bool(judged[task.pk]))
                yield _suggestion(about, row, kind, codes, became)


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
        suggestion=_beside(row, kind),
        suggested_by=row.suggestion.by if row.suggestion else None,
    )


def _beside(row: Judgement, kind: kinds.Kind) -> str:
    """Where the suggestion was, and whether the person said the same."""
    if row.suggestion is None or row.suggestion.value is None:
        return row.beside
    same = kind.same([row.value, row.suggestion.value])
    return f"{row.beside}, {'same' if same else 'other'}"


def _aside(about: About, row: Assignment) -> Act:
    return Act(
        **about,
        row=SIDE[Status(row.status)],
        annotator=_email(row.annotator),
        status=row.status,
        note=row.note,
        opened=_instant(row.opened),
    )


def _put_back(about: About, row: PutBack) -> Act:
    return Act(
        **about,
        row=exporting.FLAG,
        annotator=_email(row.assignment.annotator),
        status="put back",
        note=row.note,
        opened=_instant(row.assignment.opened),
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


def _suggestion(
    about: About, row: Suggestion, kind: kinds.Kind, codes: dict[int, str], became: str
) -> Act:
    value = row.value
    return Act(
        **about,
        row=exporting.SUGGESTION,
        annotator="",
        status=row.outcome if value is None else became,
        note="",
        category=None if value is None else kind.category(value),
        value=value,
        participants=_named(value or {}, codes),
        sent=_instant(row.at),
        inputs=row.inputs,
        suggested_by=row.by,
        simulated=bool(row.model and row.model.simulated),
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
