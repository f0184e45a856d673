"""What follows from the messages of a recruiter, however often, late and out of order."""

from django.db import transaction

from core import audit
from core.errors import CommonplaceError
from studies import webhook
from studies.models import Participation
from studies.participation import MOVES, Action, Status
from studies.recruiter import PROLIFIC
from studies.services import paying
from studies.services.moving import move

_ACTIONS = {webhook.RETURNED: Action.GIVE_BACK, webhook.TIMED_OUT: Action.TIME_OUT}


def hear(event: webhook.Event) -> str:
    """Do what an event asks for: `done`, `unchanged` where it had happened already or asks for
    nothing, `ignored` where the participation has gone another way, `unknown` for a session no
    participation here has."""
    if event.kind != webhook.STATUS_CHANGED or not event.session:
        return "unchanged"
    row = (
        Participation.objects.filter(recruiter__iexact=PROLIFIC, recruiter_session=event.session)
        .select_related("activity__study")
        .first()
    )
    if row is None:
        return "unknown"
    if event.status == webhook.APPROVED:
        key = f"{PROLIFIC} {event.session} approved"
        entry = paying.settle_reward(row, key, PROLIFIC)
        return "done" if entry else "unchanged"
    if event.status in _ACTIONS:
        return _end(row, _ACTIONS[event.status], event.status)
    return "unchanged"


def _end(row: Participation, action: Action, said: str) -> str:
    if any(moves.get(action) == row.status for moves in MOVES.values()):
        return "unchanged"
    slug = row.activity.study.slug
    try:
        with transaction.atomic():
            move(row, action)
            audit.record(
                PROLIFIC,
                "recruiter.ended",
                "participation",
                row.code,
                study=slug,
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
            said=said,
            status=Status(row.status).value,
        )
        return "ignored"
    return "done"
