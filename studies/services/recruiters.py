"""What follows from the messages of a recruiter, however often, late and out of order."""

from django.db import transaction

from core import audit
from core.errors import CommonplaceError
from studies import webhook
from studies.models import Participation, RecruiterSession
from studies.participation import MOVES, Action, Status
from studies.recruiter import PROLIFIC
from studies.services import paying
from studies.services.moving import move

_ACTIONS = {webhook.RETURNED: Action.GIVE_BACK, webhook.TIMED_OUT: Action.TIME_OUT}


def hear(event: webhook.Event) -> str:
    """Do what an event asks for: `done`, `unchanged` where it had happened already or asks for
    nothing, `ignored` where the participation has gone another way, `unknown` for a session no
    participation here has.

    Money is paid for any session somebody came with; only the newest one ends what goes on here.
    """
    if event.kind != webhook.STATUS_CHANGED or not event.session:
        return "unchanged"
    found = (
        RecruiterSession.objects.filter(recruiter__iexact=PROLIFIC, session=event.session)
        .select_related("participation__activity__study", "participation__participant")
        .first()
    )
    if found is None:
        return "unknown"
    row = found.participation
    if event.status == webhook.APPROVED:
        key = f"{PROLIFIC} {event.session} approved"
        entry = paying.settle_reward(row, key, PROLIFIC)
        return "done" if entry else "unchanged"
    if event.status in _ACTIONS:
        return _end(row, event)
    return "unchanged"


def _end(row: Participation, event: webhook.Event) -> str:
    """Locks the participation, so that nobody comes back to it with another session meanwhile."""
    action, said = _ACTIONS[event.status], event.status
    if any(moves.get(action) == row.status for moves in MOVES.values()):
        return "unchanged"
    slug = row.activity.study.slug
    try:
        with transaction.atomic():
            _hold(row, event.session)
            move(row, action)
            audit.record(
                PROLIFIC,
                "recruiter.ended",
                "participation",
                row.code,
                study=slug,
                participant=row.participant.code,
                said=said,
                status=row.status,
            )
    except CommonplaceError:
        audit.record(
            PROLIFIC,
            "recruiter.ignored",
            "participation",
            row.code,
            study=slug,
            participant=row.participant.code,
            said=said,
            status=Status(row.status).value,
        )
        return "ignored"
    return "done"


def _hold(row: Participation, session: str) -> None:
    """Raises `recruiter.old_session` where somebody goes on with a newer one."""
    held = (
        Participation.objects.select_for_update(no_key=True)
        .only("recruiter_session")
        .get(pk=row.pk)
    )
    if held.recruiter_session != session:
        raise CommonplaceError(
            "recruiter.old_session",
            "The participation goes on with a newer session. Nothing has to be done.",
            http_status=409,
        )
