"""Runs whose replies are judged: a real stub generates, real stubs judge."""

import pytest

from core.errors import CommonplaceError
from evaluation import reports, selectors, services
from evaluation.models import Judge, Run, Verdict
from inference.models import Call, Completion
from inference.stub.behaviour import Behaviour, parse
from tests.evaluation.conftest import do

pytestmark = pytest.mark.django_db

JUDGES = ("stub/judge-a", "stub/judge-b")


def order(release, judges=JUDGES, **changes):
    given = {"samples": 6, "limit": 4, **changes.pop("given", {})}
    return services.Order("rasa", release.label, "stub/one", given, judges=judges, **changes)


def run_it(release, *judges, **changes):
    return do(services.start_run(order(release, judges or JUDGES, **changes), "test"))


def test_every_distinct_reply_is_judged_once_by_each_judge(release, stub):
    one = stub({"short": {"distinct": 3}})
    run = run_it(release)
    assert run.status == "finished", run.error
    assert run.samples.count() == run.samples_planned
    distinct = run.replies.count()
    assert distinct < run.samples.count()
    assert Verdict.objects.count() == 2 * distinct
    assert one.stats()["judged"] <= 2 * distinct + 2  # a question to try each judge with


def test_judges_are_apart_in_the_report_and_each_is_as_good_as_its_table_of_errors(release, stub):
    always = {label: {"INCORRECT": 1} for label in ("CORRECT", "PARTIALLY_CORRECT", "INCORRECT")}
    stub({"short": {"accuracy": 1.0}, "judge": {"confusion": {"CORRECT": {"CORRECT": 1}}}})
    kind = run_it(release, "stub/judge-a")
    report = reports.report(kind)
    assert report["judges"]["stub/judge-a"]["full"] == 1.0
    stub({"short": {"accuracy": 1.0}, "judge": {"confusion": always}})
    strict = do(services.rejudge(selectors.find_run(kind.pk), ["stub/judge-b"], "test"))
    report = reports.report(strict)
    assert list(report["judges"]) == ["stub/judge-a", "stub/judge-b"]
    assert report["judges"]["stub/judge-a"]["full"] == 1.0
    assert report["judges"]["stub/judge-b"]["incorrect"] == 1.0


def test_judging_anew_generates_nothing_and_the_same_judge_again_asks_nothing(release, stub):
    one = stub()
    run = run_it(release, "stub/judge-a")
    samples, asked = run.samples.count(), one.stats()["requests"]
    run = do(services.rejudge(run, ["stub/judge-b"], "test"))
    assert run.status == "finished"
    assert run.samples.count() == samples
    assert one.stats()["requests"] - asked <= run.replies.count() + 1
    asked = one.stats()["requests"]
    run = do(services.rejudge(run, ["stub/judge-b"], "test"))
    assert one.stats()["requests"] == asked
    assert run.run_judges.count() == 2


def test_the_same_question_is_paid_for_once_over_runs(release, stub):
    one = stub()
    first = run_it(release)
    asked = one.stats()["requests"]
    second = run_it(release)
    assert one.stats()["requests"] == asked
    assert Verdict.objects.filter(reply__run=second).count() == 2 * second.replies.count()
    assert [
        reports.report(run)["judges"]["stub/judge-a"]["overall"] for run in (first, second)
    ] == [reports.report(first)["judges"]["stub/judge-a"]["overall"]] * 2


def test_a_model_never_judges_itself(release, stub):
    stub()
    with pytest.raises(CommonplaceError) as caught:
        services.start_run(order(release, ("stub/one",)), "test")
    assert caught.value.code == "judge.same_model"
    assert not Run.objects.exists()


def test_a_judge_is_named_once(release, stub):
    stub()
    with pytest.raises(CommonplaceError) as caught:
        services.start_run(order(release, ("stub/a", "stub/a")), "test")
    assert caught.value.code == "judge.twice"


def test_a_benchmark_that_is_read_by_rule_takes_no_judge(release, stub):
    stub()
    with pytest.raises(CommonplaceError) as caught:
        services.start_run(services.Order("ra_mcq", release.label, "stub/one", judges=JUDGES), "t")
    assert caught.value.code == "benchmark.no_judges"


