"""Runs side by side: marks, paired differences, and whether the order of the models holds."""

import json
import random
from itertools import combinations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from evaluation.rasa.comparison import Compared, compare, kendall, marks, ranked
from evaluation.rasa.metrics import Cell, measure

LABELS = ("CORRECT", "PARTIALLY_CORRECT", "INCORRECT")
REGIONS = ["coast", "hills"]


def cell(question, region, full=0, partial=0, incorrect=0):
    labels = dict(zip(LABELS, (full, partial, incorrect), strict=True))
    return Cell(question, "food", region, labels)


def side_by_side(cells_by_run, **given):
    runs = [Compared(run, f"m{run}", {"stub/j": cells}) for run, cells in cells_by_run.items()]
    found = compare(runs, REGIONS, resamples=given.pop("resamples", 200), **given)
    # What a report prints must be JSON without NaN or infinity.
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    return found["judges"]["stub/j"]


def model(seed, right, partial=0.2, questions=40):
    """Answers of a model to questions that are as hard for every other."""
    draw, hard = random.Random(seed), random.Random(0)
    cells = []
    for q in range(questions):
        chance = min(1, max(0, right + hard.gauss(0, 0.2)))
        for region in REGIONS:
            drawn = [
                draw.choices(
                    LABELS, [chance * (1 - partial), partial, (1 - chance) * (1 - partial)]
                )
                for _ in range(10)
            ]
            cells.append(cell(f"q{q}", region, *(drawn.count([label]) for label in LABELS)))
    return cells


# ------------------------------------------------------------------ the table


def test_the_table_holds_each_runs_own_figures():
    cells = {run: model(run, 0.3 + run / 10) for run in (1, 2, 3)}
    columns = side_by_side(cells)["columns"]
    for run, each in cells.items():
        own = measure(each, REGIONS)
        for name in ("full", "partial", "incorrect", "overall"):
            assert columns[name]["values"][str(run)] == own[name]
        for region in REGIONS:
            assert columns[region]["values"][str(run)] == own["by_region"][region]["overall"]
    assert columns["overall"]["best"] == columns["incorrect"]["best"] == ["3"]
    assert columns["overall"]["terciles"] == {"1": 3, "2": 2, "3": 1}


def test_eight_models_fall_into_thirds_and_equal_ones_together():
    values = {run: value / 10 for run, value in zip("abcdefgh", range(8, 0, -1), strict=True)}
    assert list(marks(values)["terciles"].values()) == [1, 1, 1, 2, 2, 2, 3, 3]
    assert marks(values, least_is_best=True)["best"] == ["h"]
    tied = marks({"a": 0.5, "b": 0.5, "c": 0.5, "d": None})
    assert tied == {
        "best": ["a", "b", "c"],
        "terciles": {"a": 1, "b": 1, "c": 1, "d": None},
    }
    assert marks({"a": None}) == {"best": [], "terciles": {"a": None}}


def test_equal_values_share_the_better_rank():
    assert ranked([0.2, 0.9, 0.9, 0.1]) == [3, 1, 1, 4]
    assert ranked([0.2, 0.9, 0.9, 0.1], least_is_best=True) == [2, 3, 3, 1]


# ------------------------------------------------------------------ differences


def test_a_difference_worked_by_hand_comes_out():
    # Per question 1 - 0, 1/2 - 1/2, 1 - 0 of 4 samples each: mean 2/3; z = 1/9, -2/9, 1/9.
    found = side_by_side(
        {
            1: [cell("a", "coast", 4), cell("b", "coast", 2, 0, 2), cell("c", "coast", 4)],
            2: [cell("a", "coast", 0, 0, 4), cell("b", "coast", 0, 4), cell("c", "coast", 0, 0, 4)],
        }
    )
    (difference,) = found["differences"]
    half = scipy_stats.t.ppf(0.975, 2) * (3 / 2 * 6 / 81) ** 0.5
    assert difference["value"] == pytest.approx(2 / 3)
    assert difference["interval"] == pytest.approx([2 / 3 - half, 1])
    assert (difference["a"], difference["b"]) == ("1", "2")
    assert (difference["cells"], difference["questions"]) == (3, 3)


def test_only_cells_that_both_answered_are_compared():
    left, right = model(1, 0.5), model(2, 0.5)
    extra = [cell("only left", "coast", 10), Cell("q1", "food", "moor", {"CORRECT": 9})]
    silent = [cell("q0", "coast"), *right[1:]]
    whole = side_by_side({1: left, 2: right})
    (more,) = side_by_side({1: left + extra, 2: silent})["differences"]
    (less,) = side_by_side({1: left[1:], 2: right[1:]})["differences"]
    assert more == less
    assert whole["same_cells"]
    assert not side_by_side({1: left + extra, 2: right})["same_cells"]


def test_a_model_against_itself_differs_by_nothing_and_says_why_there_is_no_interval():
    (found,) = side_by_side({1: model(1, 0.5), 2: model(1, 0.5)})["differences"]
    assert (found["value"], found["interval"], found["reason"]) == (0, None, "no_variation")
    (apart,) = side_by_side({1: [cell("a", "coast", 1)], 2: [cell("b", "coast", 1)]})["differences"]
    assert (apart["value"], apart["reason"]) == (None, "empty")


# ------------------------------------------------------------------ does the order hold


