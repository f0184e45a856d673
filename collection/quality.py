"""Evidence about what a participant sent, for a person to weigh; nothing here decides.

Times are milliseconds. Texts are compared in their folded form (`core.text.fold`).
"""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.text import fold, words

ATTENTION = "attention:"  # how the names of flags of failed attention checks begin
LEAST_COPIED = 20  # folded characters from which equal words are no coincidence
LEAST_EXAMPLE = 8  # a shorter example is a word that anybody may answer with
LEAST_LIST = 2  # one thing named by two people is what a survey hopes for


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of n values with the quartiles `low` and `high`. Without values there is no
    median, and a single one has no quartiles."""

    n: int
    median: int | None = None
    low: int | None = None
    high: int | None = None

    def said(self, one: Callable[[int], str], nothing: str) -> str:
        """`12 min (9 min to 15 min, n 24)`, or `nothing`, the reason why there is no figure."""
        if self.median is None:
            return nothing
        if self.low is None or self.high is None:
            return f"{one(self.median)} (n {self.n})"
        return f"{one(self.median)} ({one(self.low)} to {one(self.high)}, n {self.n:,})"


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and sample standard deviation (divisor n - 1) of n values; `deviation` is None
    below two values, `mean` below one."""

    n: int
    mean: float | None = None
    deviation: float | None = None


def spread(values: Iterable[int]) -> Spread:
    """Quartiles by linear interpolation between order statistics (Hyndman and Fan 1996, The
    American Statistician 50:361-365, definition 7), rounded to whole units."""
    ordered = sorted(values)
    if len(ordered) < 2:
        return Spread(len(ordered), *ordered)
    low, median, high = statistics.quantiles(ordered, n=4, method="inclusive")
    return Spread(len(ordered), round(median), round(low), round(high))


def moments(values: Sequence[int]) -> Moments:
    if len(values) < 2:
        return Moments(len(values), float(values[0]) if values else None)
    mean = statistics.fmean(values)
    return Moments(len(values), mean, statistics.stdev(values, mean))


def compared(value: int, with_: Spread) -> float | None:
    """How many times the median a value is; None where there is no median to compare with."""
    return value / with_.median if with_.median else None


def span(ms: int) -> str:
    """A duration in words: `1 h 05 min`, `12 min`, `4 min 30 s`, `45 s`."""
    seconds = round(ms / 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    if minutes >= 10 or (minutes and not seconds):
        return f"{minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def gives_back(answer: str, examples: str) -> bool:
    """Whether an answer is a run of words out of the examples shown below its question."""
    given = _words(answer)
    return len(given) >= LEAST_EXAMPLE and _holds(examples, given)


def gives_back_names(names: Iterable[str], examples: str) -> bool:
    """Whether every thing of a list, and there is one, is an example shown below its question."""
    given = [_words(name) for name in names]
    return bool(given) and all(_holds(examples, name) for name in given)


def in_common(value: Any, other: Any) -> list[str]:
    """The options chosen in both of two choices, in the order of the first."""
    one, two = (each if isinstance(each, list) else [each] for each in (value, other))
    return [each for each in one if each is not None and each in two]


def names(value: Any) -> frozenset[str]:
    """The things an answer of artifacts lists, folded; order and repetition do not matter."""
    listed = value if isinstance(value, list) else []
    folded = (fold(str(each.get("name", ""))) for each in listed if isinstance(each, Mapping))
    return frozenset(name for name in folded if name)


def _holds(examples: str, given: str) -> bool:
    return bool(given) and f" {given} " in f" {_words(examples)} "


def _words(text: str) -> str:
    return " ".join(words(fold(text)))
