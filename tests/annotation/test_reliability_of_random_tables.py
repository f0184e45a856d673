"""200 random tables, against the reference libraries and the formulas written out."""

import json
import math

import krippendorff
import numpy as np
import pytest
from scipy.stats import t as student
from statsmodels.stats.inter_rater import cohens_kappa as reference_cohen
from statsmodels.stats.inter_rater import fleiss_kappa as reference_fleiss

from annotation.reliability import cohen_kappa, fleiss_kappa, krippendorff_alpha, reliability
from tests.annotation.ratings import COEFFICIENTS, EVERYTHING, LEVELS, TABLES


def rated(units):
    return [unit for unit in units if unit]


def co_rated(units):
    return [unit for unit in units if len(unit) > 1]


def counts(units):
    """Ratings per unit and category in use."""
    categories = sorted({x for unit in units for x in unit.values()})
    return np.array([[[*unit.values()].count(c) for c in categories] for unit in units], float)


def of_the_first_two(units):
    return [{r: x for r, x in unit.items() if r in ("rater 0", "rater 1")} for unit in units]


def confusion(units):
    categories = sorted({x for unit in units for x in unit.values()})
    square = np.zeros((len(categories), len(categories)))
    for unit in units:
        square[categories.index(unit["rater 0"]), categories.index(unit["rater 1"])] += 1
    return square


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_equals_the_reference_on_random_tables(level):
    compared = 0
    for units in TABLES:
        found = krippendorff_alpha(units, level=level)
        if found.value is None:
            assert len({x for unit in co_rated(units) for x in unit.values()}) < 2
            continue
        categories = sorted({x for unit in units for x in unit.values()})
        expected = krippendorff.alpha(
            value_counts=counts(rated(units)).astype(int),
            value_domain=categories,
            level_of_measurement=level,
        )
        assert found.value == pytest.approx(expected, abs=1e-9)
        assert found.n == len(co_rated(units))
        compared += 1
    assert compared > 100


def test_cohen_and_its_variance_equal_the_reference_on_random_tables():
    compared = intervals = 0
    for units in map(of_the_first_two, TABLES):
        found, shared = cohen_kappa(units), co_rated(units)
        if found.value is None:
            assert len({x for unit in shared for x in unit.values()}) < 2
            continue
        compared += 1
        with np.errstate(invalid="ignore", divide="ignore"):  # its z of a variance of 0
            reference = reference_cohen(confusion(shared))
        assert found.value == pytest.approx(reference.kappa, abs=1e-9)
        if found.low is not None:
            n = found.n
            assert error(found) ** 2 == pytest.approx(reference.var_kappa * n / (n - 1), rel=1e-6)
            intervals += 1
    assert compared > 100
    assert intervals > 80


def test_fleiss_equals_the_reference_on_random_tables():
    compared = 0
    for units in TABLES:
        found, shared = fleiss_kappa(units), co_rated(units)
        if found.value is None:
            single = len({x for unit in shared for x in unit.values()}) < 2
            assert single or len({len(unit) for unit in shared}) > 1
            continue
        assert found.value == pytest.approx(reference_fleiss(counts(shared)), abs=1e-9)
        compared += 1
    assert compared > 60


def written_out(units, weights):
    """The published formulas on whole arrays, every unit counted `weights` times."""
    r = counts(units)
    m, many = r.sum(1), r.sum(1) > 1
    w, pairs = weights[many], r[many]
    agreeing = (pairs * (pairs - 1)).sum(1) / (m[many] * (m[many] - 1))
    agreement = (w * agreeing).sum() / w.sum()
    share = (weights[:, None] * r / m[:, None]).sum(0) / weights.sum()
    chance = (share * (1 - share)).sum() / (len(share) - 1) if len(share) > 1 else 1
    found = {"percent": agreement}
    if len(share) > 1:
        found["ac1"] = (agreement - chance) / (1 - chance)
    if len(set(m[many])) == 1:
        share = (w[:, None] * pairs).sum(0) / (w * m[many]).sum()
        chance = (share**2).sum()
        if chance < 1 - 1e-9:
            found["fleiss"] = (agreement - chance) / (1 - chance)
    for level in LEVELS:
        coincidences = sum(
            v * (np.outer(row, row) - np.diag(row)) / (row.sum() - 1)
            for v, row in zip(w, pairs, strict=True)
        )
        totals = coincidences.sum(0)
        delta = distances(totals, level, units)
        expected = totals @ delta @ totals / (totals.sum() - 1)
        if expected > 1e-9:
            found[level] = 1 - (coincidences * delta).sum() / expected
    return found


