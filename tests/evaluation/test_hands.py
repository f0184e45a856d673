"""Several workers at one run, and what each of them holds meanwhile."""

import threading

import pytest
from django.db import connection

from core import clock, jobs
from core.models import Job, Worker
from evaluation import selectors, services
from evaluation.models import Run, Sample
from evaluation.running import runner
from inference import leases
from inference.models import Budget, Call, Endpoint, Lease
from tests.evaluation.conftest import do, order


@pytest.fixture
def endpoint(db):
    return Endpoint.objects.create(name="e", base_url="http://127.0.0.1:9/v1")


def job(number):
    return Job.objects.create(
        kind="evaluation.run", key=f"j{number}", args={}, created=clock.now(), sent=clock.now()
    )


def hold(endpoint, one, **changes):
    known = {"most": 64, "in_flight": 0, "places": 10}
    return leases.hold(endpoint.pk, one.pk, "run 1", **known | changes).places


def test_the_places_of_an_endpoint_are_divided_and_never_exceeded(endpoint):
    first, second = job(1), job(2)
    assert hold(endpoint, first) == 10
    assert hold(endpoint, second) == 0  # until the first has shrunk
    assert hold(endpoint, first, in_flight=7) == 7
    assert hold(endpoint, second) == 3
    assert hold(endpoint, first, in_flight=2) == 5
    assert hold(endpoint, second) == 5
    assert hold(endpoint, first) == 5


def test_a_lease_that_is_silent_for_too_long_holds_nothing(endpoint):
    first, second = job(1), job(2)
    hold(endpoint, first)
    Lease.objects.update(seen=clock.ago(31))
    assert hold(endpoint, second) == 10
    assert leases.forget_silent() == 1


def test_what_a_dead_hand_had_set_aside_returns_to_the_budget(endpoint):
    one, budget = job(1), Budget.objects.create(cap=100)
    hold(endpoint, one)
    assert leases.reserve(budget.pk, one.pk, 70)
    assert not leases.reserve(budget.pk, one.pk, 31)
    leases.settle(budget.pk, one.pk, reserved=20, spent=15)
    budget.refresh_from_db()
    assert (budget.reserved, budget.spent) == (50, 15)
    Lease.objects.update(seen=clock.ago(31))
    leases.forget_silent()
    budget.refresh_from_db()
    assert (budget.reserved, budget.spent) == (0, 15)


def test_what_is_given_back_twice_is_given_back_once(endpoint):
    one, budget = job(1), Budget.objects.create(cap=100)
    hold(endpoint, one)
    leases.reserve(budget.pk, one.pk, 70)
    Lease.objects.update(seen=clock.ago(31))
    leases.forget_silent()
    leases.settle(budget.pk, one.pk, reserved=70, spent=9)  # it was only slow
    budget.refresh_from_db()
    assert (budget.reserved, budget.spent) == (0, 9)


