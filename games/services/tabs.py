"""Which of somebody's pages plays by socket: the one opened last, in whatever order they are heard.

A seat holds that page's name behind the instant it was opened at.
"""

from django.db.models import Q

from core.prepared import Prepared
from games.models import Seat
from studies.models import Participation

LONGEST = 18  # characters of a page's name; with the instant it fills the column
_tabs: Prepared[Seat] = Prepared(
    lambda participation: (
        Seat.objects.filter(participation=participation, open=True).order_by().values_list("tab")
    ),
    int,
)


def take(participation: Participation, tab: str, came: float) -> bool:
    """The page `tab`, which was opened at `came` (seconds since 1970), plays from now on, and no
    older one; False where a newer one does already."""
    mine = f"{round(came * 1000):013d}.{tab}"
    seats = Seat.objects.filter(participation=participation, open=True)
    seats.filter(Q(tab__lt=mine) | ~Q(tab__contains=".")).update(tab=mine)
    return holds(participation, tab)


def holds(participation: Participation, tab: str) -> bool:
    """Whether no newer page has taken the seat; who has no seat yet cannot have lost it."""
    every = (newest for (newest,) in _tabs.rows(participation.pk))
    return all(not newest or newest.partition(".")[2] == tab for newest in every)
