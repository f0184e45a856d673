"""The clock of the games in a web process (`games.ticking`)."""

import asyncio
from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env
from core import clock
from games import ticking
from games.machine import Away, Phase
from games.models import Game, Seat
from games.services import rounds

pytestmark = pytest.mark.django_db(transaction=True)
IN_AN_HOUR = 3600


def silent(sitting):
    """The guesser was heard an hour ago."""
    seat = 1 - sitting.giver
    Seat.objects.filter(number=seat).update(last_seen=clock.ago(IN_AN_HOUR))
    return seat


def ticks(until):
    """Run a ticker until something is so."""

    async def run():
        ticker = ticking.Ticker()
        async with asyncio.timeout(20):
            while not until():
                await asyncio.sleep(0.01)
        await ticker.stop()

    asyncio.run(run())


@pytest.fixture
def each_round(monkeypatch):
    """Calls what is appended in each round, in the place of `look_round`."""
    calls = []

    def look_round(since):
        for call in calls:
            call()
        return set()

    monkeypatch.setattr(rounds, "look_round", look_round)
    return calls


def test_what_is_due_is_done(playing):
    sitting = playing()
    Game.objects.update(due=clock.ago(1))
    state = dict(Game.objects.get().state)
    state["deadline"] = 0
    Game.objects.update(state=state)
    ticking.tick(clock.now())
    assert sitting.state.turn.number == 2 or sitting.state.phase is not Phase.CLUE


def test_nobody_is_lost_by_a_silence_in_which_no_server_listened(playing):
    sitting = playing()
    seat = silent(sitting)
    ticking.tick(clock.now())
    assert sitting.state.away[seat] is None
    ticking.tick(clock.now() - timedelta(hours=1))
    assert sitting.state.away[seat] is Away.SILENT
    assert sitting.state.phase is Phase.PAUSED


def test_a_round_that_fails_is_said_once_and_the_next_ones_come(each_round, caplog):
    done = []

    def fail():
        done.append("tried")
        if len(done) < 4:
            raise ZeroDivisionError

    each_round.append(fail)
    ticks(lambda: len(done) >= 6)
    said = [record.getMessage() for record in caplog.records if record.name == "games.ticking"]
    assert said == ["A round of the games failed; it is tried again"]


def test_rounds_never_overlap_and_the_last_is_over_when_the_ticker_has_stopped(each_round):
    running, most, done = [], [], []

    def work():
        running.append(1)
        most.append(len(running))
        running.pop()
        done.append(1)

    each_round.append(work)
    ticks(lambda: len(done) >= 5)
    assert max(most) == 1
    assert not running


def test_who_may_be_silent_for_less_than_three_heartbeats_keeps_the_product_from_starting(
    monkeypatch,
):
    monkeypatch.setenv("COMMONPLACE_GAME_HEARTBEAT", "10")
    assert env.heartbeat() == (10, 30)
    monkeypatch.setenv("COMMONPLACE_GAME_IDLE_AFTER", "29")
    with pytest.raises(ImproperlyConfigured, match="COMMONPLACE_GAME_IDLE_AFTER=29") as refused:
        env.heartbeat()
    assert "\n" not in str(refused.value)
