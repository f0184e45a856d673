"""What a player's page asks for is done: the same by form and by socket."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from games import orders
from games.orders import Order
from games.selectors import places
from games.selectors.sittings import Sitting
from games.services import lobby, moves, presence
from studies.models import Participation

_ORDERS: Mapping[Order, Callable[[Participation], set[int]]] = {
    Order.ENTER: lobby.enter,
    Order.KEEP_WAITING: lobby.keep_waiting,
    Order.PLAY_RECORDED: lobby.play_recorded,
    Order.STOP: lobby.stop,
}


@dataclass(frozen=True, slots=True)
class Followed:
    """The participations whose screen changes; `sitting` where they are known with their game."""

    changed: set[int]
    sitting: Sitting | None = None


def follow(row: Participation, fields: orders.Fields, nonce: str) -> Followed:
    """Follow what `do` names, once for a `nonce` that is not empty. Raises what reading and
    following it raise."""
    order = orders.read(fields)
    changed = presence.seen(row)
    if isinstance(order, Order):
        return Followed(changed | _ORDERS[order](row))
    moved = moves.move(row, order, nonce)
    if moved.sitting is None:
        return Followed(changed | set(places.players(moved.played.game)))
    return Followed(changed | moved.sitting.participations, moved.sitting)
