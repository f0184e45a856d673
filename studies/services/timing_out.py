"""Places of people whose time is up go to the next person."""

from datetime import datetime

from django.db import transaction

from core import audit, clock
from core.errors import CommonplaceError
from studies.models import Participation
from studies.participation import MOVES, Action
from studies.services.moving import move

AT_ONCE = 200  # rows read at a time; each is moved in a transaction of its own
_MAY_RUN_OUT = [status for status, moves in MOVES.items() if Action.TIME_OUT in moves]


def time_out_overdue(now: datetime | None = None) -> int:
    """End the open participations whose deadline lies before `now`; how many.

    What was submitted never times out: it is with the study team. Whoever submits at the same
    moment wins or loses as a whole, by the condition of the move.
    """
    overdue = (
        Participation.objects.filter(status__in=_MAY_RUN_OUT, deadline__lt=now or clock.now())
        .select_related("activity__study", "participant")
        .order_by("pk")
    )
    ended, last = 0, 0
    while batch := list(overdue.filter(pk__gt=last)[:AT_ONCE]):
        ended += sum(_time_out(row) for row in batch)
        last = batch[-1].pk
    return ended


def _time_out(row: Participation) -> bool:
    try:
        with transaction.atomic():
            move(row, Action.TIME_OUT)
            slug = row.activity.study.slug
            audit.record(
                audit.SYSTEM,
                "participation.timed_out",
                "participation",
                row.code,
                study=slug,
                participant=row.participant.code,
            )
    except CommonplaceError:  # it moved on meanwhile
        return False
    return True
