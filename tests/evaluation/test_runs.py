"""A run, from the order to the stored samples, against a real endpoint."""

import collections
import json

import pytest

from core import clock
from core.errors import CommonplaceError
from core.models import Job, Worker
from evaluation import reports, selectors, services
from evaluation.models import Reply, Run, Sample
from inference.models import Call, Completion
from inference.prompts import sync_prompts
from inference.stub.behaviour import Behaviour
from releases.services import SAMPLE, build_items, import_release
from tests.evaluation.conftest import do, order, run_it

pytestmark = pytest.mark.django_db


def texts(run):
    return list(
        run.samples.order_by("item__position", "repeat").values_list("reply__text", "choice")
    )


def test_thirty_repeats_are_thirty_rows_with_orders_and_seeds_of_their_own(release, stub):
    stub()
    run = run_it(release, given={"samples": 30, "limit": 2})
    assert run.status == "finished"
    assert run.samples.count() == run.samples_planned == 60
    for item in selectors.items(run):
        mine = run.samples.filter(item=item)
        assert sorted(mine.values_list("repeat", flat=True)) == list(range(1, 31))
        assert len({tuple(shown) for shown in mine.values_list("shown", flat=True)}) > 3
    seeds = [ask.request.seed for ask in selectors.plan(run)]
    assert len(set(seeds)) == 60


def test_without_send_seed_no_request_carries_a_seed(release, stub):
    stub()
    run = services.start_run(order(release, given={"send_seed": False}), "test")
    assert {ask.request.seed for ask in selectors.plan(run)} == {None}


def test_a_second_run_costs_no_call_and_gets_the_same_texts(release, stub):
    one = stub()
    first = run_it(release)
    asked = one.stats()["requests"]
    second = run_it(release)
    assert one.stats()["requests"] == asked == first.samples_planned
    assert texts(second) == texts(first)
    assert (selectors.calls(second), selectors.spent(second)) == (0, 0)


def test_no_cache_asks_again_and_another_seed_asks_other_things(release, stub):
    one = stub()
    run_it(release, given={"limit": 2})
    run_it(release, given={"limit": 2}, use_cache=False)
    assert one.stats()["requests"] == 8
    run_it(release, given={"limit": 2}, seed=9)
    assert one.stats()["requests"] == 12


def test_every_sample_points_to_the_option_its_letter_stood_for(release, stub):
    stub({"choice": {"style": "mixed"}})
    run = run_it(release)
    for sample in run.samples.select_related("reply"):
        parsed = sample.reply.parsed
        if "letter" in parsed:
            assert sample.shown[ord(parsed["letter"]) - ord("A")] == sample.choice
        else:
            assert parsed["option"] == sample.choice


def test_the_report_follows_the_stubs_bias(release, stub, tmp_path):
    items = tmp_path / "items.jsonl"
    stub()
    built = services.prepare(order(release), "test").release
    items.write_bytes(selectors_bytes(built))
    favourite = release.regions[1]
    one = stub({"choice": {"weights": {favourite: 6}, "items": str(items)}})
    run = run_it(release, given={"samples": 10})
    report = reports.report(run)
    assert one.stats()["requests"] == run.samples_planned
    assert max(report["ratio"], key=report["ratio"].get) == favourite
    assert report["intervals"][favourite]["ratio"][0] > 1
    assert favourite in reports.finding(report)


def selectors_bytes(release):
    from releases import storing

    return storing.read(release.parts.get(name="items"))


@pytest.mark.parametrize(
    ("share", "outcome"),
    [("refused", "refused"), ("truncated", "truncated"), ("empty", "truncated")],
)
def test_what_is_no_answer_is_counted_by_name_and_never_a_choice(release, stub, share, outcome):
    stub({"shares": {share: 1.0}})
    run = run_it(release, given={"limit": 3})
    report = reports.report(run)
    assert sum(report["outcomes"].values()) == report["unusable"] == 6
    assert report["answered"] == 0
    if share != "refused":  # a refusal in words is read as no letter
        assert report["outcomes"][outcome] == 6
    assert not run.samples.exclude(choice=None).exists()


