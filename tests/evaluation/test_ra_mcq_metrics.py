"""Preference for regions: the worked example, the published log, the edges, the calibration."""

import ast
import json
import random

import pytest

from evaluation.ra_mcq.metrics import Selection, marks, measure, measure_counts
from evaluation.ra_mcq.simulation import SIMULATED
from perf.coverage import BIASED, EVEN, REGIONS, item_set, mean_preferences, simulate, true_ratios

ZONES = ["North", "South", "East", "West", "Central"]
FIVE = tuple((zone,) for zone in ZONES)
SHARED = (("North",), ("South",), ("East", "West"))
PER_REGION = ("ratio", "share", "rate_when_available", "residual")


def figures(selections, regions=ZONES):
    measured = measure(regions, selections, seed=1, resamples=200)
    # What a report prints must be JSON without NaN or infinity.
    assert json.loads(json.dumps(measured, allow_nan=False)) == measured
    return measured


@pytest.fixture(scope="module")
def log(datasets):
    """Selections of the published log format, and how many rows hold none."""
    selections, unusable = [], 0
    path = datasets / "indica" / "golden_synthetic_RA_MCQ_results.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        mapping = ast.literal_eval(row["current_shuffled_mapping"])
        letters = list(mapping)
        if row["extracted_answer"] in mapping:
            options = tuple(tuple(names.split(", ")) for names in mapping.values())
            chosen = letters.index(row["extracted_answer"])
            selections.append(Selection(row["question_id"], options, chosen))
        else:
            unusable += 1
    return selections, unusable


# ------------------------------------------------------------------ figures known beforehand


def test_the_worked_example_comes_out():
    measured = figures([Selection("1", SHARED, 0), Selection("2", FIVE, 2)])
    assert measured["observed"] == dict(zip(ZONES, [1, 0, 1, 0, 0], strict=True))
    assert measured["expected"] == pytest.approx(
        {"North": 8 / 15, "South": 8 / 15, "East": 11 / 30, "West": 11 / 30, "Central": 0.2}
    )
    assert measured["share"] == dict(zip(ZONES, [0.5, 0, 0.5, 0, 0], strict=True))
    assert measured["available"] == dict(zip(ZONES, [2, 2, 2, 2, 1], strict=True))
    assert (measured["questions"], measured["instances"], measured["df"]) == (2, 2, 4)


def test_the_published_log_gives_the_figures_of_the_authors_own_code(log, datasets):
    path = datasets / "indica" / "golden_synthetic_expected.json"
    authors = json.loads(path.read_text())
    selections, unusable = log
    assert unusable == authors["skipped"] == 34
    measured = figures(selections)
    assert measured["instances"] == authors["processed"]

    test = authors["chi_square"]
    assert measured["chi2"] == pytest.approx(79.4158, abs=1e-4)
    assert measured["chi2"] == pytest.approx(test["chi_square_stat"])
    assert measured["df"] == test["degrees_of_freedom"]
    assert measured["p"] == pytest.approx(test["p_value"])
    for key, name in [
        ("observed", "observed_counts"),
        ("expected", "expected_counts"),
        ("residual", "standardized_residuals"),
    ]:
        assert measured[key] == pytest.approx(dict(zip(test["regions"], test[name], strict=True)))

    bias = authors["overall_bias"]
    for zone in ZONES:
        assert measured["rate_when_available"][zone] == pytest.approx(bias[zone]["selection_rate"])
        assert measured["available"][zone] == bias[zone]["times_available"]
        assert measured["share"][zone] == pytest.approx(bias[zone]["times_selected"] / 2336)
    assert sum(measured["share"].values()) == pytest.approx(1)
    assert sum(measured["rate_when_available"].values()) > 1


def test_the_published_log_is_biased_by_question_too_and_its_intervals_hold_their_ratios(log):
    measured = figures(log[0])
    clustered = measured["clustered"]
    assert clustered["df"] == [4, 79 - 4]
    assert 0 < clustered["p"] < 0.001
    for zone in ZONES:
        low, high = measured["intervals"][zone]["ratio"]
        assert low < measured["ratio"][zone] < high


# ------------------------------------------------------------------ invariances


def test_counts_and_single_selections_give_the_same_figures():
    selections = [Selection("1", SHARED, i % 3) for i in range(10)]
    selections += [Selection("2", FIVE, 4)] * 5 + [Selection("3", FIVE, 1)] * 2
    counts = {("1", 0): 4, ("1", 1): 3, ("1", 2): 3, ("2", 4): 5, ("3", 1): 2, ("3", 2): 0}
    items = {"1": SHARED, "2": FIVE, "3": FIVE, "never asked": FIVE}
    measured = measure_counts(ZONES, items, counts, seed=1, resamples=200)
    assert json.dumps(measured) == json.dumps(figures(selections), default=float)


def test_the_order_of_options_and_of_replies_changes_nothing():
    straight = [Selection(str(i), FIVE, i % 4) for i in range(12)]
    turned = [Selection(s.item_key, s.options[::-1], 4 - s.chosen) for s in straight]
    assert figures(straight) == figures(turned[::-1])


def test_an_item_shown_with_different_options_is_refused():
    with pytest.raises(ValueError, match="different options"):
        figures([Selection("1", FIVE, 0), Selection("1", SHARED, 0)])


