"""Hands that are slow, dismissed, or stopped by one of them, and what they leave behind."""

import threading

import pytest
from django.db import connection

from core import clock, jobs
from core.models import Job
from evaluation import selectors, services
from evaluation.judging.asking import request_of
from evaluation.models import Run
from evaluation.running import runner
from evaluation.running.errands import Brought, Errand
from inference import leases
from inference.client import Session
from inference.endpoints import target
from inference.models import Budget, Call, Lease
from tests.evaluation.conftest import do, order


@pytest.fixture
def shared(settings, monkeypatch):
    """Threads stand for processes: each has a connection and, with the guard lifted, a hand."""
    monkeypatch.setattr(runner, "_enter", lambda run_id, work: True)
    settings.WORKER_IN_FLIGHT = 4

    def start(run, hands=3):
        more = [
            jobs.enqueue(services.JOB_KIND, key=f"{run.purpose} hand {n}", args={"run": run.pk}).pk
            for n in range(2, hands + 1)
        ]
        threads = [threading.Thread(target=_work, args=(pk,)) for pk in (run.job_id, *more)]
        for each in threads:
            each.start()
        return threads

    return start


def _work(job_id):
    try:
        jobs.execute(job_id)
    finally:
        connection.close()


def ended(threads):
    for each in threads:
        each.join(60)
    assert not any(each.is_alive() for each in threads)


def hold(one, run):
    return leases.hold(run.model.endpoint_id, one.pk, run.purpose, most=64, in_flight=0, places=8)


@pytest.mark.django_db
def test_a_hand_whose_lease_is_gone_sets_nothing_aside(release, stub):
    stub()
    run = services.start_run(order(release, cap_micro=10**6), "test")
    hold(run.job, run)
    services.cancel_run(run, "test")
    with pytest.raises(jobs.JobLost):
        leases.reserve(run.budget_id, run.job_id, 500)
    run.budget.refresh_from_db()
    assert run.budget.reserved == 0


@pytest.mark.django_db
def test_a_slow_hand_leaves_the_lease_of_its_successor_alone(release, stub):
    stub()
    run = services.start_run(order(release, cap_micro=10**6), "test")
    Job.objects.filter(pk=run.job_id).update(status="running", attempts=2, heartbeat=clock.now())
    hold(run.job, run)
    assert leases.reserve(run.budget_id, run.job_id, 500)
    with pytest.raises(jobs.JobLost):
        runner.execute(jobs.Work(run.job_id, 1, {"run": run.pk}))
    (lease,) = Lease.objects.all()
    assert lease.reserved == 500


@pytest.mark.django_db
def test_who_takes_over_a_job_does_not_keep_what_its_predecessor_had_set_aside(release, stub):
    stub()
    run = services.start_run(order(release, cap_micro=10**6), "test")
    hold(run.job, run)
    assert leases.reserve(run.budget_id, run.job_id, 10**6)  # all there is, and died
    assert do(run).status == "finished"
    run.budget.refresh_from_db()
    assert run.budget.reserved == 0


@pytest.mark.django_db(transaction=True)
def test_a_run_cancelled_while_three_hands_work_lets_go_of_everything(release, stub, shared):
    one = stub(in_flight=12, latency_ms=20)
    run = services.start_run(order(release, given={"samples": 40}, cap_micro=10**9), "test")
    threads = shared(run)
    while one.stats()["requests"] < 60:
        pass
    services.cancel_run(run, "test")
    ended(threads)
    assert selectors.find_run(run.pk).status == "cancelled"
    assert not Lease.objects.exists()
    assert Budget.objects.get().reserved == 0
    assert one.stats()["max_in_flight"] <= 12
    assert Call.objects.count() == one.stats()["requests"]  # paid for, so booked, and kept
    assert Budget.objects.get().spent == selectors.spent(run) > 0
    resumed = do(services.resume_run(selectors.find_run(run.pk), "test"))
    assert resumed.status == "finished", resumed.error
    assert resumed.samples.count() == resumed.samples_planned
    assert one.stats()["requests"] == resumed.samples_planned  # what came after it was in the cache


