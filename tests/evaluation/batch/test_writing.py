"""What is written for a run that lacks something, in files and at a price."""

import json
from pathlib import Path

import pytest

from core.errors import CommonplaceError
from evaluation import selectors, services
from evaluation.batch import openai_format
from evaluation.batch.openai_format import Wanted
from evaluation.models import Run, Verdict
from evaluation.services import Order
from inference.models import Call, Completion
from tests.evaluation.batch.conftest import (
    answer,
    command,
    forget_replies,
    measured,
    requests_of,
    tables,
)
from tests.evaluation.conftest import do, order, run_it

pytestmark = pytest.mark.django_db


# --- Which requests are written -------------------------------------------------------------------


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


# --- Several replies of one request, and judges ---------------------------------------------------


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


# --- Files ----------------------------------------------------------------------------------------


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


def test_an_id_is_short_enough_for_picky_providers_and_reads_back():
    largest = Wanted(10**9, 20, 10**9, "0123456789abcdef", 99_999, 100_000)
    assert len(str(largest)) <= 64
    assert openai_format.wanted_by(str(largest)) == largest
    for strange in ("c1-0-0-0123456789abcdef-2-1", "c1-0-0-0123456789abcdef-0-1", "c١-0-0-0-1-1"):
        assert openai_format.wanted_by(strange) is None


def test_a_file_that_is_not_there_and_a_folder_that_cannot_be_made_are_said(stub, start, tmp_path):
    stub()
    made, _ = start()
    code, result = command("import_batch", made["run"], tmp_path / "nowhere.jsonl")
    assert (code, result["error"]["code"]) == (1, "import.unreadable")
    (tmp_path / "file").write_text("")
    code, result = command("write_batch", made["run"], "--out", tmp_path / "file" / "below")
    assert (code, result["error"]["code"]) == (1, "batch.unwritable")


# --- Money ----------------------------------------------------------------------------------------


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
