"""Runs beside each other, through the command and the page."""

import csv
import io
import json
import re

import pytest
from django.core.management import call_command

from tests.evaluation.conftest import run_it
from tests.evaluation.judged import (
    CORRECT,
    PARTLY,
    WRONG,
    always,
    even_release,
    judged_run,
)

pytestmark = pytest.mark.django_db


def compared(*runs):
    out = io.StringIO()
    numbers = [str(run.pk) for run in runs]
    call_command("report", *numbers, "--format=json", stdout=out, stderr=io.StringIO())
    found = json.loads(out.getvalue())
    assert [one["run"] for one in found["runs"]] == [run.pk for run in runs]
    return found["comparison"]


def refused(*runs):
    out = io.StringIO()
    numbers = [str(run.pk) for run in runs]
    with pytest.raises(SystemExit) as exit:
        call_command("report", *numbers, "--json", stdout=out, stderr=io.StringIO())
    assert exit.value.code == 1
    return json.loads(out.getvalue())["error"]


def address(*runs):
    return "/runs/compare/?" + "&".join(f"run={run.pk}" for run in runs)


def knows(share):
    """Right in this share of the questions, whatever the region."""
    return lambda place, region, which: CORRECT if place % 10 < 10 * share else WRONG


@pytest.fixture
def even(db, tmp_path):
    return even_release(tmp_path)


@pytest.fixture
def three(even):
    """A model that knows 90 %, one that knows half, one that knows a tenth of the questions."""
    return [
        judged_run(even, {"mild": knows(share)}, name=name)
        for name, share in (("half", 0.5), ("most", 0.9), ("little", 0.1))
    ]


def test_the_best_run_and_the_thirds_are_marked_in_words(three, as_alice):
    half, most, little = (str(run.pk) for run in three)
    overall = compared(*three)["judges"]["lab/mild"]["columns"]["overall"]
    assert overall["best"] == [most]
    assert overall["terciles"] == {most: 1, half: 2, little: 3}
    shown = as_alice.get(address(*three)).content.decode()
    assert ">0.0 % (" not in shown  # where all runs are equal
    for words in ("90.0 % (best)", "50.0 % (middle third)", "10.0 % (lower third)"):
        assert words in shown
    assert re.search(r"<h3>lab/most \(run \d+\) scores best", shown)


def test_two_runs_have_a_best_one_and_no_thirds(three, as_alice):
    shown = as_alice.get(address(*three[:2])).content.decode()
    assert "90.0 % (best)" in shown
    assert " third)" not in shown


def test_the_least_of_incorrect_answers_is_the_best(three):
    columns = compared(*three)["judges"]["lab/mild"]["columns"]
    assert columns["incorrect"]["best"] == columns["full"]["best"]


def test_differences_are_paired_by_question_and_have_intervals(three, as_alice):
    half, most, little = (run.pk for run in three)
    pairs = compared(*three)["judges"]["lab/mild"]["differences"]
    by_pair = {(int(each["a"]), int(each["b"])): each for each in pairs}
    first = by_pair[half, most]
    assert first["value"] == pytest.approx(-0.4)
    assert first["interval"][0] < -0.4 < first["interval"][1] < 0
    assert set(by_pair) == {(half, most), (half, little), (most, little)}
    shown = as_alice.get(address(*three)).content.decode()
    assert "Every two runs lie clearly apart" in shown
    assert "−40.0" in shown
    assert "Less lab/half" in shown


def test_rank_and_spread_are_told_for_each_worth_of_a_partial_answer(even, as_alice):
    """Many partial answers beat fewer full ones once they are worth enough."""
    vague = judged_run(even, {"mild": always(PARTLY)}, name="vague")
    sharp = judged_run(even, {"mild": knows(0.6)}, name="sharp")
    by_weight = compared(vague, sharp)["judges"]["lab/mild"]["sensitivity"]
    assert by_weight["0.5"]["order"] == [str(sharp.pk), str(vague.pk)]
    assert by_weight["0.7"]["order"] == [str(vague.pk), str(sharp.pk)]
    assert by_weight["0.7"]["tau"] == -1
    assert by_weight["0.3"]["spread"] == pytest.approx(30)
    shown = as_alice.get(address(vague, sharp)).content.decode()
    assert "Points from best to worst" in shown
    assert "Rank at 0.7" in shown
    assert "100.0 % (highest)" in shown  # many partial answers are no merit


