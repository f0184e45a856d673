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
from core.inserting import Rows
from core.updating import Update
from games import dealing, machine
from games.cards import Card
from games.machine import CLOCK, By, Play, State, Table
from games.machine.commands import Clue, Command, Guess, Tick, Vet, Who
from games.models import Game, GameEvent
from games.rules import Rules
from games.selectors import rows
from games.services import keeping

TRIES = 20  # of one command, each overtaken by somebody else's
_games = Update(
    Game,
    *("state", "version", "seq", "phase", "due", "ended", "ended_reason"),
    where=("id", "version"),
)
_events = Rows(GameEvent, "game", "seq", "seat", "nonce", "kind", "data", "by", "at")


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


def play(game: Game | int, by: By, command: Command, *, nonce: str = "", actor: str = "") -> Played:
    """Follow a command. What the clock owes comes first, in a transaction of its own, so that a
    command that is refused takes none of it back.

    A `game` that has just been read is not read again, unless somebody has changed it meanwhile.
    `nonce` is the sender's own number of the command: sent again, it is followed once and answered
    as the first time. `actor` is the address of a moderator. Raises what `machine.decide` raises,
    and `game.unknown`.
    """
    row = game if isinstance(game, Game) else rows.game(game)
    if not isinstance(command, Tick) and _is_due(row.due) and settle_clock(row.pk):
        row = rows.game(row.pk)
    try:
        return _tried(row, by, command, nonce, actor)
    except CommonplaceError:
        if nonce and rows.followed(row.pk, by.seat, nonce):
            return replay(row.pk)
        raise


def settle_clock(game: int) -> Played | None:
    """Do what is due; None where nothing is."""
    done = None
    for _try in range(TRIES):
        if not _is_due(rows.due(game)):
            return done
        done = _tried(rows.game(game), CLOCK, Tick(), "", "")
    return done


def _is_due(at: datetime | None) -> bool:
    return at is not None and at <= clock.now()


def replay(game: int) -> Played:
    """The game as it stands, for a command that was followed before."""
    row = rows.game(game)
    return Played(game, row.version, State.from_json(row.state), repeated=True)


def _tried(row: Game, by: By, command: Command, nonce: str, actor: str) -> Played:
    for _try in range(TRIES):
        try:
            return _once(row, by, command, nonce, actor)
        except _Overtaken:
            row = rows.game(row.pk)
        except IntegrityError:
            if nonce and rows.followed(row.pk, by.seat, nonce):
                return replay(row.pk)
            if _try == TRIES - 1:
                raise
            row = rows.game(row.pk)
    raise CommonplaceError(
        "game.busy", "Too much happens in this game at once. Send it again.", http_status=503
    )


def _once(row: Game, by: By, command: Command, nonce: str, actor: str) -> Played:
    """Decided before the transaction: it is held for the writes alone, which the version makes
    depend on all that was read."""
    state = State.from_json(row.state)
    decided = machine.decide(state, by, command, _table(row, state, command, by))
    if not decided.events:
        return Played(row.pk, row.version, state)
    with transaction.atomic():
        _write(row, decided, nonce, actor)
    return Played(row.pk, row.version + 1, decided.state, decided.events)


def _write(row: Game, decided: Play, nonce: str, actor: str) -> None:
    state, now = decided.state, clock.now()
    ended = state.phase is machine.Phase.ENDED
    changed = _games.run(
        [
            state.as_json(),
            row.version + 1,
            row.seq + len(decided.events),
            state.phase.value,
            instant(state.due),
            row.ended or (now if ended else None),
            state.reason if ended else "",
        ],
        [row.pk, row.version],
    )
    if not changed:
        raise _Overtaken
    _events.insert_new(
        (
            row.pk,
            row.seq + place,
            event.seat,
            nonce if place == 1 else "",
            event.kind,
            event.data,
            actor,
            now,
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
