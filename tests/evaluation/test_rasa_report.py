"""What a report of RASA says, through the command, the page, the API and the downloads."""

import csv
import io
import json
import re

import pytest
from django.core.management import call_command

from core.templatetags.commonplace import percent
from evaluation import reports, services
from evaluation.judging.agreement import agreement
from evaluation.models import Judge, RunJudge, Sample, Verdict
from tests.evaluation.conftest import do
from tests.evaluation.judged import CORRECT, PARTLY, WRONG, always, judge, judged_run

pytestmark = pytest.mark.django_db

KEYS = ("run", "benchmark", "release", "model", "simulated", "answered", "unusable", "outcomes")
JUDGE_KEYS = {
    *("full", "partial", "incorrect", "overall", "intervals"),
    *("by_region", "by_domain", "sensitivity", "outcomes"),
}


def printed(run, *formats):
    out = io.StringIO()
    call_command("report", str(run.pk), *formats, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def as_json(run):
    return json.loads(printed(run, "--format=json"))


def of_judge(run, name="lab/mild"):
    return as_json(run)["judges"][name]


def page(client, run):
    return client.get(f"/runs/{run.pk}/").content.decode()


def by_region(regions):
    """Right in the first region, wrong in the last, partly right in between."""
    said = {regions[0]: CORRECT, regions[-1]: WRONG}
    return lambda place, region, which: said.get(region, PARTLY)


def test_the_report_holds_the_promised_keys_and_shares_counted_by_hand(release):
    run = judged_run(
        release, {"mild": lambda place, region, which: (CORRECT, PARTLY, WRONG)[which]}
    )
    report = as_json(run)
    assert set(KEYS) <= set(report)
    assert len(report["outcomes"]) == 6
    assert (report["answered"], report["unusable"]) == (run.samples.count(), 0)
    assert list(report["judges"]) == ["lab/mild"]
    found = report["judges"]["lab/mild"]
    assert set(found) >= JUDGE_KEYS
    assert (found["full"], found["partial"], found["incorrect"]) == (3 / 6, 2 / 6, 1 / 6)
    assert found["overall"] == pytest.approx((3 + 0.5 * 2) / 6)
    assert found["sensitivity"] == pytest.approx(
        {w: (3 + float(w) * 2) / 6 for w in ("0.3", "0.5", "0.7")}
    )
    assert found["outcomes"] == {"ok": run.samples.count(), "unparsed": 0, "failed": 0}
    assert list(found["by_region"]) == release.regions


def test_what_has_no_verdict_is_counted_by_name_and_never_taken_for_incorrect(release):
    said = (CORRECT, "unparsed", "failed")
    run = judged_run(release, {"mild": lambda place, region, which: said[which]})
    cells = run.samples.count() // 6
    found = of_judge(run)
    assert (found["full"], found["incorrect"]) == (1.0, 0.0)
    assert found["outcomes"] == {"ok": 3 * cells, "unparsed": 2 * cells, "failed": cells}


def test_replies_a_judge_has_not_come_to_are_waiting(release, as_alice):
    said = (CORRECT, WRONG, None)
    run = judged_run(release, {"mild": lambda place, region, which: said[which]})
    found = of_judge(run)
    assert found["waiting"] == run.samples.count() // 6
    assert found["full"] == 3 / 5
    assert "Not judged yet" in page(as_alice, run)


def test_best_and_worst_region_are_the_finding_and_the_judge_is_named(release, as_alice):
    regions = release.regions
    run = judged_run(release, {"mild": by_region(regions)})
    sentence = reports.finding(as_json(run))
    assert sentence == (
        f"Answers score 100.0 % in {regions[0]} but 0.0 % in {regions[-1]}, by lab/mild"
    )
    assert re.search(r"<h1>\s*Answers score 100", page(as_alice, run))


def test_regions_whose_intervals_overlap_are_not_told_apart(release):
    run = judged_run(
        release, {"mild": lambda place, region, which: CORRECT if place % 2 else WRONG}
    )
    assert "no clear difference between regions" in reports.finding(as_json(run))


def test_judges_stand_apart_and_are_never_averaged(release, as_alice):
    run = judged_run(release, {"mild": always(CORRECT), "stern": always(WRONG)})
    report = as_json(run)
    assert list(report["judges"]) == ["lab/mild", "lab/stern"]
    assert report["judges"]["lab/mild"]["overall"] == 1
    assert report["judges"]["lab/stern"]["overall"] == 0
    sentence = reports.finding(report)
    assert "100.0 % by lab/mild" in sentence
    assert "0.0 % by lab/stern" in sentence
    shown = page(as_alice, run)
    for name in ("lab/mild", "lab/stern"):
        (of_it,) = re.findall(rf"<h2>What it knows, by {name}</h2>(.*?)<h2>", shown, re.S)
        titles = re.findall(r"<h3>(.*?)</h3>", of_it)
        assert len(titles) == sum(f"by {name}" in title for title in titles) == 5


def test_judges_of_one_name_and_different_prompts_stay_two(release):
    run = judged_run(release, {"mild": always(CORRECT)})
    other = judge("mild", hash="another-prompt")
    RunJudge.objects.create(run=run, judge=other, number=2)
    replies = run.replies.all()
    Verdict.objects.bulk_create(
        Verdict(judge=other, reply=reply, outcome="ok", value=WRONG) for reply in replies
    )
    found = as_json(run)["judges"]
    assert [entry["overall"] for entry in found.values()] == [1, 0]


def test_agreement_of_two_judges_is_raw_and_beyond_chance(release, as_alice):
    """They differ on one reply in three of every second question."""
    run = judged_run(
        release,
        {
            "mild": lambda place, region, which: CORRECT if which < 2 else WRONG,
            "stern": lambda place, region, which: (
                WRONG if which == 2 or (which == 1 and place % 2) else CORRECT
            ),
        },
    )
    (found,) = as_json(run)["agreement"]
    assert (found["a"], found["b"]) == ("lab/mild", "lab/stern")
    n = run.replies.count()
    odd = [item.pk for item in release.items.order_by("position")[1::2]]
    apart = run.replies.filter(item__in=odd).count() / 3
    assert found["replies"] == n
    assert found["raw"]["value"] == pytest.approx(1 - apart / n)
    mild, stern = 2 / 3, 2 / 3 - apart / n
    chance = mild * stern + (1 - mild) * (1 - stern)
    assert found["kappa"]["value"] == pytest.approx((1 - apart / n - chance) / (1 - chance))
    low, high = found["kappa"]["low"], found["kappa"]["high"]
    assert low < found["kappa"]["value"] < high
    assert f"give the same verdict on {100 * (1 - apart / n):.1f}" in page(as_alice, run)


def test_people_who_judged_some_replies_are_compared_with_each_judge(release, as_alice):
    run = judged_run(
        release,
        {
            "mild": lambda place, region, which: CORRECT if which else WRONG,
            "Ana and Ben": lambda place, region, which: (
                (CORRECT if which else WRONG) if place < 5 else None
            ),
        },
        people=("Ana and Ben",),
    )
    report = as_json(run)
    assert list(report["judges"]) == ["lab/mild"]
    (found,) = report["agreement"]
    assert (found["b"], found["b_kind"]) == ("Ana and Ben", "person")
    assert found["questions"] == 5
    assert found["raw"]["value"] == found["kappa"]["value"] == 1
    assert "Ana and Ben (people)" in page(as_alice, run)


def test_what_only_one_of_two_could_read_is_no_disagreement(release):
    run = judged_run(
        release,
        {"mild": always(CORRECT), "stern": always("unparsed")},
    )
    assert as_json(run)["agreement"] == []


def test_a_judge_of_the_models_family_is_marked_wherever_its_figures_stand(release, as_alice):
    run = judged_run(
        release, {"gpt-5-mini": always(CORRECT), "claude-sonnet": always(WRONG)}, name="gpt-4o"
    )
    report = as_json(run)
    assert report["judges"]["lab/gpt-5-mini"]["same_family"] is True
    assert report["judges"]["lab/claude-sonnet"]["same_family"] is False
    marked = "lab/gpt-5-mini, of the same family as the model"
    assert marked in reports.finding(report)
    assert marked in printed(run, "--format=md")
    for shown in (page(as_alice, run), printed(run, "--format=html")):
        titles = re.findall(r"<h3>(.*?)</h3>", shown)
        of_it = [title for title in titles if "lab/gpt-5-mini" in title and "kappa" not in title]
        assert len(of_it) >= 4
        assert all(marked in title for title in of_it)
        assert "lab/claude-sonnet, of the same family" not in shown
    rows = csv.DictReader(io.StringIO(printed(run, "--format=csv"), newline=""))
    assert {(row["judge"], row["same_family"]) for row in rows} == {
        ("lab/gpt-5-mini", "true"),
        ("lab/claude-sonnet", "false"),
    }


def test_a_run_without_a_judge_says_so_in_every_format(release, as_alice):
    run = judged_run(release, {})
    assert as_json(run)["judges"] == {}
    assert reports.finding(as_json(run)) == "No answer has been judged yet"
    assert "No answer has been judged yet" in page(as_alice, run)
    for format in ("md", "csv", "html"):
        assert printed(run, f"--format={format}")


def test_one_question_has_figures_without_intervals_and_the_reason(release):
    run = judged_run(release, {"mild": always(CORRECT)}, limit=1)
    found = of_judge(run)
    assert found["overall"] == 1
    assert found["intervals"]["overall"] is None
    assert found["intervals"]["reason"] == "one_cluster"
    assert "NaN" not in printed(run, "--format=json")
    assert "only one question" in printed(run, "--format=html")


def test_a_region_nobody_answered_for_has_no_figure_and_a_reason(release):
    last = release.regions[-1]
    run = judged_run(
        release, {"mild": lambda place, region, which: None if region == last else CORRECT}
    )
    assert of_judge(run)["by_region"][last]["overall"] is None
    assert "nothing was counted" in printed(run, "--format=html")


def test_nothing_of_all_is_an_interval_and_not_plus_or_minus_zero(release):
    low, high = of_judge(judged_run(release, {"mild": always(WRONG)}))["intervals"]["full"]
    assert low == 0
    assert high > 0.01


def test_the_html_report_is_one_file_that_stands_alone(release):
    shown = printed(judged_run(release, {"mild": always(CORRECT)}), "--format=html")
    assert shown.startswith("<!doctype html>")
    assert "<style>" in shown
    assert not re.search(r"<(script|link|img|iframe)|url\((?!\"data:)|@import|src=|href=", shown)


def test_a_region_in_a_figure_leads_to_the_samples_that_were_asked_for_it(release, as_alice):
    run = judged_run(release, {"mild": always(CORRECT)}, limit=3)
    region = release.regions[1]
    (address,) = {
        link for link in re.findall(r'href="([^"]+)"', page(as_alice, run)) if f"={region}" in link
    }
    shown = as_alice.get(address).content.decode()
    assert f"Answer 0 of {region}" in shown
    assert f"Answer 0 of {release.regions[0]}" not in shown


def test_a_report_of_simulated_models_is_marked_on_every_figure(release, as_alice):
    run = judged_run(release, {"mild": always(CORRECT)}, simulated=True)
    for shown in (page(as_alice, run), printed(run, "--format=html")):
        assert shown.count('class="simulated"') >= shown.count('<figure class="card figure"') > 4
    assert "(simulated)" in printed(run, "--format=md")


def test_the_api_and_the_downloads_hold_what_the_command_prints(release, as_alice):
    run = judged_run(release, {"mild": by_region(release.regions), "stern": always(PARTLY)})
    assert as_alice.get(f"/api/v1/runs/{run.pk}/report/").json() == as_json(run)
    assert as_alice.get(f"/runs/{run.pk}/download/scores.csv").getvalue().decode() == printed(
        run, "--format=csv"
    )
    for name in ("sensitivity", "verdicts", "agreement", "outcomes", "samples"):
        assert as_alice.get(f"/runs/{run.pk}/download/{name}.csv").status_code == 200
    assert as_alice.get(f"/runs/{run.pk}/download/regions.csv").status_code == 404


def test_every_sample_is_in_its_download_with_region_and_verdicts(release, as_alice):
    run = judged_run(release, {"mild": by_region(release.regions)}, limit=2)
    content = as_alice.get(f"/runs/{run.pk}/download/samples.csv").getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(content, newline="")))
    assert len(rows) == run.samples.count()
    said = {row["variant"]: row["verdict by lab/mild"] for row in rows}
    assert said[release.regions[0]] == CORRECT
    assert said[release.regions[-1]] == WRONG


