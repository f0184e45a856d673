"""How much of each region's common sense a model knows, by the verdicts of one judge (RASA).

A cell is a question for one region, with its samples by verdict. A sample scores 1 if it is
correct, w if partially, 0 if not (arXiv 2601.15550; w = 0.5). Only judged samples count: what a
judge's reply did not say is in the outcomes. Samples of one question hang together, over repeats
and regions, so every interval is clustered by question. Judges are never averaged.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core import stats
from core.stats import Statistic

WEIGHTS = (0.3, 0.5, 0.7)
FULL, PARTIAL, INCORRECT = "CORRECT", "PARTIALLY_CORRECT", "INCORRECT"
SHARES = {"full": FULL, "partial": PARTIAL, "incorrect": INCORRECT}


@dataclass(frozen=True)
class Cell:
    """The samples of one question and region: those judged by label, and those that are not.

    `unparsed`: the judge's reply gave no verdict; `failed`: it could not be asked; `waiting`: it
    has not been asked yet.
    """

    question: str
    domain: str
    region: str
    labels: Mapping[str, int]
    unparsed: int = 0
    failed: int = 0
    waiting: int = 0

    @property
    def judged(self) -> int:
        return sum(self.labels.values())

    def score(self, weight: float) -> float:
        """Points of its judged samples, `weight` for a partially correct one."""
        return self.labels.get(FULL, 0) + weight * self.labels.get(PARTIAL, 0)


def measure(
    cells: Iterable[Cell], regions: Sequence[str], *, weight: float = 0.5
) -> dict[str, Any]:
    """The figures of one run by one judge.

    `full`, `partial`, `incorrect`   shares of the `n` judged samples of `questions` questions
    `overall`                        full + weight * partial
    `intervals`                      {figure: [low, high] or None}, `reason` where there is none
    `by_region`, `by_domain`         the same figures of each, `interval` being that of overall and
                                     `reason` why it has none; every region is there, and one
                                     without samples holds None
    `sensitivity`                    overall for each of WEIGHTS
    `weight`                         of a partially correct answer in overall
    `outcomes`, `waiting`            samples by what came of asking the judge

    A figure that does not exist is `{"value": None, "reason": code}`.
    """
    cells = sorted(cells, key=lambda cell: (cell.question, cell.region))
    clusters = _clusters(cells)
    rates = _rates(clusters, weight)
    overall = rates["overall"]
    intervals = {name: _interval(rate) for name, rate in rates.items()}
    reason = {"reason": overall.reason} if overall.reason else {}
    return {
        **{name: _figure(rate) for name, rate in rates.items()},
        "intervals": {**intervals, **reason},
        "n": overall.n,
        "questions": len(clusters),
        "weight": weight,
        "by_region": _by(cells, regions, lambda cell: cell.region, weight),
        "by_domain": _by(
            cells, sorted({cell.domain for cell in cells}), lambda cell: cell.domain, weight
        ),
        "sensitivity": {str(w): _figure(_score(clusters, w)) for w in WEIGHTS},
        "outcomes": {
            "ok": overall.n,
            "unparsed": sum(cell.unparsed for cell in cells),
            "failed": sum(cell.failed for cell in cells),
        },
        "waiting": sum(cell.waiting for cell in cells),
    }


def _by(
    cells: Sequence[Cell], names: Iterable[str], name_of: Callable[[Cell], str], weight: float
) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Cell]] = {name: [] for name in names}
    for cell in cells:
        groups.setdefault(name_of(cell), []).append(cell)
    return {name: _entry(group, weight) for name, group in groups.items()}


def _entry(cells: Sequence[Cell], weight: float) -> dict[str, Any]:
    clusters = _clusters(cells)
    rates = _rates(clusters, weight)
    overall = rates["overall"]
    entry = {
        **{name: rate.value for name, rate in rates.items()},
        "n": overall.n,
        "questions": len(clusters),
        "interval": _interval(overall),
        "intervals": {name: _interval(rate) for name, rate in rates.items()},
    }
    return entry | ({"reason": overall.reason} if overall.reason else {})


Cluster = tuple[int, ...]  # samples of a question by label, in the order of SHARES


def _clusters(cells: Sequence[Cell]) -> list[Cluster]:
    """The questions with judged samples, each with all of its regions."""
    sums: dict[str, list[int]] = {}
    for cell in cells:
        sums.setdefault(cell.question, [0] * len(SHARES))
        for place, label in enumerate(SHARES.values()):
            sums[cell.question][place] += cell.labels.get(label, 0)
    return [tuple(each) for each in sums.values() if any(each)]


def _rates(clusters: Sequence[Cluster], weight: float) -> dict[str, Statistic]:
    shares = {
        name: stats.clustered_rate([(each[place], sum(each)) for each in clusters])
        for place, name in enumerate(SHARES)
    }
    return shares | {"overall": _score(clusters, weight)}


def _score(clusters: Sequence[Cluster], weight: float) -> Statistic:
    # A weight such as 0.7 adds up to a hair more than the trials only by rounding.
    return stats.clustered_rate(
        [
            (min(full + weight * partial, full + partial + wrong), full + partial + wrong)
            for full, partial, wrong in clusters
        ]
    )


def _figure(rate: Statistic) -> Any:
    return rate.as_dict() if rate.value is None else rate.value


def _interval(rate: Statistic) -> list[float] | None:
    return None if rate.low is None or rate.high is None else [rate.low, rate.high]