@pytest.mark.django_db(transaction=True)
def test_an_error_that_pauses_one_hand_stops_the_others_within_what_is_in_flight(
    release, stub, shared
):
    body = '{"error": {"code": "insufficient_quota", "message": "q"}}'
    one = stub({"canned": [{"share": 0.01, "status": 429, "body": body}]}, latency_ms=300)
    run = services.start_run(order(release, given={"samples": 40}), "test")
    ended(shared(run, hands=2))
    run = selectors.find_run(run.pk)
    assert (run.status, run.error["code"]) == ("paused", "endpoint.quota_exhausted")
    assert not Lease.objects.exists()
    assert Call.objects.count() == one.stats()["requests"]  # what was in flight is kept
    refused = Call.objects.filter(status=429).earliest("at")
    assert Call.objects.filter(at__gt=refused.at).count() <= 48  # of 64 a hand and stretch


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(3))
def test_whoever_leaves_last_moves_the_run_on(release, stub, shared, attempt):
    one = stub(in_flight=12)
    judges = ("stub/a", "stub/b")
    given = {"samples": 2, "limit": 2}
    ordered = services.Order("rasa", release.label, "stub/one", given, judges=judges, seed=attempt)
    run = services.start_run(ordered, "test")
    ended(shared(run, hands=4))
    run = selectors.find_run(run.pk)
    assert run.status == "finished", run.error
    assert [selectors.unjudged(run, judge).count() for judge in run.judges.all()] == [0, 0]
    assert not Lease.objects.exists()
    assert one.stats()["max_in_flight"] <= 12


@pytest.mark.django_db
def test_a_run_that_is_just_being_queued_is_left_to_its_own_job(release, stub):
    stub()
    run = services.start_run(order(release), "test")
    services.look_after()
    assert list(Job.objects.values_list("pk", flat=True)) == [run.job_id]
    services.cancel_run(run, "test")
    services.look_after()
    assert not Job.objects.filter(status__in=Job.UNFINISHED).exists()
    assert Run.objects.get().status == "cancelled"


@pytest.mark.django_db(transaction=True)
def test_told_to_stop_while_an_error_pauses_it_a_hand_waits_no_longer_than_for_last_replies(
    release, stub, shared, monkeypatch
):
    monkeypatch.setattr(runner, "LAST_REPLIES", 0.3)
    body = '{"error": {"code": "insufficient_quota", "message": "q"}}'
    hanging = {"canned": [{"share": 0.2, "status": 429, "body": body}], "shares": {"hang": 0.8}}
    stub(hanging)
    run = services.start_run(order(release, given={"samples": 40}), "test")
    threads = shared(run, hands=1)
    began = clock.monotonic()
    while not Call.objects.exists():
        pass
    monkeypatch.setattr(jobs, "stopping", (stopping := threading.Event()))
    stopping.set()
    ended(threads)
    assert clock.monotonic() - began < 10


@pytest.mark.django_db(transaction=True)
def test_attempts_of_a_request_that_was_between_two_tries_are_booked_too(
    release, stub, shared, settings
):
    settings.TIME_SCALE = 1
    one = stub({"shares": {"server_error": 1.0}})
    run = services.start_run(order(release, given={"samples": 4}), "test")
    threads = shared(run, hands=1)
    while one.stats()["requests"] < 3:
        pass
    services.cancel_run(selectors.find_run(run.pk), "test")
    ended(threads)
    assert Call.objects.count() == one.stats()["requests"]


@pytest.mark.django_db
def test_a_judge_tried_out_for_a_run_that_was_cancelled_meanwhile_is_booked(release, stub):
    one = stub({}, latency_ms=200)
    rasa = services.Order("rasa", release.label, "stub/one", {"samples": 2}, judges=["stub/two"])
    run = services.start_run(rasa, "test")
    Job.objects.filter(pk=run.job_id).update(status="running", attempts=1, heartbeat=clock.now())
    work = jobs.Work(run.job_id, 1, {"run": run.pk})
    begun = services.begin(run.pk, work)
    (judge,) = selectors.judges_of(begun)
    finished = _asked(judge, begun)
    services.cancel_run(run, "test")
    with pytest.raises(jobs.JobLost):
        services.commit_trial(work, begun, judge, finished)
    assert Call.objects.count() == one.stats()["requests"] == 1


