"""The gate of an endpoint: slots, pace, and the time it is left alone.

A minute lasts a tenth of a second here. What is asserted is how many passed by a moment, never
how long something took: on a busy machine fewer have passed, and never more.
"""

import asyncio

import pytest

from core.clock import monotonic, now
from inference.client import Session
from inference.gate import Gate, StillClosed

SCALE = 600


@pytest.fixture(autouse=True)
def _short_minutes(settings):
    settings.TIME_SCALE = SCALE


class Visitors:
    """Who passes a gate, in order, each with the seconds of the product since the beginning."""

    def __init__(self, gate):
        self.gate = gate
        self.began = monotonic()
        self.passed = []

    def now(self):
        return (monotonic() - self.began) * SCALE

    async def visit(self, name, tokens=0, hold=None):
        async with self.gate.passage(tokens):
            self.passed.append((name, self.now()))
            if hold:
                await hold.wait()

    def start(self, names, tokens=0, hold=None):
        return [asyncio.create_task(self.visit(name, tokens, hold)) for name in names]

    @property
    def names(self):
        return [name for name, _ in self.passed]


def play(scene):
    """Run a scene to its end; who would wait for ever makes it fail."""

    async def bounded():
        async with asyncio.timeout(60):
            return await scene()

    return asyncio.run(bounded())


async def settle():
    """Let everybody go as far as they can without time passing."""
    for _ in range(50):
        await asyncio.sleep(0)


def kept(passed, per_minute, units=1):
    """Whether at each passage no more had passed than the rate and a second's worth allow."""
    burst = max(units, per_minute / 60)
    return all(
        units * (place + 1) <= seconds * per_minute / 60 + burst + 1e-6
        for place, (_, seconds) in enumerate(passed)
    )


@pytest.mark.parametrize(("per_minute", "count"), [(30, 40), (60, 60), (600, 300)])
def test_requests_pass_at_the_rate_allowed_in_the_order_they_came(per_minute, count):
    async def scene():
        gate = Gate(count)
        gate.pace(per_minute, None)
        visitors = Visitors(gate)
        await asyncio.gather(*visitors.start(range(count)))
        return visitors

    visitors = play(scene)
    assert visitors.names == list(range(count))
    assert kept(visitors.passed, per_minute)


def test_tokens_are_paced_too_and_the_slower_limit_counts():
    async def scene():
        gate = Gate(8)
        gate.pace(6000, 60_000)
        visitors = Visitors(gate)
        await asyncio.gather(*visitors.start(range(30), tokens=2000))
        return visitors

    visitors = play(scene)
    assert visitors.names == list(range(30))
    assert kept(visitors.passed, 60_000, units=2000)


def test_more_tokens_than_a_minutes_pass_alone():
    async def scene():
        gate = Gate(8)
        gate.pace(None, 1000)
        visitors = Visitors(gate)
        await visitors.visit("large", tokens=3000)
        await visitors.visit("next", tokens=10)
        return visitors

    (_, _), (_, next_at) = play(scene).passed
    assert next_at >= 179  # a second's worth may be left


def test_a_slow_request_ahead_is_not_overtaken_by_one_that_needs_no_wait():
    async def scene():
        gate = Gate(8)
        gate.pace(None, 600)
        visitors = Visitors(gate)
        tasks = visitors.start(["first", "second"], tokens=600) + visitors.start(["free"])
        await asyncio.gather(*tasks)
        return visitors.names

    assert play(scene) == ["first", "second", "free"]


def test_a_new_pace_holds_at_once_for_those_who_wait():
    async def scene():
        gate = Gate(20)
        gate.pace(0.001, None)
        visitors = Visitors(gate)
        tasks = visitors.start(range(20))
        await settle()
        before = visitors.names
        gate.pace(0, 0)
        await settle()
        slower = visitors.names
        gate.pace(None, None)
        await asyncio.gather(*tasks)
        return before, slower, visitors.names

    before, slower, after = play(scene)
    assert before == slower == [0]
    assert after == list(range(20))


