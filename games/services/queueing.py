"""Places in the queue for a partner: taken, left, and found out to be empty.

Runs within the caller's transaction, which holds the participation.
"""

from datetime import datetime

from core import clock
from games.models import Game, Seat, Ticket
from games.selectors import plans
from studies.models import Participation

WAITING, LEFT = Ticket.Status.WAITING, Ticket.Status.LEFT
BLAMELESS = ("waited_out",)  # reasons that leave somebody their place in the queue
KEPT = ("not_ready", "left_before", "partner_left")  # likewise, of a game


def join(who: Participation, since: datetime | None = None) -> bool:
    """Wait for a partner, at the place of somebody who came at `since`; False for who waits or
    plays already, or has no place in a region."""
    if who.slot_region is None or who.tickets.filter(status=WAITING).exists():
        return False
    if Seat.objects.filter(participation=who, open=True).exists():
        return False
    now = clock.now()
    Ticket.objects.create(
        participation=who,
        activity=who.activity,
        region=who.slot_region,
        language=who.participant.language,
        entered=since or now,
        last_seen=now,
        deadline=clock.later(plans.rules(who.activity).wait_seconds),
    )
    return True


def old_place(who: Participation) -> datetime | None:
    """When somebody came who is without a partner through no fault of theirs; None for others."""
    ticket = who.tickets.order_by("-pk").first()
    if ticket is None:
        return None
    if ticket.status == LEFT:
        return ticket.entered if ticket.left_reason in BLAMELESS else None
    seat = Seat.objects.filter(participation=who).select_related("game").order_by("-pk").first()
    if seat is None or seat.left_reason or not _kept(seat.game, seat.number):
        return None
    return ticket.entered


def leave(who: int, reason: str) -> bool:
    """Give up the waiting ticket of a participation, if there is one."""
    waiting = Ticket.objects.filter(participation=who, status=WAITING)
    left = waiting.update(status=LEFT, left_reason=reason, ended=clock.now())
    return bool(left)


def leave_if_over(who: int) -> bool:
    """Write down that a wait is over whose time is up."""
    late = Ticket.objects.filter(participation=who, status=WAITING, deadline__lte=clock.now())
    return bool(late.update(status=LEFT, left_reason="waited_out", ended=clock.now()))


def _kept(game: Game, seat: int) -> bool:
    blamed = game.ended_reason == "not_ready" and not game.state["ready"][seat]
    return game.ended_reason in KEPT and not blamed
