"""All that time does to games and to those who wait for one, and what a dead process has left.

Whoever runs it does it whole; run anywhere, any number of times at once, it is done once.
"""

from contextlib import suppress
from datetime import UTC, datetime

from django.conf import settings
from django.db.models import Count, Q

from core import clock
from core.errors import CommonplaceError
from core.prepared import Prepared
from games import players
from games.machine import By, Phase, Player, State
from games.machine.commands import Drop, Who
from games.models import Game, Seat, Ticket
from games.selectors import places
from games.services import departures, endings, matching, queueing, recorded
from games.services.playing import play, settle_clock
from studies.models import Activity, Participation
from studies.participation import Status

AT_ONCE = 200  # rows of each kind in one round; the next round takes up the rest
NEVER = datetime(1970, 1, 1, tzinfo=UTC)

# A round is made twice a second and finds mostly nothing, so it is all of prepared queries.
_due: Prepared[Game] = Prepared(
    lambda now: Game.objects.filter(due__lte=now).order_by("due").values_list("pk")[:AT_ONCE],
    datetime,
)
_silent: Prepared[Seat] = Prepared(
    lambda since: (
        Seat.objects.filter(open=True, player=Player.HUMAN, last_seen__lt=since)
        .exclude(game__phase=Phase.ENDED)
        .order_by()
        .values_list("game", "number", "game__state")[:AT_ONCE]
    ),
    datetime,
)
_beside_recorded: Prepared[Seat] = Prepared(
    lambda: (
        Seat.objects.filter(
            open=True, game__phase__in=players.MOVES_IN, game__seats__player=Player.RECORDED
        )
        .order_by()
        .values_list("game", "number", "game__state")[:AT_ONCE]
    )
)
_unsettled: Prepared[Seat] = Prepared(
    lambda: (
        Seat.objects.filter(
            Q(game__phase=Phase.ENDED)
            | ~Q(left_reason="")
            | ~Q(participation__status=Status.ACTIVE),
            open=True,
        )
        .order_by()
        .values_list("game", "participation", "participation__status")[:AT_ONCE]
    )
)
_over: Prepared[Ticket] = Prepared(
    lambda now, silent: (
        Ticket.objects.filter(
            Q(deadline__lte=now)
            | ~Q(participation__status=Status.ACTIVE)
            | Q(last_seen__lt=silent),
            status=Ticket.Status.WAITING,
        )
        .order_by()
        .values_list(
            *("participation", "participation__status", "participation__ended_reason", "last_seen")
        )[:AT_ONCE]
    ),
    datetime,
    datetime,
)
_crowded: Prepared[Ticket] = Prepared(
    lambda: (
        Ticket.objects.filter(status=Ticket.Status.WAITING)
        .order_by()
        .values("activity", "region")
        .annotate(n=Count("pk"))
        .filter(n__gt=1)
        .values_list("activity")
    )
)


def look_round(since: datetime | None = None) -> set[int]:
    """Do what is due; the participations whose screen changed by it. Silence counts from `since`
    on, when somebody began to listen."""
    silent = clock.ago(settings.GAME_IDLE_AFTER)
    listening = since is None or since < silent
    changed: set[int] = set()
    for game in {*_clock(), *(_lost(silent) if listening else ()), *_recorded()}:
        recorded.drive(game)
        endings.settle(game)
        changed.update(places.players(game))
    return changed | _left_over() | _queue(silent if listening else None) | _match()


def _clock() -> list[int]:
    """Games in which a deadline has passed, once that is done."""
    done = []
    for (game,) in _due.rows(clock.now()):
        with suppress(CommonplaceError):  # too busy now; it is due in the next round as well
            settle_clock(game)
            done.append(game)
    return done


def _lost(since: datetime) -> list[int]:
    """Games with a player of whom nothing is heard any more, once that is known in them."""
    lost = []
    for game, number, state in _silent.rows(since):
        read = State.from_json(state)
        if read.finished[number]:
            lost.append(game)
        elif read.away[number] is None:
            with suppress(CommonplaceError):
                play(game, By(Who.SYSTEM, number), Drop())
                lost.append(game)
    return lost


def _recorded() -> list[int]:
    """Games in which a recorded player was to move, because a process died before it did."""
    waiting = [
        game
        for game, number, state in _beside_recorded.rows()
        if players.to_move(State.from_json(state), 1 - number)
    ]
    return [game for game in waiting if recorded.drive(game).events]


def _left_over() -> set[int]:
    """Seats that nobody has settled: of games that have ended, and of people who have left."""
    changed: set[int] = set()
    for game, who, status in _unsettled.rows():
        with suppress(CommonplaceError):
            endings.settle(game)
            if status != Status.ACTIVE:
                departures.left(Participation.objects.get(pk=who))
            changed.update(places.players(game))
    return changed


def _queue(silent: datetime | None) -> set[int]:
    """Those who wait no longer: of whom nothing is heard since `silent`, who have left, whose time
    is up."""
    changed = set()
    for who, status, reason, seen in _over.rows(clock.now(), silent or NEVER):
        why = "silent" if silent and seen < silent else "waited_out"
        if queueing.leave(who, why if status == Status.ACTIVE else reason or status):
            changed.add(who)
    return changed


def _match() -> set[int]:
    """Where two of a region wait, they may suit; mostly they were paired as the second came."""
    activities = {activity for (activity,) in _crowded.rows()}
    rows = Activity.objects.filter(pk__in=activities).select_related("study") if activities else ()
    changed: set[int] = set()
    for activity in rows:
        changed |= matching.match(activity)
    return changed
