"""A run by batch files, from the written requests to the tables, with the stub as the provider."""

import io
import json
import random
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import reverse

from core.errors import CommonplaceError
from core.models import Job
from evaluation import reports, selectors, services
from evaluation.batch import openai_format, writing
from evaluation.batch.openai_format import Wanted
from evaluation.models import Run, Verdict
from evaluation.services import Order
from inference.endpoints import target
from inference.models import Call, Completion
from inference.stub.behaviour import Behaviour
from tests.evaluation.conftest import do, order, run_it

pytestmark = pytest.mark.django_db


def command(*arguments):
    """A command with `--json`: (exit, the object it prints)."""
    out, code = io.StringIO(), 0
    try:
        call_command(*map(str, arguments), "--json", stdout=out, stderr=io.StringIO())
    except SystemExit as exit:
        code = exit.code
    return code, json.loads(out.getvalue())


@pytest.fixture
def start(release, tmp_path):
    """`start()` starts a run by batch; its result, and the requests as the provider gets them."""

    def go(*options, benchmark="ra_mcq", samples=2, limit=3):
        given = ("--samples", samples, "--limit", limit, *options)
        code, made = command(
            *("run_benchmark", benchmark, "--release", release.label, "--model", "stub/one"),
            *(*given, "--batch", tmp_path / "out"),
        )
        assert code == 0, made
        return made, requests_of(made)

    return go


def requests_of(made):
    return [
        json.loads(line)
        for file in made["files"]
        for line in Path(file["path"]).read_text().splitlines()
    ]


def answer(requests, settings, *, shuffled=7):
    """What a provider makes of requests, in an order of its own."""
    base = settings.ENDPOINTS["stub"]["base_url"]
    lines = [_answered(request, base) for request in requests]
    random.Random(shuffled).shuffle(lines)
    return lines


