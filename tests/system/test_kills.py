"""Whatever is killed while a benchmark runs, the run ends as if nothing had happened.

Moments drawn anew each time (the seed is printed), twenty where three workers share a run and
twelve where there is one, over generating and judging.
"""

import contextlib
import json
import os
import random
import signal
import sqlite3
import time

import psycopg
import pytest

from tests.system.conftest import (
    EMBEDDED,
    IN_FLIGHT,
    TIMEOUT,
    Installation,
    Stub,
    _env,
    children,
    free_port,
    runs,
    until,
)

RUN = ("run_benchmark", "ra_mcq", "--release", "indica", "--model", "stub/one")
FRESH = (*RUN, "--no-cache", "--seed", 7, "--samples")
ITEMS = 17
SAMPLES = ITEMS * 15
EACH = 3  # requests one worker has in flight where several share a run
SIZE = 1 if EMBEDDED else 3  # workers; beside SQLite there is one
AT_ONCE = 4  # replies the capped endpoint brings in one request


@pytest.fixture
def started(installation):
    """The id of a run that is queued, with nobody there to do it."""
    code, result = installation.manage(*FRESH, 15, "--no-wait")
    assert (code, result["status"]) == (0, "queued")
    return result["run"]


@pytest.fixture
def moments():
    seed = random.randrange(2**32)
    print(f"the moments are those of seed {seed}")
    return random.Random(seed)


@pytest.fixture
def capped(tmp_path):
    """A stub that brings a few replies at once, and judges."""
    folder = tmp_path / "capped"
    folder.mkdir()
    behaviour = folder / "behaviour.json"
    behaviour.write_text(json.dumps({"n": f"cap:{AT_ONCE}", "short": {"distinct": 12}}))
    server = Installation(folder, _env(folder))
    process = server.start("stub_llm", "--port", 0, "--latency-ms", 50, "--behaviour", behaviour)
    yield Stub(process.ready().removeprefix("Ready: "))
    server.stop()


def working(stub, more=30):
    """Wait until `more` requests have come in."""
    wanted = stub.requests() + more
    until(lambda: stub.requests() >= wanted, every=0.03)


def resume(installation, run, *options):
    """Resume once the run counts as dead; until then it is refused as active."""
    died = time.monotonic()
    while True:
        code, result = installation.manage("resume_run", run, *options)
        if code == 0 or result.get("error", {}).get("code") != "run.active":
            return code, result
        assert time.monotonic() < died + 10 * TIMEOUT, result
        time.sleep(max(0.2, died + TIMEOUT - time.monotonic()))


def tables(installation, *runs):
    """The reports of the runs, without their ids."""
    code, result = installation.manage("report", *runs)
    assert code == 0, result
    reports = result["runs"] if len(runs) > 1 else [result]
    return [{name: value for name, value in one.items() if name != "run"} for one in reports]


def rows(installation, sql):
    """What a query of the installation's database brings."""
    if EMBEDDED:
        path = installation.folder / "commonplace.sqlite3"
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            return database.execute(sql).fetchall()
    with psycopg.connect(installation.env["DATABASE_URL"]) as database:
        return database.execute(sql).fetchall()


def status(installation, run):
    return rows(installation, f"SELECT status FROM evaluation_run WHERE id = {run}")[0][0]


def nothing_is_held(installation):
    leases = "SELECT count(*), coalesce(sum(reserved), 0) FROM inference_lease"
    budgets = "SELECT coalesce(sum(reserved), 0) FROM inference_budget"
    return (rows(installation, leases), rows(installation, budgets)) == ([(0, 0)], [(0,)])


class Crew:
    """Workers that share a run, and die."""

    def __init__(self, installation):
        self.installation = installation
        self.workers = []
        self.kills = 0
        self.in_the_middle = 0  # of the kills, those that found the run going
        self.hire()

    def hire(self):
        while len(self.workers) < SIZE:
            one = self.installation.start("worker", COMMONPLACE_WORKER_IN_FLIGHT=str(EACH))
            self.workers.append(one)

    def lose(self, moments, run):
        self.in_the_middle += going(self.installation, run)
        self.workers.pop(moments.randrange(len(self.workers))).kill()
        self.kills += 1


def going(installation, run):
    return status(installation, run) in ("queued", "running")


