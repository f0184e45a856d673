"""Turns that one person played with another, which alone describe an artifact."""

from django.db.models import Exists, OuterRef, QuerySet

from games.machine import Player
from games.models import GameEvent, Seat, Turn, Utterance


def people(turns: QuerySet[Turn]) -> QuerySet[Turn]:
    """Those of `turns` in which both seats were people's: a seat that a recorded player took over
    later was its player's until then."""
    others = Seat.objects.filter(game=OuterRef("game")).exclude(player=Player.HUMAN)
    later = GameEvent.objects.filter(
        game=OuterRef("game"), kind="replaced", at__gt=OuterRef("begun")
    )
    repeats = Utterance.objects.filter(
        game=OuterRef("game"), turn=OuterRef("number"), kind="clue", source__isnull=False
    )
    return turns.filter(~Exists(others) | Exists(later)).exclude(Exists(repeats))
