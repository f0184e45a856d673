"""Whether a guess is right.

It is where it is one of the artifact's names, whatever its case, spaces, punctuation, script and
way of spelling; not where it says more than the name, and not where it is another artifact's. What
is none of the names and may have been meant for one is near, and the giver says.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from rapidfuzz.fuzz import ratio

from core.text import SHORTEST_SPELLING
from games import wording
from games.cards import Card
from games.wording import Sounds, Word

NEAR_RATIO = 75  # of two spellings, of 100: below it, few guesses of people and models are meant
SHORTEST_NEAR = 4  # letters of spellings that are compared so
LEAST_SHARE = 0.5  # of a name's letters, which a guess of some of its words must hold


class Found(StrEnum):
    RIGHT = "right"
    NEAR = "near"  # the giver says whether it was meant
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class _Said:
    """A name or a guess: its words, and all of them written as one."""

    words: tuple[Word, ...]
    text: str
    sound: str
    latin: bool
    sounds: Sounds


def judge(text: str, card: Card) -> Found:
    """A guess that is another artifact's name is wrong, unless both are called the same."""
    guess = _read(text)
    if not guess.text:
        return Found.WRONG
    names, others = _names(card)
    if any(guess.text == name.text for name in names):
        return Found.RIGHT
    if any(_same(guess, other) for other in others):
        return Found.WRONG
    if any(_same(guess, name) for name in names):
        return Found.RIGHT
    longest = max((len(name.text + name.sound) for name in names), default=0)
    runs = _runs(guess.words, longest)
    return Found.NEAR if any(_near(guess, runs, name) for name in names) else Found.WRONG


@lru_cache(maxsize=1024)
def _names(card: Card) -> tuple[tuple[_Said, ...], tuple[_Said, ...]]:
    return _legible(card.names), _legible(card.others)


def _legible(names: Iterable[str]) -> tuple[_Said, ...]:
    return tuple(name for name in map(_name, names) if name.text)


@lru_cache(maxsize=8192)
def _name(text: str) -> _Said:
    """Every name is read once, and met again with each other artifact of its region."""
    return _read(text)


def _read(text: str) -> _Said:
    words = tuple(wording.read(text))
    letters = "".join(word.text for word in words)
    sound = ""
    for word in words:
        sound = wording.joined(sound, word.sound)
    latin = wording.is_latin(letters)
    return _Said(words, letters, sound, latin, wording.sounds_of(letters, sound))


def _same(guess: _Said, name: _Said) -> bool:
    """But for spelling and script."""
    if guess.text == name.text or (
        guess.sound == name.sound and len(guess.sound) >= SHORTEST_SPELLING
    ):
        return True
    alike = guess.sounds & name.sounds if guess.latin is not name.latin else ()
    return any(len(sound) >= SHORTEST_SPELLING for _left_out, sound in alike)


def _near(guess: _Said, runs: frozenset[str], name: _Said) -> bool:
    if guess.latin is not name.latin and guess.sounds & name.sounds:
        return True
    if _holds(guess, runs, name):
        return True
    enough = LEAST_SHARE * len(name.text) <= len(guess.text)
    if enough and _holds(name, _runs_of_name(name.words), guess):
        return True
    shortest = min(len(guess.sound), len(name.sound))
    return shortest >= SHORTEST_NEAR and ratio(guess.sound, name.sound) >= NEAR_RATIO


def _holds(whole: _Said, runs: frozenset[str], part: _Said) -> bool:
    """Whether the part stands in the whole as words of their own."""
    if wording.is_unspaced(part.text):
        return part.text in whole.text
    return part.text in runs or (len(part.sound) >= SHORTEST_SPELLING and f"~{part.sound}" in runs)


@lru_cache(maxsize=8192)
def _runs_of_name(words: tuple[Word, ...]) -> frozenset[str]:
    return _runs(words, sum(len(word.text) for word in words))


def _runs(words: Sequence[Word], longest: int) -> frozenset[str]:
    """Words that follow each other written as one and, behind `~`, the spellings of those, as long
    as what is looked for may be: all there are grow with the square of the words."""
    found = set()
    for first in range(len(words)):
        text = sound = ""
        for word in words[first:]:
            text, sound = text + word.text, wording.joined(sound, word.sound)
            found |= {text, f"~{sound}"}
            if len(text) > longest:
                break
    return frozenset(found)
