"""What a player's page asks for is done: the same by form and by socket."""

from collections.abc import Callable, Mapping

from games import orders
from games.orders import Order
from games.selectors import places
from games.services import lobby, moves, presence
from studies.models import Participation

_ORDERS: Mapping[Order, Callable[[Participation], set[int]]] = {
    Order.ENTER: lobby.enter,
    Order.KEEP_WAITING: lobby.keep_waiting,
    Order.PLAY_RECORDED: lobby.play_recorded,
    Order.STOP: lobby.stop,
}


def follow(row: Participation, fields: orders.Fields, nonce: str) -> set[int]:
    """Follow what `do` names, once for a `nonce` that is not empty; the participations whose screen
    that changes. Raises what reading and following it raise."""
    order = orders.read(fields)
    changed = presence.seen(row)
    if isinstance(order, Order):
        return changed | _ORDERS[order](row)
    played = moves.move(row, order, nonce)
    return changed | set(places.players(played.game))