def _answered(request, base):
    assert request["method"] == "POST"
    assert len(request["custom_id"]) <= 64
    sent = urllib.request.Request(
        base.removesuffix("/v1") + request["url"],
        json.dumps(request["body"]).encode(),
        {"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(sent) as reply:
            status, body = reply.status, reply.read()
    except urllib.error.HTTPError as refused:
        status, body = refused.code, refused.read()
        refused.close()
    response = {"status_code": status, "request_id": "r", "body": json.loads(body)}
    return {"id": "b", "custom_id": request["custom_id"], "response": response, "error": None}


@pytest.fixture
def bring(tmp_path):
    """`bring(run, lines, …)` imports files of lines; the result of the command."""

    def go(run, *files, code=0):
        paths = []
        for number, lines in enumerate(files):
            paths.append(tmp_path / f"came-back-{number}.jsonl")
            written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
            paths[-1].write_text("\n".join(written))
        exit, result = command("import_batch", run, *paths)
        assert exit == code, result
        return result

    return go


def tables(run):
    """Everything stored of a run but how it came."""
    run = Run.objects.get(pk=run if isinstance(run, int) else run.pk)
    samples = run.samples.order_by("item__position", "variant", "repeat", "turn").values_list(
        *("item__key", "variant", "repeat", "turn", "choice", "shown", "request_key"),
        *("reply__text", "reply__finish", "reply__outcome", "reply__parsed"),
    )
    verdicts = Verdict.objects.filter(reply__run=run).order_by(
        *("reply__item", "reply__variant", "reply__sha", "judge")
    )
    return list(samples), list(verdicts.values_list("reply__sha", "outcome", "value", "text"))


def measured(run):
    made = reports.report(Run.objects.get(pk=run))
    return {key: value for key, value in made.items() if key not in ("run", "cost", "calls")}


def forget_replies():
    Completion.objects.all().delete()


@pytest.fixture
def live(release, stub):
    """A live run over the same items, whose replies are forgotten for the next."""

    def go(**changes):
        run = run_it(release, given={"samples": 2, "limit": 3}, **changes)
        assert run.status == "finished"
        forget_replies()
        return run

    return go


# --- From the first line to the tables ----------------------------------------------------------


def test_a_run_by_batch_comes_to_the_tables_of_a_live_run(
    release, stub, live, start, bring, settings
):
    stub()
    wanted = live()
    made, requests = start()
    assert (made["status"], len(requests)) == ("paused", 6)
    assert [file["requests"] for file in made["files"]] == [6]
    assert Path(made["files"][0]["path"]).name == f"run-{made['run']}-stage-0-1.jsonl"
    run = Run.objects.get(pk=made["run"])
    assert (run.error["code"], run.job) == ("run.awaits_batch", None)
    assert f"write_batch {run.pk}" in run.error["message"]
    result = bring(run.pk, answer(requests, settings))
    assert result == {
        "run": run.pk,
        "status": "finished",
        "read": 6,
        "kept": 6,
        "failed": 0,
        "known": 0,
        "failures": {},
        "refused": [],
        "missing": 0,
    }
    assert tables(run) == tables(wanted)
    assert measured(run.pk) == measured(wanted.pk)
    run.refresh_from_db()
    assert run.error is None
    assert run.manifest["samples"]["stored"] == 6
    calls = Call.objects.filter(purpose=run.purpose)
    assert calls.count() == 6
    assert set(calls.values_list("job", "status", "choices")) == {(None, 200, 1)}
    assert Completion.objects.count() == 6


def test_nothing_is_asked_and_no_worker_is_called(stub, start):
    one = stub()
    start()
    assert one.stats()["requests"] == 0
    assert not Job.objects.exists()


def test_errors_in_a_file_of_their_own_leave_their_samples_missing_for_the_next_files(
    release, stub, live, start, bring, settings, tmp_path
):
    one = stub()
    wanted = live()
    made, requests = start()
    good = answer(requests[:3], settings)
    one.behaviour = Behaviour(shares={"server_error": 1.0})
    bad = answer(requests[3:5], settings)
    expired = {"code": "batch_expired", "message": "This request could not be executed in time."}
    bad.append({"custom_id": requests[5]["custom_id"], "response": None, "error": expired})
    result = bring(made["run"], good, bad)
    assert (result["status"], result["kept"], result["failed"]) == ("paused", 3, 3)
    assert result["failures"] == {"endpoint.unavailable": 3}
    assert (result["missing"], result["refused"]) == (3, [])
    said = Call.objects.filter(status=0).get().error["said"]
    assert said.startswith("batch_expired: This request")
    one.behaviour = Behaviour()
    _, again = command("write_batch", made["run"], "--out", tmp_path / "again")
    lacking = requests_of(again)
    assert {r["custom_id"] for r in lacking} == {r["custom_id"] for r in requests[3:]}
    assert bring(made["run"], answer(lacking, settings))["status"] == "finished"
    assert tables(made["run"]) == tables(wanted)


def test_a_request_the_provider_refuses_for_good_is_a_failed_sample_as_it_is_live(
    stub, start, bring, settings, tmp_path
):
    one = stub()
    made, requests = start()
    said = {"error": {"message": "This prompt is too long", "code": "context_length_exceeded"}}
    response = {"status_code": 400, "request_id": "r", "body": said}
    bad = {"custom_id": requests[0]["custom_id"], "response": response, "error": None}
    files = [answer(requests[1:], settings), [bad]]
    assert bring(made["run"], *files)["status"] == "finished"
    run = Run.objects.get(pk=made["run"])
    assert selectors.outcomes(run)["failed"] == 1
    assert bring(run.pk, *files)["known"] == 6
    _, again = command("write_batch", run.pk, "--out", tmp_path / "again")
    (lacking,) = requests_of(again)
    assert lacking["custom_id"] == requests[0]["custom_id"]
    assert bring(run.pk, [bad])["status"] == "finished"
    assert selectors.outcomes(run)["failed"] == 1
    command("write_batch", run.pk, "--out", tmp_path / "again")
    assert bring(run.pk, answer([lacking], settings))["kept"] == 1
    assert selectors.outcomes(run)["failed"] == 0
    assert one.stats()["requests"] == 6


def test_importing_the_same_files_twice_changes_nothing(stub, start, bring, settings):
    stub()
    made, requests = start()
    lines = answer(requests, settings)
    said = {"error": {"message": "come back later"}}
    lines[0]["response"] = {"status_code": 429, "request_id": "r", "body": said}
    first = bring(made["run"], lines)
    run = Run.objects.get(pk=made["run"])
    before = (tables(run), selectors.spent(run), selectors.calls(run), Completion.objects.count())
    second = bring(made["run"], lines)
    assert (first["kept"], first["failed"], second["known"]) == (5, 1, 6)
    assert (second["kept"], second["failed"], second["missing"]) == (0, 0, 1)
    now = (tables(run), selectors.spent(run), selectors.calls(run), Completion.objects.count())
    assert now == before


def test_half_a_file_is_half_the_run_and_the_rest_may_follow(
    release, stub, live, start, bring, settings
):
    stub()
    wanted = live()
    made, requests = start()
    lines = answer(requests, settings)
    text = json.dumps(lines[2])
    result = bring(made["run"], [lines[0], lines[1], text[: len(text) // 2]])
    assert (result["status"], result["kept"], result["missing"]) == ("paused", 2, 4)
    (refused,) = result["refused"]
    assert (refused["line"], refused["code"]) == (3, "batch.not_json")
    result = bring(made["run"], lines)
    assert (result["status"], result["known"], result["kept"]) == ("finished", 2, 4)
    assert tables(made["run"]) == tables(wanted)


# --- What is refused ----------------------------------------------------------------------------


def test_what_cannot_be_used_is_named_by_its_line_and_loses_nothing_else(
    stub, start, bring, settings
):
    stub()
    made, requests = start()
    run = made["run"]
    lines = answer(requests, settings)
    other = lines[0] | {"custom_id": lines[0]["custom_id"].replace(f"c{run}-", f"c{run + 1}-")}
    key = requests[0]["custom_id"].split("-")[3]
    never = lines[0] | {"custom_id": requests[0]["custom_id"].replace(key, "0" * 16)}
    stage = lines[0] | {"custom_id": requests[0]["custom_id"].replace(f"c{run}-0-", f"c{run}-3-")}
    strange = [
        ("<html><body>Bad gateway</body></html>", "batch.not_json"),
        ("[1, 2]", "batch.no_custom_id"),
        ('{"custom_id": 7}', "batch.no_custom_id"),
        (lines[0] | {"custom_id": "request-1"}, "batch.unknown_id"),
        (other, "batch.other_run"),
        (never, "batch.unknown_id"),
        (stage, "batch.unknown_id"),
        (lines[0] | {"response": None}, "batch.no_response"),
        (lines[0] | {"response": {"body": {}}}, "batch.no_response"),
        (requests[0], "batch.a_request"),
        ("[" * 100_000, "batch.not_json"),
    ]
    result = bring(run, ["", *(line for line, _ in strange), *lines, lines[3]])
    assert (result["status"], result["kept"], result["failed"]) == ("finished", 6, 0)
    got = [(each["line"], each["code"]) for each in result["refused"]]
    expected = [(number, code) for number, (_, code) in enumerate(strange, 2)]
    assert got == [*expected, (19, "batch.duplicate")]
    assert all(each["reason"] and each["file"] for each in result["refused"])
    assert result["read"] == result["kept"] + len(result["refused"])


def test_a_page_in_place_of_a_reply_is_a_failure_and_never_an_answer(stub, start, bring, settings):
    stub()
    made, requests = start()
    lines = answer(requests, settings)
    bodies = ["<html>A</html>", None, {"error": {"message": "A"}}]
    for line, body in zip(lines, bodies, strict=False):
        line["response"]["body"] = body
    result = bring(made["run"], lines)
    assert (result["kept"], result["failed"], result["missing"]) == (3, 3, 3)
    assert set(result["failures"]) == {
        *("endpoint.not_an_api", "endpoint.unreadable", "endpoint.unavailable")
    }


def test_bytes_that_are_no_text_and_a_line_beyond_all_measure_are_refused(monkeypatch):
    monkeypatch.setattr(openai_format, "LONGEST_LINE", 100)
    file = io.BytesIO(b"\xff\xfe\n" + b"x" * 1000 + b"\n\n{}")
    found = list(openai_format.read("f", file))
    assert [(each.line, each.code) for each in found] == [
        *((1, "batch.not_json"), (2, "batch.too_long"), (4, "batch.no_custom_id"))
    ]


def test_a_reply_follows_the_error_of_an_earlier_line(stub, start, bring, settings):
    stub()
    made, requests = start()
    lines = answer(requests, settings)
    failed = {"custom_id": lines[0]["custom_id"], "response": None, "error": {"code": "expired"}}
    result = bring(made["run"], [failed, *lines])
    assert (result["status"], result["kept"], result["failed"]) == ("finished", 6, 1)


def test_a_run_that_is_being_worked_on_takes_no_files(stub, start, bring, settings, release):
    stub()
    made, requests = start()
    lines = answer(requests, settings)
    run = services.resume_run(selectors.find_run(made["run"]), "test")
    result = bring(run.pk, lines, code=1)
    assert result["error"]["code"] == "run.active"
    assert not run.samples.exists()
    assert do(run).status == "finished"
    assert bring(run.pk, lines)["status"] == "finished"


def test_a_file_that_is_not_there_and_a_folder_that_cannot_be_made_are_said(stub, start, tmp_path):
    stub()
    made, _ = start()
    code, result = command("import_batch", made["run"], tmp_path / "nowhere.jsonl")
    assert (code, result["error"]["code"]) == (1, "import.unreadable")
    (tmp_path / "file").write_text("")
    code, result = command("write_batch", made["run"], "--out", tmp_path / "file" / "below")
    assert (code, result["error"]["code"]) == (1, "batch.unwritable")


# --- Live and by batch --------------------------------------------------------------------------


def test_a_waiting_run_may_be_resumed_live_and_a_paused_one_go_on_by_batch(
    release, stub, live, start, bring, settings, tmp_path
):
    one = stub()
    wanted = live()
    made, _ = start()
    one.behaviour = Behaviour(shares={"rate_limited": 1.0})
    settings.RETRY_ATTEMPTS, settings.TIME_SCALE = 1, 500
    run = do(services.resume_run(selectors.find_run(made["run"]), "test"))
    assert (run.status, run.error["code"]) == ("paused", "endpoint.rate_limited")
    one.behaviour = Behaviour()
    _, again = command("write_batch", run.pk, "--out", tmp_path / "again")
    assert again["status"] == "paused"
    assert selectors.find_run(run.pk).error["code"] == "run.awaits_batch"
    requests = requests_of(again)
    assert bring(run.pk, answer(requests[:2], settings))["missing"] == 4
    run = do(services.resume_run(selectors.find_run(run.pk), "test"))
    assert run.status == "finished"
    assert tables(run) == tables(wanted)


def test_what_the_cache_has_is_not_written_and_a_run_that_lacks_nothing_is_finished(
    release, stub, start
):
    stub()
    run_it(release, given={"samples": 1, "limit": 3})
    made, requests = start()
    assert len(requests) == 3
    assert Run.objects.get(pk=made["run"]).samples.count() == 3
    run_it(release, given={"samples": 2, "limit": 3})
    made, requests = start()
    assert (made["status"], made["files"]) == ("finished", [])


def test_a_finished_run_has_nothing_to_write(release, stub, tmp_path):
    stub()
    run = run_it(release, given={"limit": 1})
    code, result = command("write_batch", run.pk, "--out", tmp_path)
    assert (code, result["error"]["code"]) == (1, "run.finished")


# --- Several replies of one request, and judges --------------------------------------------------


def several(start, *options, **changes):
    """A run of RASA: all samples of a question and region are one request."""
    return start(*options, benchmark="rasa", **changes)


def test_samples_of_one_question_are_one_line(stub, start, bring, settings):
    stub()
    made, requests = several(start, samples=30, limit=2)
    assert {request["body"]["n"] for request in requests} == {30}
    assert requests[0]["custom_id"].endswith("-1-30")
    result = bring(made["run"], answer(requests, settings))
    assert (result["status"], result["kept"]) == ("finished", len(requests))
    run = Run.objects.get(pk=made["run"])
    assert run.samples.count() == 30 * len(requests)
    assert (run.per_request, run.per_request_why) == (128, "honours")
    assert selectors.calls(run) == len(requests)


def test_fewer_choices_leave_the_rest_for_lines_of_that_size(
    stub, start, bring, settings, tmp_path
):
    stub({"n": "cap:8"})
    made, requests = several(start, samples=20, limit=1)
    run, lines = made["run"], answer(requests, settings)
    assert bring(run, lines)["missing"] == 12 * len(requests)
    before = tables(run)
    again = bring(run, lines)
    assert (again["known"], again["missing"]) == (len(requests), 12 * len(requests))
    assert tables(run) == before
    _, written = command("write_batch", run, "--out", tmp_path / "again")
    pieces = [tuple(r["custom_id"].split("-")[-2:]) for r in requests_of(written)]
    assert pieces == [("9", "16"), ("17", "20")] * len(requests)
    result = bring(run, answer(requests_of(written), settings))
    assert (result["status"], result["missing"]) == ("finished", 0)
    assert set(map(str, before[0])) <= set(map(str, tables(run)[0]))


def test_copies_of_one_reply_are_one_sample_and_the_rest_is_asked_one_by_one(
    stub, start, bring, settings, tmp_path
):
    stub()
    made, requests = several(start, samples=5, limit=1)
    lines = answer(requests, settings)
    for line in lines:
        choices = line["response"]["body"]["choices"]
        line["response"]["body"]["choices"] = [choices[0] | {"index": n} for n in range(5)]
    assert bring(made["run"], lines)["missing"] == 4 * len(requests)
    assert Completion.objects.count() == len(requests)
    _, written = command("write_batch", made["run"], "--out", tmp_path / "again")
    singles = requests_of(written)
    assert len(singles) == 4 * len(requests)
    assert all("n" not in request["body"] for request in singles)
    assert bring(made["run"], answer(singles, settings))["status"] == "finished"


def test_an_endpoint_that_refuses_several_at_once_gets_smaller_lines(
    stub, start, bring, settings, tmp_path
):
    stub()
    made, requests = several(start, samples=20, limit=1)
    said = {"error": {"message": "n must be at most 5", "param": "n"}}
    response = {"status_code": 400, "request_id": "r", "body": said}
    refused = [{"custom_id": r["custom_id"], "response": response} for r in requests]
    result = bring(made["run"], refused)
    assert result["failures"] == {"endpoint.parameter_refused": len(requests)}
    _, written = command("write_batch", made["run"], "--out", tmp_path / "again")
    assert {request["body"]["n"] for request in requests_of(written)} == {5}


def test_each_judge_gets_files_of_its_own_once_the_replies_are_complete(
    release, stub, start, bring, settings, tmp_path
):
    provider = stub()
    judges = ("stub/two", "stub/three")
    given = services.Order(
        "rasa", release.label, "stub/one", {"samples": 4, "limit": 2}, judges=judges
    )
    wanted = do(services.start_run(given, "test"))
    assert wanted.status == "finished", wanted.error
    provider.reset()  # what it says depends on how often it was asked
    expected, verdicts = tables(wanted), measured(wanted.pk)
    forget_replies()
    Verdict.objects.all().delete()
    made, requests = several(start, *(f"--judge={judge}" for judge in judges), samples=4, limit=2)
    run = made["run"]
    result = bring(run, answer(requests, settings))
    for stage, judge in enumerate(judges, 1):
        waiting = Run.objects.get(pk=run)
        assert (waiting.stage, waiting.error["code"]) == (stage, "run.awaits_batch")
        assert judge in waiting.error["message"]
        replies = waiting.replies.filter(outcome="ok").count()
        assert (result["status"], result["missing"]) == ("paused", replies)
        _, made = command("write_batch", run, "--out", tmp_path / "out")
        assert f"run-{run}-stage-{stage}-1.jsonl" in made["files"][0]["path"]
        asked = requests_of(made)
        assert {f"stub/{request['body']['model']}" for request in asked} == {judge}
        assert len(asked) == replies
        result = bring(run, answer(asked, settings))
    assert (result["status"], result["missing"]) == ("finished", 0)
    assert tables(run) == expected
    assert measured(run) == verdicts


# --- Files and money ----------------------------------------------------------------------------


def test_files_keep_to_both_limits_and_replace_those_of_an_earlier_writing(
    stub, start, bring, settings, tmp_path
):
    stub()
    settings.BATCH_REQUESTS = 4
    made, requests = start()
    assert [file["requests"] for file in made["files"]] == [4, 2]
    settings.BATCH_BYTES = 2 * max(len(json.dumps(r)) for r in requests)
    _, made = command("write_batch", made["run"], "--out", tmp_path / "out")
    assert len(made["files"]) >= 3
    for file in made["files"]:
        assert Path(file["path"]).stat().st_size <= settings.BATCH_BYTES
    assert requests_of(made) == requests
    bring(made["run"], answer(requests[:5], settings))
    _, made = command("write_batch", made["run"], "--out", tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == [
        Path(made["files"][0]["path"]).name
    ]


def test_a_single_line_above_the_limit_still_gets_its_file(tmp_path):
    files = openai_format.write([b"12345\n", b"1\n"], tmp_path, "x", most_lines=9, most_bytes=3)
    assert [(file.path.name, file.requests) for file in files] == [
        *(("x-1.jsonl", 1), ("x-2.jsonl", 1))
    ]


def test_a_writing_that_breaks_off_leaves_the_files_as_they_were(tmp_path):
    openai_format.write([b"old\n"], tmp_path, "x", most_lines=9, most_bytes=99)

    def lines():
        yield b"new\n"
        raise CommonplaceError("run.cost_cap", "no")

    with pytest.raises(CommonplaceError):
        openai_format.write(lines(), tmp_path, "x", most_lines=9, most_bytes=99)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        ("x-1.jsonl", "old\n")
    ]


def test_batch_files_cost_their_share_of_the_price(stub, start, live, bring, settings):
    stub()
    wanted = live()
    settings.ENDPOINTS["stub"]["price"]["batch"] = 0.5
    made, requests = start()
    bring(made["run"], answer(requests, settings))
    run = Run.objects.get(pk=made["run"])
    full = sum(
        (call.input_tokens * 150_000 + call.output_tokens * 600_000) / 1_000_000
        for call in Call.objects.filter(purpose=run.purpose)
    )
    assert selectors.spent(run) == pytest.approx(full / 2, abs=6)
    assert selectors.spent(run) < 0.6 * selectors.spent(wanted)


def test_a_dry_run_by_batch_is_told_at_the_price_of_batch_files(stub, release, settings):
    stub()
    settings.ENDPOINTS["stub"]["price"]["batch"] = 0.5
    settings.ENDPOINTS["stub"]["price"] |= {"input": 100, "output": 100}  # so nothing is rounded
    judged = {"benchmark": "rasa", "release": release.label, "model": "stub/one"}
    prepared = services.prepare(Order(**judged, judges=["stub/two"]), "test")
    live = selectors.estimate(prepared)
    by_batch = selectors.estimate(prepared, by_batch=True)
    assert by_batch["cost"] == pytest.approx(live["cost"] / 2, rel=1e-3)
    assert {**by_batch, "cost": 0} == {**live, "cost": 0}


@pytest.mark.parametrize("share", [-1, 1.5, "half", True, None])
def test_a_share_that_is_none_is_refused_with_its_endpoint(stub, settings, release, share):
    stub()
    settings.ENDPOINTS["stub"]["price"]["batch"] = share
    with pytest.raises(CommonplaceError) as caught:
        services.prepare(order(release), "test")
    assert (caught.value.code, caught.value.data["key"]) == ("endpoint.invalid", "price")


def test_files_that_could_cost_more_than_the_cap_leaves_are_not_written(
    release, stub, start, bring, settings, tmp_path
):
    stub()
    code, refused = command(
        *("run_benchmark", "ra_mcq", "--release", release.label, "--model", "stub/one"),
        *("--samples", 2, "--limit", 3, "--max-cost", "0.00005", "--batch", tmp_path / "out"),
    )
    assert (code, refused["error"]["code"]) == (1, "run.cost_cap")
    assert list((tmp_path / "out").iterdir()) == []
    run = refused["error"]["data"]["run"]
    assert services.awaits_batch(Run.objects.get(pk=run))
    code, made = command("write_batch", run, "--max-cost", "1", "--out", tmp_path / "out")
    assert code == 0
    assert bring(run, answer(requests_of(made), settings))["status"] == "finished"
    budget = Run.objects.get(pk=run).budget
    assert (budget.spent, budget.reserved) == (selectors.spent(Run.objects.get(pk=run)), 0)
    assert budget.spent > 0


def test_an_id_is_short_enough_for_picky_providers_and_reads_back():
    largest = Wanted(10**9, 20, 10**9, "0123456789abcdef", 99_999, 100_000)
    assert len(str(largest)) <= 64
    assert openai_format.wanted_by(str(largest)) == largest
    for strange in ("c1-0-0-0123456789abcdef-2-1", "c1-0-0-0123456789abcdef-0-1", "c١-0-0-0-1-1"):
        assert openai_format.wanted_by(strange) is None


def test_exchanges_nobody_waited_for_tell_nothing_of_the_pace(
    stub, start, bring, settings, release
):
    stub()
    made, requests = start()
    bring(made["run"], answer(requests, settings))
    forget_replies()
    estimate = selectors.estimate(services.prepare(order(release), "test"))
    assert estimate["seconds"] == estimate["calls"] / 8


# --- The page -----------------------------------------------------------------------------------


def test_the_page_hands_out_what_is_lacking_and_takes_the_results(
    as_alice, stub, start, settings, tmp_path
):
    stub()
    made, requests = start()
    address = reverse("evaluation:detail", args=[made["run"]])
    page = as_alice.get(address).content.decode()
    assert "Batch files" in page
    where = reverse("evaluation:batch_requests", args=[made["run"]])
    assert where in page
    sent = as_alice.get(where)
    assert sent["Content-Type"] == "application/zip"
    assert _unzipped(sent) == {f"run-{made['run']}-stage-0-1.jsonl": requests}
    lines = [json.dumps(line) for line in answer(requests, settings)]
    files = [_upload("a.jsonl", lines[:4]), _upload("b.jsonl", [*lines[4:], "nonsense"])]
    upload = reverse("evaluation:batch_results", args=[made["run"]])
    done = as_alice.post(upload, {"results": files}, follow=True)
    assert done.redirect_chain[-1][0] == address
    shown = done.content.decode()
    assert "6 replies were kept" in shown
    assert "b.jsonl, line 3" in shown
    assert Run.objects.get(pk=made["run"]).status == "finished"


def _upload(name, lines):
    file = io.BytesIO("\n".join(lines).encode())
    file.name = name
    return file


def _unzipped(response):
    import zipfile

    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        return {
            name: [json.loads(line) for line in archive.read(name).splitlines()]
            for name in archive.namelist()
        }


def test_a_paused_run_goes_on_by_batch_from_its_page(as_alice, release, stub):
    stub()
    run = services.start_run(order(release), "test")
    services.cancel_run(run, "test")
    address = reverse("evaluation:detail", args=[run.pk])
    where = reverse("evaluation:batch", args=[run.pk])
    assert f'action="{where}"' in as_alice.get(address).content.decode()
    assert as_alice.post(where).status_code == 302
    assert services.awaits_batch(Run.objects.get(pk=run.pk))
    assert f'action="{where}"' not in as_alice.get(address).content.decode()


def test_more_than_the_page_takes_and_nothing_at_all_are_refused_in_words(
    as_alice, stub, start, settings
):
    stub()
    made, _ = start()
    upload = reverse("evaluation:batch_results", args=[made["run"]])
    settings.BATCH_UPLOAD_BYTES = 3
    response = as_alice.post(upload, {"results": [_upload("a.jsonl", ["12345"])]})
    assert response.status_code == 413
    assert b"import_batch" in response.content
    response = as_alice.post(upload)
    assert (response.status_code, b"batch.no_file" in response.content) == (400, True)


def test_only_who_may_resume_a_run_sees_its_files(client, bob, stub, start):
    stub()
    made, _ = start()
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get(reverse("evaluation:detail", args=[made["run"]])).content.decode()
    assert "Batch files" not in page
    assert client.get(reverse("evaluation:batch_requests", args=[made["run"]])).status_code == 403
    for name in ("evaluation:batch", "evaluation:batch_results"):
        assert client.post(reverse(name, args=[made["run"]])).status_code == 403


def test_a_run_that_waits_for_no_files_has_none_to_download(as_alice, release, stub):
    stub()
    run = run_it(release, given={"limit": 1})
    response = as_alice.get(reverse("evaluation:batch_requests", args=[run.pk]))
    assert response.status_code == 404
    assert writing.write(run, Path("/nowhere")) == []
    assert target(run.asked).batch_share == 1
