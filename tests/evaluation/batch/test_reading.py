"""Files that came back, from the written requests to the tables, with the stub as the provider."""

import io
import json
from pathlib import Path

import pytest

from core.models import Job
from evaluation import selectors, services
from evaluation.batch import openai_format
from evaluation.models import Run
from inference.models import Call, Completion
from inference.stub.behaviour import Behaviour
from tests.evaluation.batch.conftest import (
    answer,
    command,
    forget_replies,
    measured,
    requests_of,
    tables,
)
from tests.evaluation.conftest import do, order

pytestmark = pytest.mark.django_db


# --- From the first line to the tables ------------------------------------------------------------


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


# --- What is refused ------------------------------------------------------------------------------


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


# --- Live and by batch ----------------------------------------------------------------------------


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


def test_exchanges_nobody_waited_for_tell_nothing_of_the_pace(
    stub, start, bring, settings, release
):
    stub()
    made, requests = start()
    bring(made["run"], answer(requests, settings))
    forget_replies()
    estimate = selectors.estimate(services.prepare(order(release), "test"))
    assert estimate["seconds"] == estimate["calls"] / 8
