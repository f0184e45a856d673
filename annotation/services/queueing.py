"""The queue: who gets which task, for how long, and how it goes back.

A slot row is taken by a conditional update, so of any number of people who ask at once each row
goes to one. A lease that has run out is free again for whoever asks; a draft on it is kept, and
goes on as soon as its writer is back, unless the task has by then been judged by others.
"""

import random
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts.models import User
from annotation.kinds import Value
from annotation.models import Assignment, Project, Task
from annotation.selectors import ahead, knowing
from core import clock
from core.errors import CommonplaceError
from core.text import clean

TRIES = 10  # times the head of the queue is read; who loses its first place tries any other

Status = Assignment.Status


def take(project: Project, user: User) -> Assignment | None:
    """The task this person has begun, else the next one for them; None where none is left."""
    for row in ahead.begun(project, user):
        if _renew(row):
            row.task.project = project
            return row
    for _attempt in range(TRIES):
        waiting = ahead.head(project, user)
        if not waiting:
            return None
        first, *others = waiting
        for row in (first, *random.sample(others, len(others))):
            if _take(row, user):
                row.task.project = project  # whoever shows the task need not read it again
                return row
    return None


def take_task(task: Task, user: User) -> Assignment | None:
    """A place at this very task for this person; None where none is free or it is decided."""
    own = Assignment.objects.filter(task=task, annotator=user).first()
    if own is not None:
        return own if _renew(own) else None
    for row in ahead.of_task(task, user):
        if _take(row, user):
            return row
    return None


def release(row: Assignment) -> None:
    """Give back what was not begun."""
    Assignment.objects.filter(pk=row.pk, annotator=row.annotator_id, status=Status.LEASED).update(
        annotator=None, status=Status.FREE, lease_until=None, opened=None
    )


def skip(row: Assignment, note: str, value: Value | None = None) -> None:
    """Leave the task to somebody else; skipped twice it is skipped once. What was written of it is
    kept, for who takes the skip back."""
    written = {} if value is None else {"draft": value}
    with transaction.atomic():
        Task.objects.select_for_update(no_key=True).get(pk=row.task_id)
        if not _vacate(mine(row), status=Status.SKIPPED, note=clean(note), **written):
            _refuse_unless(row, Status.SKIPPED)


def flag(row: Assignment, note: str, value: Value | None = None) -> None:
    """Say what is wrong with the task; it keeps its slot until the team has looked.

    Raises `flag.no_note`.
    """
    note = clean(note).strip()
    if not note:
        raise CommonplaceError(
            "flag.no_note", "Write what is wrong with it, so that it can be put right."
        )
    written = {} if value is None else {"draft": value}
    if not mine(row).update(status=Status.FLAGGED, lease_until=None, note=note, **written):
        _refuse_unless(row, Status.FLAGGED)


def undo(row: Assignment) -> None:
    """Take back a skip or a flag; what was written is a draft again.

    Raises `assignment.taken` where no place at the task is left or it is decided, and `task.known`.
    """
    with transaction.atomic():
        task = Task.objects.select_for_update(no_key=True).get(pk=row.task_id)
        refuse_who_knows(row)
        if task.status == Task.Status.DECIDED:
            raise CommonplaceError(
                "assignment.taken",
                "Somebody has decided this task since, so it is closed. Go on with the next.",
                http_status=409,
            )
        own = Assignment.objects.filter(pk=row.pk, annotator=row.annotator_id)
        own.filter(status=Status.FLAGGED).update(status=Status.DRAFT, lease_until=_lease())
        own.filter(status=Status.SKIPPED).update(status=Status.DRAFT)
        if not (mine(row).exists() or regain(row)):
            raise CommonplaceError(
                "assignment.taken",
                "Others have taken this task since, so it stays with them. Go on with the next.",
                http_status=409,
            )


def unflag(row: Assignment) -> None:
    """Open the slot of a flagged task again. Who flagged it can go on as with a draft that lapsed,
    unless they know what somebody else said of it."""
    with transaction.atomic():
        Task.objects.select_for_update(no_key=True).get(pk=row.task_id)
        flagged = Assignment.objects.filter(pk=row.pk, status=Status.FLAGGED)
        known = row.annotator_id is not None and knowing.knows(row.task_id, row.annotator_id)
        _vacate(flagged, status=Status.SKIPPED if known else Status.DRAFT)


