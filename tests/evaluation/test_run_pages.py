"""The pages of one run: under way and at its end, and what it spent."""

import json
import re
import threading
from datetime import timedelta

import pytest
from django.db import connection

from core import clock, jobs
from core.models import Job
from evaluation import selectors, services
from evaluation.models import Run, Verdict
from inference.models import Call, Lease
from tests.evaluation.conftest import do, order, run_it
from tests.evaluation.paged import judged, page, words

pytestmark = pytest.mark.django_db


# --- A run under way ------------------------------------------------------------------------------


def test_a_run_says_its_stage_and_the_path_before_it(as_alice, release, stub):
    stub()
    run = judged(release)
    shown = words(page(as_alice, run))
    assert f"Generating: 0 of {run.samples_planned} samples" in shown
    for stage in ("Judging by stub/judge-a", "Judging by stub/judge-b", "Report at the end"):
        assert stage in shown
    assert "No worker is alive." in shown


def test_judging_is_told_in_replies_and_by_whom(as_alice, release, stub):
    stub()
    run = do(judged(release))
    replies = run.replies.count()
    Verdict.objects.filter(judge__label="stub/judge-b").first().delete()
    Run.objects.filter(pk=run.pk).update(status="running", stage=2)
    shown = words(page(as_alice, run))
    assert f"Judged by stub/judge-b: {replies - 1} of {replies} replies" in shown
    assert 'class="done"><strong>Judging by stub/judge-a' in page(as_alice, run)


