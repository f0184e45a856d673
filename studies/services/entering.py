"""From an invitation to the activity: entering, agreeing, screening."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from core import audit, clock
from core.errors import CommonplaceError
from studies import kinds, residency, selectors
from studies.models import (
    Activity,
    Consent,
    ConsentDocument,
    Participant,
    Participation,
    Place,
    RecruiterIdentity,
    RecruiterSession,
    Region,
    Residence,
    Study,
)
from studies.participation import Action, Status
from studies.recruiter import Arrival
from studies.services import moving

MOST_LINKS = 1000  # personal links made at once
# After these a recruiter may send the same person again, for a new submission.
AGAIN = (Status.DECLINED, Status.RETURNED, Status.TIMED_OUT)
# Why somebody is screened out who says what they belong to, or has taken part before.
OTHER_REGION, TOOK_PART = "other_region", "took_part"


@dataclass(frozen=True, slots=True)
class Stay:
    """`place` is None for somewhere outside the study; years as in `studies.residency`."""

    place: Place | None
    from_year: int
    to_year: int


def make_links(activity: Activity, count: int, actor: str) -> list[Participation]:
    """New participants, each invited to the activity.

    Raises `study.not_collecting`, and `links.count` unless there are 1 to 1,000.
    """
    study = activity.study
    if study.status != Study.Status.COLLECTING:
        raise CommonplaceError(
            "study.not_collecting",
            f"The study {study.slug} is not open yet, so nobody can take part. Open it on its "
            f"page or with `open_study {study.slug}`, then make the links.",
            http_status=409,
            study=study.slug,
        )
    if not 1 <= count <= MOST_LINKS:
        raise CommonplaceError(
            "links.count",
            f"Personal links are made 1 to {MOST_LINKS} at a time. Ask for as many.",
            count=count,
        )
    with transaction.atomic():
        people = Participant.objects.bulk_create(
            [_newcomer(study, study.languages[0]) for _number in range(count)]
        )
        rows = Participation.objects.bulk_create(
            [
                Participation(participant=who, activity=activity, deadline=_invited_until())
                for who in people
            ]
        )
        audit.record(actor, "links.made", "activity", activity.slug, study=study.slug, count=count)
    return rows


def enter(activity: Activity, arrival: Arrival, language: str) -> Participation:
    """The participation of somebody a recruiter sent: a new one, or the one they have.

    The same person with the same session comes back to the same participation. With a new
    session an open one goes on and is known by both, after `AGAIN` there is a new attempt, and any
    other ending stays. Locks a known participant, then their participations. Raises what
    `refuse_arrival` raises, and `recruiter.session_used`.
    """
    refuse_arrival(activity, arrival)
    for _try in range(2):  # who came twice at the same moment is found the second time
        with suppress(IntegrityError), transaction.atomic():
            return _entered(activity, arrival, language)
    return _found_by_session(activity, arrival)


def refuse_arrival(activity: Activity, arrival: Arrival) -> None:
    """Raises `study.not_collecting`, `recruiter.none` and `recruiter.other_study`."""
    if activity.study.status != Study.Status.COLLECTING:
        raise CommonplaceError(
            "study.not_collecting",
            _("This study is not open. Return your place to the service that invited you."),
            http_status=409,
        )
    if not activity.recruiter:
        raise CommonplaceError(
            "recruiter.none",
            _(
                "This study invites people by personal links only. Open the link you were sent, "
                "or ask the person who told you about the study for one."
            ),
            http_status=404,
        )
    expected = activity.recruiter_study_id
    if expected and arrival.study and arrival.study != expected:
        raise CommonplaceError(
            "recruiter.other_study",
            _(
                "The address you came by belongs to another study. Go back to the service that "
                "invited you and open the study from there again."
            ),
            http_status=409,
        )


def begin(row: Participation) -> Participation:
    """Go on from the invitation, or from having declined by mistake: to what the study asks consent
    for, or in a friendly way out for who has taken part in something that rules this activity out.
    Raises `participation.ended` for who may not reconsider."""
    if row.status == Status.DECLINED and not selectors.may_reconsider(row):
        raise CommonplaceError(
            "participation.ended", "This participation has ended: its invitation is over."
        )
    with transaction.atomic():
        moving.move(row, Action.OPEN)
        _part_from_known(row)
    return row


def agree(row: Participation, document: ConsentDocument, purposes: Sequence[str]) -> Participation:
    """Keep what was agreed to, and go on to screening; said twice it is kept once."""
    with transaction.atomic():
        moving.move(row, Action.CONSENT)
        Consent.objects.create(
            participant=row.participant,
            document=document,
            language=row.participant.language,
            purposes=list(purposes),
            at=clock.now(),
        )
    return row


def screen(row: Participation, born: int, stays: Sequence[Stay]) -> Participation:
    """Admit who fits while a place is left, and part in a friendly way from everybody else.

    A history is kept of who fits only. Locks the participant, then the region. Raises
    `residency.years`.
    """
    study, participant = row.activity.study, row.participant
    lived = [
        residency.Stay(stay.place.region.slug if stay.place else None, stay.from_year, stay.to_year)
        for stay in stays
    ]
    found = residency.find(
        lived, born=born, until=this_year(study), more_than=study.residency_percent
    )
    spent = _spent_ms(row)
    with transaction.atomic():
        if found.region is None:
            return moving.move(row, Action.SCREEN_OUT, reason=found.reason, worked_ms=spent)
        Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
        participant.region = study.regions.get(slug=found.region)
        # A reference to the region, written before its lock is had, would stand in the way of
        # everybody else who asks for the lock.
        moving.admit(row, participant.region, worked_ms=spent)
        participant.save(update_fields=["region"])
        participant.residences.all().delete()
        Residence.objects.bulk_create(
            Residence(
                participant=participant,
                place=stay.place,
                from_year=stay.from_year,
                to_year=stay.to_year,
            )
            for stay in stays
        )
    return row


def identify(row: Participation, region: Region | None) -> Participation:
    """Admit who belongs to a region of the study by their own word, None being another, while a
    place is left; what `screen` does for activities that ask for it this way.

    Locks the participant, then the region. Raises `activity.not_ready` where nobody of the region
    can begin yet.
    """
    spent = _spent_ms(row)
    with transaction.atomic():
        Participant.objects.select_for_update(no_key=True).get(pk=row.participant_id)
        if _part_from_known(row, spent):
            return row
        if region is None:
            return moving.move(row, Action.SCREEN_OUT, reason=OTHER_REGION, worked_ms=spent)
        _refuse_unready(row.activity, region)
        row.participant.region = region
        moving.admit(row, region, worked_ms=spent)
        row.participant.save(update_fields=["region"])
    return row


def _part_from_known(row: Participation, spent: int = 0) -> bool:
    """Whether the participant is screened out, having taken part elsewhere in the study."""
    kind = kinds.of(row.activity)
    if kind is None or not kind.newcomers or not selectors.took_part_elsewhere(row):
        return False
    moving.move(row, Action.SCREEN_OUT, reason=TOOK_PART, worked_ms=spent)
    return True


def _refuse_unready(activity: Activity, region: Region) -> None:
    kind = kinds.of(activity)
    if kind is not None and not kind.ready(activity, region):
        raise CommonplaceError(
            "activity.not_ready",
            _(
                "This has not begun for people of your region yet. Keep your personal link, and "
                "come back with it later."
            ),
            http_status=409,
        )


def speak(participant: Participant, language: str) -> None:
    """Change the language a participant reads in; one the study does not have changes nothing."""
    if language in participant.study.languages and language != participant.language:
        Participant.objects.filter(pk=participant.pk).update(language=language)
        participant.language = language


def this_year(study: Study) -> int:
    """The year it is in the study's time zone."""
    return clock.now().astimezone(ZoneInfo(study.timezone)).year