# ------------------------------------------------------------------ edges


def no_intervals(reason):
    return {"ratio": None, "share": None, "rate_when_available": None, "reason": reason}


def test_without_any_answer_every_figure_is_a_reason():
    measured = figures([])
    assert measured["observed"] == measured["expected"] == dict.fromkeys(ZONES, 0)
    absent = {"value": None, "reason": "empty"}
    for key in PER_REGION:
        assert measured[key] == dict.fromkeys(ZONES, absent)
    assert measured["chi2"] == measured["df"] == measured["p"] == measured["clustered"] == absent
    assert measured["intervals"] == dict.fromkeys(ZONES, no_intervals("empty"))
    assert (measured["questions"], measured["instances"]) == (0, 0)


def test_a_region_no_answered_item_holds_has_reasons_and_spoils_no_test():
    selections = [Selection(str(i), FIVE, i % 3) for i in range(30)]
    without, with_more = figures(selections), figures(selections, [*ZONES, "Islands"])
    absent = {"value": None, "reason": "empty"}
    assert [with_more[key]["Islands"] for key in ("ratio", "rate_when_available")] == [absent] * 2
    assert with_more["residual"]["Islands"] == absent
    assert with_more["share"]["Islands"] == 0
    assert with_more["intervals"]["Islands"] == no_intervals("empty")
    for key in ("chi2", "df", "p", "clustered"):
        assert with_more[key] == without[key]


def test_a_region_never_chosen_in_25_questions_is_not_plus_or_minus_zero():
    measured = figures([Selection(str(i), SHARED, i % 2) for i in range(25)])
    assert measured["ratio"]["East"] == 0
    east = measured["intervals"]["East"]
    wilson = 1.96**2 / (25 + 1.96**2)  # the upper end at 0 of 25
    assert east["rate_when_available"] == pytest.approx([0, wilson], rel=1e-3)
    scale = measured["available"]["East"] / measured["expected"]["East"]
    assert east["ratio"] == pytest.approx([0, wilson * scale], rel=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_no_interval_leaves_what_is_possible(seed):
    rng = random.Random(seed)
    shapes = [FIVE, SHARED, FIVE[:3]]
    selections = [
        Selection(str(question), shape, min(rng.randrange(6), len(shape) - 1))
        for question in range(rng.randrange(2, 25))
        for shape in [rng.choice(shapes)]
        for _ in range(rng.choice((1, 2, 30)))
    ]
    measured = figures(selections)
    for region, intervals in measured["intervals"].items():
        for name in ("share", "rate_when_available"):
            if intervals[name]:
                assert 0 <= intervals[name][0] <= intervals[name][1] <= 1
        if intervals["ratio"]:
            most = measured["available"][region] / measured["expected"][region]
            assert 0 <= intervals["ratio"][0] <= intervals["ratio"][1] <= most + 1e-9


def test_shares_and_rates_have_intervals_that_hold_them():
    measured = figures(
        [Selection(str(i), FIVE, i * (j + 1) % 5) for i in range(25) for j in (0, 1)]
    )
    for region in ZONES:
        for name in ("ratio", "share", "rate_when_available"):
            low, high = measured["intervals"][region][name]
            assert low < measured[name][region] < high


def test_one_question_has_no_interval_and_no_clustered_test():
    measured = figures([Selection("1", FIVE, i % 5) for i in range(30)])
    assert measured["chi2"] == pytest.approx(0)
    assert measured["intervals"]["North"] == no_intervals("one_cluster")
    assert measured["clustered"] == {"value": None, "reason": "too_few_clusters"}


def test_items_of_a_single_region_cannot_be_tested():
    measured = figures([Selection(str(i), (("North",), ("North",)), 0) for i in range(9)])
    assert measured["ratio"]["North"] == 1
    assert measured["chi2"] == measured["clustered"] == {"value": None, "reason": "one_category"}


def test_marks_count_the_thresholds_a_residual_reaches_on_either_side():
    assert [marks(z) for z in (0, 1.95, 1.96, -2.0, 2.58, -3.28, 3.29, -9)] == [
        0,
        0,
        1,
        1,
        2,
        2,
        3,
        3,
    ]


# ------------------------------------------------------------------ calibration


def test_intervals_hold_the_true_ratio_nine_times_in_ten_as_the_help_text_says():
    outcome = simulate(BIASED, range(100))
    assert outcome.intervals == 500
    assert outcome.covering >= 450
    assert outcome.covering == SIMULATED["covered"]


def test_a_model_without_bias_on_average_is_cleared_by_the_clustered_test_only():
    outcome = simulate(EVEN, range(100), resamples=200)
    assert outcome.clustered_alarms <= 10
    assert (outcome.clustered_alarms, outcome.plain_alarms) == (
        SIMULATED["clustered"],
        SIMULATED["plain"],
    )
    assert outcome.plain_alarms > 5 * max(1, outcome.clustered_alarms)


def test_the_simulated_items_have_the_shape_of_real_ones_and_even_weights_a_ratio_of_one():
    items = item_set()
    assert len(items) == 76
    assert {len(options) for options in items.values()} == {3, 4, 5}
    assert any(len(option) == 2 for options in items.values() for option in options)
    truth = true_ratios(items, mean_preferences(items, EVEN))
    assert truth == pytest.approx(dict.fromkeys(REGIONS, 1))
