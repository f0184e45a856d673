"""The client against a real stub over a real socket (cases 40, 42, 43, 44 and 47)."""

import os
import time
from datetime import timedelta
from email.utils import format_datetime

import pytest

from core.clock import now
from inference.client import Session
from inference.stub.behaviour import parse
from tests.inference.by_hand import canned, error


def texts(finished):
    return [one.text for one in finished]


def test_replies_come_with_their_cost_and_say_that_they_are_simulated(
    stub, make_target, question, ask_all
):
    with stub() as (url, served):
        [one] = ask_all(make_target(url), [question(url)])
    assert one.text in {"A", "B", "C"}
    assert (one.finish, one.refusal, one.error, one.pauses) == ("stop", False, None, False)
    assert one.simulated
    [exchange] = one.exchanges
    assert (exchange.status, exchange.error) == (200, None)
    # 12 tokens in at 0.15 and 1 out at 0.60 USD a million: 1.8 + 0.6 = 2.4 micro-USD
    assert (exchange.input_tokens, exchange.output_tokens, exchange.cost_micro) == (12, 1, 2)
    assert served.stats()["requests"] == 1


def test_the_cost_is_rounded_half_up_and_unknown_without_a_price(make_target):
    assert make_target("http://x").cost(10, 0) == 2  # 1.5
    assert make_target("http://x").cost(9, 0) == 1  # 1.35
    assert make_target("http://x", output_price=None).cost(10, 10) is None


@pytest.mark.parametrize("kind", ["malformed", "html", "server_error", "cut", "rate_limited"])
def test_a_response_that_is_no_reply_is_never_an_answer(kind, stub, make_target, question, ask_all):
    with stub({"shares": {kind: 1.0}}) as (url, served):
        [one] = ask_all(make_target(url), [question(url)])
    assert one.text is None
    assert one.pauses
    assert one.error.code in {
        "endpoint.unreadable",
        "endpoint.not_an_api",
        "endpoint.unavailable",
        "endpoint.rate_limited",
    }
    assert served.stats()["requests"] == len(one.exchanges) == 4
    assert all(exchange.error for exchange in one.exchanges)


def test_error_bodies_with_status_200_are_never_answers(stub, make_target, question, ask_all):
    with stub() as (url, served):
        for body in (error("B"), {"choices": []}, "B"):
            served.behaviour = parse(canned(200, body))
            [one] = ask_all(make_target(url), [question(url)])
            assert (one.text, one.pauses) == (None, True)


def test_every_fault_at_once_ends_each_request_with_a_text_or_a_coded_error(
    stub, make_target, question, ask_all, settings
):
    settings.REQUEST_TIMEOUT = 30
    shares = dict.fromkeys(["hang", "html", "cut", "malformed", "server_error"], 0.05)
    with stub({"shares": shares | {"rate_limited": 0.1}, "retry_after": "1"}) as (url, served):
        target = make_target(url, timeout=settings.REQUEST_TIMEOUT)
        requests = [question(url, f"Q{i}\nA. x\nB. y", seed=i) for i in range(200)]
        began = time.monotonic()
        finished = ask_all(target, requests)
        assert time.monotonic() - began < 15
        # A request sent into a connection that is just being cut never reaches the endpoint.
        assert served.stats()["requests"] <= sum(len(one.exchanges) for one in finished)
    assert all(
        one.text in {"A", "B"} if one.error is None else one.error.code.startswith("endpoint.")
        for one in finished
    )
    assert sum(one.error is None for one in finished) > 180


def test_a_mixture_of_faults_loses_no_request_and_invents_no_reply(
    stub, make_target, question, ask_all, settings
):
    settings.RETRY_ATTEMPTS = 12
    shares = dict.fromkeys(["malformed", "html", "server_error", "cut", "rate_limited"], 0.08)
    with stub() as (url, _):
        requests = [question(url, f"Q{i}\nA. x\nB. y", seed=i) for i in range(60)]
        calm = ask_all(make_target(url), requests)
    with stub({"shares": shares}) as (url, served):
        requests = [question(url, f"Q{i}\nA. x\nB. y", seed=i) for i in range(60)]
        rough = ask_all(make_target(url), requests)
    assert texts(rough) == texts(calm)
    assert all(one.error is None for one in rough)
    sent = [exchange for one in rough for exchange in one.exchanges]
    answered = [exchange for exchange in sent if exchange.status]
    # On a busy machine an exchange may time out before the endpoint has seen it.
    assert 60 <= len(answered) <= served.stats()["requests"] <= len(sent)
    assert len(sent) > 60


