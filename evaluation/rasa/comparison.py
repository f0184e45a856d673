"""Several runs side by side, under each judge they have in common (RASA).

Weights of a partial answer, questions drawn again: would the order of the models be another?
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from core import stats
from evaluation.rasa.metrics import FULL, PARTIAL, WEIGHTS, Cell

FIGURES = ("full", "partial", "incorrect", "overall")
USUAL = 0.5  # the weight that the order at any other is set against


@dataclass(frozen=True)
class Compared:
    """A run, what it is called, and its cells under each of its judges."""

    run: int
    model: str
    judges: Mapping[str, Sequence[Cell]]


def compare(
    runs: Sequence[Compared],
    regions: Sequence[str],
    *,
    weight: float = USUAL,
    resamples: int = 2000,
    seed: int = 0,
) -> dict[str, Any]:
    """`{"runs": [{"run", "model"}], "judges": {judge: {…}}}` with every judge that all runs share:

    `columns`      {figure or region: {"values": {run: share}, "best": [run, …], "terciles":
                   {run: 1 to 3}}}; a region's figure is overall
    `differences`  [{"a", "b", "value", "interval", "cells", "questions"}] of overall, a minus b,
                   over the cells that both answered; `reason` where one is missing
    `sensitivity`  by weight, see `_sensitivity`
    `same_cells`   whether all runs answered the same cells; the columns are over each run's own

    Runs are named by their number as text. Intervals are 95 %, clustered by question, and each is
    for itself: among many differences some exclude zero by chance.
    """
    first = runs[0].judges if runs else {}
    return {
        "runs": [{"run": one.run, "model": one.model} for one in runs],
        "judges": {
            judge: _under(judge, runs, regions, weight, resamples, seed)
            for judge in first
            if all(judge in one.judges for one in runs)
        },
    }


def _under(
    judge: str,
    runs: Sequence[Compared],
    regions: Sequence[str],
    weight: float,
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    cells = {str(one.run): _answered(one.judges[judge]) for one in runs}
    return {
        "columns": _columns(cells, regions, weight),
        "differences": [_difference(a, b, cells[a], cells[b], weight) for a, b in _pairs(cells)],
        "sensitivity": _sensitivity(cells, resamples, seed),
        "same_cells": len({frozenset(each) for each in cells.values()}) == 1,
    }


Answered = Mapping[tuple[str, str], Cell]  # (question, region) → a cell with judged samples


def _answered(cells: Sequence[Cell]) -> Answered:
    ordered = sorted(cells, key=lambda cell: (cell.question, cell.region))
    return {(cell.question, cell.region): cell for cell in ordered if cell.judged}


def _pairs(cells: Mapping[str, Answered]) -> list[tuple[str, str]]:
    return list(combinations(cells, 2))


# ------------------------------------------------------------------ a table with its marks


def _columns(
    cells: Mapping[str, Answered], regions: Sequence[str], weight: float
) -> dict[str, dict[str, Any]]:
    whole = {run: _shares(each.values(), weight) for run, each in cells.items()}
    columns = {name: {run: one[name] for run, one in whole.items()} for name in FIGURES}
    for region in regions:
        of_it = {
            run: [c for c in each.values() if c.region == region] for run, each in cells.items()
        }
        columns[region] = {run: _shares(each, weight)["overall"] for run, each in of_it.items()}
    return {
        name: {"values": values, **marks(values, least_is_best=name == "incorrect")}
        for name, values in columns.items()
    }


def _shares(cells: Collection[Cell], weight: float) -> dict[str, float | None]:
    """FIGURES of answered cells, as `metrics.measure` has them, without their intervals."""
    if not cells:
        return dict.fromkeys(FIGURES)
    full, partial, judged = (sum(counts) for counts in zip(*map(_counts, cells), strict=True))
    points = (full, partial, judged - full - partial, full + weight * partial)
    return {name: each / judged for name, each in zip(FIGURES, points, strict=True)}


def marks(values: Mapping[str, float | None], *, least_is_best: bool = False) -> dict[str, Any]:
    """`best`, all that share the first place, and `terciles`: 1 for the upper third of the runs,
    2, 3 for the lower. Equal values share a tercile, that of the best placed among them; a run
    without a value has none. A large share of partial answers is no merit, only a large share.
    """
    given = {run: value for run, value in values.items() if value is not None}
    ranks = dict(zip(given, ranked(list(given.values()), least_is_best), strict=True))
    return {
        "best": [run for run, rank in ranks.items() if rank == 1],
        "terciles": {
            run: 1 + 3 * (ranks[run] - 1) // len(given) if run in ranks else None for run in values
        },
    }


def ranked(values: Sequence[float], least_is_best: bool = False) -> list[int]:
    """The rank of each value, 1 for the best; equal values share the better rank."""
    ordered = [-value if least_is_best else value for value in values]
    return [1 + sum(other > value for other in ordered) for value in ordered]


# ------------------------------------------------------------------ differences


def _difference(a: str, b: str, left: Answered, right: Answered, weight: float) -> dict[str, Any]:
    both = [place for place in left if place in right]
    clusters: dict[str, list[float]] = {}
    for place in both:
        sums = clusters.setdefault(place[0], [0.0] * 4)
        for side, cell in ((0, left[place]), (2, right[place])):
            sums[side] += cell.score(weight)
            sums[side + 1] += cell.judged
    found = stats.clustered_difference(
        [(min(s, m), m, min(t, k), k) for s, m, t, k in clusters.values()]
    )
    entry = {
        "a": a,
        "b": b,
        "value": found.value,
        "interval": None if found.low is None else [found.low, found.high],
        "cells": len(both),
        "questions": len(clusters),
    }
    return entry | ({"reason": found.reason} if found.reason else {})


# ------------------------------------------------------------------ does the order hold


def _sensitivity(cells: Mapping[str, Answered], resamples: int, seed: int) -> dict[str, Any]:
    """By weight of a partial answer, over the runs with judged samples:

    `overall`   {run: figure}
    `order`     runs from the best, equal ones in the order given
    `spread`    points (hundredths) between the best and the worst
    `tau`       Kendall's tau-b of the order against that at USUAL, or why there is none
    `rank`, `kept`, `range`   per run its rank, the share of resamples in which it keeps that, and
                the ranks that hold 95 % of them; None where fewer than two questions can be drawn

    A resample draws questions with replacement, the same for all runs: what is easy is easy for
    all. Equal seed and cells give equal figures.
    """
    runs = [run for run, each in cells.items() if each]
    drawn = _drawn([cells[run] for run in runs], resamples, seed)
    totals = [_total(cells[run]) for run in runs]
    scores = {w: [(full + w * partial) / n for full, partial, n in totals] for w in WEIGHTS}
    found = {}
    for w in WEIGHTS:
        values = scores[w]
        ranks = ranked(values)
        kept, ranges = _stability(drawn, w, ranks) if drawn else ([None] * len(runs),) * 2
        order = sorted(range(len(runs)), key=lambda place: ranks[place])
        found[str(w)] = {
            "overall": dict(zip(runs, values, strict=True)),
            "order": [runs[place] for place in order],
            "spread": 100 * (max(values) - min(values)) if values else None,
            "tau": kendall(values, scores[USUAL]),
            "rank": dict(zip(runs, ranks, strict=True)),
            "kept": dict(zip(runs, kept, strict=True)),
            "range": dict(zip(runs, ranges, strict=True)),
        }
    return found


def _total(cells: Answered) -> tuple[int, ...]:
    return tuple(map(sum, zip(*map(_counts, cells.values()), strict=True)))


def _counts(cell: Cell) -> tuple[int, int, int]:
    return cell.labels.get(FULL, 0), cell.labels.get(PARTIAL, 0), cell.judged


def kendall(left: Sequence[float], right: Sequence[float]) -> Any:
    """Kendall's tau-b (Kendall 1945): agreement of two orders, -1 to 1, ties in either allowed
    for; `{"value": None, "reason": "no_variation"}` where all of one are equal, `empty` for less
    than two."""
    pairs = [
        (_sign(left[i] - left[j]), _sign(right[i] - right[j]))
        for i, j in combinations(range(len(left)), 2)
    ]
    if not pairs:
        return {"value": None, "reason": "empty"}
    sizes = sum(a * a for a, _ in pairs) * sum(b * b for _, b in pairs)
    if sizes == 0:
        return {"value": None, "reason": "no_variation"}
    return sum(a * b for a, b in pairs) / sizes**0.5


def _sign(x: float) -> int:
    return (x > 0) - (x < 0)


def _drawn(runs: Sequence[Answered], resamples: int, seed: int) -> tuple[Any, Any, Any] | None:
    """Full, partial and judged samples of every resample, each an array (resamples, runs)."""
    import numpy as np

    questions = {
        key: place for place, key in enumerate(sorted({q for run in runs for q, _ in run}))
    }
    count = len(questions)
    if count < 2:
        return None
    tables = np.zeros((3, count, len(runs)))
    for column, run in enumerate(runs):
        for (question, _), cell in run.items():
            tables[:, questions[question], column] += _counts(cell)
    # How often each question is drawn is multinomial; counting the draws is quicker than
    # `multinomial`, which goes through every question of every resample.
    drawn = np.random.default_rng(seed).integers(count, size=(resamples, count))
    drawn += count * np.arange(resamples)[:, None]
    weights = np.bincount(drawn.ravel(), minlength=resamples * count).reshape(resamples, count)
    full, partial, judged = weights.astype(float) @ tables
    return full, partial, judged


def _stability(
    drawn: tuple[Any, Any, Any], weight: float, ranks: Sequence[int]
) -> tuple[list[float], list[list[int]]]:
    """Per run the share of resamples that keep its rank, and [low, high] of 95 % of its ranks.

    A resample in which a run has no judged sample at all is left out.
    """
    import numpy as np

    full, partial, judged = drawn
    whole = (judged > 0).all(axis=1)
    scores = (full[whole] + weight * partial[whole]) / judged[whole]
    places = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    low, high = np.quantile(places, [0.025, 0.975], axis=0, method="inverted_cdf")
    kept = (places == np.array(ranks)).mean(axis=0)
    return kept.tolist(), [[int(a), int(b)] for a, b in zip(low, high, strict=True)]
