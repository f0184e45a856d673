"""`simulate` against an installation that is really served, and what it refuses."""

import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from console.simulating.line import Act, Line
from console.simulating.tally import Stored, Tally
from perf.installation import COUNTRY, QUESTION, Installation
from perf.survey import free_port

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.one_database


class Served(Installation):
    def simulate(self, *options, url=None):
        """Exit, the one object, and what was said beside it."""
        order = [sys.executable, "manage.py", "simulate", "--url", url or self.origin]
        done = subprocess.run(
            [*order, *map(str, options), "--json"],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.stdout.count("\n") == 1, done.stdout + done.stderr
        return done.returncode, json.loads(done.stdout), done.stderr


@contextmanager
def _served(folder):
    ours = {"DATABASE_URL": "", "REDIS_URL": "", "WEB_PROCESSES": "1"}
    here = {"COMMONPLACE_HASHED_STATIC": "0", "COMMONPLACE_TIME_SCALE": "1"}
    installation = Served(folder, free_port(), env=ours | here)
    del installation.env["DJANGO_SETTINGS_MODULE"]  # of the tests
    installation.start()
    try:
        yield installation
    finally:
        installation.stop()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with _served(tmp_path_factory.mktemp("served")) as installation:
        yield installation


def test_people_answer_and_play_to_their_codes_though_some_lose_their_connection(served):
    code, result, said = served.simulate(
        *("--participants", 3, "--pairs", 2, "--drop", 0.5, "--seconds", 30)
    )
    assert code == 0, said
    assert set(result) == {"sent", "acknowledged", "lost", "latency_ms"}
    assert result["lost"] == 0
    assert 60 < result["acknowledged"] <= result["sent"]
    times = result["latency_ms"]
    assert 0 < times["p50"] <= times["p95"] <= times["p99"]
    assert "7 of 7 have their completion code." in said


def test_who_asks_again_is_met_by_the_same_study_and_further_people(served):
    for _time in range(2):
        code, result, said = served.simulate("--participants", 1, "--pairs", 0, "--seconds", 5)
        assert (code, result["lost"]) == (0, 0), said
        assert result["sent"] == result["acknowledged"] == 8  # six answers and two forms
        assert "1 of 1 have their completion code." in said


@pytest.mark.parametrize(
    "numbers",
    [
        ("--participants", 0, "--pairs", 0),
        ("--participants", -1, "--pairs", 2),
        ("--participants", 0, "--pairs", 2501),
        ("--participants", 1, "--pairs", 0, "--drop", 1.5),
        ("--participants", 1, "--pairs", 0, "--seconds", 0),
    ],
)
def test_numbers_nobody_can_mean_are_refused(served, numbers):
    code, result, _said = served.simulate(*numbers)
    assert (code, result["error"]["code"]) == (1, "simulate.numbers")


def test_where_nothing_is_served_nothing_is_made(served):
    nowhere = f"http://127.0.0.1:{free_port()}"
    for url in (nowhere, "nonsense"):
        code, result, _said = served.simulate("--participants", 1, "--pairs", 0, url=url)
        assert (code, result["error"]["code"]) == (1, "simulate.no_server")


def test_another_installation_than_the_one_that_is_served_is_refused(served, tmp_path):
    with _served(tmp_path / "another") as another:
        code, result, _said = another.simulate("--participants", 1, "--pairs", 0, url=served.origin)
    assert (code, result["error"]["code"]) == (1, "simulate.other_installation")


def test_a_study_of_real_people_is_left_alone(tmp_path):
    with _served(tmp_path / "real") as installation:
        text = COUNTRY.format(slug="simulated_crowd", people=5, per_form=1)
        (tmp_path / "real.yaml").write_text(text + QUESTION.format(number=1))
        installation.manage("load_study", tmp_path / "real.yaml")
        code, result, _said = installation.simulate("--participants", 1, "--pairs", 0)
    assert (code, result["error"]["code"]) == (1, "simulate.not_simulated")


# --- what counts as lost --------------------------------------------------------------------------


def sitting(act):
    """Two lines of which the first has done something, and what is stored of it."""
    one, other = Line(None, "one"), Line(None, "other")
    one.acts.append(act)
    tally = Tally(lines={"one": one, "other": other})
    stored = Stored(
        {"one": {act.nonce}}, {}, {"one": "other", "other": "one"}, "Next to zqabcdefgh"
    )
    return tally, stored, other


def clue():
    fields = {"do": "clue", "text": "Next to zqabcdefgh it is"}
    return Act(fields, "n1", due=1, sent=1, acked=1.25, version=5)


def test_an_acknowledged_act_that_is_nowhere_stored_is_lost():
    tally, stored, other = sitting(clue())
    other.read["zqabcdefgh"] = 1.3
    assert tally.result(stored)["lost"] == 0
    assert tally.result(Stored({}, {}, stored.partners, stored.said))["lost"] == 1


def test_a_stored_clue_that_the_partner_never_read_is_lost():
    tally, stored, other = sitting(clue())
    assert tally.result(stored) == {
        "sent": 1,
        "acknowledged": 1,
        "lost": 1,
        "latency_ms": {"p50": 250.0, "p95": 250.0, "p99": 250.0},
    }
    other.gone = "/p/other/"
    assert tally.result(stored)["lost"] == 0


def test_an_acknowledged_answer_that_is_stored_otherwise_is_lost():
    tally = Tally(sent=1)
    tally.kept("one", {"q1": "mint tea"}, 0.1)
    assert tally.result(Stored({}, {"one": {"q1": "mint tea"}}, {}, ""))["lost"] == 0
    assert tally.result(Stored({}, {"one": {"q1": ""}}, {}, ""))["lost"] == 1


def test_where_nothing_was_acknowledged_there_is_no_latency():
    assert Tally().result(Stored({}, {}, {}, ""))["latency_ms"] == dict.fromkeys(
        ("p50", "p95", "p99")
    )