def test_faults_of_every_kind_together_lose_nothing(release, stub):
    one = stub(
        {"shares": {"malformed": 0.1, "rate_limited": 0.1, "server_error": 0.05, "cut": 0.05}}
    )
    run = run_it(release)
    assert run.status == "finished", run.error
    assert reports.report(run)["answered"] == run.samples_planned
    assert selectors.calls(run) == one.stats()["requests"] > run.samples_planned


def test_an_error_body_never_becomes_an_answer(release, stub):
    stub({"canned": [{"share": 1, "status": 200, "body": '{"error": {"message": "A"}}'}]})
    run = run_it(release)
    assert run.status == "paused"
    assert (run.samples.count(), Completion.objects.count()) == (0, 0)
    assert Call.objects.exclude(error=None).exists()


def test_a_bad_request_for_every_item_pauses_after_a_few_and_scores_nothing(release, stub):
    body = '{"error": {"message": "This prompt is too long", "code": "context_length_exceeded"}}'
    one = stub({"canned": [{"share": 1, "status": 400, "body": body}]})
    run = run_it(release)
    assert run.status == "paused"
    assert one.stats()["requests"] <= 5 + 2 * 8
    assert not run.samples.exclude(choice=None).exists()


@pytest.mark.parametrize("retry_after", ["1", "130", "", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_nothing_but_429_pauses_the_run_and_a_resume_completes_it(
    release, stub, settings, retry_after
):
    settings.TIME_SCALE = 500
    settings.RETRY_ATTEMPTS = 2
    one = stub({"shares": {"rate_limited": 1.0}, "retry_after": retry_after})
    run = run_it(release)
    assert run.status == "paused"
    assert run.error["code"] == "endpoint.rate_limited"
    assert run.samples.count() == 0
    one.behaviour = Behaviour()
    run = do(services.resume_run(run, "test"))
    assert run.status == "finished"
    assert reports.report(run)["answered"] == run.samples_planned


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (429, '{"error": {"code": "insufficient_quota", "message": "q"}}', "endpoint.quota"),
        (400, '{"error": {"message": "no seed", "param": "seed"}}', "endpoint.parameter"),
        (401, '{"error": {"message": "bad key"}}', "endpoint.key_refused"),
        (404, '{"error": {"message": "no model", "code": "model_not_found"}}', "endpoint.model"),
    ],
)
def test_what_only_a_person_can_put_right_pauses_at_once(release, stub, status, body, code):
    one = stub({"canned": [{"share": 1, "status": status, "body": body}]})
    run = run_it(release)
    assert run.status == "paused"
    assert run.error["code"].startswith(code)
    assert one.stats()["requests"] <= 8
    assert run.samples.count() == 0


def test_a_resume_asks_failed_samples_again(release, stub):
    body = '{"error": {"message": "This prompt is too long", "code": "context_length_exceeded"}}'
    one = stub({"canned": [{"share": 0.3, "status": 400, "body": body}]})
    run = run_it(release, seed=4)
    assert run.status == "finished"
    failed = reports.report(run)["outcomes"]["failed"]
    assert 0 < failed < run.samples_planned
    one.behaviour = Behaviour()
    run = do(services.resume_run(run, "test"))
    assert run.status == "finished"
    assert reports.report(run)["answered"] == run.samples_planned


def test_an_endpoint_that_is_down_pauses_the_run(release, settings, db):
    sync_prompts()
    settings.RETRY_ATTEMPTS = 2
    settings.TIME_SCALE = 500
    settings.ENDPOINTS = {"stub": {"base_url": "http://127.0.0.1:9/v1", "key_variable": ""}}
    run = run_it(release)
    assert (run.status, run.error["code"]) == ("paused", "endpoint.unavailable")
    assert "resume" in run.error["message"].lower()


def test_a_missing_key_stops_the_run_before_a_request_and_names_the_variable(release, stub):
    one = stub(key_variable="COMMONPLACE_TEST_KEY_THAT_IS_NOT_SET")
    run = run_it(release)
    assert run.error["code"] == "endpoint.key_missing"
    assert "COMMONPLACE_TEST_KEY_THAT_IS_NOT_SET" in run.error["message"]
    assert one.stats()["requests"] == 0


