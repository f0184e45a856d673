"""What people and endpoints get wrong, as the pages of runs tell it.

What is refused in the form of a new run is in `test_new_run.py`: no price under a cap, a judge that
is the model, a prompt with a placeholder nothing fills.
"""

import threading

import pytest
from django.db import connection
from django.test import Client

from core import clock, jobs
from core.models import Job
from evaluation import selectors, services
from evaluation.models import Run, Verdict
from inference.models import Call
from inference.stub.behaviour import Behaviour, parse
from tests.evaluation.conftest import do, order
from tests.evaluation.paged import confirmed, filled, judged, page, words

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGES = {"shares": {"html": 1.0}}


def at(html, field):
    """What stands beside a field of a form."""
    return html.partition(f'id="id_{field}"')[2].partition('<div class="field">')[0]


# --- An endpoint that answers with pages ----------------------------------------------------------


def test_a_page_in_place_of_a_reply_pauses_the_run_which_says_why_and_goes_on(
    as_alice, release, stub
):
    one = stub(PAGES)
    run = do(services.start_run(order(release), "test"))
    shown = words(page(as_alice, run))
    assert "The run has paused." in shown
    assert "Code: endpoint.not_an_api" in shown
    assert "is not an OpenAI-compatible API. Check its base_url" in shown
    assert not run.samples.exists()
    refused = Call.objects.filter(purpose=run.purpose)
    assert {(call.status, call.choices) for call in refused} == {(200, 0)}
    one.behaviour = Behaviour()
    assert as_alice.post(f"/runs/{run.pk}/resume/").status_code == 302
    assert do(Run.objects.get(pk=run.pk)).status == "finished"
    assert "The run has paused." not in words(page(as_alice, run))


def test_what_came_before_an_endpoint_answered_with_a_page_is_kept(
    as_alice, release, stub, settings
):
    settings.RETRY_ATTEMPTS = 1
    one = stub({"shares": {"html": 0.1}}, in_flight=2)
    run = do(services.start_run(order(release, given={"samples": 20}), "test"))
    assert (run.status, run.error["code"]) == ("paused", "endpoint.not_an_api")
    kept = set(run.samples.values_list("pk", flat=True))
    assert 0 < len(kept) < run.samples_planned
    assert selectors.outcomes(run)["ok"] == len(kept)
    asked, one.behaviour = one.stats()["requests"], Behaviour()
    as_alice.post(f"/runs/{run.pk}/resume/")
    run = do(Run.objects.get(pk=run.pk))
    assert run.status == "finished"
    assert kept < set(run.samples.values_list("pk", flat=True))
    assert one.stats()["requests"] - asked == run.samples_planned - len(kept)


def test_a_judge_that_answers_with_pages_is_told_on_the_page_and_gives_no_verdict(
    as_alice, release, stub
):
    one = stub()
    run = do(judged(release, "stub/judge"))
    Verdict.objects.all().delete()
    one.behaviour = parse(PAGES)
    as_alice.post(f"/runs/{run.pk}/rejudge/", {"judges": "stub/other"})
    run = do(Run.objects.get(pk=run.pk))
    assert "Code: endpoint.not_an_api" in words(page(as_alice, run))
    assert not Verdict.objects.exists()


# --- Money ----------------------------------------------------------------------------------------


def test_a_cap_below_the_estimate_warns_and_the_run_stops_at_it(as_alice, release, stub):
    stub()
    given = filled(release, max_cost="0.00005", judges="")
    assert "is below what it may cost at most" in words(
        as_alice.post("/runs/new/", given).content.decode()
    )
    assert confirmed(as_alice, given).status_code == 302
    run = do(Run.objects.get())
    shown = words(page(as_alice, run))
    assert "The next request could pass the cost cap" in shown
    assert "Code: run.cost_cap" in shown
    assert selectors.spent(run) <= run.cap_micro == 50