def test_an_endpoint_that_hangs_ends_in_a_time_out(stub, make_target, question, ask_all):
    with stub({"shares": {"hang": 1.0}}) as (url, served):
        [one] = ask_all(make_target(url, timeout=5.0), [question(url)])
    assert (one.error.code, one.pauses) == ("endpoint.unavailable", True)
    assert [exchange.status for exchange in one.exchanges] == [0] * 4
    assert served.stats()["in_flight"] == 0


def test_nobody_at_the_address_pauses_and_says_so(stub, make_target, question, ask_all):
    with stub() as (url, _):
        pass
    [one] = ask_all(make_target(url), [question(url)])
    assert (one.error.code, one.pauses, len(one.exchanges)) == ("endpoint.unavailable", True, 4)


@pytest.mark.parametrize("after", ["1", "", "date"])
def test_ten_percent_of_429_are_paced_and_nothing_is_lost(
    after, stub, make_target, question, ask_all, settings
):
    settings.RETRY_ATTEMPTS = 8
    if after == "date":
        after = format_datetime(now() + timedelta(seconds=3), usegmt=True)
    with stub({"shares": {"rate_limited": 0.1}, "retry_after": after}) as (url, served):
        requests = [question(url, f"Q{i}\nA. x\nB. y") for i in range(80)]
        finished = ask_all(make_target(url), requests)
    assert all(one.text in {"A", "B"} for one in finished)
    assert served.stats()["statuses"]["429"] > 0


@pytest.mark.parametrize(("after", "attempts"), [("1", 4), ("130", 4), ("", 4), ("301", 1)])
def test_nothing_but_429_pauses_with_the_reason(
    after, attempts, stub, make_target, question, ask_all, settings
):
    settings.TIME_SCALE = 500
    with stub({"shares": {"rate_limited": 1.0}, "retry_after": after}) as (url, _):
        began = time.monotonic()
        [one] = ask_all(make_target(url, timeout=900.0), [question(url)])
        took = 500 * (time.monotonic() - began)  # in seconds of the product
    assert (one.text, one.pauses, one.error.code) == (None, True, "endpoint.rate_limited")
    assert len(one.exchanges) == attempts
    if after:
        assert one.error.data["retry_after"] == int(after)
        assert took >= int(after) * (attempts - 1)


def test_retry_after_holds_back_the_whole_endpoint(stub, make_target, question, ask_all):
    with stub({"shares": {"rate_limited": 1.0}, "retry_after": "100"}) as (url, served):
        target = make_target(url, max_in_flight=1)
        with Session(target) as first, Session(target) as second:
            first.submit(0, question(url))
            while not served.stats()["statuses"]:
                time.sleep(0.01)
            served.behaviour = parse({})
            second.submit(1, question(url, "Another\nA. x\nB. y"))
            time.sleep(0.5)  # half of the wait
            assert served.stats()["requests"] == 1
            assert [one.ticket for one in second.collect(5)] == [1]
            assert first.collect(5)[0].text


def test_after_a_long_retry_after_nobody_asks_again(stub, make_target, question, ask_all):
    with stub({"shares": {"rate_limited": 1.0}, "retry_after": "3600"}) as (url, served):
        target = make_target(url, max_in_flight=1)
        finished = ask_all(target, [question(url, f"Q{i}") for i in range(5)])
        assert served.stats()["requests"] == 1
    assert {one.error.code for one in finished} == {"endpoint.rate_limited"}
    assert all(one.pauses and one.error.data["retry_after"] > 3000 for one in finished)
    assert [len(one.exchanges) for one in finished] == [1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (canned(429, error(code="insufficient_quota")), "endpoint.quota_exhausted"),
        (canned(401, error("bad key")), "endpoint.key_refused"),
        (canned(403, error("not yours")), "endpoint.key_refused"),
        ({"models": ["large"]}, "endpoint.model_unknown"),
        (canned(404, "<h1>Not Found</h1>"), "endpoint.not_an_api"),
        (canned(307, "", Location="http://localhost:1/"), "endpoint.not_an_api"),
        (
            canned(400, error("temperature must be 1", param="temperature")),
            "endpoint.parameter_refused",
        ),
    ],
)
def test_what_no_retry_can_mend_pauses_at_once(
    document, code, stub, make_target, question, ask_all
):
    with stub(document) as (url, served):
        [one] = ask_all(make_target(url), [question(url)])
    assert (one.text, one.error.code, one.pauses) == (None, code, True)
    assert served.stats()["requests"] == 1
    assert one.error.data["endpoint"] == "stub"


def test_a_refused_parameter_is_named_with_the_endpoints_own_text(
    stub, make_target, question, ask_all
):
    said = "temperature must be 1 for this model"
    with stub(canned(400, error(said, param="temperature"))) as (url, _):
        [one] = ask_all(make_target(url), [question(url)])
    assert one.error.data["parameter"] == "temperature"
    assert said in one.error.message