def test_a_key_reaches_the_endpoint_and_nothing_else(release, stub, monkeypatch):
    monkeypatch.setenv("STUB_KEY", "sk-very-secret-key")
    one = stub({"key": "another-key-entirely"}, key_variable="STUB_KEY")
    run = run_it(release)
    assert run.error["code"] == "endpoint.key_refused"
    stored = [str(row) for model in (Run, Call, Job) for row in model.objects.values()]
    assert "sk-very-secret-key" not in "".join(stored)
    one.behaviour = Behaviour(key="sk-very-secret-key")
    assert do(services.resume_run(run, "test")).status == "finished"


def test_a_cap_is_never_passed_and_a_higher_one_resumes(release, stub):
    stub(in_flight=16)
    whole = run_it(release, seed=1)
    cost = selectors.spent(whole)
    run = run_it(release, seed=2, cap_micro=cost // 2)
    assert (run.status, run.error["code"]) == ("paused", "run.cost_cap")
    assert 0 < selectors.spent(run) <= cost // 2
    run = do(services.resume_run(run, "test", cap_micro=cost * 40))
    assert run.status == "finished"


def test_a_cap_without_a_price_is_refused_before_anything_is_written(release, stub):
    stub(price=False)
    with pytest.raises(CommonplaceError) as caught:
        services.start_run(order(release, cap_micro=1000), "test")
    assert caught.value.code == "run.no_price"
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("changes", "name"),
    [({"seed": -1}, "seed"), ({"seed": 2**60}, "seed"), ({"cap_micro": 10**30}, "max_cost")],
)
def test_a_number_no_report_could_hold_is_refused_before_anything_is_asked(
    release, stub, changes, name
):
    stub()
    with pytest.raises(CommonplaceError) as caught:
        services.start_run(order(release, **changes), "test")
    assert (caught.value.code, caught.value.data["name"]) == ("settings.value", name)


def test_a_cap_given_at_a_resume_needs_a_price_too(release, stub):
    stub(price=False)
    run = services.start_run(order(release), "test")
    services.cancel_run(run, "test")
    with pytest.raises(CommonplaceError) as caught:
        services.resume_run(selectors.find_run(run.pk), "test", cap_micro=1000)
    assert caught.value.code == "run.no_price"


def test_one_text_in_every_order_is_read_once_and_the_report_agrees_with_itself(release, stub):
    built = services.prepare(order_after(release, stub), "test").release
    text = built.items.first().payload["options"][1]["text"]["en"]
    for said in (f"Answer: {text}\nB", f"B\n{text} is correct.", text, "B"):
        body = {"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": said}}]}
        stub({"canned": [{"share": 1, "status": 200, "body": json.dumps(body)}]})
        run = run_it(release, given={"samples": 30, "limit": 1}, use_cache=False)
        report = reports.report(run)
        assert report["instances"] == report["answered"] == run.samples.exclude(choice=None).count()


def order_after(release, stub):
    stub()
    return order(release)


def test_items_built_before_are_used_again_whatever_they_are_called(release, stub):
    stub()
    mine = build_items("ra_mcq", release, "mine", actor="test")
    assert services.prepare(order(release), "test").release == mine


def test_a_release_with_the_longest_name_or_a_taken_one_can_still_be_run(release, stub, tmp_path):
    stub()
    copy = import_release(SAMPLE, "indica", "a" * 80, actor="test").release
    assert services.prepare(order(copy), "test").release.parent == copy
    other = import_release(SAMPLE, "indica", "b", actor="test").release
    build_items("ra_mcq", release, "b-ra_mcq-agreement", actor="test")
    assert services.prepare(order(other), "test").release.parent == other


def test_a_preset_that_is_not_that_of_the_built_items_is_refused(release, stub):
    stub()
    mine = build_items("ra_mcq", release, "mine", actor="test")
    run = services.prepare(order(mine), "test")
    assert run.settings["preset"] == "agreement"
    with pytest.raises(CommonplaceError) as caught:
        services.prepare(order(mine, given={"preset": "as-published"}), "test")
    assert caught.value.code == "preset.differs"


