"""All that time does to games and to those who wait for one, and what a dead process has left.

Whoever runs it does it whole; run anywhere, any number of times at once, it is done once.
"""

from contextlib import suppress
from datetime import datetime

from django.conf import settings
from django.db.models import Count, Q

from core import clock
from core.errors import CommonplaceError
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
    due = Game.objects.filter(due__lte=clock.now()).order_by("due").values_list("pk", flat=True)
    done = []
    for game in due[:AT_ONCE]:
        with suppress(CommonplaceError):  # too busy now; it is due in the next round as well
            settle_clock(game)
            done.append(game)
    return done


def _lost(since: datetime) -> list[int]:
    """Games with a player of whom nothing is heard any more, once that is known in them."""
    silent = Seat.objects.filter(open=True, player=Player.HUMAN, last_seen__lt=since).exclude(
        game__phase=Phase.ENDED
    )
    lost = []
    for game, number, state in silent.order_by().values_list("game", "number", "game__state")[
        :AT_ONCE
    ]:
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
    seats = Seat.objects.filter(player=Player.RECORDED, game__phase__in=players.MOVES_IN)
    rows = seats.order_by().values_list("game", "number", "game__state")[:AT_ONCE]
    waiting = [game for game, seat, state in rows if players.to_move(State.from_json(state), seat)]
    return [game for game in waiting if recorded.drive(game).events]


def _left_over() -> set[int]:
    """Seats that nobody has settled: of games that have ended, and of people who have left."""
    unsettled = Seat.objects.filter(
        Q(game__phase=Phase.ENDED) | ~Q(left_reason="") | ~Q(participation__status=Status.ACTIVE),
        open=True,
    )
    columns = ("game", "participation", "participation__status")
    changed: set[int] = set()
    for game, who, status in unsettled.order_by().values_list(*columns)[:AT_ONCE]:
        with suppress(CommonplaceError):
            endings.settle(game)
            if status != Status.ACTIVE:
                departures.left(Participation.objects.get(pk=who))
            changed.update(places.players(game))
    return changed


def _queue(silent: datetime | None) -> set[int]:
    """Those who wait no longer: of whom nothing is heard since `silent`, who have left, whose time
    is up."""
    over = Q(deadline__lte=clock.now()) | ~Q(participation__status=Status.ACTIVE)
    if silent:
        over |= Q(last_seen__lt=silent)
    tickets = Ticket.objects.filter(over, status=Ticket.Status.WAITING).order_by()
    columns = ("participation", "participation__status", "participation__ended_reason", "last_seen")
    changed = set()
    for who, status, reason, seen in tickets.values_list(*columns)[:AT_ONCE]:
        why = "silent" if silent and seen < silent else "waited_out"
        if queueing.leave(who, why if status == Status.ACTIVE else reason or status):
            changed.add(who)
    return changed


def _match() -> set[int]:
    """Where two of a region wait, they may suit; mostly they were paired as the second came."""
    crowded = Ticket.objects.filter(status=Ticket.Status.WAITING).values("activity", "region")
    activities = {
        row["activity"] for row in crowded.annotate(n=Count("pk")).filter(n__gt=1).order_by()
    }
    rows = Activity.objects.filter(pk__in=activities).select_related("study") if activities else ()
    changed: set[int] = set()
    for activity in rows:
        changed |= matching.match(activity)
    return changed
