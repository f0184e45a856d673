"""A command in a game: decided by the machine, committed as a whole, told to nobody before that.

The game's row carries state and version, and is written on condition that nobody else has: of two
commands at once the second is decided anew on what the first has left. Only rows of the game are
written here; what its end means for who played is `services.endings`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from django.conf import settings
from django.db import IntegrityError, transaction

from core import clock
from core.errors import CommonplaceError
from games import dealing, machine
from games.cards import Card
from games.machine import CLOCK, By, Play, State, Table
from games.machine.commands import Clue, Command, Guess, Tick, Vet, Who
from games.models import Game, GameEvent
from games.rules import Rules
from games.selectors import rows
from games.services import keeping

TRIES = 20  # of one command, each overtaken by somebody else's


@dataclass(frozen=True, slots=True)
class Played:
    """`version` and `state` after the command; `events` are its own, none where it had been
    followed before (`repeated`) or nothing was to be done."""

    game: int
    version: int
    state: State
    events: Sequence[machine.Event] = ()
    repeated: bool = False


class _Overtaken(Exception):
    """Somebody else's command was committed first."""


def play(game: int, by: By, command: Command, *, nonce: str = "", actor: str = "") -> Played:
    """Follow a command. What the clock owes comes first, in a transaction of its own, so that a
    command that is refused takes none of it back.

    `nonce` is the sender's own number of the command: sent again, it is followed once and answered
    as the first time. `actor` is the address of a moderator. Raises what `machine.decide` raises,
    and `game.unknown`.
    """
    if not isinstance(command, Tick):
        settle_clock(game)
    try:
        return _tried(game, by, command, nonce, actor)
    except CommonplaceError:
        if nonce and rows.followed(game, by.seat, nonce):
            return replay(game)
        raise


def settle_clock(game: int) -> Played | None:
    """Do what is due; None where nothing is."""
    done = None
    for _try in range(TRIES):
        due = rows.due(game)
        if due is None or due > clock.now():
            return done
        done = _tried(game, CLOCK, Tick(), "", "")
    return done


def replay(game: int) -> Played:
    """The game as it stands, for a command that was followed before."""
    row = rows.game(game)
    return Played(game, row.version, State.from_json(row.state), repeated=True)


def _tried(game: int, by: By, command: Command, nonce: str, actor: str) -> Played:
    for _try in range(TRIES):
        try:
            with transaction.atomic():
                return _once(game, by, command, nonce, actor)
        except _Overtaken:
            continue
        except IntegrityError:
            if nonce and rows.followed(game, by.seat, nonce):
                return replay(game)
            if _try == TRIES - 1:
                raise
    raise CommonplaceError(
        "game.busy", "Too much happens in this game at once. Send it again.", http_status=503
    )


def _once(game: int, by: By, command: Command, nonce: str, actor: str) -> Played:
    row = rows.game(game)
    state = State.from_json(row.state)
    decided = machine.decide(state, by, command, _table(row, state, command, by))
    if not decided.events:
        return Played(game, row.version, state)
    _write(row, decided, by, nonce, actor)
    return Played(game, row.version + 1, decided.state, decided.events)


def _write(row: Game, decided: Play, by: By, nonce: str, actor: str) -> None:
    state, now = decided.state, clock.now()
    ended = state.phase is machine.Phase.ENDED
    changed = Game.objects.filter(pk=row.pk, version=row.version).update(
        state=state.as_json(),
        version=row.version + 1,
        seq=row.seq + len(decided.events),
        phase=state.phase.value,
        due=instant(state.due),
        ended=row.ended or (now if ended else None),
        ended_reason=state.reason if ended else "",
    )
    if not changed:
        raise _Overtaken
    GameEvent.objects.bulk_create(
        GameEvent(
            game=row,
            seq=row.seq + place,
            seat=event.seat,
            nonce=nonce if place == 1 else "",
            kind=event.kind,
            data=event.data,
            by=actor,
            at=now,
        )
        for place, event in enumerate(decided.events, start=1)
    )
    keeping.keep(row.pk, decided, actor or "rule")


def _table(row: Game, state: State, command: Command, by: By) -> Table:
    """What this command needs to know beside the state, and no more: each part is a query."""
    rules = Rules.read(row.rules)
    turn = state.turn
    moderated = by.who is Who.MODERATOR
    return Table(
        now=milliseconds(clock.now()),
        rules=rules,
        pace=rules.paced(settings.TIME_SCALE),
        cards=cards_of(row.pk) if isinstance(command, Clue | Guess) else {},
        said=rows.said(row.pk, turn.number) if turn and isinstance(command, Clue) else (),
        played=rows.played(row.pk) if isinstance(command, Vet) else frozenset(),
        written=rows.written(row.pk) if moderated else frozenset(),
        pending=rows.pending(row.pk) if moderated else frozenset(),
        recorded=lambda: rows.recorded_deck(row.pk),
    )


@lru_cache(maxsize=1024)
def cards_of(game: int) -> dict[int, Card]:
    """The cards of a game, which stay as they were dealt: nobody may change what this returns."""
    return dealing.cards(Game.objects.values_list("cards", flat=True).get(pk=game))


def milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def instant(at: int | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at / 1000, UTC)