def until_asked(installation, stub, run, more):
    """Wait until `more` requests have come in, or the run has ended."""
    wanted = stub.requests() + more
    until(lambda: stub.requests() >= wanted or not going(installation, run), every=0.03)


def crew_with_kills(installation, stub, run, moments, singly):
    """Workers die one after the other until nobody is left and the run is resumed, twice; then
    `singly` many, each of whom is replaced. Returns how many died."""
    crew = Crew(installation)
    for left in (*2 * [*reversed(range(SIZE))], *[None] * singly):
        until_asked(installation, stub, run, moments.randrange(1, 40))
        time.sleep(moments.random() / 20)
        crew.lose(moments, run)
        if left is None:
            crew.hire()
        elif not left and going(installation, run):
            resume_and_hire(installation, stub, run, crew)
    until(lambda: not going(installation, run))
    assert status(installation, run) == "finished"
    assert stub.stats()["max_in_flight"] <= IN_FLIGHT
    assert crew.in_the_middle > 1
    return crew.kills


def resume_and_hire(installation, stub, run, crew):
    """Resume with nobody there; the first request comes soon after the first worker."""
    code, result = resume(installation, run, "--no-wait")
    assert code == 0, result
    gone, before = workers(installation), stub.requests()
    crew.hire()
    until(lambda: workers(installation) - gone)
    ready = time.monotonic()
    until(lambda: stub.requests() > before or not going(installation, run))
    assert time.monotonic() - ready < 5


def workers(installation):
    return {name for (name,) in rows(installation, "SELECT name FROM core_worker")}


def without_costs(report):
    return report | {"calls": 0, "cost": 0}


def test_kills_change_no_table_and_cost_no_more_than_was_in_flight(installation, stub, moments):
    """Of one worker alone, also while it does a resumed run, then of workers that share it."""
    samples = ITEMS * 45
    code, whole = installation.manage(*FRESH, 45)
    assert (code, whole["samples"], whole["calls"]) == (0, samples, samples)
    stub.reset()

    _, queued = installation.manage(*FRESH, 45, "--no-wait")
    run = queued["run"]
    for _ in range(2):
        worker = installation.start("worker")
        working(stub, moments.randrange(1, 140))
        time.sleep(moments.random() / 20)
        worker.kill()
        code, result = resume(installation, run, "--no-wait")
        assert code == 0, result
    kills = crew_with_kills(installation, stub, run, moments, singly=1)

    interrupted, uninterrupted = tables(installation, run, whole["run"])
    assert without_costs(interrupted) == without_costs(uninterrupted)
    assert sum(interrupted["outcomes"].values()) == samples
    lost = 2 * IN_FLIGHT + kills * EACH
    assert stub.stats()["repeated_prompts"] <= lost
    assert stub.requests() <= samples + lost  # one cut off in the kill may go unread
    until(lambda: nothing_is_held(installation))


def test_kills_of_workers_that_share_a_judged_run_change_no_table(installation, capped, moments):
    """A second run of the same takes every reply and verdict from the cache: it is the
    uninterrupted one, since replies without a seed are never the same twice."""
    priced(installation, capped)
    order = ("run_benchmark", "rasa", "--release", "indica", "--model", "stub/one")
    order += ("--judge", "stub/judge", "--samples", 30, "--limit", 8)
    code, queued = installation.manage(*order, "--max-cost", 1000, "--no-wait")
    assert code == 0, queued
    run = queued["run"]
    kills = crew_with_kills(installation, capped, run, moments, singly=2)
    stats = capped.stats()
    code, again = installation.manage(*order)
    assert (code, again["calls"], capped.requests()) == (0, 0, stats["requests"])
    interrupted, uninterrupted = tables(installation, run, again["run"])
    assert without_costs(interrupted) == without_costs(uninterrupted)
    (needed,) = rows(
        installation,
        "SELECT (SELECT count(*) FROM evaluation_sample WHERE run_id = 1) + (SELECT count(*) FROM "
        "evaluation_verdict v JOIN evaluation_reply r ON r.id = v.reply_id WHERE r.run_id = 1)",
    )
    assert stats["choices"] <= needed[0] + 3 * 3 + kills * EACH * AT_ONCE  # 3: to try judge and n
    until(lambda: nothing_is_held(installation))


