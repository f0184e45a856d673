"""What ended games and seats mean for the participations behind them (`games.endings`).

`Seat.open` is the mark: as long as it is set, nothing has been settled, and whoever comes next does
it. Lock order: participation, then seat, then ticket.
"""

from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.db import transaction

from core import clock
from core.errors import CommonplaceError
from games import endings, working
from games.endings import Meaning, Outcome
from games.machine import Phase, State
from games.models import Seat
from games.selectors import snapshots
from games.services import queueing
from studies.models import Participation
from studies.participation import Action, Status
from studies.services import moving

_ACTIONS = {
    Outcome.SUBMIT: Action.SUBMIT,
    Outcome.CUT_SHORT: Action.CUT_SHORT,
    Outcome.GIVE_BACK: Action.GIVE_BACK,
}


def settle(game: int) -> set[int]:
    """Settle every seat of the game that is done with, each in a transaction of its own; the
    participations concerned."""
    now = snapshots.latest(game)
    seats = Seat.objects.filter(game=game, open=True)
    settled = set()
    for seat in seats.select_related("participation__activity__study"):
        meaning = endings.of_seat(now, seat)
        if meaning and seat.participation and _settle(seat, seat.participation, meaning):
            settled.add(seat.participation.pk)
    return settled


def concerns(state: State) -> bool:
    """Whether there is, or may be, something to settle in a game of this state."""
    replaced = any(player == "recorded" for player in state.players)
    over = state.phase is Phase.ENDED or replaced or any(state.finished)
    return over or any(state.gone(seat) for seat in (0, 1))


def settle_of(participation: int) -> set[int]:
    """Settle the game in which the participation still has a seat, if it is done with."""
    games = Seat.objects.filter(participation=participation, open=True)
    game = games.values_list("game", flat=True).first()
    return settle(game) if game else set()


def _settle(seat: Seat, who: Participation, meaning: Meaning) -> bool:
    with transaction.atomic():
        rows = Participation.objects.select_for_update(of=("self",), no_key=True)
        who = rows.select_related("activity__study", "participant").get(pk=who.pk)
        if not Seat.objects.filter(pk=seat.pk, open=True).update(open=False):
            return False
        if who.status != Status.ACTIVE:
            return True
        if meaning.outcome in _ACTIONS:
            reason = f"game_{meaning.reason}" if meaning.outcome is not Outcome.SUBMIT else ""
            worked = who.worked_ms + _last_worked(who)
            with suppress(CommonplaceError):
                moving.move(who, _ACTIONS[meaning.outcome], reason=reason, worked_ms=worked)
        elif meaning.outcome is Outcome.REQUEUE:
            queueing.join(who, queueing.old_place(who))
    return True


def _last_worked(who: Participation) -> int:
    """Milliseconds since somebody was last noted to be there, unless they have been lost since."""
    at, heard = clock.now(), clock.ago(settings.GAME_IDLE_AFTER)
    if who.last_seen is None or who.last_seen < heard:
        return 0
    return working.since(who.last_seen, at, timedelta(seconds=clock.scaled(settings.IDLE_AFTER)))
