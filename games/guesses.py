"""Whether a guess is right."""

from enum import StrEnum

from core.text import fold
from games.cards import Card


class Found(StrEnum):
    RIGHT = "right"
    NEAR = "near"  # the giver says whether it was meant
    WRONG = "wrong"


def judge(text: str, card: Card) -> Found:
    return Found.RIGHT if fold(text) in {fold(name) for name in card.names} else Found.WRONG
