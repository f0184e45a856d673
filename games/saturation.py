"""How much of what is said of an artifact had been said before, game after game.

Clues of one thing in other words are people's to see; what is told here is that a clue comes again
in the same words, or in words that differ by spelling, a slip of the finger or an ending.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rapidfuzz import fuzz

from core import text
from core.stats import Statistic, clustered_rate

FIRST = "nothing_before"  # why a first game has no share
LEAST_ALIKE = 85.0  # per cent of rapidfuzz's ratio, word by word
LEAST_LETTERS = 5  # shorter words that differ by a letter are mostly other words: cow and bow


@dataclass(frozen=True, slots=True)
class Step:
    """What one game adds. `clues` are those of the game that differ from each other, `matched` how
    many of them match a clue of an earlier game, `known` how many there are after it."""

    clues: int
    matched: int
    known: int
    first: bool

    @property
    def new(self) -> int:
        return self.clues - self.matched

    @property
    def share(self) -> float | None:
        """Of the game's clues, those that match an earlier one (0 to 1); None for the first game,
        which has none to match, and for one without clues."""
        return None if self.first or not self.clues else self.matched / self.clues


def over(games: Iterable[Sequence[str]]) -> list[Step]:
    """A step for each game of an artifact in the order they were played; a game is its clues. A
    game without a clue is a step that adds nothing, and the first with one is the first."""
    known: list[str] = []
    steps = []
    for clues in games:
        own = _distinct(clues)
        new = [clue for clue in own if not _among(clue, known)]
        steps.append(Step(len(own), len(own) - len(new), len(known) + len(new), not known))
        known += new
    return steps


@dataclass(frozen=True, slots=True)
class Nth:
    """What the `number`-th games of artifacts added together: over as many `artifacts` as had so
    many games, their clues and those that were new. `heard` is the share of the clues that match
    one of an earlier game, with an interval by artifact; FIRST for first games."""

    number: int
    artifacts: int
    clues: int
    new: int
    heard: Statistic


def by_game(artifacts: Iterable[Sequence[Step]]) -> list[Nth]:
    """Of several artifacts, whose games without a clue are passed over."""
    spoken = [[step for step in steps if step.clues] for steps in artifacts]
    together = zip_longest(*spoken)
    return [_nth(number, list(filter(None, steps))) for number, steps in enumerate(together, 1)]


def _nth(number: int, steps: Sequence[Step]) -> Nth:
    heard = clustered_rate([(step.matched, step.clues) for step in steps])
    return Nth(
        number,
        len(steps),
        sum(step.clues for step in steps),
        sum(step.new for step in steps),
        Statistic(None, 0, FIRST) if number == 1 else heard,
    )


def same(one: str, other: str) -> bool:
    """Whether two clues say the same in the same words.

    Folded equal, or equal once the ways of spelling are taken away (`core.text.spelling`, from its
    least length on), or word for word alike: as many words in the same order, each equal, spelt
    alike, or from LEAST_LETTERS on with a ratio (1 − normalised indel distance, rapidfuzz) of
    LEAST_ALIKE. A ratio of whole sentences is not used: one “not” more or less leaves it above .9,
    and sets of words (token_set) take a part for the whole.
    """
    if text.fold(one) == text.fold(other) or _spelt_alike(one, other):
        return True
    ours, theirs = text.words(text.fold(one)), text.words(text.fold(other))
    if not ours or len(ours) != len(theirs):
        return False
    return all(_alike(a, b) for a, b in zip(ours, theirs, strict=True))


def _alike(one: str, other: str) -> bool:
    if one == other or _spelt_alike(one, other):
        return True
    if min(len(one), len(other)) < LEAST_LETTERS:
        return False
    return fuzz.ratio(one, other) >= LEAST_ALIKE


def _spelt_alike(one: str, other: str) -> bool:
    letters = text.spelling(one)
    return len(letters) >= text.SHORTEST_SPELLING and letters == text.spelling(other)


def _among(clue: str, clues: Iterable[str]) -> bool:
    return any(same(clue, each) for each in clues)


def _distinct(clues: Sequence[str]) -> list[str]:
    found: list[str] = []
    for clue in clues:
        if clue.strip() and not _among(clue, found):
            found.append(clue)
    return found