def refuse_who_knows(row: Assignment) -> None:
    """Raises `task.known` where who has this place has read what another said of its task."""
    if row.annotator_id is not None and knowing.knows(row.task_id, row.annotator_id):
        raise CommonplaceError(
            "task.known",
            "You have read what somebody else said of this task since, so you cannot judge it "
            "alone any more. Go on with the next.",
            http_status=409,
        )


def lapse() -> int:
    """A duty: of drafts whose lease ran out the slot goes to somebody else; the draft stays with
    who wrote it. The number of slots that fell free."""
    late = Assignment.objects.filter(
        status=Status.DRAFT, slot__isnull=False, lease_until__lt=clock.now()
    )
    return sum(_lapse(row) for row in late.order_by("pk")[:200])


def _lapse(row: Assignment) -> bool:
    with transaction.atomic():
        Task.objects.select_for_update(no_key=True).get(pk=row.task_id)
        return _vacate(
            Assignment.objects.filter(
                pk=row.pk,
                status=Status.DRAFT,
                slot__isnull=False,
                lease_until__lt=clock.now(),
            )
        )


def regain(row: Assignment) -> bool:
    """Give a draft that lapsed a slot of its task again, where one is still free."""
    with transaction.atomic():
        task = Task.objects.select_for_update(no_key=True).get(pk=row.task_id)
        lapsed = Assignment.objects.filter(
            pk=row.pk, annotator=row.annotator_id, status=Status.DRAFT, slot__isnull=True
        )
        free = ahead.free(
            Assignment.objects.select_for_update(no_key=True).filter(task=task)
        ).first()
        if task.status != Task.Status.OPEN or free is None or not lapsed.exists():
            return False
        free.delete()  # locked, so that nobody is taking it
        lapsed.update(slot=free.slot, lease_until=_lease())
    row.slot = free.slot
    return True


def _vacate(held: QuerySet[Assignment], **values: Any) -> bool:
    """Whether this row, of a task that is locked, has left its slot to somebody else."""
    row = held.first()
    if row is None or not held.update(slot=None, lease_until=None, **values):
        return False
    Assignment.objects.create(
        task_id=row.task_id, project_id=row.project_id, position=row.position, slot=row.slot
    )
    return True


def _take(row: Assignment, user: User) -> bool:
    values = {"annotator": user, "status": Status.LEASED, "lease_until": _lease()}
    values |= {"opened": clock.now(), "draft": None}
    try:
        with transaction.atomic():
            taken = ahead.free(Assignment.objects.filter(pk=row.pk)).update(**values)
    except IntegrityError:  # they have just got another slot of the same task
        return False
    for name, value in values.items():
        setattr(row, name, value)
    return bool(taken)


def _renew(row: Assignment) -> bool:
    """Whether it is still theirs, and then for a whole lease; somebody may just have taken it."""
    row.lease_until = _lease()
    return bool(mine(row).update(lease_until=row.lease_until)) or regain(row)


def _lease() -> datetime:
    return clock.later(settings.ANNOTATION_LEASE)


def mine(row: Assignment) -> QuerySet[Assignment]:
    """The row, as long as it is this person's to write. A lease that ran out is, until somebody
    else has taken the slot."""
    return Assignment.objects.filter(
        pk=row.pk, annotator=row.annotator_id, status__in=Assignment.HELD, slot__isnull=False
    )


def _refuse_unless(row: Assignment, status: str) -> None:
    """Raises `assignment.lost`, unless the row has the status that was asked for already."""
    if not Assignment.objects.filter(pk=row.pk, annotator=row.annotator_id, status=status).exists():
        raise lost()


def lost() -> CommonplaceError:
    return CommonplaceError(
        "assignment.lost",
        "This task is not yours any more: it was sent already, or it lay for so long that "
        "somebody else has it. What you wrote is shown below; go on with the next task.",
        http_status=409,
    )
