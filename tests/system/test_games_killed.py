"""Games on real servers in which nothing is lost: pages are loaded anew or stalled, servers killed,
messages cut off. On PostgreSQL two servers share the database, and the two of a pair are at
different ones.

Hours pass in seconds (`scale`). What the product times is told in its own seconds: `silent` is
after how many a page counts as lost.
"""

import asyncio
import random
import re
import time

import pytest
import redis

from tests.system.conftest import REDIS_DATABASE, REDIS_URL
from tests.system.game_studies import REGIONS
from tests.system.house import _peopled, house, played, seat_of
from tests.system.players import meet

__all__ = ["_peopled", "house"]


# --- coming back ----------------------------------------------------------------------------------


def standing(player):
    """What the page shows of a turn, without the clock."""
    page = player.page
    return page.word, page.clues, page.orders, player.version


def test_five_refreshes_and_a_killed_server_lead_back_to_the_same_turn(house):
    house.open(scale=20, heartbeat=10, silent=240)

    async def refreshes():
        pair = [await player.open() for player in house.pair("plain")]
        giver, guesser = await meet(*pair)
        await giver.does("clue", text="It hums when the wind is up.")
        await guesser.may("guess")
        await giver.until(lambda: giver.version == guesser.version)
        before = [standing(player) for player in (giver, guesser)]
        game = seat_of(house, guesser)
        for _refresh in range(5):
            await guesser.refresh()
        await asyncio.sleep(4 * 60 / house.scale)  # the case's four minutes
        assert guesser.ended == ""  # no page of theirs that is gone has taken it away
        assert [standing(player) for player in (giver, guesser)] == before
        assert seat_of(house, guesser) == game

        seen = [len(player.views) for player in (giver, guesser)]
        house.kill()
        await asyncio.to_thread(house.start)
        for player, views in zip((giver, guesser), seen, strict=True):
            await player.until(lambda p=player, n=views: len(p.views) > n)
        assert [standing(player) for player in (giver, guesser)] == before
        dropped = "SELECT count(*) FROM games_gameevent WHERE kind = 'dropped'"
        assert house.one(dropped) == 0
        await guesser.does("guess", text=giver.page.word)
        await giver.shows("Guessed")
        for player in (giver, guesser):
            await player.close()

    played(refreshes())


# --- nothing is lost ------------------------------------------------------------------------------

MESSAGES, STALL = 300, 30  # numbered clues; seconds in which a page takes nothing


@pytest.mark.several_servers
def test_three_hundred_messages_reach_a_page_that_was_stalled_in_order(house):
    """Its person goes on by forms meanwhile, since the next clue is written when it is asked for.
    A screen holds one turn; so what is compared is the transcript, the last screen, and the order
    in which clues came to be seen at all."""
    house.open(scale=5, heartbeat=5, silent=60)

    async def talk():
        pair = [house.player("harbour", server, "hours") for server in (0, 1)]
        for player in pair:
            player.narrow = True
            await player.open()
        giver, guesser = await meet(*pair)
        began = time.monotonic()
        guesser.stall()
        await asyncio.to_thread(numbered, giver, guesser)
        await asyncio.sleep(began + STALL / house.scale - time.monotonic())
        said = house.rows(
            "SELECT text FROM games_utterance WHERE kind = 'clue' AND verdict = 'said' "
            "AND text LIKE 'Number %' ORDER BY turn, id"
        )
        assert said == [(clue(number),) for number in range(1, MESSAGES + 1)]

        guesser.resume()
        newest = [clue(number) for number in range(MESSAGES - 9, MESSAGES + 1)]
        await guesser.until(lambda: guesser.page.clues == newest)
        await giver.until(lambda: giver.version == guesser.version)
        seen = list(dict.fromkeys(n for view in guesser.views for n in numbers(view["html"])))
        print(f"{len(seen)} of {MESSAGES} passed over the screen")
        assert seen == sorted(seen)
        for player in pair:
            await player.close()

    played(talk())


def clue(number):
    return f"Number {number} of what is said of it."


def numbers(text):
    return [int(each) for each in re.findall(r"Number (\d+) of what", text)]


def numbered(giver, guesser):
    """Ten clues a turn to a guesser who asks for more; a wrong guess ends the turns between."""

    def post(player, order, **fields):
        status, answer = player.ask("game/", {"do": order, **fields})
        assert status == 200, answer

    for number in range(1, MESSAGES + 1):
        post(giver, "clue", text=clue(number))
        if number == MESSAGES:
            return
        if number % 10:
            post(guesser, "next")
            continue
        for one, other in ((giver, guesser), (guesser, giver)):
            if one is guesser:
                post(one, "clue", text="A thing of ours.")
            post(other, "guess", text="Nothing like it")
            post(other, "rate", accuracy="4", quality="4")


MINUTES = 20  # that a pair plays
STEPS = 26  # that it takes one after the other: six words, and looking back at them