def test_who_waits_for_the_pace_holds_a_slot():
    async def scene():
        gate = Gate(2)
        gate.pace(0.001, None)
        visitors = Visitors(gate)
        hold = asyncio.Event()
        tasks = visitors.start(["inside", "waiting", "outside"], hold=hold)
        await settle()
        gate.pace(None, None)
        await settle()
        inside = visitors.names
        hold.set()
        await asyncio.gather(*tasks)
        return inside, visitors.names

    inside, after = play(scene)
    assert inside == ["inside", "waiting"]
    assert after == ["inside", "waiting", "outside"]


@pytest.mark.parametrize("leaving", [[1], [2, 3], [5, 6], [1, 2, 3, 4, 5, 6, 7]], ids=str)
def test_who_gives_up_waiting_takes_no_slot_along(leaving):
    """Of four slots one is passed; the next waits for the time, two for it, four for a slot."""

    async def scene():
        gate = Gate(4)
        gate.pace(0.001, None)
        visitors = Visitors(gate)
        tasks = visitors.start(range(8))
        await settle()
        for place in leaving:
            tasks[place].cancel()
        await asyncio.gather(*(tasks[place] for place in leaving), return_exceptions=True)
        gate.pace(None, None)
        await asyncio.gather(*(tasks[k] for k in range(8) if k not in leaving))
        hold = asyncio.Event()
        later = visitors.start("abcdef", hold=hold)
        await settle()
        inside = visitors.names[8 - len(leaving) :]
        hold.set()
        await asyncio.gather(*later)
        return visitors.names[: 8 - len(leaving)], inside

    passed, inside = play(scene)
    assert passed == [place for place in range(8) if place not in leaving]
    assert inside == ["a", "b", "c", "d"]


def test_a_long_closing_sends_away_even_those_who_wait_for_the_pace(settings):
    settings.RETRY_LONGEST_WAIT = 300

    async def scene():
        gate = Gate(4)
        gate.pace(0.001, None)
        visitors = Visitors(gate)
        tasks = visitors.start(range(4))
        await settle()
        gate.shut(3600)
        return await asyncio.gather(*tasks, return_exceptions=True)

    passed, *sent_away = play(scene)
    assert passed is None
    assert [type(each) for each in sent_away] == [StillClosed] * 3
    assert all(3500 < each.seconds <= 3600 for each in sent_away)


def test_a_short_closing_holds_everybody_back_and_then_lets_them_pass():
    async def scene():
        gate = Gate(4)
        visitors = Visitors(gate)
        gate.shut(60)
        gate.shut(1)  # the longer wait stays
        await asyncio.gather(*visitors.start(range(8)))
        return visitors.passed

    passed = play(scene)
    assert [name for name, _ in passed] == list(range(8))
    assert all(seconds >= 60 for _, seconds in passed)


def test_fewer_slots_and_a_pace_together_lose_nobody():
    async def scene():
        gate = Gate(8)
        gate.pace(600, None)
        visitors = Visitors(gate)
        tasks = visitors.start(range(40))
        await settle()
        await gate.resize(1)
        gate.pace(6000, None)
        await settle()
        await gate.resize(3)
        await asyncio.gather(*tasks)
        return visitors.names

    assert play(scene) == list(range(40))


def test_a_session_asks_at_the_pace_it_is_given(stub, make_target, question):
    with stub() as (url, _), Session(make_target(url, timeout=36_000)) as session:
        began = now()
        session.pace(3, None)
        for ticket in range(15):
            session.submit(ticket, question(url, f"Q{ticket}\nA. x\nB. y"))
        done = []
        while len(done) < 15:
            done += session.collect(30)
    asked = sorted(exchange.at for one in done for exchange in one.exchanges)
    passed = [("", (at - began).total_seconds() * SCALE) for at in asked]
    assert len(passed) == 15
    assert kept(passed, 3)
