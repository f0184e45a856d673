"""Turns by who sat at the game when they were played. A seat that a recorded player took over later
was its player's until then."""

from django.db.models import Exists, OuterRef, QuerySet

from games.machine import Player
from games.models import GameEvent, Seat, Turn, Utterance

_REPLACED_LATER = GameEvent.objects.filter(
    game=OuterRef("game"), kind="replaced", at__gt=OuterRef("begun")
)

# Of what is `game`'s: a recorded player sits there, so that nobody answers who is asked.
ALONE = Exists(Seat.objects.filter(game=OuterRef("game"), player=Player.RECORDED))


def people(turns: QuerySet[Turn]) -> QuerySet[Turn]:
    """Those of `turns` that one person played with another, which alone describe an artifact."""
    others = Seat.objects.filter(game=OuterRef("game")).exclude(player=Player.HUMAN)
    repeats = Utterance.objects.filter(
        game=OuterRef("game"), turn=OuterRef("number"), kind="clue", source__isnull=False
    )
    return turns.filter(~Exists(others) | Exists(_REPLACED_LATER)).exclude(Exists(repeats))


def guessed(turns: QuerySet[Turn]) -> QuerySet[Turn]:
    """Those of `turns` in which a person guessed, whoever described."""
    guessers = Seat.objects.filter(game=OuterRef("game")).exclude(number=OuterRef("giver"))
    nobody = guessers.exclude(player=Player.HUMAN)
    return turns.filter(~Exists(nobody) | Exists(_REPLACED_LATER))