@pytest.mark.django_db(transaction=True)
def test_three_hands_share_a_run_and_nothing_is_asked_twice(release, stub, monkeypatch):
    # Threads stand for processes: each has a connection and, with the guard lifted, a hand.
    monkeypatch.setattr(runner, "_enter", lambda run_id, work: True)
    one = stub(in_flight=12, latency_ms=50)  # so that all of them come in time to share
    run = services.start_run(order(release, given={"samples": 12}), "test")
    more = [
        jobs.enqueue(services.JOB_KIND, f"{run.purpose} hand {n}", {"run": run.pk}) for n in (2, 3)
    ]
    threads = [
        threading.Thread(target=_execute, args=(each,))
        for each in (run.job_id, *(j.pk for j in more))
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    run.refresh_from_db()
    assert run.status == "finished", run.error
    assert run.samples.count() == run.samples_planned == one.stats()["requests"]
    assert one.stats()["max_in_flight"] <= 12
    assert Call.objects.values("job").distinct().count() > 1
    assert not Lease.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_hand_that_leaves_holds_up_nobody_who_stores_samples(release, stub):
    """What is stored refers to the run, whose row is locked by whoever leaves."""
    stub()
    run = services.start_run(order(release, given={"samples": 1}), "test")
    jobs.execute(run.job_id)
    copied = list(run.samples.all())
    stored = threading.Event()

    def store():
        try:
            for one in copied:
                one.pk, one.repeat = None, one.repeat + 1
            Sample.objects.bulk_create(copied)
            stored.set()
        finally:
            connection.close()

    run.status = Run.Status.FINISHED
    with services.holding(run):
        (one := threading.Thread(target=store)).start()
        at_once = connection.vendor == "postgresql"  # SQLite has one writer at a time
        assert stored.wait(2 if at_once else 0) == at_once
    one.join()
    assert stored.is_set()


def _execute(job_id):
    try:
        jobs.execute(job_id)
    finally:
        connection.close()


@pytest.mark.django_db
def test_what_a_dead_hand_had_taken_is_found_missing_and_asked_for(release, stub):
    one = stub()
    run = services.start_run(order(release, given={"samples": 6}), "test")
    Run.objects.filter(pk=run.pk).update(position=20)  # taken by somebody who died at once
    run = do(run)
    assert run.status == "finished"
    assert run.samples.count() == run.samples_planned == one.stats()["requests"]


@pytest.mark.django_db
def test_a_run_that_nobody_has_a_job_for_is_taken_up(release, stub):
    stub()
    run = services.start_run(order(release), "test")
    Job.objects.all().delete()
    services.look_after()
    (found,) = Job.objects.filter(args__run=run.pk)
    jobs.execute(found.pk)
    run.refresh_from_db()
    assert run.status == "finished"


@pytest.mark.django_db
def test_hands_are_called_for_as_many_workers_as_the_endpoint_has_places_for(
    release, stub, settings
):
    settings.WORKER_IN_FLIGHT = 4
    stub(in_flight=10)
    for name in "abcd":
        Worker.objects.create(name=name, last_seen=clock.now())
    run = services.start_run(order(release), "test")
    assert services.call_hands(run, 10) == 2  # with the first, three of four workers
    assert services.call_hands(run, 10) == 0
    assert do(run).status == "finished"
    assert [jobs.execute(one.pk) for one in Job.objects.filter(status="queued")] == [None] * 2
    assert not Job.objects.filter(status__in=Job.UNFINISHED).exists()


@pytest.mark.django_db
def test_a_paused_hand_stops_the_others_and_a_cancelled_run_lets_go(release, stub):
    stub()
    run = services.start_run(order(release), "test")
    services.cancel_run(run, "test")
    assert not services.claim(run, 0, 0, 5)
    assert selectors.position(run, 0) is None
    assert not Job.objects.filter(status__in=Job.UNFINISHED).exists()


# --- Several replies a request ------------------------------------------------------------------


def short(release, **changes):
    given = {"samples": 30, "limit": 3, **changes.pop("given", {})}
    return services.Order("rasa", release.label, "stub/one", given, **changes)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("mode", "why", "per_spot"),
    [("honour", "honours", 1), ("cap:8", "caps", 4), ("ignore", "ignores", 30)],
)
def test_a_run_asks_for_as_many_replies_as_the_endpoint_brings(release, stub, mode, why, per_spot):
    one = stub({"n": mode, "short": {"distinct": 1000}})
    run = do(services.start_run(short(release), "test"))
    assert run.status == "finished", run.error
    spots = len(selectors.spots(run))
    assert run.samples.count() == run.samples_planned == 30 * spots
    assert (run.per_request_why, one.stats()["requests"]) == (why, per_spot * spots)
    assert run.manifest["several_at_once"]["why"] == why
    assert sum(call.choices for call in Call.objects.all()) == run.samples_planned


@pytest.mark.django_db
@pytest.mark.parametrize("mode", ["refuse", "refuse:4"])
def test_an_endpoint_that_refuses_several_is_asked_as_it_likes(release, stub, mode):
    stub({"n": mode, "short": {"distinct": 1000}})
    run = do(services.start_run(short(release), "test"))
    assert run.status == "finished", run.error
    assert run.samples.count() == run.samples_planned
    assert run.per_request == (4 if mode == "refuse:4" else 1)


@pytest.mark.django_db
def test_copies_are_neither_samples_nor_kept(release, stub):
    stub({"n": "copy", "short": {"distinct": 1000}})
    run = do(services.start_run(short(release), "test"))
    assert run.status == "finished", run.error
    assert run.per_request_why == "copies"
    for item, variant in run.samples.values_list("item", "variant").distinct():
        texts = set(
            run.samples.filter(item=item, variant=variant).values_list("reply__text", flat=True)
        )
        assert len(texts) > 20
    again = do(services.start_run(short(release), "test"))
    assert selectors.calls(again) == 0
    assert _texts(again) == _texts(run)


def _texts(run):
    samples = Sample.objects.filter(run=run).order_by("item", "variant", "repeat")
    return list(samples.values_list("reply__text", flat=True))


@pytest.mark.django_db
def test_a_model_that_always_says_the_same_still_ends_with_all_its_samples(release, stub):
    stub({"short": {"distinct": 1}})
    run = do(services.start_run(short(release, given={"limit": None}), "test"))
    assert run.status == "finished"
    assert run.samples.count() == run.samples_planned
    assert run.per_request_why == "honours"
