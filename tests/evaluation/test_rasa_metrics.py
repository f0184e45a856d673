"""Figures of a run under one judge: by hand, at the edges, and against a slow computation."""

import json
import random

import pytest
from scipy import stats as scipy_stats

from evaluation.rasa.metrics import WEIGHTS, Cell, measure

LABELS = ("CORRECT", "PARTIALLY_CORRECT", "INCORRECT")
REGIONS = ["coast", "hills", "moor"]
FIGURES = ("full", "partial", "incorrect", "overall")


def cell(question, region, full=0, partial=0, incorrect=0, domain="food", **other):
    labels = dict(zip(LABELS, (full, partial, incorrect), strict=True))
    return Cell(question, domain, region, {k: n for k, n in labels.items() if n}, **other)


def figures(cells, **given):
    found = measure(cells, REGIONS, **given)
    # What a report prints must be JSON without NaN or infinity.
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    return found


def random_cells(seed):
    draw = random.Random(seed)
    return [
        cell(
            f"q{q}",
            region,
            *(draw.randrange(6) for _ in LABELS),
            domain=f"d{q % 3}",
            unparsed=draw.randrange(2),
        )
        for q in range(25)
        for region in REGIONS
        if draw.random() < 0.8
    ]


# ------------------------------------------------------------------ known beforehand


def test_figures_worked_by_hand_come_out():
    found = figures(
        [
            cell("a", "coast", full=6, partial=2, incorrect=2, unparsed=3),
            cell("a", "hills", full=0, partial=0, incorrect=10, failed=1),
            cell("b", "coast", full=1, partial=9, domain="dress", waiting=4),
        ]
    )
    assert (found["full"], found["partial"], found["incorrect"]) == (7 / 30, 11 / 30, 12 / 30)
    assert found["overall"] == pytest.approx((7 + 5.5) / 30)
    assert (found["n"], found["questions"], found["waiting"]) == (30, 2, 4)
    assert found["outcomes"] == {"ok": 30, "unparsed": 3, "failed": 1}
    assert found["sensitivity"] == pytest.approx(
        {"0.3": 10.3 / 30, "0.5": 12.5 / 30, "0.7": 14.7 / 30}
    )
    coast = found["by_region"]["coast"]
    assert (coast["full"], coast["overall"], coast["n"], coast["questions"]) == (
        pytest.approx(0.35),
        pytest.approx(12.5 / 20),
        20,
        2,
    )
    assert found["by_domain"]["food"]["overall"] == pytest.approx(7 / 20)
    assert found["by_domain"]["dress"]["overall"] == pytest.approx(5.5 / 10)


def test_another_weight_changes_overall_and_nothing_else():
    cells = random_cells(1)
    usual, other = figures(cells), figures(cells, weight=0.3)
    assert other["overall"] == usual["sensitivity"]["0.3"] == other["sensitivity"]["0.3"]
    assert [other[name] for name in FIGURES[:3]] == [usual[name] for name in FIGURES[:3]]


# ------------------------------------------------------------------ the edges


def test_nothing_judged_is_a_reason_everywhere():
    found = figures([cell("a", "coast", unparsed=5)])
    absent = {"value": None, "reason": "empty"}
    assert [found[name] for name in FIGURES] == [absent] * 4
    assert found["sensitivity"] == dict.fromkeys(map(str, WEIGHTS), absent)
    assert found["intervals"] == {**dict.fromkeys(FIGURES), "reason": "empty"}
    assert (found["n"], found["questions"]) == (0, 0)
    assert found["outcomes"] == {"ok": 0, "unparsed": 5, "failed": 0}
    assert figures([])["overall"] == absent


def test_a_region_without_samples_is_there_with_nothing_in_it():
    found = figures([cell("a", "coast", full=3), cell("b", "coast", incorrect=3)])
    assert found["by_region"]["moor"] == {
        **dict.fromkeys(FIGURES),
        "n": 0,
        "questions": 0,
        "interval": None,
        "intervals": dict.fromkeys(FIGURES),
        "reason": "empty",
    }


def test_none_of_25_questions_has_an_interval_and_one_question_has_none():
    found = figures([cell(f"q{i}", "coast", incorrect=1) for i in range(25)])
    assert found["full"] == 0
    low, high = found["intervals"]["full"]
    assert low == 0
    assert 0.1 < high < 0.15
    one = figures([cell("a", "coast", full=1)])
    assert one["full"] == 1
    assert one["intervals"] == {**dict.fromkeys(FIGURES), "reason": "one_cluster"}
    assert one["by_region"]["coast"]["interval"] is None


def test_all_right_at_a_weight_that_rounds_is_no_more_than_all():
    found = figures([cell(f"q{i}", "coast", partial=3, full=7) for i in range(9)], weight=1.0)
    assert found["overall"] == 1
    assert figures([cell("a", "moor", partial=30)], weight=0.7)["overall"] == pytest.approx(0.7)


def test_regions_of_one_question_hang_together():
    apart = [cell(f"q{i}", "coast", full=i % 2 * 10, incorrect=(1 - i % 2) * 10) for i in range(20)]
    again = [Cell(c.question, c.domain, "hills", c.labels) for c in apart]
    few, many = figures(apart)["intervals"]["full"], figures(apart + again)["intervals"]["full"]
    assert many == pytest.approx(few)


def test_the_order_of_the_cells_makes_no_difference():
    cells = random_cells(2)
    shuffled = random.Random(3).sample(cells, len(cells))
    assert figures(shuffled) == figures(cells)


# ------------------------------------------------------------------ a slow computation


@pytest.mark.parametrize("seed", range(5))
def test_a_slow_computation_over_single_samples_gives_the_same(seed):
    cells = random_cells(seed)
    points = {"CORRECT": 1.0, "PARTIALLY_CORRECT": 0.5, "INCORRECT": 0.0}
    samples = [
        (c.question, c.region, c.domain, label)
        for c in cells
        for label, n in c.labels.items()
        for _ in range(n)
    ]
    found = figures(cells)

    def share(score, rows):
        return sum(score(row[3]) for row in rows) / len(rows)

    def interval(score, rows):
        """Wilson at the effective sample size, with Student's t over the questions."""
        p, n = share(score, rows), len(rows)
        residuals = {}
        for question, _, _, label in rows:
            residuals[question] = residuals.get(question, 0) + score(label) - p
        count = len(residuals)
        variance = count / (count - 1) * sum(r * r for r in residuals.values()) / n**2
        size = min(n, p * (1 - p) / variance)
        t = scipy_stats.t.ppf(0.975, count - 1)
        centre, spread = (
            p + t * t / (2 * size),
            t * (p * (1 - p) / size + (t / size) ** 2 / 4) ** 0.5,
        )
        return [(centre - spread) / (1 + t * t / size), (centre + spread) / (1 + t * t / size)]

    scores = {"overall": points.__getitem__} | {
        name: lambda label, wanted=wanted: float(label == wanted)
        for name, wanted in zip(FIGURES[:3], LABELS, strict=True)
    }
    for name, score in scores.items():
        assert found[name] == pytest.approx(share(score, samples))
        assert found["intervals"][name] == pytest.approx(interval(score, samples))
    for key, place in (("by_region", 1), ("by_domain", 2)):
        for group, entry in found[key].items():
            rows = [row for row in samples if row[place] == group]
            assert entry["n"] == len(rows)
            assert entry["interval"] == pytest.approx(interval(scores["overall"], rows))
            for name, score in scores.items():
                assert entry[name] == pytest.approx(share(score, rows))
                assert entry["intervals"][name] == pytest.approx(interval(score, rows))
