"""Jobs survive lost messages, dead workers and slow ones."""

import pytest
from django.test import override_settings

from core import clock, jobs
from core.errors import CommonplaceError
from core.models import Job

pytestmark = pytest.mark.django_db


@pytest.fixture
def recorder(monkeypatch):
    """A kind of work that notes its arguments, and the ids sent to the broker."""
    done, failures, sent = [], [], []

    def work(job):
        if job.args.get("refuse"):
            raise CommonplaceError("test.refused", "Not today.")
        if job.args.get("crash"):
            raise RuntimeError("boom")
        job.beat(1, 2)
        done.append(job.args)

    monkeypatch.setitem(
        jobs._kinds,
        "test.note",
        jobs.Kind(work, lambda args, error: failures.append(error), lambda: None),
    )
    monkeypatch.setattr(jobs, "send", sent.append)
    return {"done": done, "failures": failures, "sent": sent}


def test_a_job_is_sent_only_after_commit_and_runs_once(
    recorder, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        job = jobs.enqueue("test.note", "k", {"n": 1})
        assert recorder["sent"] == []
    assert recorder["sent"] == [job.pk]
    jobs.execute(job.pk)
    jobs.execute(job.pk)  # the message delivered twice
    job.refresh_from_db()
    assert recorder["done"] == [{"n": 1}]
    assert (job.status, job.done, job.total) == ("done", 1, 2)


def test_two_unfinished_jobs_never_share_a_key(recorder):
    job = jobs.enqueue("test.note", "k", {})
    with pytest.raises(CommonplaceError) as caught:
        jobs.enqueue("test.note", "k", {})
    assert caught.value.code == "job.active"
    jobs.execute(job.pk)
    assert jobs.enqueue("test.note", "k", {}).pk != job.pk


@pytest.mark.parametrize(
    ("args", "code"), [({"refuse": 1}, "test.refused"), ({"crash": 1}, "job.crashed")]
)
def test_a_failure_is_kept_with_its_code_and_told_to_the_owner(recorder, args, code):
    job = jobs.enqueue("test.note", "k", args)
    jobs.execute(job.pk)
    job.refresh_from_db()
    assert job.status == "failed"
    assert job.error["code"] == code
    assert [f["code"] for f in recorder["failures"]] == [code]


def test_the_sweeper_sends_a_dead_workers_job_again_and_the_slow_worker_stops(recorder):
    job = jobs.enqueue("test.note", "k", {})
    Job.objects.filter(pk=job.pk).update(status="running", attempts=1, heartbeat=clock.ago(31))
    slow = jobs.Work(job.pk, 1, {})
    jobs.sweep()
    assert recorder["sent"] == [job.pk]
    jobs.execute(job.pk)
    with pytest.raises(jobs.JobLost):
        slow.beat()
    job.refresh_from_db()
    assert (job.status, job.attempts) == ("done", 2)


def test_a_living_job_is_left_alone_by_the_sweeper(recorder):
    job = jobs.enqueue("test.note", "k", {})
    Job.objects.filter(pk=job.pk).update(status="running", attempts=1, heartbeat=clock.ago(5))
    jobs.sweep()
    job.refresh_from_db()
    assert (job.status, recorder["sent"]) == ("running", [])
    assert jobs.is_alive(job)


def test_a_lost_message_is_sent_again_but_not_at_every_sweep(recorder):
    job = jobs.enqueue("test.note", "k", {})
    Job.objects.filter(pk=job.pk).update(sent=clock.ago(40))
    jobs.sweep()
    jobs.sweep()
    assert recorder["sent"] == [job.pk]


@override_settings(JOB_ATTEMPTS=2)
def test_work_that_kills_its_worker_does_not_go_round_for_ever(recorder):
    job = jobs.enqueue("test.note", "k", {})
    Job.objects.filter(pk=job.pk).update(status="running", attempts=2, heartbeat=clock.ago(31))
    jobs.sweep()
    job.refresh_from_db()
    assert (job.status, job.error["code"]) == ("failed", "job.gave_up")
    assert recorder["failures"][0]["code"] == "job.gave_up"


def test_a_cancelled_job_stops_at_its_next_heartbeat(recorder):
    job = jobs.enqueue("test.note", "k", {})
    Job.objects.filter(pk=job.pk).update(status="running", attempts=1, heartbeat=clock.now())
    assert jobs.cancel(job)
    with pytest.raises(jobs.JobLost):
        jobs.Work(job.pk, 1, {}).beat()
    assert not jobs.cancel(job)


def test_one_worker_takes_a_recurring_turn():
    assert jobs.take_turn("sweep", 5)
    assert not jobs.take_turn("sweep", 5)
