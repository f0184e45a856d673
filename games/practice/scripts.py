"""What the practice partner says, by language: of everyday things that are nobody's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from core import catalogue
from games.cards import Card

FOLDER = Path(__file__).parent
GIVEN, GUESSED = 1, 2  # the two things of a round, as numbers of their cards


@dataclass(frozen=True, slots=True)
class Script:
    """`cards` by number; `wrong` is what the partner guesses first of the thing that is described
    to them; `clues` are those they give of theirs."""

    cards: Mapping[int, Card]
    wrong: str
    clues: Sequence[str]


@cache
def script(tag: str) -> Script:
    """That of a language tag; the English one where the language has none."""
    language = catalogue.interface(tag)
    path = FOLDER / f"{language}.yaml"
    if not path.exists():
        path = FOLDER / f"{catalogue.SOURCE}.yaml"
    read = yaml.safe_load(path.read_text(encoding="utf-8"))
    given, guessed = read["described"], read["guessed"]
    cards = {
        GIVEN: Card(GIVEN, tuple(given["names"]), tuple(given["forbidden"])),
        GUESSED: Card(GUESSED, tuple(guessed["names"]), others=tuple(given["names"])),
    }
    return Script(cards, given["wrong"], tuple(guessed["clues"]))
