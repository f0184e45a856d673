"""Error bodies of many dialects: none of them is ever an answer (case 40)."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import storable
from inference.responses import LONGEST_REMARK, Fault, Reply, read, retry_after

SENT = {"model", "messages", "temperature", "max_tokens", "seed"}


def meaning(status, document, sent=SENT):
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return read(status, body, sent)[0]


def completion(content, finish="stop", **message):
    return {"choices": [{"message": {"content": content, **message}, "finish_reason": finish}]}


@pytest.mark.parametrize(
    ("status", "document", "code"),
    [
        (200, {"error": {"message": "overloaded"}}, "endpoint.unavailable"),
        (200, {"error": "model is loading"}, "endpoint.unavailable"),
        (200, {"error": {"code": 429, "message": "slow down"}}, "endpoint.rate_limited"),
        (200, {"error": {"code": 402, "message": "pay"}}, "endpoint.quota_exhausted"),
        (200, {"choices": []}, "endpoint.unreadable"),
        (200, {"choices": [{}]}, "endpoint.unreadable"),
        (200, {"choices": [{"message": "B"}]}, "endpoint.unreadable"),
        (200, {"choices": [{"message": {"content": 7}}]}, "endpoint.unreadable"),
        (500, b'{"error": ' + b"[" * 900 + b"]" * 900 + b"}", "endpoint.unavailable"),
        (500, b"[" * 100_000, "endpoint.unavailable"),
        (200, {}, "endpoint.unreadable"),
        (200, [], "endpoint.unreadable"),
        (200, b"", "endpoint.unreadable"),
        (200, b'"B"', "endpoint.unreadable"),
        (200, b"B", "endpoint.unreadable"),
        (200, b'{"choices": [{"mess', "endpoint.unreadable"),
        (200, b"\xff\xfe", "endpoint.unreadable"),
        (200, b" <html>B</html>", "endpoint.not_an_api"),
        (500, completion("B"), "endpoint.unavailable"),
        (301, b"", "endpoint.not_an_api"),
        (405, {"detail": "Method Not Allowed"}, "endpoint.not_an_api"),
        (404, b"<h1>Not Found</h1>", "endpoint.not_an_api"),
        (404, {"detail": "Not Found"}, "endpoint.not_an_api"),
        (404, {"error": {"message": "model 'x' not found"}}, "endpoint.model_unknown"),
        (400, {"error": {"code": "model_not_found", "message": "?"}}, "endpoint.model_unknown"),
        (401, {"error": {"message": "bad key"}}, "endpoint.key_refused"),
        (403, b"<h1>Forbidden</h1>", "endpoint.key_refused"),
        (402, {"error": {"message": "no balance"}}, "endpoint.quota_exhausted"),
        (429, {"error": {"code": "insufficient_quota"}}, "endpoint.quota_exhausted"),
        (429, {"error": {"type": "insufficient_quota"}}, "endpoint.quota_exhausted"),
        (429, [{"error": {"message": "Resource exhausted"}}], "endpoint.rate_limited"),
        (503, b"<h1>Bad gateway</h1>", "endpoint.unavailable"),
        (529, {"error": {"type": "overloaded_error"}}, "endpoint.unavailable"),
        (408, b"", "endpoint.unavailable"),
        (413, b"", "endpoint.request_refused"),
    ],
)
def test_a_body_without_a_reply_is_a_fault(status, document, code):
    found = meaning(status, document)
    assert isinstance(found, Fault)
    assert found.code == code


@pytest.mark.parametrize(
    ("document", "parameter"),
    [
        ({"error": {"param": "temperature", "message": "Unsupported value"}}, "temperature"),
        ({"error": {"message": "Unsupported parameter: 'max_tokens'"}}, "max_tokens"),
        ({"error": {"param": "seed.sk-\ud800", "message": "no"}}, "seed"),
        ({"error": {"param": "seed[0]", "message": "no"}}, "seed"),
        ({"detail": [{"loc": ["body", "seed"], "msg": "must be below 10"}]}, "seed"),
        ({"message": "temperature must be 1 for this model"}, "temperature"),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_refused_parameter_pauses_and_is_named(status, document, parameter):
    found = meaning(status, document)
    assert found == Fault("endpoint.parameter_refused", found.said, parameter=parameter)
    assert found.pauses
    assert not found.retry


@pytest.mark.parametrize(
    "error",
    [
        {"code": "context_length_exceeded", "param": "messages", "message": "too long"},
        {"message": "max_tokens is too large: the maximum context length is 4096 tokens"},
        {"param": "messages[0].content", "message": "must not be empty"},
        {"message": "presence_penalty is odd"},  # not a parameter we sent
    ],
)
def test_what_is_wrong_with_one_request_fails_that_sample_only(error):
    found = meaning(400, {"error": error})
    assert found.code == "endpoint.request_refused"
    assert not found.pauses
    assert not found.retry


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "content_filter", "message": "filtered"}),
        (400, {"message": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}),
        (403, {"message": "Your input was flagged", "metadata": {"reasons": ["x"]}}),
    ],
)
def test_a_content_filter_is_a_refusal_of_the_model(status, error):
    found = meaning(status, {"error": error})
    assert isinstance(found, Reply)
    assert (found.text, found.finish, found.refusal) == ("", "content_filter", True)


def test_only_the_content_is_the_reply():
    assert meaning(200, completion("B", reasoning_content="C")).text == "B"
    assert meaning(200, completion(None, reasoning_content="C")).text == ""
    assert meaning(200, completion([{"type": "text", "text": "B"}])).text == "B"
    assert meaning(200, completion([{"type": "thinking", "text": "C"}])).text == ""


def test_a_declared_refusal_keeps_its_words():
    found = meaning(200, completion(None, refusal="I will not."))
    assert (found.text, found.refusal) == ("I will not.", True)


def test_characters_no_database_holds_are_replaced_and_flagged():
    found = meaning(200, b'{"choices": [{"message": {"content": "a\\u0000b\\ud800"}}]}')
    assert found == Reply("a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}", "", altered=True)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1", 1),
        ("130", 130),
        ("0.5", 0.5),
        ("Thu, 01 Jan 2026 00:02:00 GMT", 120),
        ("Wed, 31 Dec 2025 23:00:00 GMT", 0),
        ("soon", None),
        ("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", None),
        ("Mon, 01 Jan 2026 00:00:00 +99999999999999999999", None),
        ("-5", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value, seconds):
    assert retry_after({"retry-after": value}, datetime(2026, 1, 1, tzinfo=UTC)) == seconds


# --- Whatever comes back --------------------------------------------------------------------------

WORDS = st.text(st.characters(), max_size=12) | st.sampled_from(
    ["seed", "temperature.x", "model", "text", "content_filter", "insufficient_quota", "\ud800\0"]
)
NAMES = st.sampled_from(
    [
        "error",
        "detail",
        "message",
        "msg",
        "code",
        "type",
        "param",
        "loc",
        "innererror",
        "metadata",
        "choices",
        "content",
        "refusal",
        "finish_reason",
        "text",
        "usage",
        "prompt_tokens",
        "completion_tokens",
    ]
)
NUMBERS = st.integers() | st.floats() | st.sampled_from([400, 402, 429, 10**400])
ANYTHING = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS | st.text(min_size=20, max_size=900),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | WORDS, inner, max_size=4),
    max_leaves=12,
)
CHOICES = st.fixed_dictionaries(
    {
        "choices": st.lists(
            st.fixed_dictionaries(
                {
                    "message": st.fixed_dictionaries({"content": ANYTHING, "refusal": ANYTHING}),
                    "finish_reason": ANYTHING,
                }
            ),
            min_size=1,
        ),
        "usage": ANYTHING,
    }
)
PARTS = st.lists(st.fixed_dictionaries({"type": ANYTHING | st.just("text"), "text": ANYTHING}))
COMPLETIONS = PARTS.map(lambda parts: completion(parts, "x" * 40))
ERRORS = st.fixed_dictionaries(
    {"error": st.dictionaries(NAMES, ANYTHING, max_size=5) | st.lists(ANYTHING) | WORDS}
)
DOCUMENTS = ANYTHING | CHOICES | COMPLETIONS | ERRORS
BODIES = st.binary() | DOCUMENTS.map(lambda document: json.dumps(document).encode())
STATUSES = st.integers(0, 999) | st.sampled_from([200, 400, 401, 403, 404, 422, 429, 500])


@given(status=STATUSES, body=BODIES)
def test_every_response_has_a_meaning_that_can_be_stored(status, body):
    found, usage = read(status, body, SENT)
    if isinstance(found, Reply):
        texts = [found.text, found.finish, found.said]
        assert len(found.finish) <= 30
    else:
        texts = [found.said, found.parameter]
        assert found.parameter in SENT | {""}
    assert all(storable(text) == (text, False) for text in texts)
    assert len(found.said) <= LONGEST_REMARK
    if usage:
        assert 0 <= usage.input_tokens < 2**31
        assert 0 <= usage.output_tokens < 2**31


DATES = st.builds(
    "{}, {} {} {} {}:{}:{} {}".format,
    st.sampled_from(["Mon", "x"]),
    st.integers(-1, 10**20),
    st.sampled_from(["Jan", "Dec", "x"]),
    st.integers(-1, 10**20),
    *[st.integers(-1, 99)] * 3,
    st.sampled_from(["GMT", "+2359", "-9999", "+99999999999999999999", ""]),
)


@given(st.text() | st.from_regex(r"[0-9]{0,12}(\.[0-9]*)?") | DATES)
def test_every_retry_after_is_a_time_to_wait_or_none(value):
    seconds = retry_after({"retry-after": value}, datetime(2026, 1, 1, tzinfo=UTC))
    assert seconds is None or 0 <= seconds < float("inf")