def distances(totals, level, units):
    at = np.array(sorted({x for unit in units for x in unit.values()}), float)
    if level == "nominal":
        return (at[:, None] != at).astype(float)
    if level == "interval":
        return (at[:, None] - at) ** 2
    size = range(len(totals))
    return np.array(
        [
            [
                (totals[min(c, k) : max(c, k) + 1].sum() - (totals[c] + totals[k]) / 2) ** 2
                for k in size
            ]
            for c in size
        ]
    )


def error(found):
    """The standard error of a coefficient, taken back out of its interval."""
    ratio = 1 - found.value
    return math.log(ratio / (1 - found.high)) * ratio / student.ppf(0.975, found.n - 1)


def statistics_of(units):
    found = reliability(units)
    alphas = {level: krippendorff_alpha(units, level=level) for level in LEVELS}
    return {"percent": found.percent, "ac1": found.ac1, "fleiss": found.fleiss} | alphas


def test_all_values_equal_the_formulas_written_out_on_random_tables():
    compared = 0
    for units in TABLES:
        if not co_rated(units):
            continue
        expected = written_out(rated(units), np.ones(len(rated(units))))
        for name, statistic in statistics_of(units).items():
            assert (statistic.value is None) == (name not in expected)
            if statistic.value is not None:
                assert statistic.value == pytest.approx(expected[name], abs=1e-9)
                compared += 1
    assert compared > 700


def nudged(units):
    """For each unit by how much every value changes with the weight of that unit."""
    moves = []
    for nudge in np.eye(len(units)) * 1e-5:
        more, less = written_out(units, 1 + nudge), written_out(units, 1 - nudge)
        moves.append({name: (more[name] - less[name]) / 2e-5 for name in more})
    return moves


def test_intervals_follow_from_the_derivative_of_the_formula_by_every_unit():
    compared = 0
    for units in TABLES[:50]:
        found = statistics_of(units)
        for shared, names in ((rated(units), {"ac1"}), (co_rated(units), {"fleiss", *LEVELS})):
            some = {name: found[name] for name in names if found[name].low is not None}
            moves = nudged(shared) if some else []
            for name, statistic in some.items():
                expected = math.sqrt(len(moves) * np.var([move[name] for move in moves], ddof=1))
                assert error(statistic) == pytest.approx(expected, rel=1e-4)
                compared += 1
    assert compared > 100


# Intervals


def test_intervals_hold_the_value_and_stay_in_the_range():
    held = 0
    for units in TABLES:
        for level in LEVELS:
            found = reliability(units, level=level)
            json.dumps(found.as_dict(), allow_nan=False)
            for name in EVERYTHING:
                statistic = getattr(found, name)
                lowest = 0 if name == "percent" else -1
                if statistic.value is not None:
                    assert lowest <= statistic.value <= 1
                assert (statistic.low is None) == (statistic.reason is not None)
                if statistic.low is not None:
                    assert lowest <= statistic.low <= statistic.value <= statistic.high <= 1
                    held += 1
    assert held > 1000


def test_intervals_cover_the_truth_as_often_as_they_say():
    # Two raters who each copy the truth in four of five cases: all coefficients are 0.64.
    rng = np.random.default_rng(4)
    hits = dict.fromkeys(COEFFICIENTS, 0)
    for _ in range(400):
        truth = rng.integers(2, size=60)
        first, second = (
            np.where(rng.random(60) < 0.8, truth, rng.integers(2, size=60)).tolist() for _ in "AB"
        )
        found = reliability([{"A": a, "B": b} for a, b in zip(first, second, strict=True)])
        for name in COEFFICIENTS:
            hits[name] += getattr(found, name).low <= 0.64 <= getattr(found, name).high
    assert all(372 <= count <= 392 for count in hits.values()), hits
