import json
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from core.stats import (
    Statistic,
    chi_square,
    clustered_difference,
    clustered_rate,
    clustered_ratio_intervals,
    gini,
    hotelling_t2,
    jensen_shannon,
    kl_divergence,
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


# Tests of significance


def test_chi_square_agrees_with_scipy():
    observed, expected = [48, 35, 15, 3], [50, 30, 15, 6]
    found = chi_square(observed, expected)
    reference = scipy_stats.chisquare(observed, expected)
    assert found == pytest.approx(
        {"statistic": reference.statistic, "df": 3, "p": reference.pvalue}
    )


def test_a_category_neither_expected_nor_observed_is_left_out():
    assert chi_square([12, 0, 8], [10, 0, 10]) == chi_square([12, 8], [10, 10])
    assert chi_square([12, 0, 8], [10, 0, 10])["df"] == 1


@pytest.mark.parametrize(
    ("observed", "expected", "reason"),
    [
        ([3, 1], [4, 0], "zero_expected"),
        ([], [], "empty"),
        ([0, 0], [0, 0], "empty"),
        ([4, 0], [4, 0], "one_category"),
    ],
)
def test_a_chi_square_that_does_not_exist_says_why(observed, expected, reason):
    assert chi_square(observed, expected) == {"value": None, "reason": reason}


def test_lists_of_unequal_length_are_the_callers_fault():
    for function in (chi_square, kl_divergence, jensen_shannon):
        with pytest.raises(ValueError, match="zip"):
            function([1, 2], [1])


def test_hotelling_agrees_with_the_likelihood_ratio():
    # T^2 = (n-1) (det of squares about zero / det of squares about the mean - 1), Anderson 5.2.
    x = np.random.default_rng(3).normal(size=(76, 4)) @ np.diag([1, 5, 0.01, 30]) + [0.2, 1, 0, 3]
    found = hotelling_t2(x)
    centred = x - x.mean(axis=0)
    t2 = 75 * (np.linalg.det(x.T @ x) / np.linalg.det(centred.T @ centred) - 1)
    f = t2 * 72 / (75 * 4)
    assert found["statistic"] == pytest.approx(t2)
    assert found["f"] == pytest.approx(f)
    assert found["df"] == [4, 72]
    assert found["p"] == pytest.approx(scipy_stats.f.sf(f, 4, 72))


def test_hotelling_in_one_dimension_is_students_t():
    x = np.random.default_rng(4).normal(0.3, 1, size=20)
    found = hotelling_t2(x[:, None])
    reference = scipy_stats.ttest_1samp(x, 0)
    assert found["statistic"] == pytest.approx(reference.statistic**2)
    assert found["p"] == pytest.approx(reference.pvalue)


def test_hotelling_does_not_care_which_region_is_left_out():
    rng = np.random.default_rng(8)
    counts = rng.multinomial(30, [0.3, 0.25, 0.2, 0.15, 0.1], size=40) - 6.0
    first, last = hotelling_t2(counts[:, 1:]), hotelling_t2(counts[:, :-1])
    assert first["statistic"] == pytest.approx(last["statistic"])


def test_hotellings_p_is_uniform_when_nothing_differs():
    rng = np.random.default_rng(6)
    mix = rng.normal(size=(3, 3))
    p = [hotelling_t2(rng.normal(size=(12, 3)) @ mix)["p"] for _ in range(3000)]
    assert scipy_stats.kstest(p, "uniform").pvalue > 0.01


@pytest.mark.parametrize(
    ("differences", "reason"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], "too_few_clusters"),
        ([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [5.0, 10.0]], "singular"),
        ([[1.0, 0.0], [2.0, 0.0], [4.0, 0.0]], "singular"),
        ([[0.1, 1.0], [0.1, 2.0], [0.1, 4.0]], "singular"),
        (
            [[0.1 * i, 0.2 * i + 0.3 * j, -0.3 * i - 0.3 * j] for i in range(4) for j in range(4)],
            "singular",
        ),
    ],
)
def test_a_hotelling_that_does_not_exist_says_why(differences, reason):
    assert hotelling_t2(differences) == {"value": None, "reason": reason}


# Ratios


def observed_and_expected(rng, questions, regions=5, runs=30):
    """Selections of a model with a taste per question, among 2 to 5 regions on offer."""
    taste = np.exp([0.6, 0.2, 0.0, -0.3, -0.8])
    size = rng.integers(2, 6, size=questions)
    offered = rng.random((questions, regions)).argsort(1).argsort(1) < size[:, None]
    weight = rng.gamma(taste, size=(questions, regions)) * offered
    observed = rng.multinomial(runs, weight / weight.sum(1, keepdims=True))
    return observed, offered * (runs / size)[:, None]


