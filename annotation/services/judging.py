"""What an annotator says of a task: drafts, sending it, taking it back."""

from django.conf import settings
from django.db import transaction

from annotation import kinds
from annotation.kinds import Value
from annotation.models import Assignment, Decision, Judgement, Task
from annotation.selectors import suggestions
from annotation.services import deciding, queueing
from core import clock
from core.errors import CommonplaceError
from core.text import clean

Status = Assignment.Status


def save_draft(row: Assignment, value: Value, note: str = "") -> None:
    """Keep what was written so far, and the task with its annotator. Raises `assignment.lost`."""
    until = clock.later(settings.ANNOTATION_LEASE)
    written = {"status": Status.DRAFT, "draft": value, "note": clean(note), "lease_until": until}
    if queueing.mine(row).update(**written):
        return
    if not (queueing.regain(row) and queueing.mine(row).update(**written)):
        raise queueing.lost()


def submit(row: Assignment, value: Value, note: str = "", *, seen: str | None = None) -> Judgement:
    """Store a first pass; said again with the same value it is stored once. The last one of a task
    settles it: all the same is a decision by rule, else it waits for somebody else's.

    Locks the task, so that of two who send at once one is last. `seen` is the hash of the inputs
    the person had in view. Raises `assignment.lost` and `judgement.inputs_changed`.
    """
    with transaction.atomic():
        task = (
            Task.objects.select_for_update(no_key=True)
            .select_related("project")
            .get(pk=row.task_id)
        )
        now = clock.now()
        opened = row.opened or now
        if not _send(row, clean(note)):
            return _again(row, value)
        _refuse_unless_seen(task, seen)
        offer = suggestions.offer(row, task)
        judgement = Judgement.objects.create(
            assignment=row,
            value=value,
            note=clean(note),
            ms=max(0, int((now - opened).total_seconds() * 1000)),
            guideline=task.project.guidelines.all()[0],
            inputs=task.inputs,
            at=now,
            beside=offer.where,
            suggestion=offer.suggestion,
        )
        _settle(task)
    return judgement


def take_back(row: Assignment) -> None:
    """Undo the sending, while the task is still judged by others; what was sent is a draft again.

    Raises `judgement.settled` and `task.known`.
    """
    with transaction.atomic():
        task = Task.objects.select_for_update(no_key=True).get(pk=row.task_id)
        queueing.refuse_who_knows(row)
        here = Assignment.objects.filter(
            pk=row.pk, annotator=row.annotator_id, status=Status.SUBMITTED
        )
        sent = Judgement.objects.filter(assignment=row, phase=Judgement.Phase.FIRST).first()
        if task.status != Task.Status.OPEN or sent is None or not here.exists():
            raise CommonplaceError(
                "judgement.settled",
                "All first passes of this task are in, so it cannot be taken back. Tell the study "
                "team what should be different.",
                http_status=409,
            )
        until = clock.later(settings.ANNOTATION_LEASE)
        here.update(status=Status.DRAFT, draft=sent.value, lease_until=until)
        sent.delete()


def _send(row: Assignment, note: str) -> bool:
    """Whether it was still theirs to send, or is again."""
    sent = {"status": Status.SUBMITTED, "draft": None, "lease_until": None, "note": note}
    if queueing.mine(row).update(**sent):
        return True
    return queueing.regain(row) and bool(queueing.mine(row).update(**sent))


def _refuse_unless_seen(task: Task, seen: str | None) -> None:
    if seen is not None and seen != task.inputs:
        raise CommonplaceError(
            "judgement.inputs_changed",
            "What is to be judged has changed since you opened this. Look at it again, then send; "
            "what you wrote is still below.",
            http_status=409,
        )


def _again(row: Assignment, value: Value) -> Judgement:
    sent = Judgement.objects.filter(
        assignment=row, assignment__annotator=row.annotator_id, phase=Judgement.Phase.FIRST
    ).first()
    if sent is None or sent.value != value:
        raise queueing.lost()
    return sent


def _settle(task: Task) -> None:
    """Decide by rule, or leave it to a person, once as many have judged as shall. What a person
    has decided before stands."""
    if task.status != Task.Status.OPEN:
        return
    passes = Judgement.objects.filter(
        assignment__task=task, assignment__slot__isnull=False, phase=Judgement.Phase.FIRST
    ).order_by("assignment__slot")
    values = [judgement.value for judgement in passes]
    if len(values) < task.project.overlap:
        return
    stale = any(judgement.inputs != task.inputs for judgement in passes)
    if not stale and kinds.of(task.project.kind).same(values):
        deciding.settle(task, values[0], Decision.By.RULE)
    else:
        Task.objects.filter(pk=task.pk).update(status=Task.Status.DISPUTED)