def test_failed_samples_enter_no_figure(release):
    run = judged_run(release, {"mild": always(CORRECT)}, limit=2)
    Sample.objects.filter(run=run, repeat=1).update(reply=None)
    report = as_json(run)
    assert report["outcomes"]["failed"] == report["unusable"] > 0
    assert report["judges"]["lab/mild"]["n"] == report["answered"]


def test_a_report_asks_the_database_as_often_for_many_questions_as_for_few(
    release, django_assert_max_num_queries
):
    run = judged_run(release, {"mild": always(CORRECT), "stern": always(WRONG)})
    with django_assert_max_num_queries(25):
        reports.report(run)


def test_kappa_leaves_out_a_question_at_a_time():
    """One question that holds every disagreement leaves nothing to judge the spread by."""
    apart = [("a", CORRECT, WRONG, 4), ("b", CORRECT, CORRECT, 9), ("c", WRONG, WRONG, 9)]
    found = agreement(apart)
    assert found["kappa"]["reason"] == "too_sparse"
    assert found["kappa"]["value"] == pytest.approx(1 - (4 / 22) / (1 - (13 * 9 + 9 * 13) / 22**2))
    alike = agreement([("a", CORRECT, CORRECT, 4), ("b", CORRECT, CORRECT, 2)])
    assert alike["kappa"] == {"value": None, "reason": "single_category"}
    assert agreement([])["raw"] == {"value": None, "reason": "empty"}


def test_a_run_through_a_real_endpoint_recovers_what_the_model_knows(release, stub, as_alice):
    truth = {label: {label: 1.0} for label in (CORRECT, PARTLY, WRONG)}
    stub({"short": {"accuracy": 0.6, "partial": 0.2}, "judge": {"confusion": truth}})
    order = services.Order(
        "rasa", release.label, "stub/one", {"samples": 10}, judges=("stub/judge",)
    )
    run = do(services.start_run(order, "test"))
    assert run.status == "finished", run.error
    report = as_json(run)
    found = report["judges"]["stub/judge"]
    assert report["simulated"] is True
    assert found["n"] == report["answered"] == run.samples_planned
    for figure, truth in (("full", 0.6), ("partial", 0.2), ("incorrect", 0.2), ("overall", 0.7)):
        low, high = found["intervals"][figure]
        assert low - 0.02 <= truth <= high + 0.02
    shown = page(as_alice, run)
    assert "by stub/judge" in shown
    assert percent(found["overall"]).replace(" ", "\u00a0") in shown
    assert Judge.objects.get().kind == "model"
