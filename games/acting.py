"""What a player's page asks for is done: the same by form and by socket."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core import clock
from games import orders, screens
from games.orders import Order
from games.selectors import places, sittings, snapshots
from games.selectors.sittings import Person, Sitting
from games.selectors.snapshots import Snapshot
from games.services import lobby, moves, presence
from games.services.moves import Moved
from studies.models import Participation

_ORDERS: Mapping[Order, Callable[[Participation], set[int]]] = {
    Order.ENTER: lobby.enter,
    Order.KEEP_WAITING: lobby.keep_waiting,
    Order.PLAY_RECORDED: lobby.play_recorded,
    Order.STOP: lobby.stop,
}


@dataclass(frozen=True, slots=True)
class Followed:
    """The participations whose screen changes; `by` is that of who asked, and `sitting` where they
    are known with their game."""

    by: int
    changed: set[int]
    sitting: Sitting | None = None


@dataclass(frozen=True, slots=True)
class Playing:
    """Somebody who plays, where they sit, and the game as it is."""

    sitting: Sitting
    game: Snapshot
    person: Person


def follow(row: Participation, fields: orders.Fields, nonce: str) -> Followed:
    """Follow what `do` names, once for a `nonce` that is not empty. Raises what reading and
    following it raise."""
    order = orders.read(fields)
    changed = presence.seen(row)
    if isinstance(order, Order):
        return Followed(row.pk, changed | _ORDERS[order](row))
    return _followed(row.pk, moves.move(row, order, nonce), changed)


def follow_seated(code: str, fields: orders.Fields, nonce: str) -> Followed | None:
    """As `follow`, by one read, of a command of somebody who `plays` and has time left; None of
    others, where nothing is done."""
    order, playing = orders.read(fields), plays(code)
    if playing is None or isinstance(order, Order):
        return None
    deadline = playing.person.deadline
    if deadline is not None and deadline <= clock.now():
        return None
    presence.noted(playing.person)
    moved = moves.move_at(playing.sitting, playing.person.participation, order, nonce)
    return _followed(playing.person.participation, moved, set())


def plays(code: str) -> Playing | None:
    """Where the participation of this code sits, by one read; None unless the game goes on for
    them and they are not lost to it, as nearly nobody is who is heard."""
    sitting = sittings.newest_of(code)
    if sitting is None:
        return None
    person = next(each for each in sitting.people if each.code == code)
    game = snapshots.at(sitting.game, sitting.version)
    if not screens.plays(game, person) or game.state.away[person.number] is not None:
        return None
    return Playing(sitting, game, person)


def _followed(by: int, moved: Moved, changed: set[int]) -> Followed:
    if moved.sitting is None:
        return Followed(by, changed | set(places.players(moved.played.game)))
    return Followed(by, changed | moved.sitting.participations, moved.sitting)