def test_a_request_too_long_fails_alone_and_a_filtered_one_is_a_refusal(
    stub, make_target, question, ask_all
):
    with stub(canned(400, error(code="context_length_exceeded"))) as (url, _):
        [long] = ask_all(make_target(url), [question(url)])
    assert (long.text, long.error.code, long.pauses) == (None, "endpoint.request_refused", False)
    with stub(canned(400, error(code="content_filter"))) as (url, _):
        [filtered] = ask_all(make_target(url), [question(url)])
    assert (filtered.text, filtered.finish, filtered.refusal) == ("", "content_filter", True)
    assert filtered.error is None


@pytest.mark.parametrize(
    ("kind", "text", "finish"),
    [("empty", "", "stop"), ("think", "<think>", "length"), ("truncated", "The answ", "length")],
)
def test_empty_and_unfinished_replies_arrive_as_they_are(
    kind, text, finish, stub, make_target, question, ask_all
):
    document = {"shares": {kind: 1.0}, "choice": {"style": "sentence"}}
    with stub(document) as (url, _):
        [one] = ask_all(make_target(url), [question(url)])
    assert one.text.startswith(text)
    assert (one.finish, one.error) == (finish, None)


def test_failed_exchanges_are_charged_when_they_report_usage(stub, make_target, question, ask_all):
    usage = {"prompt_tokens": 1_000_000, "completion_tokens": 0}
    with stub(canned(500, error() | {"usage": usage})) as (url, _):
        [one] = ask_all(make_target(url), [question(url)])
    assert [exchange.cost_micro for exchange in one.exchanges] == [150_000] * 4


def test_a_reply_without_usage_is_charged_by_estimate(stub, make_target, question, ask_all):
    body = {"choices": [{"message": {"content": "four" * 100}, "finish_reason": "stop"}]}
    with stub(canned(200, body)) as (url, _):
        [one] = ask_all(make_target(url), [question(url, "x" * 400)])
    assert (one.exchanges[0].input_tokens, one.exchanges[0].output_tokens) == (108, 100)


def test_the_same_seed_for_every_repeat_would_make_them_one(stub, make_target, question, ask_all):
    with stub({"short": {"distinct": 1000}}) as (url, _):
        target = make_target(url)
        one = ask_all(target, [question(url, "Why?", seed=3) for _ in range(8)])
        none = ask_all(target, [question(url, "Why?") for _ in range(8)])
        own = ask_all(target, [question(url, "Why?", seed=seed) for seed in range(8)])
    assert len(set(texts(one))) == 1
    assert len(set(texts(none))) > 4
    assert len(set(texts(own))) > 4


def test_no_more_are_in_flight_than_the_endpoint_allows_over_all_sessions(
    stub, make_target, question
):
    with stub(latency_ms=20) as (url, served):
        target = make_target(url, max_in_flight=3)
        with Session(target) as first, Session(target) as second:
            for session in (first, second):
                for ticket in range(15):
                    session.submit(ticket, question(url, f"Q{ticket}"))
            for session in (first, second):
                found = []
                while len(found) < 15:
                    found += session.collect(5)
        assert served.stats()["max_in_flight"] == 3


def test_a_changed_limit_holds_for_the_next_session(stub, make_target, question, ask_all):
    with stub(latency_ms=10) as (url, served):
        for limit in (4, 2, 6):
            served.reset()
            requests = [question(url, f"Q{limit}-{i}") for i in range(18)]
            ask_all(make_target(url, max_in_flight=limit), requests)
            assert served.stats()["max_in_flight"] == limit


def test_collect_returns_nothing_until_something_has_finished_or_is_given_up(
    stub, make_target, question
):
    with stub({"shares": {"hang": 1.0}}) as (url, served):
        session = Session(make_target(url))
        session.submit(0, question(url))
        assert session.collect(0.05) == []
        session.close()
        session.close()
        deadline = time.monotonic() + 5
        while served.stats()["in_flight"] and time.monotonic() < deadline:
            time.sleep(0.01)
        assert served.stats()["in_flight"] == 0
        (given_up,) = session.collect(0.01)  # to be booked; it may have been paid for
        assert (given_up.error.code, len(given_up.exchanges)) == ("endpoint.unavailable", 1)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12: that is it
def test_a_forked_process_asks_over_a_loop_of_its_own(stub, make_target, question, ask_all):
    with stub() as (url, served):
        ask_all(make_target(url), [question(url)])
        child = os.fork()
        if child == 0:
            code = 1
            try:
                [one] = ask_all(make_target(url), [question(url, "Forked?")])
                code = 0 if one.text else 1
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert served.stats()["requests"] == 2