def test_an_estimate_says_what_is_kept_and_what_it_costs_at_most(release, stub):
    stub()
    run_it(release)
    estimate = selectors.estimate(services.prepare(order(release, given={"samples": 3}), "test"))
    assert estimate["cached"] * 3 == estimate["samples"] * 2
    assert estimate["calls"] == estimate["samples"] - estimate["cached"]
    assert estimate["cost"] > 0
    assert estimate["seconds"] > 0


def test_the_same_nonce_is_the_same_run(release, stub):
    stub()
    first = services.start_run(order(release, nonce="n1"), "test")
    assert services.start_run(order(release, nonce="n1"), "test") == first
    assert Run.objects.count() == 1


def test_a_stub_marks_the_run_and_the_model_as_simulated(release, stub):
    type(release).objects.update(simulated=False)
    release.refresh_from_db()
    stub()
    run = run_it(release)
    assert run.simulated
    assert run.model.simulated
    assert reports.report(run)["simulated"] is True


def test_a_living_run_is_not_resumed_and_a_silent_one_is(release, stub):
    stub()
    run = services.start_run(order(release), "test")
    Worker.objects.create(name="w", last_seen=clock.now())
    with pytest.raises(CommonplaceError) as caught:
        services.resume_run(run, "test")
    assert caught.value.code == "run.active"
    Job.objects.filter(pk=run.job_id).update(status="running", attempts=1, heartbeat=clock.ago(31))
    Run.objects.filter(pk=run.pk).update(status="running")
    run.refresh_from_db()
    resumed = services.resume_run(run, "test")
    assert do(resumed).status == "finished"
    with pytest.raises(CommonplaceError) as caught:
        services.resume_run(selectors.find_run(run.pk), "test")
    assert caught.value.code == "run.finished"


def test_two_resumes_at_once_make_one_job(release, stub):
    stub()
    run = services.start_run(order(release), "test")
    services.cancel_run(run, "test")
    again = selectors.find_run(run.pk)
    services.resume_run(again, "test")
    with pytest.raises(CommonplaceError) as caught:
        services.resume_run(run, "test")
    assert caught.value.code == "run.active"
    assert Job.objects.filter(key=run.purpose, status="queued").count() == 1


def test_a_cancelled_run_keeps_what_it_has_and_can_go_on(release, stub):
    stub()
    run = services.start_run(order(release), "test")
    services.cancel_run(run, "test")
    assert do(run).status == "cancelled"
    assert run.samples.count() == 0
    assert do(services.resume_run(selectors.find_run(run.pk), "test")).status == "finished"


def test_a_resume_asks_only_for_what_is_missing(release, stub):
    one = stub()
    run = run_it(release)
    kept = list(run.samples.order_by("pk").values_list("pk", flat=True)[:10])
    Sample.objects.filter(run=run).exclude(pk__in=kept).delete()
    Completion.objects.all().delete()
    before = one.stats()["requests"]
    Run.objects.filter(pk=run.pk).update(status="paused")
    run = do(services.resume_run(selectors.find_run(run.pk), "test"))
    assert one.stats()["requests"] - before == run.samples_planned - 10
    assert run.samples.count() == run.samples_planned


def test_text_no_database_can_hold_is_stored_flagged(release, stub):
    body = (
        '{"choices": [{"index": 0, "finish_reason": "stop", "message": '
        '{"role": "assistant", "content": "B\\u0000\\ud800"}}]}'
    )
    stub({"canned": [{"share": 1, "status": 200, "body": body}]})
    run = run_it(release)
    assert run.status == "finished"
    reply = Reply.objects.filter(run=run).first()
    assert reply.altered
    assert "\0" not in reply.text


def test_outcomes_add_up_to_the_samples(release, stub):
    stub({"shares": {"refused": 0.2, "truncated": 0.2, "empty": 0.1, "think": 0.1}})
    run = run_it(release, given={"samples": 6})
    counts = selectors.outcomes(run)
    assert list(counts) == ["ok", "unparsed", "ambiguous", "refused", "truncated", "failed"]
    assert sum(counts.values()) == run.samples_planned
    seen = collections.Counter(
        sample.reply.outcome for sample in run.samples.select_related("reply")
    )
    assert {name: n for name, n in counts.items() if n} == dict(seen)