def test_progress_is_sent_again_only_when_something_has_changed(as_alice, release, stub):
    stub()
    run = judged(release)
    address = f"/runs/{run.pk}/progress/"
    first = as_alice.get(address)
    assert first["Cache-Control"] == "private, no-cache"
    same = as_alice.get(address, headers={"If-None-Match": first["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    Run.objects.filter(pk=run.pk).update(status="running")
    assert as_alice.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200
    do(run)
    assert as_alice.get(address)["HX-Refresh"] == "true"


def test_who_is_at_it_how_many_at_once_and_what_failed_last_are_said(as_alice, release, stub):
    stub({"shares": {"server_error": 0.3}})
    run = do(judged(release, "stub/judge-a"))
    failed = Call.objects.filter(purpose=run.purpose, choices=0).count()
    assert failed
    Run.objects.filter(pk=run.pk).update(status="running", per_request=8, per_request_why="caps")
    job = Job.objects.get(pk=run.job_id)
    Lease.objects.create(
        endpoint=run.model.endpoint, job=job, purpose=run.purpose, places=5, seen=clock.now()
    )
    shown = words(page(as_alice, run))
    assert "The endpoint brings 8 replies a request" in shown
    assert "Workers at it 1, together up to 5 requests at once" in shown
    assert f"{failed} without a reply" in shown
    assert "Last request without a reply" in shown
    assert "the endpoint did not answer, or broke off" in shown


def test_spend_stands_beside_the_cap(as_alice, release, stub):
    stub()
    run = run_it(release, given={"limit": 2}, cap_micro=5_000_000)
    Run.objects.filter(pk=run.pk).update(status="running")
    assert re.search(r"Spent so far \$0\.\d+ of \$5\.00 at most", words(page(as_alice, run)))


# --- Pausing, going on, cancelling ----------------------------------------------------------------


def test_a_paused_run_says_that_nothing_is_lost_and_goes_on_where_it_was(as_alice, release, stub):
    one = stub()
    run = services.start_run(order(release), "test")
    assert as_alice.post(f"/runs/{run.pk}/pause/").status_code == 302
    run.refresh_from_db()
    assert (run.status, run.error["code"]) == ("paused", "run.paused")
    do(run)
    assert (Run.objects.get(pk=run.pk).status, one.stats()["requests"]) == ("paused", 0)
    shown = words(page(as_alice, run))
    assert "The run has paused. alice@example.org paused the run." in shown
    assert "Nothing is lost" in shown
    as_alice.post(f"/runs/{run.pk}/resume/")
    assert do(Run.objects.get(pk=run.pk)).status == "finished"


def test_pausing_twice_is_pausing_once_and_what_has_ended_is_not_paused(as_alice, release, stub):
    stub()
    run = services.start_run(order(release), "test")
    assert [as_alice.post(f"/runs/{run.pk}/pause/").status_code for _ in range(2)] == [302, 302]
    finished = run_it(release, given={"limit": 1})
    response = as_alice.post(f"/runs/{finished.pk}/pause/")
    assert response.status_code == 400
    assert b"nothing to pause" in response.content


@pytest.mark.django_db(transaction=True)
def test_replies_on_their_way_when_a_run_is_paused_are_kept(release, stub):
    one = stub(latency_ms=20, in_flight=4)
    run = services.start_run(order(release, given={"samples": 20}), "test")
    worker = threading.Thread(target=_work, args=(run.job_id,))
    worker.start()
    while one.stats()["requests"] < 10:
        pass
    services.pause_run(Run.objects.get(pk=run.pk), "test")
    worker.join()
    run.refresh_from_db()
    assert run.status == "paused"
    assert run.samples.count() == one.stats()["requests"] < run.samples_planned
    run = do(services.resume_run(run, "test"))
    assert run.status == "finished"
    assert one.stats()["requests"] == run.samples_planned


def _work(job):
    try:
        jobs.execute(job)
    finally:
        connection.close()


def test_a_run_stopped_by_its_cap_goes_on_with_a_higher_one_from_its_page(as_alice, release, stub):
    stub()
    cost = selectors.spent(run_it(release, seed=1))
    run = run_it(release, seed=2, cap_micro=cost // 2)
    assert "The next request could pass the cost cap" in words(page(as_alice, run))
    refused = as_alice.post(f"/runs/{run.pk}/resume/", {"max_cost": "-1"})
    assert refused.status_code == 422
    assert 'value="-1"' in refused.content.decode()
    as_alice.post(f"/runs/{run.pk}/resume/", {"max_cost": str(cost * 40 / 1_000_000)})
    run.refresh_from_db()
    assert run.cap_micro == cost * 40
    assert do(run).status == "finished"


def test_a_cap_where_there_is_no_price_is_refused_beside_its_field(as_alice, release, stub):
    stub(price=False)
    run = services.start_run(order(release), "test")
    services.cancel_run(run, "test")
    response = as_alice.post(f"/runs/{run.pk}/resume/", {"max_cost": "2"})
    assert response.status_code == 422
    field = response.content.decode().partition('id="id_max_cost"')
    assert "has none. Give it one in COMMONPLACE_ENDPOINTS" in field[2][:600]


@pytest.mark.parametrize("act", ["pause", "cancel", "resume", "rejudge", "reparse"])
def test_nobody_but_an_administrator_changes_a_run(client, bob, release, stub, act):
    stub()
    run = services.start_run(order(release), "test")
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    assert client.post(f"/runs/{run.pk}/{act}/").status_code == 403
    run.refresh_from_db()
    assert run.status == "queued"
    assert b"Pause the run" not in client.get(f"/runs/{run.pk}/").content


# --- Judging and reading again --------------------------------------------------------------------


def test_judges_are_added_from_the_page_and_nothing_is_generated(as_alice, release, stub):
    one = stub()
    run = do(judged(release, "stub/judge-a"))
    before = one.stats()["requests"]
    as_alice.post(f"/runs/{run.pk}/rejudge/", {"judges": "stub/judge-b\n\nstub/judge-c\n"})
    run = do(Run.objects.get(pk=run.pk))
    assert [str(judge) for judge in selectors.judges_of(run)] == [
        "stub/judge-a",
        "stub/judge-b",
        "stub/judge-c",
    ]
    assert one.stats()["requests"] - before <= 2 * (run.replies.count() + 1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("stub/one", "would judge its own replies"),
        ("nowhere/m", "There is no endpoint named"),
        ("stub/a\nstub/a", "is named twice"),
        ("", "required"),
    ],
)
def test_a_judge_that_cannot_be_is_refused_and_stays_as_typed(as_alice, release, stub, given, said):
    stub()
    run = do(judged(release, "stub/judge-a"))
    response = as_alice.post(f"/runs/{run.pk}/rejudge/", {"judges": given})
    assert response.status_code == 422
    html = response.content.decode()
    assert said in html
    assert given.strip() in html.replace("\r", "")
    assert Run.objects.get(pk=run.pk).status == "finished"


def test_reading_again_tells_what_it_changed(as_alice, release, stub):
    stub()
    run = do(judged(release, "stub/judge-a"))
    Verdict.objects.update(outcome="unparsed", value="")
    response = as_alice.post(f"/runs/{run.pk}/reparse/", follow=True)
    assert "Every stored reply is being read again." in response.content.decode()
    assert as_alice.post(f"/runs/{run.pk}/reparse/").status_code == 400
    jobs.execute(Job.objects.get(kind=services.REREADING).pk)
    page = as_alice.get(f"/runs/{run.pk}/").content.decode()
    assert f"0 replies and {run.replies.count()} verdicts were read otherwise than before" in page
    assert "being read again" not in page


def test_the_manifest_is_a_file_before_and_after_the_end(as_alice, release, stub):
    stub()
    run = services.start_run(order(release), "test")
    address = f"/runs/{run.pk}/manifest.json"
    assert json.loads(as_alice.get(address).content)["samples"]["stored"] == 0
    run = do(run)
    response = as_alice.get(address)
    assert "attachment" in response["Content-Disposition"]
    assert json.loads(response.content) == run.manifest


# --- Spend ----------------------------------------------------------------------------------------


def test_spend_is_told_by_stage_and_adds_up_to_the_ledger(as_alice, release, stub):
    stub({"shares": {"server_error": 0.2}})
    run = do(judged(release))
    rows = re.findall(r"<tr>\s*<th scope=\"row\">(.*?)</tr>", page(as_alice, run, "spend/"), re.S)
    lines = [words(row).split() for row in rows[:3]]
    assert [line[0] for line in lines] == ["stub/one", "stub/judge-a", "stub/judge-b"]
    assert sum(int(line[2]) for line in lines) == selectors.calls(run)
    failed = Call.objects.filter(purpose=run.purpose, choices=0).count()
    assert sum(int(line[3]) for line in lines) == failed > 0
    assert re.search(r"<h1>\$0\.\d+ spent", page(as_alice, run, "spend/"))
    assert 'class="chart' in page(as_alice, run, "spend/")


def test_what_was_kept_from_before_is_counted_and_costs_nothing(as_alice, release, stub):
    stub()
    first = do(judged(release))
    again = do(judged(release))
    shown = words(page(as_alice, again, "spend/"))
    assert "Nothing spent" in shown
    assert "Nothing was sent: every reply was kept from before." in shown
    assert re.search(rf"Generating 0 0 0 {first.samples_planned} 0 0 nothing", shown)
    assert re.search(rf"Judging 0 0 0 {first.replies.count()} 0 0 nothing", shown)


def test_no_price_is_said_in_words(as_alice, release, stub):
    stub(price=False)
    run = run_it(release)
    shown = words(page(as_alice, run, "spend/"))
    assert "No price is known for what this run asks" in shown
    assert "no price known" in shown
    assert "$" not in shown.partition("Over time")[2]


def test_calls_of_days_are_gathered_into_few_bars(as_alice, release, stub):
    stub()
    run = run_it(release)
    start = clock.now()
    for number, call in enumerate(Call.objects.filter(purpose=run.purpose)):
        Call.objects.filter(pk=call.pk).update(at=start - timedelta(hours=7 * number))
    html = page(as_alice, run, "spend/")
    assert "Each bar covers one day (UTC)" in html
    table = html.partition("Show the numbers")[2]
    counts = re.findall(r"<tr><th scope=\"row\">[^<]+</th><td class=\"num\">(\d+)<", table)
    assert len(counts) <= 24
    assert sum(map(int, counts)) == selectors.calls(run)