def test_the_weight_of_partial_answers_can_turn_the_order():
    # At w: 0.4 against 0.9 w; they change places at 4/9.
    bold = [cell(f"q{i}", "coast", 4, 0, 6) for i in range(5)]
    vague = [cell(f"q{i}", "coast", 0, 9, 1) for i in range(5)]
    found = side_by_side({1: bold, 2: vague})["sensitivity"]
    assert [found[w]["order"] for w in ("0.3", "0.5", "0.7")] == [
        ["1", "2"],
        ["2", "1"],
        ["2", "1"],
    ]
    assert [found[w]["tau"] for w in ("0.3", "0.5", "0.7")] == [-1, 1, 1]
    assert found["0.3"]["spread"] == pytest.approx(13)
    # Every question says the same, so no resample can say another.
    assert found["0.7"]["kept"] == {"1": 1, "2": 1}
    assert found["0.7"]["range"] == {"1": [2, 2], "2": [1, 1]}


@pytest.mark.parametrize("seed", range(5))
def test_kendall_agrees_with_scipy_ties_included(seed):
    draw = random.Random(seed)
    left, right = ([draw.randrange(5) for _ in range(9)] for _ in range(2))
    assert kendall(left, right) == pytest.approx(scipy_stats.kendalltau(left, right).statistic)


def test_an_order_of_equals_has_no_correlation():
    assert kendall([1, 1], [1, 2]) == {"value": None, "reason": "no_variation"}
    assert kendall([1], [2]) == {"value": None, "reason": "empty"}


def test_the_shares_of_resamples_agree_with_a_slow_bootstrap():
    cells = {run: model(run, 0.45 + run / 50) for run in (1, 2, 3, 4)}
    found = side_by_side(cells, resamples=4000)["sensitivity"]["0.7"]
    draw = random.Random(9)
    questions = sorted({c.question for c in cells[1]})
    ranks = {run: [] for run in cells}
    for _ in range(1000):
        drawn = [draw.choice(questions) for _ in questions]
        scores = {}
        for run, each in cells.items():
            by_question = {q: [c for c in each if c.question == q] for q in questions}
            rows = [c for q in drawn for c in by_question[q]]
            scores[run] = sum(c.score(0.7) for c in rows) / sum(c.judged for c in rows)
        for run in cells:
            ranks[run].append(1 + sum(other > scores[run] for other in scores.values()))
    for run in cells:
        rank = found["rank"][str(run)]
        # Four standard errors of 1,000 draws, and the ends may lie one place apart.
        assert found["kept"][str(run)] == pytest.approx(ranks[run].count(rank) / 1000, abs=0.07)
        slow = np.quantile(ranks[run], [0.025, 0.975], method="inverted_cdf")
        assert np.abs(np.array(found["range"][str(run)]) - slow).max() <= 1


def test_questions_are_drawn_for_all_models_together():
    """Drawn apart, two models that are always one point apart would often change places."""
    even = [cell(f"q{i}", "coast", i % 10, 0, 10 - i % 10) for i in range(40)]
    ahead = [cell(f"q{i}", "coast", i % 10 + 1, 0, 9 - i % 10) for i in range(40)]
    found = side_by_side({1: even, 2: ahead})["sensitivity"]["0.5"]
    assert found["kept"] == {"1": 1, "2": 1}


def test_equal_seeds_give_equal_comparisons_and_a_run_without_verdicts_does_no_harm():
    cells = {run: model(run, 0.5) for run in (1, 2)}
    assert side_by_side(cells, seed=4) == side_by_side(cells, seed=4)
    found = side_by_side({**cells, 3: []})
    assert found["columns"]["overall"]["values"]["3"] is None
    assert found["columns"]["overall"]["terciles"]["3"] is None
    assert set(found["sensitivity"]["0.5"]["rank"]) == {"1", "2"}
    assert {d["reason"] for d in found["differences"] if d["b"] == "3"} == {"empty"}


def test_one_question_has_an_order_and_nothing_to_draw_from():
    found = side_by_side({1: [cell("a", "coast", 3)], 2: [cell("a", "coast", 1, 0, 2)]})
    assert found["sensitivity"]["0.5"]["order"] == ["1", "2"]
    assert found["sensitivity"]["0.5"]["kept"] == {"1": None, "2": None}
    assert side_by_side({1: [], 2: []})["sensitivity"]["0.5"]["spread"] is None


def test_judges_stand_apart_and_only_those_of_all_runs_are_compared():
    runs = [
        Compared(1, "a", {"x": model(1, 0.4), "y": model(2, 0.6), "z": model(3, 0.5)}),
        Compared(2, "b", {"y": model(4, 0.6), "x": model(5, 0.4)}),
    ]
    found = compare(runs, REGIONS, resamples=200)
    assert list(found["judges"]) == ["x", "y"]
    assert found["runs"] == [{"run": 1, "model": "a"}, {"run": 2, "model": "b"}]
    assert compare([], REGIONS) == {"runs": [], "judges": {}}


@pytest.mark.parametrize("seed", range(3))
def test_every_pair_of_runs_agrees_with_a_slow_difference(seed):
    cells = {run: model(run + 10 * seed, 0.4 + run / 20) for run in (1, 2, 3)}
    found = side_by_side(cells)["differences"]
    assert [(d["a"], d["b"]) for d in found] == list(combinations("123", 2))
    for one in found:
        left, right = cells[int(one["a"])], cells[int(one["b"])]
        p, q = (sum(c.score(0.5) for c in side) / 800 for side in (left, right))
        z = {}
        for c, d in zip(left, right, strict=True):
            part = (c.score(0.5) - p * c.judged) / 800 - (d.score(0.5) - q * d.judged) / 800
            z[c.question] = z.get(c.question, 0) + part
        error = (40 / 39 * sum(x * x for x in z.values())) ** 0.5
        half = scipy_stats.t.ppf(0.975, 39) * error
        assert one["value"] == pytest.approx(p - q)
        assert one["interval"] == pytest.approx([p - q - half, p - q + half])
