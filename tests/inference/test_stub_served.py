"""The stub over HTTP and as a command."""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.inference.by_hand import body

ROOT = Path(__file__).resolve().parents[2]


def get(url):
    with urllib.request.urlopen(url) as response:
        return json.load(response)


def post(url, document):
    request = urllib.request.Request(
        f"{url}/chat/completions",
        json.dumps(document).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        return response.headers, json.load(response)


def refused(url, document):
    """The status and the error with which a request is refused."""
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(url, document)
    with caught.value as response:
        return response.code, json.load(response)["error"]


def texts_of(document):
    return [choice["message"]["content"] for choice in document["choices"]]


@pytest.mark.parametrize(
    ("n", "choices", "different"),
    [("honour", 5, True), ("ignore", 1, True), ("cap:3", 3, True), ("copy", 5, False)],
)
def test_n_is_treated_as_asked(n, choices, different, stub):
    with stub({"n": n, "short": {"distinct": 100_000}}) as (url, served):
        texts = texts_of(post(url, body("Why?", n=5))[1])
        assert len(texts) == choices
        assert len(set(texts)) == (choices if different else 1)
        again = texts_of(post(url, body("Why?", n=5))[1])
        assert not set(texts) & set(again)
        assert (served.stats()["requests"], served.stats()["choices"]) == (2, 2 * choices)


@pytest.mark.parametrize(
    ("n", "most", "code", "message"),
    [
        ("refuse", 1, "unsupported_parameter", "Unsupported parameter: 'n'"),
        ("refuse:1", 1, "unsupported_parameter", "Unsupported parameter: 'n'"),
        ("refuse:4", 4, "integer_above_max_value", "Expected a value <= 4, but got 5 instead."),
    ],
)
def test_too_high_an_n_is_refused_by_name(n, most, code, message, stub):
    with stub({"n": n}) as (url, served):
        assert len(post(url, body("Why?", n=most))[1]["choices"]) == most
        assert len(post(url, body("Why?"))[1]["choices"]) == 1
        status, error = refused(url, body("Why?", n=5))
        assert (status, error["param"], error["code"]) == (400, "n", code)
        assert message in error["message"]
        assert served.stats()["statuses"] == {"200": 2, "400": 1}
        assert served.stats()["by_n"]["5"] == 1


@pytest.mark.parametrize("n", [0, -1, "3", 1.5, True], ids=str)
def test_an_n_that_is_no_number_of_choices_is_refused(n, stub):
    with stub() as (url, served):
        status, error = refused(url, body("Why?", n=n))
        assert (status, error["param"]) == (400, "n")
        assert served.stats()["by_n"] == {}


def test_tokens_and_verdicts_are_counted(stub):
    judged = "Label it CORRECT, PARTIALLY_CORRECT or INCORRECT."
    with stub() as (url, served):
        usages = [
            post(url, asked)[1]["usage"]
            for asked in (body("Why?", n=3), body("Who?"), body(judged), body(judged))
        ]
        stats = served.stats()
    assert stats["tokens_in"] == sum(usage["prompt_tokens"] for usage in usages) > 0
    assert stats["tokens_out"] == sum(usage["completion_tokens"] for usage in usages) > 0
    assert stats["judged"] == 2
    assert stats["by_n"] == {"1": 3, "3": 1}


@contextmanager
def commanded(*options):
    """The command in a process of its own, which is stopped at the end whatever happens."""
    with subprocess.Popen(
        [sys.executable, "manage.py", "stub_llm", "--port", "0", *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def test_the_command_serves_counts_and_resets_without_a_database(tmp_path):
    file = tmp_path / "behaviour.json"
    file.write_text(json.dumps({"n": "cap:4", "models": ["small"]}))
    with commanded("--behaviour", str(file)) as process:
        ready = process.stdout.readline().split()
        assert ready[0] == "Ready:"
        url = ready[1]
        assert url.endswith("/v1")
        headers, document = post(url, body("Why?", n=9))
        assert headers["x-commonplace-simulated"] == "1"
        assert len(document["choices"]) == 4
        total = document["usage"]["total_tokens"]
        assert total > 0
        total += post(url, body("Why?"))[1]["usage"]["total_tokens"]
        assert get(f"{url}/models")["data"][0]["id"] == "small"
        root = url.removesuffix("/v1")
        stats = get(f"{root}/stats")
        assert stats.pop("tokens_in") + stats.pop("tokens_out") == total
        assert stats == {
            "requests": 2,
            "by_n": {"1": 1, "9": 1},
            "choices": 5,
            "judged": 0,
            "in_flight": 0,
            "max_in_flight": 1,
            "repeated_prompts": 1,
            "statuses": {"200": 2},
        }
        reset = get(f"{root}/reset")
        assert (reset["requests"], reset["by_n"], reset["tokens_in"]) == (0, {}, 0)


def test_as_json_it_says_where_it_listens_in_one_object_at_once():
    with commanded("--json") as process:
        url = json.loads(process.stdout.readline())["url"]
        assert process.stderr.readline().strip() == f"Ready: {url}"
        assert get(f"{url}/models")["data"]
        process.terminate()
        assert process.stdout.read() == ""


def test_a_request_on_its_way_at_a_reset_counts_nowhere_after_it(stub):
    with stub(latency_ms=400) as (url, served), ThreadPoolExecutor(1) as pool:
        late = pool.submit(post, url, body("Why?"))
        while not served.stats()["in_flight"]:
            time.sleep(0.01)
        served.reset()
        late.result()
        post(url, body("Why?"))
        stats = served.stats()
        assert (stats["requests"], stats["repeated_prompts"], stats["in_flight"]) == (1, 0, 0)


def test_a_fail_rate_of_one_answers_429_and_500_only(stub, make_target, question, ask_all):
    with stub(fail_rate=1.0) as (url, served):
        ask_all(make_target(url), [question(url, f"Q{n}") for n in range(10)])
        assert set(served.stats()["statuses"]) == {"429", "500"}


def test_a_port_that_is_taken_is_refused_in_a_sentence(stub):
    with stub() as (url, _):
        port = url.split(":")[2].removesuffix("/v1")
        done = subprocess.run(
            [sys.executable, "manage.py", "stub_llm", "--port", port, "--json"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "stub.port_taken"
