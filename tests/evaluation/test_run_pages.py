"""The pages of runs: the list, one under way and at its end, what it spent, and how one starts."""

import io
import json
import re
import threading
import zipfile
from datetime import timedelta

import pytest
from django.db import connection

from core import clock, jobs
from core.models import Job
from evaluation import selectors, services
from evaluation.models import Run, Verdict
from inference.models import Call, Lease, Prompt
from inference.prompts import shipped
from tests.evaluation.conftest import do, order, run_it
from tests.evaluation.judged import CORRECT, always, even_release, judged_run

pytestmark = pytest.mark.django_db
JUDGES = ("stub/judge-a", "stub/judge-b")


def judged(release, *judges, given=None, **changes):
    settings = {"samples": 4, "limit": 3} | (given or {})
    asked = services.Order(
        "rasa", release.label, "stub/one", settings, judges=judges or JUDGES, **changes
    )
    return services.start_run(asked, "test")


def page(client, run, part="", **query):
    response = client.get(f"/runs/{run.pk}/{part}", query)
    assert response.status_code == 200
    return response.content.decode()


def words(html):
    """What a reader sees, without the marks of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


@pytest.fixture
def even(db, tmp_path):
    return even_release(tmp_path)


# --- A run under way ----------------------------------------------------------------------------


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


# --- Pausing, going on, cancelling --------------------------------------------------------------


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


# --- Judging and reading again ------------------------------------------------------------------


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


# --- Spend --------------------------------------------------------------------------------------


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


# --- The list -----------------------------------------------------------------------------------


def listed(client, **query):
    """The numbers of the runs in the list."""
    html = client.get("/runs/", query).content.decode()
    return [int(number) for number in re.findall(r'name="run" value="(\d+)"', html)]


def test_the_list_is_narrowed_and_says_judges_and_how_far_a_run_is(as_alice, release, stub, even):
    stub()
    judges = {"mild": always(CORRECT), "hard": always(CORRECT)}
    scored = judged_run(even, judges, name="big")
    waiting = services.start_run(order(release), "test")
    html = as_alice.get("/runs/").content.decode()
    assert "lab/mild, lab/hard" in html
    assert f"0 of {waiting.samples_planned} samples" in html
    assert listed(as_alice) == [waiting.pk, scored.pk]
    assert listed(as_alice, benchmark="rasa") == [scored.pk]
    assert listed(as_alice, status="queued") == [waiting.pk]
    assert listed(as_alice, model="lab/big") == [scored.pk]
    assert listed(as_alice, release=even.label, benchmark="rasa") == [scored.pk]
    none = as_alice.get("/runs/", {"model": "nobody/nothing"}).content.decode()
    assert "No such runs" in none
    assert "Show all runs" in none


@pytest.mark.parametrize("many", [1, 6])
def test_the_list_costs_the_same_queries_however_many_runs(
    as_alice, release, stub, django_assert_max_num_queries, many
):
    stub()
    for number in range(many):
        run = judged(release, seed=number)
        Run.objects.filter(pk=run.pk).update(status="running", stage=1)
    as_alice.get("/runs/")
    with django_assert_max_num_queries(14):
        as_alice.get("/runs/")


# --- A new run ----------------------------------------------------------------------------------


def filled(of, **changes):
    given = {
        "benchmark": "rasa",
        "release": of.label,
        "model": "stub/one",
        "judges": "stub/judge-a",
        "samples": "3",
        "temperature": "1.0",
        "max_tokens": "120",
        "weight": "0.5",
        "limit": "4",
        "max_cost": "",
        "use_cache": "on",
        "nonce": "n1",
    } | changes
    return {name: value for name, value in given.items() if value is not None}


def hidden(html):
    """The hidden inputs of a page, as a browser would send them."""
    inputs = re.findall(r"<input[^>]*type=\"hidden\"[^>]*>", html)
    pairs = [
        (re.search(r'name="([^"]*)"', one), re.search(r'value="([^"]*)"', one)) for one in inputs
    ]
    return {name[1]: value[1] if value else "" for name, value in pairs if name}


def confirmed(client, given):
    """Estimate, then confirm what the page carries."""
    html = client.post("/runs/new/", given).content.decode()
    assert "What it will take" in html, html
    sent = {name: value for name, value in given.items() if name != "pack"}
    carried = hidden(html) | {"confirm": "1"}
    return client.post("/runs/new/", sent | carried)


def test_the_form_asks_what_its_benchmark_needs(as_alice, release):
    rasa = as_alice.get("/runs/new/", {"benchmark": "rasa"}).content.decode()
    mcq = as_alice.get("/runs/new/", {"benchmark": "ra_mcq"}).content.decode()
    for name in ("judges", "weight"):
        assert f'id="id_{name}"' in rasa
        assert f'id="id_{name}"' not in mcq
    for name in ("preset", "seed", "send_seed"):
        assert f'id="id_{name}"' in mcq
        assert f'id="id_{name}"' not in rasa


def test_another_benchmark_is_chosen_and_nothing_typed_is_lost(as_alice, release, stub):
    stub()
    typed = filled(release, model="stub/mine", samples="7", benchmark="ra_mcq", shown="rasa")
    mcq = as_alice.post("/runs/new/", typed).content.decode()
    assert 'value="stub/mine"' in mcq
    assert 'value="7"' in mcq
    assert '<input type="number" name="max_tokens" value="64"' in mcq  # its own default
    assert hidden(mcq)["judges"] == "stub/judge-a"
    assert "These are the settings of Regional choice" in mcq
    back = typed | hidden(mcq) | {"benchmark": "rasa"}
    del back["weight"]
    rasa = as_alice.post("/runs/new/", back).content.decode()
    assert re.search(r"<textarea[^>]*name=\"judges\"[^>]*>\s*stub/judge-a</textarea>", rasa)


def test_an_estimate_names_judges_their_calls_and_the_cost_and_starts_nothing(
    as_alice, release, stub
):
    stub()
    shown = words(as_alice.post("/runs/new/", filled(release)).content.decode())
    planned = selectors.estimate(
        services.prepare(
            services.Order(
                "rasa",
                release.label,
                "stub/one",
                {"samples": 3, "limit": 4},
                judges=["stub/judge-a"],
            ),
            "test",
        )
    )
    assert f"of them to judges {planned['judge_calls']}" in shown
    assert f"Requests at most {planned['calls']}" in shown
    assert "Each distinct reply is judged once by stub/judge-a" in shown
    assert not Run.objects.exists()


def test_what_was_estimated_is_what_starts(as_alice, release, stub):
    stub()
    response = confirmed(as_alice, filled(release, max_cost="2.5", use_cache=None))
    run = Run.objects.get()
    assert response["Location"] == f"/runs/{run.pk}/"
    assert [str(judge) for judge in selectors.judges_of(run)] == ["stub/judge-a"]
    assert (run.cap_micro, run.settings["use_cache"], run.settings["limit"]) == (
        2_500_000,
        False,
        4,
    )


def test_a_change_after_the_estimate_is_estimated_first(as_alice, release, stub):
    stub()
    given = filled(release)
    carried = hidden(as_alice.post("/runs/new/", given).content.decode())
    changed = given | carried | {"samples": "900", "confirm": "1"}
    html = as_alice.post("/runs/new/", changed).content.decode()
    assert "Something was changed after the estimate." in html
    assert not Run.objects.exists()


def test_a_double_click_on_confirm_is_one_run(as_alice, release, stub):
    stub()
    given = filled(release)
    carried = hidden(as_alice.post("/runs/new/", given).content.decode()) | {"confirm": "1"}
    for _ in range(2):
        as_alice.post("/runs/new/", given | carried)
    assert Run.objects.count() == 1


def test_a_cap_below_the_estimate_is_said_plainly(as_alice, release, stub):
    stub()
    low = as_alice.post("/runs/new/", filled(release, max_cost="0.000001")).content.decode()
    assert "is below what it may cost at most" in low
    high = as_alice.post("/runs/new/", filled(release, max_cost="1000")).content.decode()
    assert "is below what it may cost at most" not in high


def test_a_judge_of_the_models_family_is_marked_and_none_at_all_is_said(as_alice, release, stub):
    stub()
    kin = filled(release, model="stub/qwen-2", judges="stub/qwen-3\nstub/llama-3")
    shown = words(as_alice.post("/runs/new/", kin).content.decode())
    assert "stub/qwen-3 of the model’s family" in shown
    assert "stub/llama-3 of the model’s family" not in shown
    without = as_alice.post("/runs/new/", filled(release, judges="")).content.decode()
    assert "No judge is named." in without


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"model": "nowhere/m"}, "model", "There is no endpoint named"),
        ({"model": "stub"}, "model", "names an endpoint but no model"),
        ({"judges": "stub/one"}, "judges", "would judge its own replies"),
        ({"judges": "stub/a\nnowhere/b"}, "judges", "nowhere/b: There is no endpoint"),
        ({"samples": "0"}, "samples", "greater than or equal to 1"),
        ({"temperature": "hot"}, "temperature", "Enter a number"),
        ({"weight": "2"}, "weight", "less than or equal to 1"),
        ({"limit": "-3"}, "limit", "greater than or equal to 1"),
        ({"release": "nothing@1"}, "release", "nothing@1 is not one of the available choices"),
    ],
)
def test_every_refusal_stands_at_its_field_and_nothing_typed_is_lost(
    as_alice, release, stub, change, field, said
):
    stub()
    response = as_alice.post("/runs/new/", filled(release, **change))
    assert response.status_code == 422
    html = response.content.decode()
    place = html.partition(f'id="id_{field}"')[2].partition('<div class="field">')[0]
    assert said in place
    for name, value in filled(release, **change).items():
        if name in ("model", "samples", "limit", "weight"):
            assert f'value="{value}"' in html, name


def test_a_cap_without_a_price_is_refused_at_the_cap(as_alice, release, stub):
    stub(price=False)
    html = as_alice.post("/runs/new/", filled(release, max_cost="1")).content.decode()
    place = html.partition('id="id_max_cost"')[2].partition('<div class="field">')[0]
    assert "A cost cap needs a price" in place


def pack(text, name="rasa/judge.en.txt"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, text)
    file.seek(0)
    file.name = "mine.zip"
    return file


def test_a_pack_of_prompts_is_carried_from_the_estimate_to_the_run(as_alice, release, stub):
    stub()
    text = shipped()["rasa/judge", "en"].replace("\n", "\n\n", 1)
    confirmed(as_alice, filled(release, pack=pack(text)))
    mine = Prompt.objects.get(pack="mine")
    assert Run.objects.get().judges.get().prompt == mine


def test_a_pack_can_be_left_out_again(as_alice, release, stub):
    stub()
    text = shipped()["rasa/judge", "en"].replace("\n", "\n\n", 1)
    html = as_alice.post("/runs/new/", filled(release, pack=pack(text))).content.decode()
    assert "<code>rasa/judge.en</code>" in html
    confirmed(as_alice, filled(release, prompts=hidden(html)["prompts"], leave_pack="on"))
    assert Run.objects.get().judges.get().prompt.pack == "commonplace"


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (lambda: pack("Is {answer} right? {colour}"), "which nothing fills"),
        (lambda: pack("x", "notes.txt"), "which is not a prompt"),
        (lambda: pack("{question} {options}", "ra_mcq/question.en.txt"), "none of the prompts"),
    ],
)
def test_a_pack_that_cannot_be_used_is_refused_at_its_field(as_alice, release, stub, file, said):
    stub()
    response = as_alice.post("/runs/new/", filled(release, pack=file()))
    assert response.status_code == 422
    assert said in response.content.decode().partition('id="id_pack"')[2]
    assert not Run.objects.exists()
