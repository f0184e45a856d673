"""What a clue must not say."""

from collections.abc import Sequence

from core.text import fold, words
from games.cards import Card


def refusal(text: str, card: Card, said: Sequence[str]) -> str:
    """Why a clue is refused, as a code, or "" where nothing is against it."""
    spoken = set(words(fold(text)))
    for name in (*card.names, *card.forbidden):
        if spoken & set(words(fold(name))):
            return "clue.name"
    return "clue.repeated" if fold(text) in [fold(each) for each in said] else ""
