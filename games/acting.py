"""What a player's page asks for is done: the same by form and by socket."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core import clock
from games import orders
from games.orders import Order
from games.selectors import places, sittings
from games.selectors.sittings import Sitting
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


def follow(row: Participation, fields: orders.Fields, nonce: str) -> Followed:
    """Follow what `do` names, once for a `nonce` that is not empty. Raises what reading and
    following it raise."""
    order = orders.read(fields)
    changed = presence.seen(row)
    if isinstance(order, Order):
        return Followed(row.pk, changed | _ORDERS[order](row))
    return _followed(row.pk, moves.move(row, order, nonce), changed)


def follow_seated(code: str, fields: orders.Fields, nonce: str) -> Followed | None:
    """As `follow`, by one read, of a command of somebody who has been heard lately and whose
    participation goes on, as nearly all of them are; None of others, where nothing is done."""
    order, sitting = orders.read(fields), sittings.newest_of(code)
    if sitting is None or isinstance(order, Order):
        return None
    person = next(each for each in sitting.people if each.code == code)
    late = person.deadline is not None and person.deadline <= clock.now()
    if late or not person.takes_part or not presence.lately(person.last_seen):
        return None
    moved = moves.move_at(sitting, person.participation, order, nonce)
    return _followed(person.participation, moved, set())


def _followed(by: int, moved: Moved, changed: set[int]) -> Followed:
    if moved.sitting is None:
        return Followed(by, changed | set(places.players(moved.played.game)))
    return Followed(by, changed | moved.sitting.participations, moved.sitting)
