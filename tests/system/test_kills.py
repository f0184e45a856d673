"""Whatever is killed while a benchmark runs, the run ends as if nothing had happened."""

import os
import random
import signal
import time

import pytest

from tests.system.conftest import IN_FLIGHT, TIMEOUT, children, runs, until

RUN = ("run_benchmark", "ra_mcq", "--release", "indica", "--model", "stub/one")
FRESH = (*RUN, "--no-cache", "--seed", 7, "--samples")
ITEMS = 17
SAMPLES = ITEMS * 15


@pytest.fixture
def started(installation):
    """The id of a run that is queued, with nobody there to do it."""
    code, result = installation.manage(*FRESH, 15, "--no-wait")
    assert (code, result["status"]) == (0, "queued")
    return result["run"]


def working(stub, more=30):
    """Wait until `more` requests have come in."""
    wanted = stub.requests() + more
    until(lambda: stub.requests() >= wanted, 30, every=0.03)


def resume(installation, run, *options):
    """Resume as soon as the run counts as dead; until then it has to be refused as active."""
    deadline = time.monotonic() + 10 * TIMEOUT
    while True:
        code, result = installation.manage("resume_run", run, *options)
        if code == 0 or result.get("error", {}).get("code") != "run.active":
            return code, result
        assert time.monotonic() < deadline, result
        time.sleep(0.5)


def tables(installation, *runs):
    """The reports of the runs, without their ids."""
    code, result = installation.manage("report", *runs)
    assert code == 0, result
    reports = result["runs"] if len(runs) > 1 else [result]
    return [{name: value for name, value in one.items() if name != "run"} for one in reports]


def test_three_kills_change_no_table_and_cost_no_more_than_was_in_flight(installation, stub):
    samples = ITEMS * 30
    code, whole = installation.manage(*FRESH, 30)
    assert (code, whole["samples"], whole["calls"]) == (0, samples, samples)
    stub.reset()
    seed = random.randrange(2**32)
    print(f"the moments are those of seed {seed}")
    moments = random.Random(seed)

    _, queued = installation.manage(*FRESH, 30, "--no-wait")
    run = queued["run"]
    for kill in range(3):
        worker = installation.start("worker")
        working(stub, moments.randrange(1, 140))
        time.sleep(moments.random() / 20)
        worker.kill()
        code, result = resume(installation, run, *([] if kill == 2 else ["--no-wait"]))
        assert code == 0, result

    assert (result["status"], result["samples"]) == ("finished", samples)
    interrupted, uninterrupted = tables(installation, run, whole["run"])
    assert interrupted == uninterrupted
    assert sum(interrupted["outcomes"].values()) == samples
    stats = stub.stats()
    assert stats["repeated_prompts"] <= 3 * IN_FLIGHT
    assert stats["requests"] <= samples + 3 * IN_FLIGHT  # one cut off in the kill may go unread
    assert stats["max_in_flight"] <= 2 * IN_FLIGHT  # a dead worker's requests are still served


def test_a_run_that_a_living_worker_has_is_not_resumed(installation, stub):
    installation.manage(*FRESH, 90, "--no-wait")  # long enough to be asked about meanwhile
    installation.start("worker")
    working(stub)
    code, result = installation.manage("resume_run", 1)
    assert (code, result["error"]["code"]) == (1, "run.active")
    assert result["error"]["data"] == {"run": 1}


def test_another_worker_finishes_the_run_of_a_killed_one_unasked(installation, stub, started):
    worker = installation.start("worker")
    working(stub)
    worker.kill()
    installation.start("worker")
    until(lambda: _status(installation, started) == "finished", 40, every=0.2)
    assert tables(installation, started)[0]["answered"] == SAMPLES
    assert stub.requests() <= SAMPLES + IN_FLIGHT


def test_a_worker_told_to_stop_keeps_its_last_replies_and_hands_the_run_on(
    installation, stub, started
):
    worker = installation.start("worker")
    working(stub)
    worker.popen.send_signal(signal.SIGTERM)
    assert worker.end(10) == 0
    assert _status(installation, started) == "running"
    code, result = installation.manage("resume_run", started)  # at once, with no time-out to wait
    assert (code, result["samples"]) == (0, SAMPLES)
    assert (stub.requests(), stub.stats()["repeated_prompts"]) == (SAMPLES, 0)


def test_a_killed_command_takes_its_worker_along_and_leaves_a_run_to_resume(installation, stub):
    command = installation.start(*FRESH, 15)
    working(stub)
    (worker,) = children(command.pid)
    command.kill()
    until(lambda: not runs(worker), 5)
    sent = stub.requests()
    assert sent < SAMPLES
    code, result = resume(installation, 1)
    assert (code, result["status"], result["samples"]) == (0, "finished", SAMPLES)
    assert stub.requests() <= SAMPLES + IN_FLIGHT


def test_a_command_whose_worker_is_killed_starts_another(installation, stub):
    command = installation.start(*FRESH, 15, "--json")
    working(stub)
    (worker,) = children(command.pid)
    os.kill(worker, signal.SIGKILL)
    assert command.end(60) == 0, command.err.read_text()
    assert len(command.lines()) == 1
    assert f'"samples": {SAMPLES}' in command.lines()[0]


def test_a_command_that_relies_on_a_worker_does_not_wait_for_ever_when_that_is_killed(
    installation, stub
):
    worker = installation.start("worker")
    until(lambda: installation.manage("worker", "--alive")[0] == 0)
    command = installation.start(*FRESH, 15)
    working(stub)
    assert children(command.pid) == []
    worker.kill()
    assert command.end(60) == 0, command.err.read_text()


def _status(installation, run):
    _, result = installation.manage("list_runs")
    return next(row["status"] for row in result["runs"] if row["run"] == run)