def _entered(activity: Activity, arrival: Arrival, language: str) -> Participation:
    known = (
        RecruiterIdentity.objects.filter(
            study=activity.study, recruiter=activity.recruiter, external_id=arrival.person
        )
        .select_related("participant")
        # Without the key, whose lock rows that are written beside it for the participant take:
        # a consent given at this moment holds the participation already, which comes next here.
        .select_for_update(of=("participant",), no_key=True)
        .first()
    )
    if known is None:
        return _attempt(activity, _newcomer(activity.study, language), arrival)
    participant = known.participant
    every = participant.participations.select_related("participant", "activity__study")
    every = every.select_for_update(of=("self",), no_key=True)
    rows = list(every.filter(activity=activity).order_by("-attempt"))
    used = RecruiterSession.objects.filter(recruiter=activity.recruiter, session=arrival.session)
    used_by = used.values_list("participation", flat=True).first()
    for row in rows:
        if row.pk == used_by:
            return row
    newest = rows[0] if rows else None
    withdrawn = participant.status == Participant.Status.WITHDRAWN
    if newest is None:
        return every[0] if withdrawn else _attempt(activity, participant, arrival)
    if not withdrawn and selectors.time_is_up(newest):
        moving.move(newest, Action.TIME_OUT)
    if not withdrawn and arrival.session and newest.status in AGAIN:
        return _attempt(activity, participant, arrival, newest.attempt + 1)
    if arrival.session and used_by is None:
        _come_with(newest, arrival.session)
    return newest


