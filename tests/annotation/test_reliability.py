"""Agreement between annotators: where there is a value and what it is in published tables."""

import math
import random
from dataclasses import replace

import krippendorff
import numpy as np
import pytest

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
from tests.annotation.ratings import (
    COEFFICIENTS,
    EVERYTHING,
    FIVE_VALUES,
    FOUR_OBSERVERS,
    LEVELS,
    TABLES,
    TWO_VALUES,
    table,
)

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


# Intervals


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
