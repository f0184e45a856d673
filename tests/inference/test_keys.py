"""The key of an endpoint is sent to it and appears nowhere else."""

import json
import logging

import pytest

from core.errors import CommonplaceError
from inference.client import Session
from tests.inference.by_hand import canned, error

SECRET = "sk-very-secret-0123456789"
IN_PARTS = [{"type": "text", "text": SECRET[:5]}, {"type": "text", "text": SECRET[5:]}]


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("STUB_KEY", SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    return SECRET


def test_the_key_of_the_environment_is_sent(key, stub, make_target, question, ask_all):
    with stub({"key": SECRET}) as (url, _):
        [one] = ask_all(make_target(url, key_variable="STUB_KEY"), [question(url)])
    assert one.error is None


def test_an_endpoint_without_a_key_is_sent_none(key, stub, make_target, question, ask_all):
    with stub({"key": "anything"}) as (url, _):
        [one] = ask_all(make_target(url), [question(url)])
    assert one.error.code == "endpoint.key_refused"
    assert one.error.data["said"] == "Incorrect API key provided: "


@pytest.mark.parametrize("value", [None, "", "  ", "schlüssel", "two\nlines"])
def test_a_missing_key_is_an_error_that_names_the_variable(value, make_target, monkeypatch):
    monkeypatch.delenv("STUB_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("STUB_KEY", value)
    with pytest.raises(CommonplaceError) as caught:
        Session(make_target("http://127.0.0.1:1/v1", key_variable="STUB_KEY"))
    assert caught.value.code == "endpoint.key_missing"
    assert caught.value.data["variable"] == "STUB_KEY"


@pytest.mark.parametrize(
    "document",
    [
        {"key": "another key"},  # the stub repeats the key it was given, as real endpoints do
        canned(400, error(f"bad {SECRET}", param="temperature")),
        canned(400, error(f"{'x' * 590}{SECRET}")),  # cut in the middle of the key
        canned(500, f"not JSON {SECRET}"),
        canned(200, {"choices": [{"message": {"content": f"key {SECRET}"}}]}),
        canned(200, {"choices": [{"message": {"content": IN_PARTS}}]}),
    ],
)
def test_the_key_appears_nowhere(key, document, stub, make_target, question, ask_all, caplog):
    caplog.set_level(logging.DEBUG)
    with stub(document) as (url, _):
        [one] = ask_all(make_target(url, key_variable="STUB_KEY"), [question(url)])
    everything = f"{one!r} {one.error} {one.error and one.error.as_dict()} {caplog.text}"
    assert "sk-very" not in everything
    assert one.text or "[key]" in str(one.exchanges[-1].error) or "…" in str(one.error)


def completion(content=SECRET, **message):
    return {
        "id": SECRET,
        "model": SECRET,
        SECRET: SECRET,
        "choices": [
            {"message": {"content": content, **message}, "finish_reason": f"stop by {SECRET}"}
        ],
        "usage": {"prompt_tokens": SECRET, SECRET: SECRET},
    }


COMPLAINT = dict.fromkeys(
    ["message", "param", "code", "type", "innererror", SECRET], f"seed.{SECRET}"
)


@pytest.mark.parametrize("status", [200, 400, 403, 404, 422, 429, 500])
@pytest.mark.parametrize(
    "body",
    [
        completion(),
        completion(None, refusal=SECRET),
        {"error": COMPLAINT},
        {"error": COMPLAINT | {"message": "content_filter", "param": None}},
        {"error": {SECRET: [SECRET]}},
        {"error": [SECRET]},
        {"detail": [{"loc": ["body", f"seed.{SECRET}"], "msg": SECRET}]},
        # Escaped as a JSON library may, and cut within the key by any limit on length
        json.dumps({"error": COMPLAINT}).replace("sk-very", r"sk\u002dvery"),
        *({"error": {"message": "x" * length + SECRET}} for length in range(580, 600, 5)),
        *("x" * length + SECRET for length in range(1980, 2000, 5)),
    ],
    ids=lambda body: str(body)[:40],
)
def test_a_key_echoed_in_every_field_is_found_in_none(
    body, status, key, stub, make_target, question, ask_all, caplog, settings
):
    settings.RETRY_ATTEMPTS = 1
    caplog.set_level(logging.DEBUG)
    headers = {"Retry-After": SECRET, "X-Request-Id": SECRET}
    with stub(canned(status, body, **headers)) as (url, _):
        [one] = ask_all(make_target(url, key_variable="STUB_KEY"), [question(url, seed=1)])
    said = str(one.error and one.error.as_dict())
    assert SECRET[:7] not in f"{one!r} {one.exchanges!r} {one.error} {said} {caplog.text}"
    if one.error:
        assert one.error.data.get("parameter", "seed") == "seed"


@pytest.mark.parametrize("status", [200, 400, 429, 500])
@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": {}, "code": ["x"], "type": {"x": 1}, "param": ["seed"]}},
        {"choices": [{"message": {"content": [{"type": ["x"], "text": "B"}]}}]},
        '{"error": {"param": "seed.\\ud800", "message": "\\ud800"}}',
        *(
            '{"code": ' + "[" * depth + "]" * depth + "}"
            for depth in (300, *range(850, 1000, 10), 5000)
        ),
    ],
    ids=lambda body: str(body)[:40],
)
def test_no_body_stops_a_run(body, status, stub, make_target, question, ask_all, settings):
    settings.RETRY_ATTEMPTS = 1
    after = "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"
    with stub(canned(status, body, **{"Retry-After": after})) as (url, _):
        [one] = ask_all(make_target(url), [question(url, seed=1)])
    assert one.error or one.text == ""
    repr(one).encode()
