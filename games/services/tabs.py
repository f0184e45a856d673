"""Which of somebody's pages plays by socket: the one opened last."""

from games.models import Seat
from studies.models import Participation


def take(participation: Participation, tab: str) -> None:
    """The page `tab` plays from now on, and no older one."""
    seats = Seat.objects.filter(participation=participation, open=True)
    seats.exclude(tab=tab).update(tab=tab)


def holds(participation: Participation, tab: str) -> bool:
    """Whether no newer page has taken the seat; who has no seat yet cannot have lost it."""
    seats = Seat.objects.filter(participation=participation, open=True)
    return not seats.exclude(tab__in=("", tab)).exists()