def _attempt(
    activity: Activity, participant: Participant, arrival: Arrival, attempt: int = 1
) -> Participation:
    """A new participation, opened at once, of somebody who may be new as well."""
    if participant.pk is None:
        participant.save()
        RecruiterIdentity.objects.create(
            study=activity.study,
            participant=participant,
            recruiter=activity.recruiter,
            external_id=arrival.person,
        )
    row = Participation.objects.create(
        participant=participant,
        activity=activity,
        attempt=attempt,
        recruiter=activity.recruiter,
        deadline=_invited_until(),
    )
    if arrival.session:
        _come_with(row, arrival.session)
    return begin(row)


def _come_with(row: Participation, session: str) -> None:
    """From now on this session is the one that speaks for the participation."""
    row.recruiter, row.recruiter_session = row.activity.recruiter, session
    row.save(update_fields=["recruiter", "recruiter_session"])
    RecruiterSession.objects.create(participation=row, recruiter=row.recruiter, session=session)


def _found_by_session(activity: Activity, arrival: Arrival) -> Participation:
    """Of a session that is in use: the participation of somebody who has withdrawn and whose id,
    emptied by that, no longer finds them. Raises `recruiter.session_used` for anybody else."""
    forgotten = activity.participations.filter(
        sessions__recruiter=activity.recruiter,
        sessions__session=arrival.session,
        participant__status=Participant.Status.WITHDRAWN,
        participant__recruiter_identity__external_id="",
    )
    row = forgotten.select_related("participant").first() if arrival.session else None
    if row is None:
        raise CommonplaceError(
            "recruiter.session_used",
            _(
                "This submission has been used already, by somebody else or for another part of "
                "the study. Go back to the service that invited you and start from there again."
            ),
            http_status=409,
        )
    return row


def _newcomer(study: Study, language: str) -> Participant:
    return Participant(study=study, language=language, simulated=study.simulated)


def _invited_until() -> datetime:
    return clock.later(settings.LINK_DAYS * 24 * 3600)


def _spent_ms(row: Participation) -> int:
    """The time since the participant began, as far as it counts as work."""
    if row.opened is None:
        return 0
    longest = timedelta(seconds=clock.scaled(settings.IDLE_AFTER))
    return min(clock.now() - row.opened, longest) // timedelta(milliseconds=1)