def priced(installation, stub):
    endpoint = {"base_url": stub.url, "max_in_flight": IN_FLIGHT, "key_variable": ""}
    endpoint |= {"price": {"input": 1, "output": 1}}
    installation.env["COMMONPLACE_ENDPOINTS"] = json.dumps({"stub": endpoint})


@pytest.mark.one_database
def test_a_server_killed_with_its_worker_goes_on_with_the_run_when_it_is_started_again(
    installation, stub, moments
):
    code, whole = installation.manage(*FRESH, 15)
    assert (code, whole["samples"]) == (0, SAMPLES)
    stub.reset()
    _, queued = installation.manage(*FRESH, 15, "--no-wait")
    run = queued["run"]
    for _ in range(2):
        server = installation.start("serve", "--port", free_port())
        until_asked(installation, stub, run, moments.randrange(5, 100))
        time.sleep(moments.random() / 20)
        server.kill()
    installation.start("serve", "--port", free_port())
    until(lambda: not going(installation, run))
    interrupted, uninterrupted = tables(installation, run, whole["run"])
    assert without_costs(interrupted) == without_costs(uninterrupted)
    assert sum(interrupted["outcomes"].values()) == SAMPLES
    assert stub.stats()["repeated_prompts"] <= 2 * IN_FLIGHT


def test_a_run_that_a_living_worker_has_is_not_resumed(installation, stub):
    installation.manage(*FRESH, 90, "--no-wait")  # long enough to be asked about meanwhile
    installation.start("worker")
    working(stub)
    code, result = installation.manage("resume_run", 1)
    assert (code, result["error"]["code"]) == (1, "run.active")
    assert result["error"]["data"] == {"run": 1}


def test_of_two_resumes_at_once_one_goes_on_and_the_other_is_refused(installation, stub, tmp_path):
    code, waiting = installation.manage(*FRESH, 15, "--batch", tmp_path / "out")
    assert (code, waiting["status"]) == (0, "paused")
    installation.env["COMMONPLACE_JOB_TICK"] = "5"  # the product's own: a worker takes its time
    both = [installation.start("resume_run", waiting["run"], "--json") for _ in range(2)]
    codes = [each.end() for each in both]
    results = [json.loads(each.lines()[0]) for each in both]
    assert sorted(codes) == [0, 1]
    assert results[codes.index(1)]["error"]["code"] == "run.active"
    done = results[codes.index(0)]
    assert (done["status"], done["samples"], done["calls"]) == ("finished", SAMPLES, SAMPLES)
    assert (stub.requests(), stub.stats()["repeated_prompts"]) == (SAMPLES, 0)
    distinct = "SELECT count(*), count(DISTINCT request_key) FROM evaluation_sample"
    assert rows(installation, distinct) == [(SAMPLES, SAMPLES)]


def test_a_worker_told_to_stop_keeps_its_last_replies_and_hands_the_run_on(
    installation, stub, started
):
    worker = installation.start("worker")
    working(stub)
    worker.popen.send_signal(signal.SIGTERM)
    assert worker.end() == 0
    assert status(installation, started) == "running"
    code, result = installation.manage("resume_run", started)  # at once, with no time-out to wait
    assert (code, result["samples"]) == (0, SAMPLES)
    assert (stub.requests(), stub.stats()["repeated_prompts"]) == (SAMPLES, 0)


def test_a_killed_command_takes_its_worker_along_and_leaves_a_run_to_resume(installation, stub):
    command = installation.start(*FRESH, 15)
    working(stub)
    (worker,) = children(command.pid)
    command.kill()
    until(lambda: not runs(worker))
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
    assert command.end() == 0, command.err.read_text()
    assert len(command.lines()) == 1
    assert f'"samples": {SAMPLES}' in command.lines()[0]


def test_a_command_that_relies_on_a_worker_does_not_wait_for_ever_when_that_is_killed(
    installation, stub
):
    installation.env["COMMONPLACE_JOB_TICK"] = "2"  # a worker shows itself in time, however slow
    worker = installation.start("worker")
    until(lambda: installation.manage("worker", "--alive")[0] == 0)
    command = installation.start(*FRESH, 15)
    working(stub)
    assert children(command.pid) == []
    worker.kill()
    assert command.end() == 0, command.err.read_text()
