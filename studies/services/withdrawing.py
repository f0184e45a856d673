"""Withdrawal: at once for the participant, and room by room for what they wrote."""

from django.db import transaction

from core import audit, clock, jobs
from core.models import AuditEntry, Job
from studies import withdrawal
from studies.models import Participant
from studies.participation import MOVES, Action, Status
from studies.services import retention
from studies.services.moving import move

JOB_KIND = "studies.withdrawal"
REMOVED = "participant.words_removed"


def withdraw(participant: Participant, actor: str) -> Participant:
    """Take somebody out of the study; what they have earned until now stays owed.

    Their participations end and give their places free, where they have lived and what a reviewer
    wrote to them is deleted, and every registered room gets a job that removes their words. The
    recruiter's id is emptied unless money is owed, else once it is paid. Withdrawing again only
    orders anew what a room has not done. Locks the participations.
    """
    with transaction.atomic():
        first = Participant.objects.filter(
            pk=participant.pk, status=Participant.Status.TAKING_PART
        ).update(status=Participant.Status.WITHDRAWN, withdrawn_at=clock.now())
        participant.refresh_from_db()
        if first:
            _leave(participant)
            _note(participant, actor, "participant.withdrawn")
        _order_removal(participant)
    return participant


def _leave(participant: Participant) -> None:
    rows = participant.participations.select_for_update(of=("self",), no_key=True).order_by("pk")
    for row in rows.select_related("activity__study"):
        if Action.WITHDRAW in MOVES[Status(row.status)]:
            move(row, Action.WITHDRAW)
    participant.participations.exclude(message="").update(message="")
    Participant.objects.filter(pk=participant.pk).update(region_other="")
    participant.residences.all().delete()
    retention.forget_paid(participant.pk)


def _order_removal(participant: Participant) -> None:
    done = {
        entry.data["handler"]
        for entry in AuditEntry.objects.filter(
            action=REMOVED, object_kind="participant", object_id=participant.code
        )
    }
    for name in withdrawal.handlers:
        key = job_key(participant.code, name)
        waiting = Job.objects.filter(key=key, status__in=Job.UNFINISHED).exists()
        if name not in done and not waiting:
            args = {"participant": participant.pk, "handler": name}
            jobs.enqueue(JOB_KIND, key=key, args=args)


def job_key(code: str, handler: str) -> str:
    return f"withdraw {code} {handler}"


def remove_words(work: jobs.Work) -> None:
    """The job: one room's handler, which opens its own transactions, and what it removed."""
    name = work.args["handler"]
    participant = Participant.objects.select_related("study").get(pk=work.args["participant"])
    work.beat()
    removed = withdrawal.handlers[name](participant)
    with transaction.atomic():
        work.beat()
        _note(participant, audit.SYSTEM, REMOVED, handler=name, removed=removed)


def _note(participant: Participant, actor: str, action: str, **data: object) -> None:
    slug = participant.study.slug
    audit.record(actor, action, "participant", participant.code, study=slug, **data)