def test_runs_are_compared_by_each_judge_they_share_and_by_no_other(even, as_alice):
    both = judged_run(even, {"mild": always(CORRECT), "stern": always(WRONG)}, name="a")
    other = judged_run(even, {"stern": always(PARTLY)}, name="b")
    assert list(compared(both, other)["judges"]) == ["lab/stern"]
    shown = as_alice.get(address(both, other)).content.decode()
    assert "by lab/stern" in shown
    assert "by lab/mild" not in shown


def test_runs_without_a_judge_in_common_say_what_to_do(even, as_alice):
    one = judged_run(even, {"mild": always(CORRECT)}, name="a")
    other = judged_run(even, {"stern": always(CORRECT)}, name="b")
    assert compared(one, other)["judges"] == {}
    assert (
        "No judge has judged all of these runs"
        in as_alice.get(address(one, other)).content.decode()
    )


def test_a_judge_of_one_models_family_is_marked_beside_that_model_only(even, as_alice):
    kin = judged_run(even, {"gpt-5": always(CORRECT)}, name="gpt-4o")
    stranger = judged_run(even, {"gpt-5": always(WRONG)}, name="claude-haiku")
    shown = as_alice.get(address(kin, stranger)).content.decode()
    assert f"lab/gpt-4o (run {kin.pk}, the judge is of its family)" in shown
    assert f"lab/claude-haiku (run {stranger.pk})" in shown


def test_runs_of_different_benchmarks_are_refused(release, stub, as_alice):
    stub()
    choice = run_it(release, given={"samples": 1, "limit": 2})
    short = judged_run(release, {"mild": always(CORRECT)})
    assert refused(choice, short)["code"] == "report.benchmarks_differ"
    response = as_alice.get(address(choice, short))
    assert 400 <= response.status_code < 500
    assert "different benchmarks" in response.content.decode()


def test_runs_over_different_items_stand_side_by_side_with_a_warning(even, as_alice, tmp_path):
    copy = even_release(tmp_path, "other")
    one = judged_run(even, {"mild": knows(0.9)}, name="a")
    other = judged_run(copy, {"mild": knows(0.1)}, name="b", limit=5)
    found = compared(one, other)
    assert found["same_items"] is False
    assert found["judges"]["lab/mild"]["same_cells"] is False
    assert "answered different items" in as_alice.get(address(one, other)).content.decode()


def test_a_run_beside_itself_differs_in_nothing(even, as_alice):
    run = judged_run(even, {"mild": knows(0.5)})
    assert compared(run, run)["same_items"] is True
    assert as_alice.get(address(run, run)).status_code == 200


def test_a_run_nobody_has_judged_yet_stands_beside_others_without_figures(even, as_alice):
    one = judged_run(even, {"mild": knows(0.5)}, name="a")
    other = judged_run(even, {"mild": always(None)}, name="b")
    column = compared(one, other)["judges"]["lab/mild"]["columns"]["overall"]
    assert column["values"][str(other.pk)] is None
    assert as_alice.get(address(one, other)).status_code == 200


@pytest.mark.parametrize("format", ["md", "html", "csv"])
def test_every_format_holds_all_runs(three, format):
    out = io.StringIO()
    call_command("report", *(str(run.pk) for run in three), f"--format={format}", stdout=out)
    for run in three:
        assert run.model_label in out.getvalue()
    if format != "csv":
        assert "(best)" in out.getvalue()
        assert "same questions" not in out.getvalue()


def test_the_comparison_is_downloaded_with_every_run(three, as_alice):
    content = as_alice.get(address(*three) + "&format=csv").getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(content, newline="")))
    whole = {row["run"]: float(row["overall"]) for row in rows if row["part"] == "all"}
    assert whole == {
        str(run.pk): pytest.approx(share) for run, share in zip(three, (0.5, 0.9, 0.1), strict=True)
    }
