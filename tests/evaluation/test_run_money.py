"""What a run may spend: reserved before, booked after, never beyond the cap."""

import pytest
from django.core.management import call_command

from core.errors import CommonplaceError
from evaluation import selectors, services
from evaluation.models import Run
from inference.endpoints import sync_endpoints
from inference.models import Call, Completion
from tests.evaluation.conftest import do, order, run_it

pytestmark = pytest.mark.django_db

FAULTS = {"rate_limited": 0.1, "server_error": 0.05, "hang": 0.02, "cut": 0.08}


def billed(one):
    """Micro-USD by the stub's own count of tokens, at the prices of `stub`."""
    stats = one.stats()
    return stats["tokens_in"] * 0.15 + stats["tokens_out"] * 0.6


def judged(release, **changes):
    given = {"samples": 12, "limit": 8, **changes.pop("given", {})}
    judges = changes.pop("judges", ("stub/judge",))
    return services.Order("rasa", release.label, "stub/one", given, judges=judges, **changes)


def test_faults_of_every_kind_with_judges_lose_nothing_and_all_of_it_is_booked(
    release, stub, settings
):
    settings.REQUEST_TIMEOUT = 10
    settings.TIME_SCALE = 5
    one = stub({"n": "cap:4", "shares": FAULTS, "retry_after": "1"}, in_flight=32)
    run = do(services.start_run(judged(release, cap_micro=10**9), "test"))
    assert run.status == "finished", run.error
    assert run.samples.count() == run.samples_planned
    assert selectors.outcomes(run)["ok"] == run.samples_planned
    (judge,) = run.judges.all()
    assert selectors.unjudged(run, judge).count() == 0
    assert judge.verdicts.filter(outcome="ok").count() == run.replies.count()
    assert Call.objects.count() == one.stats()["requests"]
    assert run.budget.spent == selectors.spent(run)


def test_what_was_cut_off_is_billed_and_so_it_counts(release, stub):
    one = stub({"shares": {"cut": 0.3}})
    run = run_it(release, cap_micro=10**9)
    assert run.status == "finished", run.error
    assert selectors.spent(run) >= 0.95 * billed(one)


@pytest.mark.parametrize("shares", [{}, FAULTS, {"cut": 0.3}])
def test_a_hundred_requests_in_flight_never_pass_the_cap(release, stub, settings, shares):
    settings.REQUEST_TIMEOUT = 10
    settings.TIME_SCALE = 5
    settings.WORKER_IN_FLIGHT = 100
    one = stub({"shares": shares}, in_flight=100, latency_ms=20)
    for cap in (400, 3000):
        Completion.objects.all().delete()
        before = billed(one)
        run = run_it(release, given={"samples": 40}, cap_micro=cap, seed=cap)
        assert (run.status, run.error["code"]) == ("paused", "run.cost_cap")
        assert 0 < billed(one) - before <= cap
        assert selectors.spent(run) == run.budget.spent <= cap
        assert run.budget.reserved == 0


def test_what_a_chat_template_adds_to_a_prompt_is_set_aside_too(release, stub, settings):
    """Replies of full length and prompts that are dear: nothing else leaves room."""
    settings.WORKER_IN_FLIGHT = 100
    one = stub({"shares": {"truncated": 1.0}}, in_flight=100, latency_ms=50)
    settings.ENDPOINTS["stub"]["price"] = {"input": 150, "output": 0.6}
    run = run_it(release, given={"samples": 100, "max_tokens": 1}, cap_micro=10**6)
    assert run.error["code"] == "run.cost_cap"
    stats = one.stats()
    assert stats["tokens_in"] * 150 + stats["tokens_out"] * 0.6 <= 10**6


def test_a_judge_without_a_price_is_refused_under_a_cap(release, stub, settings):
    stub()
    settings.ENDPOINTS = settings.ENDPOINTS | {
        "free": {"base_url": settings.ENDPOINTS["stub"]["base_url"], "key_variable": ""}
    }
    with pytest.raises(CommonplaceError) as caught:
        services.start_run(judged(release, judges=("free/judge",), cap_micro=1000), "test")
    assert (caught.value.code, Run.objects.count()) == ("run.no_price", 0)
    run = do(services.start_run(judged(release, judges=(), cap_micro=10**9), "test"))
    with pytest.raises(CommonplaceError) as caught:
        services.rejudge(run, ["free/judge"], "test")
    assert caught.value.code == "run.no_price"


def test_a_cap_that_pays_for_no_whole_request_is_used_up_reply_by_reply(release, stub):
    one = stub()
    order = judged(release, judges=(), cap_micro=400, given={"samples": 30})
    run = do(services.start_run(order, "test"))
    assert (run.status, run.error["code"]) == ("paused", "run.cost_cap")
    assert set(one.stats()["by_n"]) == {"1"}
    assert 2 < run.samples.count() < 30
    assert 300 < selectors.spent(run) <= 400


def test_a_cap_below_the_estimate_is_told_before_the_run_starts(release, stub, capsys):
    stub()
    asked = ("run_benchmark", "ra_mcq", f"--release={release.label}", "--model=stub/one")
    call_command(*asked, "--max-cost=0.00001", "--no-wait")
    assert "which is more than the cap of 0.000010 USD" in capsys.readouterr().err
    call_command(*asked, "--max-cost=5", "--no-wait", "--seed=2")
    assert "more than the cap" not in capsys.readouterr().err


def without_price(settings):
    settings.ENDPOINTS = {
        name: {key: value for key, value in entry.items() if key != "price"}
        for name, entry in settings.ENDPOINTS.items()
    }


def test_a_price_that_is_gone_when_the_worker_starts_pauses_before_anything_is_asked(
    release, stub, settings
):
    one = stub()
    run = services.start_run(order(release, cap_micro=10**6), "test")
    without_price(settings)
    sync_endpoints()  # as any command does
    run = do(run)
    assert (run.status, run.error["code"]) == ("paused", "run.no_price")
    assert one.stats()["requests"] == 0


def test_a_price_that_is_gone_at_a_resume_is_missed_though_no_cap_is_given(release, stub, settings):
    stub()
    run = services.start_run(order(release, cap_micro=10**6), "test")
    services.cancel_run(run, "test")
    without_price(settings)
    with pytest.raises(CommonplaceError) as caught:
        services.resume_run(selectors.find_run(run.pk), "test")
    assert caught.value.code == "run.no_price"


def test_a_price_that_changed_meanwhile_holds_from_then_on(release, stub, settings):
    one = stub()
    run = run_it(release, cap_micro=60)
    assert run.error["code"] == "run.cost_cap"
    spent, before = run.budget.spent, billed(one)
    settings.ENDPOINTS["stub"]["price"] = {"input": 1.5, "output": 6}
    run = do(services.resume_run(run, "test", cap_micro=10**9))
    assert run.status == "finished"
    run.budget.refresh_from_db()
    assert run.budget.spent == selectors.spent(run)
    assert run.budget.spent - spent == pytest.approx(10 * (billed(one) - before), rel=0.05)


def test_a_judge_is_tried_out_within_the_cap(release, stub):
    one = stub()
    run = do(services.start_run(judged(release, cap_micro=5), "test"))
    assert (run.status, run.error["code"]) == ("paused", "run.cost_cap")
    assert one.stats()["requests"] == 0
