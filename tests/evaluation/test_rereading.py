"""Reading stored replies again, while others go on writing."""

import threading

import pytest
from django.db import connection

from core import jobs
from core.models import Job
from evaluation import services
from evaluation.models import Reply, Run, Verdict
from evaluation.services import rereading
from tests.evaluation.conftest import do, run_it
from tests.evaluation.judged import CORRECT, WRONG, always, even_release, judged_run


@pytest.fixture
def few_at_once(monkeypatch):
    monkeypatch.setattr(rereading, "AT_ONCE", 3)


@pytest.mark.django_db(transaction=True)
def test_others_write_while_replies_and_verdicts_are_read_again(tmp_path, few_at_once):
    release = even_release(tmp_path)
    run = judged_run(release, {"mild": always(CORRECT)}, limit=2)
    other = judged_run(release, {"mild": always(WRONG)}, name="two", limit=2)
    Reply.objects.filter(run=run).update(outcome="unparsed")
    Verdict.objects.update(text='{"label": "CORRECT"}')
    faults = []

    def write():
        try:
            Reply.objects.filter(run=other).update(finish="stop")
            Verdict.objects.filter(reply__run=other).update(finish="stop")
        except Exception as fault:
            faults.append(fault)
        finally:
            connection.close()

    def meanwhile():
        (one := threading.Thread(target=write)).start()
        one.join()

    Verdict.objects.filter(reply__run=run).update(outcome="unparsed", value="")
    found = services.reparse(run, "test", meanwhile)
    assert not faults
    assert (found["replies"], found["verdicts"]) == (run.replies.count(), run.replies.count())


@pytest.mark.django_db
def test_life_is_shown_while_verdicts_are_read_too(tmp_path, few_at_once):
    release = even_release(tmp_path)
    run = judged_run(release, {name: always(CORRECT) for name in ("a", "b", "c")}, limit=2)
    beats = []
    services.reparse(run, "test", lambda: beats.append(1))
    assert len(beats) == (run.replies.count() + 3 * run.replies.count()) // 3


@pytest.mark.django_db
def test_a_reading_that_broke_off_is_told_and_can_be_begun_again(as_alice, release, stub):
    stub()
    run = run_it(release)
    as_alice.post(f"/runs/{run.pk}/reparse/")
    Job.objects.filter(kind=services.REREADING).update(status="failed")
    assert "broke off" in as_alice.get(f"/runs/{run.pk}/").content.decode()
    as_alice.post(f"/runs/{run.pk}/reparse/")
    jobs.execute(Job.objects.filter(kind=services.REREADING).latest("pk").pk)
    page = as_alice.get(f"/runs/{run.pk}/").content.decode()
    assert "were read otherwise than before" in page
    assert "broke off" not in page


@pytest.mark.django_db
def test_a_run_resumed_before_it_is_read_again_is_left_to_its_workers(release, stub):
    stub()
    run = services.start_run(services.Order("ra_mcq", release.label, "stub/one"), "test")
    run = services.pause_run(run, "test")
    job = services.read_again(run, "test")
    resumed = services.resume_run(run, "test")
    jobs.execute(job.pk)
    assert Job.objects.get(pk=job.pk).status == "done"
    assert Run.objects.get(pk=run.pk).status == "queued"
    assert do(resumed).status == "finished"