@pytest.mark.several_servers
def test_servers_killed_while_25_pairs_play_lose_nothing_acknowledged_and_stop_no_game(house):
    house.open(scale=30, heartbeat=30, silent=900)
    thinking = MINUTES * 60 / house.scale / STEPS

    async def play():
        pairs = [house.pair(region) for region in REGIONS for _pair in range(5)]
        players = [player for pair in pairs for player in pair]
        await asyncio.gather(*(player.open() for player in players))
        await asyncio.gather(*(player.does("enter") for player in players))
        async with asyncio.TaskGroup() as games:
            for player in players:
                games.create_task(plays(player, players, thinking))
            for part in (0.5, 0.75):
                due = part * len(players) * STEPS / 2
                await reached(players, due)
                house.kill()
                await asyncio.to_thread(house.start)
        return players, [await player.code() for player in players]

    players, codes = played(play())
    assert all(codes), codes
    print(house.rows("SELECT ended_reason, count(*) FROM games_game GROUP BY 1"))
    assert house.rows("SELECT phase, count(*) FROM games_game GROUP BY 1") == [("ended", 25)]
    events = {nonce for (nonce,) in house.rows("SELECT nonce FROM games_gameevent")}
    said = {text for (text,) in house.rows("SELECT text FROM games_utterance")}
    for player in players:
        for nonce, sent in player.acked.items():
            assert nonce in events or sent["do"] in ("enter", "stop"), sent
            assert sent.get("text", "") in {*said, ""}, sent
    twice = "SELECT game_id, seat, nonce FROM games_gameevent WHERE nonce > '' GROUP BY 1, 2, 3"
    assert house.rows(f"{twice} HAVING count(*) > 1") == []


async def reached(players, due):
    """Comes back once `due` acts are acknowledged, which is before anybody is done."""
    while sum(len(player.acked) for player in players) < due:
        assert not all(player.ended for player in players)
        await asyncio.sleep(0.01)


async def plays(player, everybody, thinking):
    """Do what the page asks for, until it is over."""
    while not player.ended:
        await player.until(lambda: player.ended or wanted(player, everybody))
        await asyncio.sleep(thinking * random.uniform(0.5, 1.5))
        order = wanted(player, everybody)
        if order and not player.ended:  # the page may have changed while they thought
            fields = FIELDS[order](player, everybody)
            await player.do("stop" if order == "keep_waiting" else order, **fields)


def wanted(player, everybody):
    """The order that comes next; "" while there is nothing to do, or to guess from."""
    order = next((each for each in FIELDS if each in player.page.orders), "")
    return "" if order == "guess" and not the_word(player, everybody) else order


def the_word(player, everybody):
    """The right guess: what stands on the partner's page, who has written the same clue."""
    heard = player.page.clues
    givers = (p.page for p in everybody if p.page.word and p.page.clues == heard)
    return next((page.word for page in givers if heard), "")


FIELDS = {
    "ready": lambda _player, _all: {},
    "clue": lambda player, _all: {"text": f"It is dear to {player.tab} in turn {player.version}."},
    "guess": lambda player, everybody: {"text": the_word(player, everybody)},
    "rate": lambda _player, _all: {"accuracy": "4", "quality": "5"},
    "vet": lambda player, _all: {
        "artifact": player.page.field("artifact"),
        "known": "yes",
        "shared": "ours",
    },
    "finish": lambda _player, _all: {},
    "here": lambda _player, _all: {},  # on a busy machine a turn may pass somebody by
    "keep_waiting": lambda _player, _all: {},
}


# --- between processes ----------------------------------------------------------------------------


@pytest.mark.several_servers
def test_what_one_process_says_reaches_the_other_and_the_heartbeat_heals_what_is_lost(house):
    house.open(heartbeat=1, silent=60)

    async def play():
        pair = [await player.open(beats=False) for player in house.pair("harbour")]
        giver, guesser = await meet(*pair)  # no heartbeat helps them
        for number in range(3):
            said = f"Light is kept in it, part {number}."
            await giver.does("clue", text=said)
            await guesser.shows(said)
            await guesser.does("next")
            await giver.may("clue")

        cutting = asyncio.create_task(cut_all())
        for player in pair:
            player.start_to_beat()
        for number in (3, 4):
            said = f"Light is kept in it, part {number}."
            await giver.does("clue", text=said)
            await guesser.shows(said)
            if number == 3:
                await guesser.does("next")
                await giver.may("clue")
        cutting.cancel()
        assert giver.looks + guesser.looks > 0
        await guesser.does("guess", text=giver.page.word)
        await giver.shows("Guessed")
        for player in pair:
            await player.close()

    played(play())


async def cut_all():
    """Break every subscription of ours, again and again: next to no message gets through."""
    broker = redis.Redis.from_url(REDIS_URL)
    while True:
        for client in broker.client_list(_type="pubsub"):
            if int(client["db"]) == REDIS_DATABASE:
                broker.client_kill_filter(_id=client["id"])
        await asyncio.sleep(0.001)