def test_a_judge_that_cannot_be_read_is_noticed_before_anything_is_generated(release, stub):
    one = stub({"judge": {"malformed": 1.0}})
    run = run_it(release, "stub/judge-a")
    assert (run.status, run.error["code"]) == ("paused", "judge.unreadable")
    assert one.stats()["requests"] == 1
    assert run.samples.count() == 0
    assert selectors.spent(run) > 0  # what the question cost is booked


def test_a_judge_whose_verdicts_cannot_all_be_read_leaves_them_unparsed(release, stub):
    one, seed = stub(), 0
    run = None
    while run is None or run.status == "paused":  # by the question the judge was tried with
        seed += 1
        assert seed < 20, run and run.error
        one.behaviour = parse({"seed": seed, "judge": {"malformed": 0.4}, "short": {"distinct": 5}})
        run = run_it(release, "stub/judge-b", use_cache=False)
    report = reports.report(run)["judges"]["stub/judge-b"]
    assert report["outcomes"]["unparsed"] > 0
    unread = Verdict.objects.filter(reply__run=run, outcome="unparsed")
    assert set(unread.values_list("value", flat=True)) == {""}
    assert all(verdict.text for verdict in unread)


def test_a_reply_that_is_no_answer_is_judged_by_nobody(release, stub):
    one = stub({"shares": {"empty": 1.0}})
    one.behaviour = parse({"shares": {"empty": 1.0}})
    run = do(services.start_run(order(release, ()), "test"))
    assert reports.report(run)["outcomes"]["truncated"] == run.samples_planned
    one.behaviour = Behaviour()
    run = do(services.rejudge(run, ["stub/judge-a"], "test"))
    assert run.status == "finished"
    assert Verdict.objects.count() == 0


def test_a_cap_holds_over_generation_and_judges_and_a_higher_one_goes_on(release, stub):
    stub(in_flight=4)
    whole = run_it(release, given={"samples": 4})
    cost = selectors.spent(whole)
    Completion.objects.all().delete()
    run = run_it(release, given={"samples": 4}, cap_micro=cost * 3 // 4)
    assert (run.status, run.error["code"]) == ("paused", "run.cost_cap")
    assert 0 < selectors.spent(run) <= cost * 3 // 4
    assert run.budget.spent == selectors.spent(run)
    run = do(services.resume_run(run, "test", cap_micro=cost * 60))
    assert run.status == "finished"
    run.budget.refresh_from_db()
    assert (run.budget.reserved, run.budget.spent) == (0, selectors.spent(run))


def test_an_error_of_the_judge_is_never_a_verdict_and_a_resume_asks_again(release, stub):
    one = stub()
    run = run_it(release, "stub/judge-a", given={"samples": 2})
    Verdict.objects.all().delete()
    Completion.objects.all().delete()
    one.behaviour = parse({"shares": {"server_error": 1.0}})
    run = services.rejudge(run, ["stub/judge-a"], "test")
    run = do(run)
    assert run.status == "paused"
    assert Verdict.objects.count() == 0
    one.behaviour = Behaviour()
    run = do(services.resume_run(run, "test"))
    assert run.status == "finished"
    assert Verdict.objects.count() == run.replies.count()
    assert Call.objects.exclude(error=None).exists()


def test_reading_again_changes_nothing_when_the_rules_are_the_same(release, stub):
    stub({"judge": {"style": "mixed"}})
    run = run_it(release)
    before = list(Verdict.objects.order_by("pk").values_list("outcome", "value"))
    assert services.reparse(run, "test") == {"replies": 0, "verdicts": 0, "unjudged": 0}
    Verdict.objects.update(outcome="unparsed", value="")
    assert services.reparse(run, "test")["verdicts"] == sum(o == "ok" for o, _ in before)
    assert list(Verdict.objects.order_by("pk").values_list("outcome", "value")) == before


def test_another_prompt_is_another_judge(release, stub, tmp_path):
    import zipfile

    from inference.prompts import load_pack, shipped

    pack = tmp_path / "mine.zip"
    text = shipped()["rasa/judge", "en"].replace("\n", "\n\n", 1)
    with zipfile.ZipFile(pack, "w") as file:
        file.writestr("rasa/judge.en.txt", text)
    stub()
    run_it(release, "stub/judge-a")
    run_it(release, "stub/judge-a", pack=load_pack(pack))
    assert Judge.objects.count() == 2
    assert len(set(Judge.objects.values_list("prompt__sha256", flat=True))) == 2
