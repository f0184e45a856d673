"""How well people guess each other's clues, and what became of turns: counts to statistics.

The definitions are those the models are measured by, with an artifact's turn in the place of a
model's item: guess1 = right at the first guess / all turns; guess2 = right at the second / turns
not right at the first; overall = right at either / all turns. Hence overall = guess1 +
(1 − guess1) · guess2 exactly. A turn counts once it was played to its end (guessed, missed or
passed): who passed was wrong, as a model is that does not know. Turns without a clue, and those
that the end of the time or of the game cut off, are counted beside and are in no rate. Where rules
give more than two guesses, the later ones are in no rate either.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from core.stats import Statistic, clustered_rate
from games.machine import Outcome

PLAYED_OUT = (Outcome.GUESSED, Outcome.MISSED, Outcome.PASSED)
NOTHING_LEFT = "nothing_left_to_guess"


@dataclass(frozen=True, slots=True)
class Guessed:
    """A turn that has ended. `right` is the number of the first guess that was right, 0 for none;
    `accuracy` and `quality` are the guesser's ratings of its clues, 1 to 5."""

    game: int
    artifact: int
    region: int
    origin: str
    outcome: str
    right: int = 0
    accuracy: int | None = None
    quality: int | None = None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Rates 0 to 1 with intervals by artifact (`core.stats.clustered_rate`); `outcomes` are the
    turns by how they ended, all of them."""

    guess1: Statistic
    guess2: Statistic
    overall: Statistic
    outcomes: dict[str, int]

    @property
    def turns(self) -> int:
        return sum(self.outcomes.values())


def accuracy(turns: Iterable[Guessed]) -> Accuracy:
    """Of turns of any artifacts. Without a turn played out the rates are `empty`; guess2 is
    `nothing_left_to_guess` where every first guess was right."""
    every = list(turns)
    played = [turn for turn in every if turn.outcome in PLAYED_OUT]
    left = [turn for turn in played if turn.right != 1]
    second = _rate(left, (2,))
    if played and not left:
        second = Statistic(None, 0, NOTHING_LEFT)
    return Accuracy(_rate(played, (1,)), second, _rate(played, (1, 2)), outcomes(every))


def outcomes(turns: Iterable[Guessed]) -> dict[str, int]:
    """Every outcome with how many turns had it, in the order of `Outcome`."""
    found = Counter(turn.outcome for turn in turns)
    return {each.value: found[each.value] for each in Outcome}


def mean(values: Iterable[int | None]) -> tuple[float | None, int]:
    """The mean of the ratings there are, and how many those are."""
    given = [value for value in values if value is not None]
    return (fmean(given) if given else None), len(given)


def shares(clusters: Iterable[tuple[int, bool]]) -> Statistic:
    """Share of the true among (artifact, true or not), its interval by artifact."""
    found: dict[int, list[bool]] = defaultdict(list)
    for artifact, so in clusters:
        found[artifact].append(so)
    return clustered_rate([(sum(each), len(each)) for each in found.values()])


def _rate(turns: Iterable[Guessed], right: Sequence[int]) -> Statistic:
    return shares((turn.artifact, turn.right in right) for turn in turns)
