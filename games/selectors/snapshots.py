"""A game as it is at a version: read from its row, or remembered.

What a game is at a version it is for ever, so what a process remembers may be missing but is never
wrong. Which version it is at the database knows alone: whoever asks has just read it (`sittings`),
and whoever writes does so on condition that it is that one still.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction

from core.errors import NotFound
from core.prepared import Prepared
from games.machine import Phase, State
from games.models import Game
from games.rules import Rules

MOST = 4096  # games remembered; an old one is read again
_row: Prepared[Game] = Prepared(
    lambda pk: Game.objects.filter(pk=pk).values_list("version", "seq", "state", "rules", "ended"),
    int,
)
_remembered: dict[int, "Snapshot"] = {}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`pk` is the game's; `seq` says how many events there are."""

    pk: int
    version: int
    seq: int
    state: State
    rules: Rules
    ended: datetime | None = None

    @property
    def phase(self) -> Phase:
        return self.state.phase

    @property
    def ended_reason(self) -> str:
        """A code; empty while the game goes on."""
        return self.state.reason if self.phase is Phase.ENDED else ""


def latest(game: int) -> Snapshot:
    """The game as its row is. Raises `game.unknown`."""
    for version, seq, state, rules, ended in _row.rows(game):
        read = Snapshot(game, version, seq, State.from_json(state), Rules.read(rules), ended)
        remember(read)
        return read
    raise NotFound("game.unknown", "There is no such game. Go back to your page.")


def at(game: int, version: int) -> Snapshot:
    """The game at that version, or at a later one where it has gone on meanwhile."""
    known = _remembered.get(game)
    return known if known is not None and known.version == version else latest(game)


def remember(snapshot: Snapshot) -> None:
    """Once what is being written is committed, for it may come to nothing until then."""
    transaction.on_commit(partial(_remember, snapshot))


def _remember(snapshot: Snapshot) -> None:
    known = _remembered.get(snapshot.pk)
    if known is not None and known.version >= snapshot.version:
        return
    if len(_remembered) >= MOST:
        _remembered.clear()
    _remembered[snapshot.pk] = snapshot


def forget() -> None:
    """Forget every game, where the rows are not those of before."""
    _remembered.clear()
