"""Whoever has left the study, or been taken out of it, leaves the game they play and the queue."""

from games.machine import By
from games.machine.commands import Leave, Who
from games.models import Seat
from games.selectors import places
from games.services import endings, queueing, recorded
from games.services.playing import play
from studies.models import Participation


def left(participation: Participation) -> set[int]:
    """The participation has ended: its place in the queue is given up, and its seat left, with the
    reason it ended for. Who sees another screen by it, as participations. Doing it again does
    nothing."""
    reason = participation.ended_reason or participation.status
    queueing.leave(participation.pk, reason)
    seat = Seat.objects.filter(participation=participation, open=True).first()
    if seat is None:
        return set()
    played = play(seat.game_id, By(Who.SYSTEM, seat.number), Leave(reason))
    recorded.drive(seat.game_id, played)
    endings.settle(seat.game_id)
    return set(places.players(seat.game_id))
