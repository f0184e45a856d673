import json
import math
import random
from dataclasses import replace

import krippendorff
import numpy as np
import pytest
from scipy.stats import t as student
from statsmodels.stats.inter_rater import cohens_kappa as reference_cohen
from statsmodels.stats.inter_rater import fleiss_kappa as reference_fleiss

from annotation.reliability import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    paradox,
    percent_agreement,
    reliability,
)
from core.stats import Statistic

LEVELS = ["nominal", "ordinal", "interval"]
COEFFICIENTS = ["cohen", "fleiss", "alpha", "ac1"]
EVERYTHING = ["percent", *COEFFICIENTS]


def table(*rows):
    """Units from one row of ratings per rater, a dot where one is missing."""
    return [
        {rater: int(x) for rater, x in enumerate(unit) if x != "."}
        for unit in zip(*rows, strict=True)
    ]


def random_table(rng):
    """0-40 units, 1-5 raters, 1-5 categories; from chance to agreement, complete to sparse."""
    raters, categories = rng.randint(1, 5), rng.randint(1, 5)
    missing, noise = rng.choice([0, 0, 0.2, 0.6]), rng.random()
    units = []
    for _ in range(rng.randint(0, 40)):
        truth = rng.randrange(categories)
        units.append(
            {
                f"rater {r}": truth if rng.random() > noise else rng.randrange(categories)
                for r in range(raters)
                if rng.random() >= missing
            }
        )
    return units


TABLES = [random_table(random.Random(seed)) for seed in range(200)]
ONE_DISSENT = table("1" * 20, "1" * 19 + "2")


def values(statistic):
    return [statistic.value, statistic.low, statistic.high]


def same(found, expected):
    """Equal but for the rounding that another order of summation brings."""
    assert replace(found, **dict.fromkeys(EVERYTHING)) == replace(
        expected, **dict.fromkeys(EVERYTHING)
    )
    for name in EVERYTHING:
        one, other = getattr(found, name), getattr(expected, name)
        assert (one.n, one.reason) == (other.n, other.reason)
        assert values(one) == pytest.approx(values(other), abs=1e-9)


# Where there is no value


def test_nothing_rated_is_empty():
    for units in ([], [{}], [{"A": None}]):
        found = reliability(units)
        assert {getattr(found, name) for name in EVERYTHING} == {Statistic(None, 0, "empty")}
        assert (found.units, found.ratings, found.raters, found.prevalence) == (0, 0, 0, None)


def test_two_halves_rated_by_one_person_each_are_not_co_rated():
    found = reliability([{"A": 1}] * 5 + [{"B": 1}] * 5)
    assert {getattr(found, n) for n in EVERYTHING} == {Statistic(None, 0, "nothing_co_rated")}
    assert (found.units, found.co_rated, found.ratings, found.raters) == (10, 0, 10, 2)


@pytest.mark.parametrize("level", LEVELS)
def test_a_single_category_leaves_only_raw_agreement(level):
    found = reliability(table("1111", "1111"), level=level)
    for name in COEFFICIENTS:
        assert getattr(found, name) == Statistic(None, 4, "single_category")
    assert (found.percent.value, found.percent.n, found.percent.high) == (1, 4, 1)
    assert found.percent.low < 0.6
    assert paradox(found) is None


def test_two_raters_who_never_use_the_same_single_category_have_a_kappa():
    found = cohen_kappa(table("1111", "2222"))
    assert (found.value, found.n) == (0, 4)


def test_cohen_wants_exactly_two_people_on_the_shared_units():
    assert cohen_kappa(table("12.", "1.2", ".12")) == Statistic(None, 3, "not_two_raters")
    alone = [*table("1212", "1221"), {"someone else": 2}]
    assert cohen_kappa(alone) == cohen_kappa(table("1212", "1221"))


def test_fleiss_wants_equally_many_ratings_of_every_shared_unit():
    assert fleiss_kappa(table("1212", "1221", "1...")) == Statistic(None, 4, "unequal_ratings")
    assert fleiss_kappa(table("12121", "1221.")) == fleiss_kappa(table("1212", "1221"))


def test_one_unit_has_a_value_and_no_interval():
    found = reliability(table("1", "2"))
    assert found.percent == Statistic(0, 1, "one_unit")
    for name in COEFFICIENTS:
        assert getattr(found, name).reason == "one_unit"
    assert found.alpha.value == 0