def free_judge(settings):
    """An endpoint without a price, beside the one with."""
    given = {"base_url": settings.ENDPOINTS["stub"]["base_url"], "key_variable": ""}
    settings.ENDPOINTS = settings.ENDPOINTS | {"free": given}
    return "free/judge"


def test_a_judge_without_a_price_is_refused_under_a_cap_in_the_form(
    as_alice, release, stub, settings
):
    stub()
    given = filled(release, judges=free_judge(settings), max_cost="1")
    response = as_alice.post("/runs/new/", given)
    assert response.status_code == 422
    place = at(response.content.decode(), "max_cost")
    assert "A cost cap needs a price, and endpoint free has none" in words(place)
    assert as_alice.post("/runs/new/", given | {"max_cost": ""}).status_code == 200


def test_a_judge_without_a_price_is_refused_when_it_comes_later_to_a_run_under_a_cap(
    as_alice, release, stub, settings
):
    stub()
    run = do(judged(release, "stub/judge", cap_micro=10**9))
    judges = {"judges": free_judge(settings)}
    response = as_alice.post(f"/runs/{run.pk}/rejudge/", judges)
    assert response.status_code == 422
    assert "endpoint free has none" in words(at(response.content.decode(), "judges"))
    assert Run.objects.get(pk=run.pk).status == "finished"


@pytest.mark.parametrize("cap", ["-1", "much", "nan", "Infinity", "1e400", "9" * 40])
def test_a_cap_that_is_no_amount_is_refused_at_its_field_as_it_was_typed(
    as_alice, release, stub, cap
):
    stub()
    response = as_alice.post("/runs/new/", filled(release, max_cost=cap))
    assert response.status_code == 422
    html = response.content.decode()
    assert 'id="id_max_cost_error"' in at(html, "max_cost")
    assert f'value="{cap}"' in html
    assert not Run.objects.exists()


# --- Resuming at once -----------------------------------------------------------------------------


def queued(run):
    return Job.objects.filter(key=run.purpose, status=Job.Status.QUEUED)


def test_a_second_resume_is_refused_in_words_also_while_no_worker_is_alive_yet(
    as_alice, release, stub
):
    stub()
    run = services.start_run(order(release), "test")
    services.cancel_run(run, "test")
    assert as_alice.post(f"/runs/{run.pk}/resume/").status_code == 302
    (job,) = queued(run)
    refused = as_alice.post(f"/runs/{run.pk}/resume/")
    assert refused.status_code == 400
    assert f"Run {run.pk} is being worked on." in refused.content.decode()
    assert queued(run).get() == job
    assert do(Run.objects.get(pk=run.pk)).status == "finished"


def test_a_run_nobody_has_come_for_is_resumed(as_alice, release, stub):
    stub()
    run = services.start_run(order(release), "test")
    queued(run).update(sent=clock.ago(60))
    assert as_alice.post(f"/runs/{run.pk}/resume/").status_code == 302
    assert queued(run).get().pk != run.job_id
    assert do(Run.objects.get(pk=run.pk)).status == "finished"


@pytest.mark.django_db(transaction=True)
def test_of_resumes_from_three_tabs_at_once_one_goes_on(alice, release, stub):
    one = stub()
    run = services.start_run(order(release), "test")
    services.cancel_run(run, "test")
    start, answers = threading.Barrier(3), []

    def tab():
        client = Client()
        client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
        try:
            start.wait()
            answers.append(client.post(f"/runs/{run.pk}/resume/"))
        finally:
            connection.close()

    tabs = [threading.Thread(target=tab) for _ in range(3)]
    for each in tabs:
        each.start()
    for each in tabs:
        each.join()
    assert sorted(answer.status_code for answer in answers) == [302, 400, 400]
    for answer in answers:
        if answer.status_code == 400:
            assert b"run.active" in answer.content
    (job,) = queued(run)
    jobs.execute(job.pk)
    run.refresh_from_db()
    assert run.status == "finished"
    assert one.stats()["requests"] == run.samples.count() == run.samples_planned
