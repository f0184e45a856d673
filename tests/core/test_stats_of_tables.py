"""Tests of significance, ratios and distributions."""

import json
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from core.stats import (
    Statistic,
    chi_square,
    clustered_ratio_intervals,
    gini,
    hotelling_t2,
    jensen_shannon,
    kl_divergence,
)

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