def test_perfect_agreement_has_no_interval_but_that_of_the_raw_share():
    found = reliability(table("123123", "123123"))
    for name in COEFFICIENTS:
        assert getattr(found, name) == Statistic(1, 6, "no_variation")
    assert 0.5 < found.percent.low < found.percent.high == 1


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ([[("A", 1), ("B", 2), ("A", 1)]], "A rated one unit twice"),
        ([{"A": 1, "B": math.nan}], "missing rating is None"),
    ],
)
def test_impossible_ratings_are_the_callers_fault(units, message):
    with pytest.raises(ValueError, match=message):
        reliability(units)


def test_distances_are_asked_of_numbers_only():
    for categories in (["no", "yes"], [1, math.inf]):
        units = [dict(zip("AB", categories, strict=True))]
        with pytest.raises(ValueError, match="not a number"):
            krippendorff_alpha(units, level="ordinal")
    with pytest.raises(ValueError, match="not a level"):
        krippendorff_alpha(table("1", "2"), level="ratio")


# Agreement beside a kappa of zero


def test_one_dissent_at_95_percent_is_zero_for_kappa_and_alpha_beside_a_high_ac1():
    found = reliability(ONE_DISSENT)
    assert found.percent.value == 0.95
    assert (found.cohen.value, found.alpha.value) == (0, 0)
    assert round(found.ac1.value, 3) == 0.947
    assert found.ac1.low < 0.9
    # One sample of these units in three would hold a single category and have no value.
    assert (found.cohen.reason, found.alpha.reason) == ("no_variation", "too_sparse")


def test_a_sentence_says_why_kappa_is_zero_though_agreement_is_high():
    assert paradox(reliability(ONE_DISSENT)) == (
        "Annotators agree on 95.0 % of 20 shared tasks, yet kappa is 0.00 and alpha is 0.00: 97.5 %"
        " of their ratings fall into one category, so that chance alone would make them agree"
        " nearly as often, and a few dissents weigh heavily. AC1, which such an imbalance moves"
        " little, is 0.95."
    )


def test_the_sentence_names_what_is_low_and_exists():
    unequal = [*ONE_DISSENT, {0: 1, 1: 1, 2: 1}]
    assert "yet alpha is 0.00:" in paradox(reliability(unequal))
    three = reliability(table("1" * 20, "1" * 20, "1" * 19 + "2"))
    assert "kappa is -0.02 and alpha is 0.00:" in paradox(three)


def test_there_is_no_paradox_where_agreement_is_low_or_kappa_high():
    assert paradox(reliability(table("11221122", "12121212"))) is None
    assert paradox(reliability(table("11221122", "11221121"))) is None
    assert paradox(reliability([])) is None


# Published tables

# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, sections A, B and C.
TWO_VALUES = table("0100000000", "1110010100")
FIVE_VALUES = table("112243335441", "212223335444")
FOUR_OBSERVERS = table("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


@pytest.mark.parametrize(
    ("units", "level", "alpha"),
    [
        (TWO_VALUES, "nominal", 0.095),
        (FIVE_VALUES, "nominal", 0.692),
        (FOUR_OBSERVERS, "nominal", 0.743),
        (FOUR_OBSERVERS, "ordinal", 0.815),
        (FOUR_OBSERVERS, "interval", 0.849),
    ],
)
def test_alpha_is_krippendorffs(units, level, alpha):
    assert round(krippendorff_alpha(units, level=level).value, 3) == alpha


def test_fleiss_kappa_is_that_of_the_textbook():
    counts = (
        "0 0 0 0 14, 0 2 6 4 2, 0 0 3 5 6, 0 3 9 2 0, 2 2 8 1 1,"
        " 7 7 0 0 0, 3 2 6 3 0, 2 5 3 2 2, 6 5 2 1 0, 0 2 2 3 7"
    )
    units = [
        list(enumerate(np.repeat(range(5), [int(x) for x in row.split()]).tolist()))
        for row in counts.split(",")
    ]
    assert round(fleiss_kappa(units).value, 3) == 0.210


def test_ac1_is_that_of_gwets_package():
    # irrCAC 0.4.4 on its dataset raw_4raters, which is FOUR_OBSERVERS.
    assert gwet_ac1(FOUR_OBSERVERS).value == pytest.approx(0.775444068127, abs=1e-12)


def test_missing_and_unequal_ratings_leave_alpha_ac1_and_the_raw_share():
    rows = (".1211..1", "2..1.3..", "...1.32.", ".1.32..1")
    found = reliability(table(*rows))
    by_the_library = krippendorff.alpha(
        reliability_data=[[np.nan if x == "." else int(x) for x in row] for row in rows],
        level_of_measurement="nominal",
    )
    assert found.alpha.value == pytest.approx(by_the_library, abs=1e-9)
    assert round(found.alpha.value, 3) == 0.371
    assert found.ac1.value == pytest.approx(1999 / 3535, abs=1e-12)  # its formulas in fractions
    assert found.fleiss.reason == "unequal_ratings"
    assert found.cohen.reason == "not_two_raters"
    assert (found.units, found.co_rated, found.ratings, found.raters) == (8, 5, 15, 4)
    assert found.percent.value == pytest.approx((1 + 1 / 2 + 0 + 1 + 1) / 5)


# 200 random tables, against the reference libraries and the formulas written out


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


def test_intervals_follow_from_the_derivative_of_the_formula_by_every_unit():
    compared = 0
    for units in TABLES[:50]:
        for name, statistic in statistics_of(units).items():
            if name == "percent" or statistic.low is None:
                continue
            shared = rated(units) if name == "ac1" else co_rated(units)
            n, moves = len(shared), []
            for i in range(n):
                nudge = np.zeros(n)
                nudge[i] = 1e-5
                more, less = written_out(shared, 1 + nudge), written_out(shared, 1 - nudge)
                moves.append((more[name] - less[name]) / 2e-5)
            expected = math.sqrt(n * np.var(moves, ddof=1))
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


def test_the_interval_narrows_with_the_number_of_units():
    few, many = reliability(FIVE_VALUES), reliability(FIVE_VALUES * 50)
    for name in EVERYTHING:
        one, other = getattr(few, name), getattr(many, name)
        assert other.high - other.low < (one.high - one.low) / 5


# What must not matter


def test_the_order_of_units_and_the_names_of_raters_and_categories_do_not_matter():
    rng = random.Random(8)
    for units in TABLES:
        expected = reliability(units)
        same(reliability(rng.sample(units, len(units))), expected)
        same(reliability([rng.sample([*unit.items()], len(unit)) for unit in units]), expected)
        renamed = [{("person", rater): x for rater, x in unit.items()} for unit in units]
        same(reliability(renamed), expected)
        names = rng.sample(["same", "other", "unclear", "offensive", "none"], 5)
        same(reliability([{r: names[x] for r, x in unit.items()} for unit in units]), expected)


def test_for_ranks_only_the_order_of_the_numbers_matters_and_for_intervals_their_distances():
    for units in TABLES:
        stretched = [{r: 10**x for r, x in unit.items()} for unit in units]
        same(reliability(stretched, level="ordinal"), reliability(units, level="ordinal"))
        moved = [{r: 7 - 2.5 * x for r, x in unit.items()} for unit in units]
        same(reliability(moved, level="interval"), reliability(units, level="interval"))


def test_a_rater_who_rated_nothing_changes_nothing():
    for units in TABLES:
        expected = reliability(units)
        assert reliability([unit | {"idle": None} for unit in units]) == expected
        assert reliability([*units, {"idle": None}, {}]) == expected


def test_a_unit_rated_once_changes_no_agreement_but_that_of_ac1s_chance():
    more, less = reliability([*FIVE_VALUES, {0: 1}]), reliability(FIVE_VALUES)
    for name in ("percent", "cohen", "fleiss", "alpha"):
        assert getattr(more, name) == getattr(less, name)
    assert more.ac1.value != less.ac1.value
    assert (more.units, more.co_rated) == (13, 12)


def test_units_are_mappings_or_pairs():
    pairs = [list(unit.items()) for unit in FOUR_OBSERVERS]
    for function in (percent_agreement, krippendorff_alpha, gwet_ac1, fleiss_kappa, cohen_kappa):
        assert function(pairs) == function(FOUR_OBSERVERS)


def test_an_export_has_every_statistic_with_its_n_or_its_reason():
    shown = reliability(FOUR_OBSERVERS).as_dict()
    assert shown["cohen"] == {"value": None, "reason": "not_two_raters"}
    assert shown["alpha"]["n"] == 11
    assert {"value", "n", "low", "high"} == set(shown["ac1"])
    assert (shown["units"], shown["co_rated"], shown["ratings"], shown["raters"]) == (12, 11, 41, 4)