def test_ratio_intervals_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(11)
    observed, expected = observed_and_expected(rng, 200_000)
    truth = observed.sum(0) / expected.sum(0)
    sets = 300
    hits = sum(
        interval.low <= true <= interval.high
        for seed in range(sets)
        for interval, true in zip(
            clustered_ratio_intervals(*observed_and_expected(rng, 76), resamples=500, seed=seed),
            truth,
            strict=True,
        )
    )
    assert 0.93 <= hits / (5 * sets) <= 0.97


def test_ratio_intervals_hold_the_ratio_and_repeat_under_a_seed():
    observed, expected = observed_and_expected(np.random.default_rng(2), 76)
    first = clustered_ratio_intervals(observed, expected, seed=7)
    assert first == clustered_ratio_intervals(observed, expected, seed=7)
    assert first != clustered_ratio_intervals(observed, expected, seed=8)
    for j, found in enumerate(first):
        assert found.value == pytest.approx(observed[:, j].sum() / expected[:, j].sum())
        assert found.n == (expected[:, j] > 0).sum()
        assert 0 <= found.low < found.value < found.high


def test_ratio_intervals_narrow_as_the_level_falls():
    observed, expected = observed_and_expected(np.random.default_rng(2), 76)
    wide = clustered_ratio_intervals(observed, expected, seed=1)[0]
    narrow = clustered_ratio_intervals(observed, expected, level=0.5, seed=1)[0]
    assert wide.low < narrow.low < narrow.high < wide.high


def test_a_ratio_without_an_interval_says_why():
    rng = np.random.default_rng(9)
    expected = np.full((30, 5), 6.0)
    observed = rng.binomial(12, 0.5, size=(30, 5)).astype(float)
    observed[:, 0] = 0  # never chosen
    observed[:, 1] = expected[:, 1] = 0  # never offered
    observed[:, 2] = 4.2  # always the same share
    observed[1:, 3] = 0  # chosen for one question only
    found = clustered_ratio_intervals(observed, expected, seed=1)
    assert [s.reason for s in found] == [
        "no_variation",
        "empty",
        "no_variation",
        "too_sparse",
        None,
    ]
    assert (found[0].value, found[1].value) == (0, None)
    assert found[2].value == pytest.approx(0.7)
    json.dumps([s.as_dict() for s in found], allow_nan=False)


def test_a_ratio_of_one_cluster_or_none_has_no_interval():
    assert clustered_ratio_intervals([[3.0]], [[2.0]], seed=1)[0].reason == "one_cluster"
    assert clustered_ratio_intervals([[3.0], [0]], [[2.0], [0]], seed=1)[0].reason == "one_cluster"
    empty = np.zeros((0, 2))
    assert [s.reason for s in clustered_ratio_intervals(empty, empty, seed=1)] == ["empty"] * 2


# Distributions


@pytest.mark.parametrize(
    ("shares", "expected"),
    [([1, 1, 1, 1], 0), ([0, 0, 0, 8], 0.75), ([1, 2, 3, 4], 0.25), ([5], 0), ([3, 1], 0.25)],
)
def test_gini_measures_inequality(shares, expected):
    assert gini(shares).value == pytest.approx(expected)


def test_a_category_never_chosen_counts_in_gini():
    assert gini([0.5, 0.5, 0]).value > gini([0.5, 0.5]).value == 0


def test_gini_of_nothing_is_empty():
    assert gini([0, 0, 0]) == Statistic(None, 3, "empty")
    assert gini([]) == Statistic(None, 0, "empty")


def test_divergences_agree_with_scipy():
    p, q = [0.1, 0.0, 0.4, 0.5], [0.25, 0.25, 0.3, 0.2]
    assert kl_divergence(p, q).value == pytest.approx(scipy_stats.entropy(p, q))
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    expected = (scipy_stats.entropy(p, middle, 2) + scipy_stats.entropy(q, middle, 2)) / 2
    assert jensen_shannon(p, q).value == pytest.approx(expected)
    assert jensen_shannon(q, p).value == pytest.approx(expected)


def test_divergences_take_counts_as_well_as_shares():
    assert kl_divergence([2, 6], [5, 5]) == kl_divergence([0.25, 0.75], [0.5, 0.5])


def test_identical_distributions_do_not_diverge():
    shares = [0.1, 0.2, 0.3, 0.4, 0.0]
    assert jensen_shannon(shares, shares).value == 0
    assert kl_divergence(shares, shares).value == 0


def test_disjoint_distributions_diverge_by_one_bit():
    assert jensen_shannon([1, 0], [0, 1]).value == 1


def test_a_zero_bin_makes_kl_infinite_and_is_named_instead():
    assert kl_divergence([0.5, 0.5], [1, 0]) == Statistic(None, 2, "zero_bin")
    assert kl_divergence([1, 0], [0.5, 0.5]).value == pytest.approx(math.log(2))


def test_a_distribution_without_weight_is_empty():
    assert kl_divergence([0, 0], [1, 1]).reason == "empty"
    assert jensen_shannon([1, 1], [0, 0]).reason == "empty"
    assert jensen_shannon([], []).reason == "empty"
