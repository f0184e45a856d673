"""Which regions a model prefers, from the options it chose (RA-MCQ, arXiv 2601.15550).

Only answered instances count. Choosing an option credits its regions equally, 1 in all (O);
chance would credit 1/n of that for each of an item's n options (E). The repeats of one question
are not independent, so beside the published chi-square, which takes them as if, stand a
question-clustered test and a question-clustered interval for each ratio.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core import stats

# Two-sided 5 %, 1 % and 0.1 % of the normal distribution.
MARKS = (1.96, 2.58, 3.29)

Options = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Selection:
    """One answered instance: the regions of each option, in any order, and the one chosen."""

    item_key: str
    options: tuple[tuple[str, ...], ...]
    chosen: int


def marks(residual: float) -> int:
    """How many of 1.96, 2.58 and 3.29 the residual reaches on either side, 0 to 3."""
    return sum(abs(residual) >= mark for mark in MARKS)


def measure(
    regions: Sequence[str],
    selections: Iterable[Selection],
    *,
    seed: int = 0,
    resamples: int = 2000,
) -> dict[str, Any]:
    """`measure_counts` of single selections; all of one item must hold the same options."""
    items: dict[str, Options] = {}
    counts: Counter[tuple[str, int]] = Counter()
    for selection in selections:
        # The order shown differs between repeats.
        options = sorted(selection.options)
        if items.setdefault(selection.item_key, options) != options:
            raise ValueError(f"Item {selection.item_key} was shown with different options.")
        chosen = options.index(selection.options[selection.chosen])
        counts[selection.item_key, chosen] += 1
    return measure_counts(regions, items, counts, seed=seed, resamples=resamples)


def measure_counts(
    regions: Sequence[str],
    items: Mapping[str, Options],
    counts: Mapping[tuple[str, int], int],
    *,
    seed: int = 0,
    resamples: int = 2000,
) -> dict[str, Any]:
    """The figures of a report from how often each option of each item was chosen.

    `items` holds the regions of every option, all of them in `regions`; `counts` is keyed by item
    and option index. Items never answered play no part. Per region:

    observed, expected     O and E, in selections
    ratio                  O / E
    share                  O / sum of O: the share of all selections
    rate_when_available    O / `available`, the instances with an option of the region
    residual               (O - E) / sqrt(E)

    Over all: `chi2` = sum (O - E)^2 / E with `df` and `p`; `clustered`, Hotelling's T^2 on the
    per-question O - E of all regions but one as F(regions - 1, questions - regions + 1);
    `questions` and `instances` answered. `intervals` holds, per region, 95 % intervals of ratio,
    share and rate_when_available, clustered by question. Regions no answered item holds are left
    out of both tests. What does not exist is `{"value": None, "reason": code}`; an interval that
    does not exist is None, and where the ratio has none `reason` says why.
    """
    observed, expected, available = _per_question(regions, items, counts)
    o, e = (_total(table, regions) for table in (observed, expected))
    seen = _total(available, regions)
    instances = sum(counts.values())
    held = [r for r, region in enumerate(regions) if seen[region]]

    def each(top: Mapping[str, float], bottom: Mapping[str, float]) -> dict[str, Any]:
        return {r: top[r] / bottom[r] if bottom[r] else _absent("empty") for r in regions}

    total = sum(o.values())
    test = stats.chi_square(list(o.values()), list(e.values()))
    absent = test if "statistic" not in test else {}
    return {
        "observed": o,
        "expected": e,
        "ratio": each(o, e),
        "share": each(o, dict.fromkeys(regions, total)),
        "rate_when_available": each(o, seen),
        "residual": each({r: o[r] - e[r] for r in regions}, {r: e[r] ** 0.5 for r in regions}),
        "intervals": _intervals(regions, observed, expected, available, resamples, seed),
        "chi2": absent or test["statistic"],
        "df": absent or test["df"],
        "p": absent or test["p"],
        "clustered": _clustered(observed, expected, held),
        "available": {region: int(n) for region, n in seen.items()},
        "questions": len(observed),
        "instances": instances,
    }


def _per_question(
    regions: Sequence[str], items: Mapping[str, Options], counts: Mapping[tuple[str, int], int]
) -> tuple[list[list[float]], list[list[float]], list[list[float]]]:
    """Observed, expected and available, each a row per answered question in region order."""
    answers: Counter[str] = Counter()
    for (key, _), n in counts.items():
        answers[key] += n
    tables: tuple[list[list[float]], ...] = ([], [], [])
    position = {region: r for r, region in enumerate(regions)}
    # Sorted, so that equal counts give equal intervals whatever order they came in.
    for key in sorted(key for key, n in answers.items() if n):
        rows = [[0.0] * len(regions) for _ in range(3)]
        for i, option in enumerate(items[key]):
            for region in option:
                r = position[region]
                rows[0][r] += counts.get((key, i), 0) / len(option)
                rows[1][r] += answers[key] / len(items[key]) / len(option)
                rows[2][r] = answers[key]
        for table, row in zip(tables, rows, strict=True):
            table.append(row)
    return tables[0], tables[1], tables[2]


def _total(table: list[list[float]], regions: Sequence[str]) -> dict[str, float]:
    return {region: sum(row[r] for row in table) for r, region in enumerate(regions)}


def _array(table: list[list[float]], regions: Sequence[str]) -> Any:
    import numpy as np

    return np.array(table, dtype=float).reshape(len(table), len(regions))


def _intervals(
    regions: Sequence[str],
    observed: list[list[float]],
    expected: list[list[float]],
    available: list[list[float]],
    resamples: int,
    seed: int,
) -> dict[str, dict[str, Any]]:
    """Per region, of ratio, share and rate: [low, high] or None, and `reason` where there is none.

    Shares and rates are proportions: Wilson's interval on what the questions are worth. A ratio
    can be no higher than available / expected; where its bootstrap has no spread to draw from
    (a region chosen equally often in every question, also never), its interval is that of the
    rate times available / expected.
    """
    ratios = stats.clustered_ratio_intervals(
        _array(observed, regions), _array(expected, regions), resamples=resamples, seed=seed
    )
    found: dict[str, dict[str, Any]] = {}
    for r, (region, ratio) in enumerate(zip(regions, ratios, strict=True)):
        chosen, offered = [row[r] for row in observed], [row[r] for row in available]
        rate = stats.clustered_rate(list(zip(chosen, offered, strict=True)))
        share = stats.clustered_rate(
            [(n, sum(row)) for n, row in zip(chosen, observed, strict=True)]
        )
        low, high = ratio.low, ratio.high
        if rate.low is not None and rate.high is not None:
            most = sum(offered) / sum(row[r] for row in expected)
            if ratio.reason == "no_variation":
                low, high = rate.low * most, rate.high * most
            high = None if high is None else min(high, most)
        found[region] = {
            "ratio": _pair(low, high),
            "share": _pair(share.low, share.high) if any(offered) else None,
            "rate_when_available": _pair(rate.low, rate.high),
        }
        if found[region]["ratio"] is None:
            found[region]["reason"] = ratio.reason
    return found


def _pair(low: float | None, high: float | None) -> list[float] | None:
    return None if low is None or high is None else [low, high]


def _clustered(
    observed: list[list[float]], expected: list[list[float]], held: Sequence[int]
) -> dict[str, Any]:
    """Over the regions held by an answered item; which one is left out makes no difference."""
    if len(held) < 2:
        return _absent("one_category" if held else "empty")
    differences = [
        [o[r] - e[r] for r in held[:-1]] for o, e in zip(observed, expected, strict=True)
    ]
    test = stats.hotelling_t2(differences)
    return {key: test[key] for key in ("statistic", "df", "p")} if "p" in test else test


def _absent(reason: str) -> dict[str, Any]:
    return {"value": None, "reason": reason}