def _asked(judge, run):
    item = selectors.items(run)[0]
    judging = services.judging_of(run)
    variant = selectors.spots(run)[0].variant
    request = request_of(judge, judging, item, variant, judging.example(item, variant))
    with Session(target(judge.asked)) as session:
        session.submit(0, request)
        (one,) = session.collect(10)
    return Brought(Errand(request, (1,), None), one.replies, one, False, 0, (1,))


@pytest.mark.django_db
def test_a_hand_that_gave_up_is_not_called_again_at_once(release, stub, monkeypatch, settings):
    settings.WORKER_IN_FLIGHT = 32
    stub(in_flight=64)
    run = services.start_run(order(release), "test")
    monkeypatch.setattr(jobs, "workers_alive", lambda: 3)
    services.begin(run.pk, _claimed(run.job))
    failed = jobs.enqueue(services.JOB_KIND, f"{run.purpose} hand 2", {"run": run.pk})
    Job.objects.filter(pk=failed.pk).update(status="failed", finished=clock.now())
    assert services.call_hands(run, 64) == 0
    Job.objects.filter(pk=failed.pk).update(finished=clock.ago(31))
    assert services.call_hands(run, 64) == 1


def _claimed(job):
    Job.objects.filter(pk=job.pk).update(status="running", attempts=1, heartbeat=clock.now())
    return jobs.Work(job.pk, 1, job.args)


@pytest.mark.django_db(transaction=True)
def test_a_run_cancelled_while_a_judge_is_tried_out_pays_for_the_question(release, stub, shared):
    one = stub({}, latency_ms=1200)
    rasa = services.Order(
        "rasa", release.label, "stub/one", {"samples": 2}, judges=["stub/two"], cap_micro=10**6
    )
    run = services.start_run(rasa, "test")
    threads = shared(run, hands=1)
    while not one.stats()["requests"]:
        pass
    services.cancel_run(selectors.find_run(run.pk), "test")
    ended(threads)
    assert Call.objects.count() == one.stats()["requests"] == 1
    budget = Budget.objects.get()
    assert (budget.spent, budget.reserved) == (selectors.spent(run), 0)
    assert not Lease.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_a_dismissed_hand_has_in_flight_stays_set_aside_and_keeps_its_places(
    release, stub, shared, settings
):
    """Its last replies are slow, and whoever resumes the run would have spent their money."""
    settings.WORKER_IN_FLIGHT = 8
    one = stub({"shares": {"delayed": 0.3}, "delay_ms": 2000}, in_flight=8, latency_ms=100)
    settings.ENDPOINTS["stub"]["price"] = {"input": 10, "output": 0.6}
    cap = 20_000
    run = services.start_run(order(release, given={"samples": 40}, cap_micro=cap), "test")
    threads = shared(run, hands=1)
    while Budget.objects.get().spent < 0.7 * cap:
        pass
    services.cancel_run(selectors.find_run(run.pk), "test")
    assert Budget.objects.get().reserved > 0
    resumed = services.resume_run(selectors.find_run(run.pk), "test")
    ended(threads + shared(resumed, hands=1))
    stats, budget = one.stats(), Budget.objects.get()
    assert selectors.find_run(run.pk).error["code"] == "run.cost_cap"
    assert stats["tokens_in"] * 10 + stats["tokens_out"] * 0.6 <= cap
    assert (budget.spent, budget.reserved) == (selectors.spent(run), 0)
    assert Call.objects.count() == stats["requests"]
    assert stats["max_in_flight"] <= 8


@pytest.mark.django_db
def test_what_a_hand_held_that_is_silent_is_free_as_soon_as_the_run_is_taken_from_it(release, stub):
    stub()
    run = services.start_run(order(release, cap_micro=10**6), "test")
    hold(run.job, run)
    leases.reserve(run.budget_id, run.job_id, 10**6)
    Lease.objects.update(seen=clock.ago(31))
    services.cancel_run(run, "test")
    assert not Lease.objects.exists()
    assert Budget.objects.get().reserved == 0
