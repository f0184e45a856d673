"""How far a judge says what people say, from a weighted draw of its verdicts. Pure.

Each reply counts as many times as it stands for others of its run, so that what was drawn oftener
for being rare moves no figure. Replies to one question hang together: intervals are clustered by
question.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from core import stats
from core.stats import Statistic
from evaluation.judging.agreement import kappa

Pair = tuple[str, str]


@dataclass(frozen=True)
class Both:
    """A drawn reply that people and a judge gave a verdict on."""

    question: str
    people: str
    judge: str
    weight: Fraction


def against_people(rows: Sequence[Both], labels: Sequence[str]) -> dict[str, Any]:
    """`raw` and `kappa` as `Statistic.as_dict`, estimates for all judged replies of the run;
    `replies` and `questions` they rest on; {people's label: {the judge's: …}} of every two of
    `labels` as `table`, the replies counted, and as `shares`, estimates of all (they sum to 1; None
    without a reply)."""
    counted: Counter[Pair] = Counter((row.people, row.judge) for row in rows)
    weighed: dict[Pair, Fraction] = defaultdict(Fraction)
    for row in rows:
        weighed[row.people, row.judge] += row.weight
    total = sum(weighed.values(), Fraction())
    return {
        "raw": _raw(rows, total).as_dict(),
        "kappa": replace(kappa(_clusters(rows)), n=len(rows)).as_dict(),
        "replies": len(rows),
        "questions": len({row.question for row in rows}),
        "table": {one: {other: counted[one, other] for other in labels} for one in labels},
        "shares": {
            one: {
                other: float(weighed.get((one, other), Fraction()) / total) if rows else None
                for other in labels
            }
            for one in labels
        },
    }


def _raw(rows: Sequence[Both], total: Fraction) -> Statistic:
    """The rate over questions, its weights scaled to sum to the replies there are."""
    same: dict[str, Fraction] = defaultdict(Fraction)
    every: dict[str, Fraction] = defaultdict(Fraction)
    for row in rows:
        scaled = row.weight * len(rows) / total
        every[row.question] += scaled
        same[row.question] += scaled * (row.people == row.judge)
    questions = sorted(every)
    found = stats.clustered_rate([(float(same[each]), float(every[each])) for each in questions])
    if found.value is None:
        return found
    exact = sum(same.values(), Fraction()) / len(rows)
    return replace(found, value=float(exact))


def _clusters(rows: Sequence[Both]) -> list[Counter[Pair]]:
    """By question, weights as whole numbers in the same proportions, so that nothing is rounded."""
    whole = math.lcm(*(row.weight.denominator for row in rows))
    found: dict[str, Counter[Pair]] = defaultdict(Counter)
    for row in rows:
        found[row.question][row.people, row.judge] += int(row.weight * whole)
    return [found[question] for question in sorted(found)]
