"""What is known of participants through a recruiter goes once nobody has to be paid by it."""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from core import audit, clock
from studies import participation
from studies.models import (
    LedgerEntry,
    Participant,
    Participation,
    RecruiterIdentity,
    RecruiterSession,
    Study,
)

AT_ONCE = 200  # participants a transaction
_DAY = 24 * 3600
_OWED = (LedgerEntry.Kind.REWARD, LedgerEntry.Kind.BONUS)


def forget_paid(participant_id: int) -> bool:
    """Empty the recruiter's id of somebody who has withdrawn, unless they are still owed money;
    whether it is empty now. Runs within the caller's transaction."""
    who = Participant.objects.filter(pk=participant_id, status=Participant.Status.WITHDRAWN)
    settled = list(_settled(who).values_list("pk", flat=True))
    RecruiterIdentity.objects.filter(participant__in=settled).update(external_id="")
    return bool(settled)


def forget_recruiters() -> int:
    """Empty the ids of everybody whose payment closed longer ago than the study keeps them; how
    many participants it was.

    Payment closes with the last ending or payment, where nothing is owed. The recruiter's sessions
    go with the id, since the recruiter knows whose they were.
    """
    return sum(_forget_in(study) for study in Study.objects.order_by("pk"))


def _forget_in(study: Study) -> int:
    closed = _settled(_known(study, clock.ago(study.retention_days * _DAY)))
    forgotten = 0
    while batch := list(closed.values_list("pk", flat=True)[:AT_ONCE]):
        with transaction.atomic():
            RecruiterIdentity.objects.filter(participant__in=batch).update(external_id="")
            Participation.objects.filter(participant__in=batch).update(recruiter_session="")
            RecruiterSession.objects.filter(participation__participant__in=batch).delete()
            audit.record(
                audit.SYSTEM,
                "recruiter_ids.emptied",
                "study",
                study.slug,
                study=study.slug,
                count=len(batch),
            )
        forgotten += len(batch)
    return forgotten


def _known(study: Study, since: datetime) -> QuerySet[Participant]:
    """Participants a recruiter could still be asked about, to whom nothing happened `since`."""
    theirs = Participation.objects.filter(participant=OuterRef("pk"))
    entries = LedgerEntry.objects.filter(participation__participant=OuterRef("pk"))
    identity = RecruiterIdentity.objects.filter(participant=OuterRef("pk"))
    return study.participants.filter(
        Exists(identity.exclude(external_id="")) | Exists(theirs.exclude(recruiter_session="")),
        ~Exists(theirs.filter(ended__gte=since)),
        ~Exists(entries.filter(at__gte=since)),
        Exists(theirs),
    )


def _settled(people: QuerySet[Participant]) -> QuerySet[Participant]:
    """Those of them whose participations have all ended and who are owed nothing."""
    unfinished = Participation.objects.filter(
        participant=OuterRef("pk"), status__in=participation.OPEN
    )
    amount = "participations__ledger__amount_minor"
    kind = "participations__ledger__kind"
    owed = Sum(amount, filter=Q(**{f"{kind}__in": _OWED}))
    paid = Sum(amount, filter=Q(**{kind: LedgerEntry.Kind.PAYMENT}))
    sums = people.annotate(owed=Coalesce(owed, 0), paid=Coalesce(paid, 0))
    return sums.filter(~Exists(unfinished), owed__lte=F("paid"))
