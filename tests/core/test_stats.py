"""Rates and their differences, with intervals that hold what they say."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from core.stats import (
    Statistic,
    clustered_difference,
    clustered_rate,
    rate,
)


def wilson(successes, n):
    interval = scipy_stats.binomtest(successes, n).proportion_ci(method="wilson")
    return interval.low, interval.high


# Statistics


def test_a_missing_statistic_is_a_null_with_its_reason():
    assert rate(0, 0).as_dict() == {"value": None, "reason": "empty"}


def test_a_statistic_with_an_interval_shows_no_reason():
    shown = Statistic(0.5, 4, low=0.2, high=0.8).as_dict()
    assert shown == {"value": 0.5, "n": 4, "low": 0.2, "high": 0.8}


@pytest.mark.parametrize("wrong", [{"value": None}, {"value": math.nan}, {"value": math.inf}])
def test_a_statistic_is_a_number_or_a_reason(wrong):
    with pytest.raises(ValueError, match="reason"):
        Statistic(n=3, **wrong)


# Rates


@pytest.mark.parametrize(("successes", "n"), [(0, 25), (25, 25), (7, 20), (1, 2), (999, 1000)])
def test_a_rate_carries_wilsons_interval(successes, n):
    found = rate(successes, n)
    assert found.value == successes / n
    assert (found.low, found.high) == pytest.approx(wilson(successes, n), abs=1e-12)


def test_none_of_25_is_not_plus_or_minus_nothing():
    found = rate(0, 25)
    assert found.low == 0
    assert 0.10 < found.high < 0.15


def test_a_single_observation_has_a_value_and_no_interval():
    assert rate(1, 1) == Statistic(1.0, 1, "one_observation")


def test_more_successes_than_trials_are_the_callers_fault():
    with pytest.raises(ValueError, match="5 of 4"):
        rate(5, 4)
    with pytest.raises(ValueError, match="5 of 4"):
        clustered_rate([(1, 2), (5, 4)])


def test_the_clustered_rate_pools_the_clusters():
    found = clustered_rate([(3, 10), (0, 5), (9, 10), (0, 0)])
    assert (found.value, found.n, found.reason) == (12 / 25, 25, None)


def test_the_clustered_interval_follows_the_formula_worked_by_hand():
    # p = 1/2, residuals -2, 0, 2; variance 3/2 * 8 / 144 = 1/12; effective n 3; t(2) = 4.303.
    found = clustered_rate([(0, 4), (2, 4), (4, 4)])
    half = 4.302653 / (2 * math.sqrt(3 + 4.302653**2))
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)


def test_asking_the_same_question_more_often_adds_no_certainty():
    answers = [1, 0, 1, 1, 0, 0, 1, 1, 1, 0]
    few = clustered_rate([(3 * a, 3) for a in answers])
    many = clustered_rate([(300 * a, 300) for a in answers])
    assert (many.low, many.high) == pytest.approx((few.low, few.high))
    independent = rate(1800, 3000)
    assert many.high - many.low > 10 * (independent.high - independent.low)


def test_clusters_more_alike_than_chance_claim_no_more_than_independent_trials():
    found = clustered_rate([(5, 10)] * 30 + [(6, 10)])
    independent = rate(156, 310)
    assert found.high - found.low >= independent.high - independent.low


@pytest.mark.parametrize("successes", [0, 15, 30])
def test_equal_clusters_count_as_one_observation_each(successes):
    found = clustered_rate([(successes, 30)] * 24)
    expected = wilson(successes * 24 // 30, 24)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


def test_unequal_clusters_with_equal_rates_are_equal_clusters():
    found = clustered_rate([(1, 3), (2, 6), (7, 21)])
    assert (found.low, found.high) == pytest.approx(wilson(1, 3))


def test_one_cluster_has_a_value_and_no_interval():
    assert clustered_rate([(2, 4), (0, 0)]) == Statistic(0.5, 4, "one_cluster")


def test_no_trial_is_empty():
    assert clustered_rate([]) == Statistic(None, 0, "empty")
    assert clustered_rate([(0, 0)]).reason == "empty"


def test_the_clustered_interval_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(1000):
        chances = rng.beta(0.4, 1.6, size=40)
        clusters = [(int(s), 30) for s in rng.binomial(30, chances)]
        found = clustered_rate(clusters)
        hits += found.low <= 0.2 <= found.high
    assert 925 <= hits <= 975


# Differences of rates


def test_the_difference_follows_the_formula_worked_by_hand():
    # 9/12 - 6/12; z = (s - 3)/12 - (t - 2)/12 = -1/12, 0, 1/12; with t(2) = 4.303.
    found = clustered_difference([(3, 4, 3, 4), (3, 4, 2, 4), (3, 4, 1, 4)])
    half = 4.302653 * math.sqrt(3 / 2 * (1 / 144 + 1 / 144))
    assert (found.value, found.n, found.reason) == (0.25, 24, None)
    assert (found.low, found.high) == pytest.approx((0.25 - half, 0.25 + half), abs=1e-6)


def test_a_difference_lies_between_minus_one_and_one():
    found = clustered_difference([(4, 4, 0, 4), (1, 4, 3, 4), (4, 4, 1, 4)])
    assert found.high == 1


def test_the_other_way_round_the_difference_is_the_opposite():
    clusters = [(3, 4, 2, 5), (0, 2, 1, 1), (6, 9, 0, 0)]
    there = clustered_difference(clusters)
    back = clustered_difference([(t, k, s, m) for s, m, t, k in clusters])
    assert (back.value, back.low, back.high) == pytest.approx(
        (-there.value, -there.high, -there.low)
    )


def test_what_is_hard_for_both_takes_nothing_from_a_difference():
    hard = [1, 9, 5, 2, 8, 3, 7, 4]
    paired = clustered_difference([(h, 10, h - 1 + h % 2, 10) for h in hard])
    apart = clustered_difference([(h, 10, 0, 0) for h in hard] + [(0, 0, h - 1, 10) for h in hard])
    assert paired.high - paired.low < (apart.high - apart.low) / 4


@pytest.mark.parametrize(
    ("clusters", "value", "reason"),
    [
        ([], None, "empty"),
        ([(0, 0, 0, 0)], None, "empty"),
        ([(1, 2, 0, 0)], None, "empty"),
        ([(1, 2, 1, 4)], 0.25, "one_cluster"),
        ([(2, 4, 1, 4), (3, 4, 2, 4)], 0.25, "no_variation"),
        ([(4, 4, 0, 4)] * 3, 1.0, "no_variation"),
    ],
)
def test_a_difference_without_spread_or_trials_says_so(clusters, value, reason):
    found = clustered_difference(clusters)
    assert (found.value, found.reason, found.low) == (value, reason, None)


def test_a_difference_of_more_successes_than_trials_is_the_callers_fault():
    with pytest.raises(ValueError, match="5 of 4"):
        clustered_difference([(1, 2, 5, 4)])


def test_the_interval_of_a_difference_covers_the_truth_as_often_as_it_says():
    """Sizes differ, and a question that is hard for one is hard for the other."""
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(1000):
        hard = rng.beta(1.2, 1.2, size=40)
        sizes = rng.integers(1, 4, size=(2, 40)) * 10
        left, right = rng.binomial(sizes[0], 0.7 * hard), rng.binomial(sizes[1], 0.5 * hard)
        found = clustered_difference(
            [tuple(map(int, row)) for row in zip(left, sizes[0], right, sizes[1], strict=True)]
        )
        hits += found.low <= 0.1 <= found.high
    assert 925 <= hits <= 975
