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
from games.machine import CLOCK, By, Phase, Play, State, Table
from games.machine.commands import Clue, Command, Guess, Tick, Vet, Who
from games.models import Game, GameEvent
from games.selectors import rows, snapshots
from games.selectors.snapshots import Snapshot
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
    """`after` is the game after the command; `events` are its own, none where it had been followed
    before (`repeated`) or nothing was to be done."""

    after: Snapshot
    events: Sequence[machine.Event] = ()
    repeated: bool = False

    @property
    def game(self) -> int:
        return self.after.pk

    @property
    def version(self) -> int:
        return self.after.version

    @property
    def state(self) -> State:
        return self.after.state


class _Overtaken(Exception):
    """Somebody else's command was committed first."""


def play(
    game: int | Snapshot, by: By, command: Command, *, nonce: str = "", actor: str = ""
) -> Played:
    """Follow a command. What the clock owes comes first, in a transaction of its own, so that a
    command that is refused takes none of it back.

    A `game` that is known as it is now is not read again, unless somebody has changed it meanwhile.
    `nonce` is the sender's own number of the command: sent again, it is followed once and answered
    as the first time. `actor` is the address of a moderator. Raises what `machine.decide` raises,
    and `game.unknown`.
    """
    now = game if isinstance(game, Snapshot) else snapshots.latest(game)
    if not isinstance(command, Tick) and _is_due(now) and settle_clock(now.pk):
        now = snapshots.latest(now.pk)
    try:
        return _tried(now, by, command, nonce, actor)
    except CommonplaceError:
        if nonce and rows.followed(now.pk, by.seat, nonce):
            return replay(now.pk)
        raise


def settle_clock(game: int) -> Played | None:
    """Do what is due; None where nothing is."""
    done = None
    for _try in range(TRIES):
        now = snapshots.latest(game)
        if not _is_due(now):
            return done
        done = _tried(now, CLOCK, Tick(), "", "")
    return done


def _is_due(game: Snapshot) -> bool:
    due = game.state.due
    return due is not None and due <= milliseconds(clock.now())


def replay(game: int) -> Played:
    """The game as it stands, for a command that was followed before."""
    return Played(snapshots.latest(game), repeated=True)


def _tried(game: Snapshot, by: By, command: Command, nonce: str, actor: str) -> Played:
    for _try in range(TRIES):
        try:
            return _once(game, by, command, nonce, actor)
        except _Overtaken:
            game = snapshots.latest(game.pk)
        except IntegrityError:
            if nonce and rows.followed(game.pk, by.seat, nonce):
                return replay(game.pk)
            if _try == TRIES - 1:
                raise
            game = snapshots.latest(game.pk)
    raise CommonplaceError(
        "game.busy", "Too much happens in this game at once. Send it again.", http_status=503
    )


def _once(game: Snapshot, by: By, command: Command, nonce: str, actor: str) -> Played:
    """Decided before the transaction: it is held for the writes alone, which the version makes
    depend on all that was read."""
    decided = machine.decide(game.state, by, command, _table(game, command, by))
    if not decided.events:
        return Played(game)
    with transaction.atomic():
        after = _write(game, decided, nonce, actor)
        snapshots.remember(after)
    return Played(after, decided.events)


def _write(game: Snapshot, decided: Play, nonce: str, actor: str) -> Snapshot:
    state, now = decided.state, clock.now()
    after = Snapshot(
        game.pk,
        game.version + 1,
        game.seq + len(decided.events),
        state,
        game.rules,
        game.ended or (now if state.phase is Phase.ENDED else None),
    )
    changed = _games.run(
        [
            state.as_json(),
            after.version,
            after.seq,
            state.phase.value,
            instant(state.due),
            after.ended,
            after.ended_reason,
        ],
        [game.pk, game.version],
    )
    if not changed:
        raise _Overtaken
    _events.insert_new(
        (
            game.pk,
            game.seq + place,
            event.seat,
            nonce if place == 1 else "",
            event.kind,
            event.data,
            actor,
            now,
        )
        for place, event in enumerate(decided.events, start=1)
    )
    keeping.keep(game.pk, decided, actor or keeping.RULE)
    return after


def _table(game: Snapshot, command: Command, by: By) -> Table:
    """What this command needs to know beside the state, and no more: each part is a query."""
    turn = game.state.turn
    moderated = by.who is Who.MODERATOR
    return Table(
        now=milliseconds(clock.now()),
        rules=game.rules,
        pace=game.rules.paced(settings.TIME_SCALE),
        cards=cards_of(game.pk) if isinstance(command, Clue | Guess) else {},
        said=rows.said(game.pk, turn.number) if turn and isinstance(command, Clue) else (),
        played=rows.played(game.pk) if isinstance(command, Vet) else frozenset(),
        written=rows.written(game.pk) if moderated else frozenset(),
        pending=rows.pending(game.pk) if moderated else frozenset(),
        recorded=lambda: rows.recorded_deck(game.pk),
    )


@lru_cache(maxsize=1024)
def cards_of(game: int) -> dict[int, Card]:
    """The cards of a game, which stay as they were dealt: nobody may change what this returns."""
    return dealing.cards(Game.objects.values_list("cards", flat=True).get(pk=game))


def milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def instant(at: int | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at / 1000, UTC)
