"""Who is there: `last_seen`, written at most once in a while, and the working time it measures.

One truth for matching, pay and the rounds, kept in the database.
"""

from contextlib import suppress
from datetime import datetime, timedelta

from django.conf import settings

from core import clock
from core.errors import CommonplaceError
from core.updating import Update
from games import working
from games.endings import LOST
from games.machine import Away, Phase, player
from games.machine.commands import Here
from games.models import Seat, Ticket
from games.selectors import sittings, snapshots
from games.selectors.sittings import Sitting
from games.services import endings
from games.services.playing import play
from studies.models import Participation
from studies.participation import Status

_heard = Update(
    Participation,
    *("last_seen", "worked_ms"),
    added=("worked_ms",),
    where=("id", "last_seen", "status"),
)
_seats = Update(Seat, "last_seen", where=("participation", "open"))
_tickets = Update(Ticket, "last_seen", where=("participation", "status"))


def seen(participation: Participation, *, now: bool = False) -> set[int]:
    """The participant's device has been heard. Written at most once in GAME_HEARTBEAT seconds, or
    `now`; the time since last counts as work up to IDLE_AFTER. Who was lost is back with it, and
    the participations whose screen that changes are returned."""
    at, last = clock.now(), participation.last_seen
    if participation.status != Status.ACTIVE or (not now and lately(last)):
        return set()
    if not _note(participation, at, last):
        return set()
    if not _seats.run([at], [participation.pk, True]):
        _tickets.run([at], [participation.pk, Ticket.Status.WAITING.value])
        return set()
    sitting = sittings.newest(participation.pk)
    return _back(sitting, participation.pk) if sitting else set()


def lately(last: datetime | None) -> bool:
    """Whether a sign of life then is told soon enough by the next."""
    every = timedelta(seconds=clock.scaled(settings.GAME_HEARTBEAT))
    return last is not None and clock.now() - last < every


def _note(who: Participation, at: datetime, last: datetime | None) -> bool:
    """False where somebody else has just noted it."""
    longest = timedelta(seconds=clock.scaled(settings.IDLE_AFTER))
    worked = working.since(last, at, longest)
    if last is None:
        new = Participation.objects.filter(pk=who.pk, last_seen=None, status=Status.ACTIVE)
        noted = new.update(last_seen=at)
    else:
        noted = _heard.run([at, worked], [who.pk, last, Status.ACTIVE.value])
    if noted:
        who.last_seen = at
    return bool(noted)


def _back(sitting: Sitting, participation: int) -> set[int]:
    seat = sitting.person(participation)
    state = snapshots.at(sitting.game, sitting.version).state
    if state.away[seat.number] is Away.SILENT and state.phase is not Phase.ENDED:
        with suppress(CommonplaceError):  # the time to come back was over
            play(sitting.game, player(seat.number), Here())
        return sitting.participations | endings.settle(sitting.game)
    if seat.left_reason in LOST or state.finished[seat.number] or state.phase is Phase.ENDED:
        return endings.settle(sitting.game)
    return set()
