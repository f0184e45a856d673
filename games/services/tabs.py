"""Which of somebody's pages plays by socket: the one opened last."""

from core.prepared import Prepared
from games.models import Seat
from studies.models import Participation

_tabs: Prepared[Seat] = Prepared(
    lambda participation: (
        Seat.objects.filter(participation=participation, open=True).order_by().values_list("tab")
    ),
    int,
)


def take(participation: Participation, tab: str) -> None:
    """The page `tab` plays from now on, and no older one."""
    seats = Seat.objects.filter(participation=participation, open=True)
    seats.exclude(tab=tab).update(tab=tab)


def holds(participation: Participation, tab: str) -> bool:
    """Whether no newer page has taken the seat; who has no seat yet cannot have lost it."""
    return all(newest in ("", tab) for (newest,) in _tabs.rows(participation.pk))
