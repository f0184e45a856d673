"""How often people decide otherwise than was suggested."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from core.stats import Statistic, clustered_rate, rate


@dataclass(frozen=True)
class Compared:
    """What a suggestion and the decision on the same inputs claim; `same` down to every word."""

    suggested: frozenset[str]
    decided: frozenset[str]
    same: bool


@dataclass(frozen=True)
class Overrides:
    """Shares of decided tasks, with Wilson intervals. `overridden`: anything claimed differs;
    `additions`: people claim what was not suggested; `removals`: they do not claim what was.
    A task can count in both. `reworded`: nothing claimed differs, words or support do."""

    n: int
    overridden: Statistic
    additions: Statistic
    removals: Statistic
    reworded: Statistic

    @classmethod
    def of(cls, rows: Iterable[Compared]) -> Self:
        """Source of the split: Common to Whom? Regional Cultural Commonsense and LLM Bias in
        India, section 3 (people)."""
        found = list(rows)
        n = len(found)
        return cls(
            n,
            rate(sum(each.decided != each.suggested for each in found), n),
            rate(sum(bool(each.decided - each.suggested) for each in found), n),
            rate(sum(bool(each.suggested - each.decided) for each in found), n),
            rate(sum(each.decided == each.suggested and not each.same for each in found), n),
        )


def of_arm(tasks: Sequence[Sequence[bool]]) -> Statistic:
    """Share of first passes that claim otherwise, its interval clustered by task, since the
    passes of one task go together."""
    return clustered_rate([(sum(passes), len(passes)) for passes in tasks])
