"""Games on real servers, over real sockets: people who come at once, wait, vanish and leave. On
PostgreSQL two servers share the database, and the two of a pair are at different ones.

Hours pass in seconds (`scale`). What the product times is told in its own seconds: `silent` is
after how many a page counts as lost.
"""

import asyncio
import json
import random
import re
import time

import pytest

from tests.system.conftest import until
from tests.system.game_studies import MODERATOR, PASSWORD, REGIONS
from tests.system.house import _peopled, house, played, seat_of
from tests.system.players import Player, meet
from tests.system.test_serve import Browser

__all__ = ["_peopled", "house"]


# --- coming together ------------------------------------------------------------------------------


def paired(player):
    return "ready" in player.page.orders


PAIRS = """
    SELECT g.id, count(*), count(DISTINCT s.participation_id), count(DISTINCT p.slot_region_id),
           min(p.slot_region_id) = min(g.region_id)
    FROM games_game g JOIN games_seat s ON s.game_id = g.id
    JOIN studies_participation p ON p.id = s.participation_id GROUP BY g.id
"""


@pytest.mark.several_servers
def test_a_hundred_people_of_five_regions_who_come_at_once_are_fifty_pairs(house):
    house.open()

    async def come(regions):
        players = [house.player(region, number) for number, region in enumerate(regions)]
        await asyncio.gather(*(player.open() for player in players))
        random.shuffle(players)
        began = time.monotonic()
        await asyncio.gather(*(player.does("enter") for player in players))
        print(f"{len(players)} came in within {time.monotonic() - began:.2f} s")
        return players

    async def crowds():
        hundred = await come(REGIONS * 20)
        await asyncio.gather(*(player.may("ready") for player in hundred))
        assert [row[1:] for row in house.rows(PAIRS)] == [(2, 2, 1, True)] * 50
        assert house.one("SELECT count(DISTINCT participation_id) FROM games_seat") == 100
        assert house.one("SELECT count(*) FROM games_ticket WHERE status = 'waiting'") == 0
        more = await come(["marsh"] * 21)
        await more[0].until(lambda: len([p for p in more if paired(p)]) == 20)
        (left,) = [player for player in more if not paired(player)]
        await left.shows("looking for a partner")
        assert [row[1:] for row in house.rows(PAIRS)] == [(2, 2, 1, True)] * 60
        assert house.rows("SELECT status, count(*) FROM games_ticket GROUP BY 1 ORDER BY 1") == [
            ("matched", 120),
            ("waiting", 1),
        ]
        await asyncio.gather(*(player.close() for player in (*hundred, *more)))

    played(crowds())
    house.nothing_in_the_log()


def test_who_waits_on_a_dead_connection_is_not_paired_with_who_comes_after(house):
    house.open(scale=2.5, heartbeat=2, silent=15)

    async def waits():
        dead = [house.player("harbour"), house.player("woods")]
        for player in dead:
            await player.open()
            await player.does("enter")
        dead[0].freeze()
        dead[1].vanish()
        await asyncio.sleep(20 / house.scale)  # the case's twenty seconds
        alive = [house.player("harbour", 1), house.player("woods", 1)]
        for player in alive:
            await player.open()
            await player.does("enter")
        silent = "SELECT count(*) FROM games_ticket WHERE left_reason = 'silent'"
        await alive[0].until(lambda: house.one(silent) == 2)
        tickets = "SELECT status, left_reason FROM games_ticket ORDER BY id"
        assert house.rows(tickets) == [("left", "silent")] * 2 + [("waiting", "")] * 2
        assert house.one("SELECT count(*) FROM games_game") == 0
        for player in alive:
            await player.close()

    played(waits())


def test_of_two_tabs_the_newer_plays_and_nobody_is_paired_with_themselves(house):
    house.open()

    async def tabs():
        older = house.player("hills")
        newer = Player(house.hosts()[-1], older.token)
        for tab in (older, newer):
            await tab.open()
            await tab.do("enter")
        assert house.rows("SELECT status FROM games_ticket") == [("waiting",)]
        assert house.one("SELECT count(*) FROM games_game") == 0
        await older.until(lambda: older.ended == "taken")
        partner = await house.player("hills").open()
        await partner.does("enter")
        await newer.may("ready")
        third = await Player(older.host, older.token).open()
        await newer.until(lambda: newer.ended == "taken")
        assert (third.ended, paired(third)) == ("", True)
        assert [row[1:] for row in house.rows(PAIRS)] == [(2, 2, 1, True)]
        for tab in (third, partner):
            await tab.close()

    played(tabs())


# --- a partner is gone ----------------------------------------------------------------------------

GRACE = 30  # seconds, the rules of the study


def moderate(host, game, order):
    browser = Browser()
    words = {"username": MODERATOR, "password": PASSWORD}
    assert browser.send(f"http://{host}/accounts/sign-in/", words)[0] == 200
    page = f"http://{host}/studies/clues/games/of/{game}/"
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(page)[2])[1]
    done = browser.get(f"{page}act/", {"do": order, "csrfmiddlewaretoken": token})
    assert done[:2] == (200, page)


async def removed(house, player):
    game, seat = seat_of(house, player)
    await asyncio.to_thread(moderate, player.host, game, f"remove {seat}")
    await player.close()


async def withdraws(_house, player):
    await player.close()
    assert (await player.fetch("leave/", {"choice": "withdraw"}))[0] == 303


async def closes(_house, player):
    await player.close()


async def loses_the_network(_house, player):
    player.freeze()


WAYS = {"harbour": withdraws, "marsh": closes, "hills": loses_the_network, "woods": removed}


def test_however_a_partner_goes_the_other_is_told_and_paid_and_the_turn_is_kept(house):
    house.open(scale=3, heartbeat=2.5, silent=15)

    async def goes(region, way, leaver_gives):
        pair = [await player.open() for player in house.pair(region)]
        giver, guesser = await meet(*pair)
        clue = f"In the {region} it is seen at dusk."
        await giver.does("clue", text=clue)
        await guesser.shows(clue)
        leaver, stayer = (giver, guesser) if leaver_gives else (guesser, giver)
        code = stayer.token.partition(".")[0]
        worked = f"SELECT worked_ms FROM studies_participation WHERE code = '{code}'"
        await stayer.until(lambda: house.one(worked) > 500)  # what is paid is measured by beats
        before = len(stayer.views)
        await way(house, leaver)
        gone = time.monotonic()

        def told():
            new = " ".join(view["html"] for view in stayer.views[before:])
            return stayer.ended or "waits for your partner" in new

        await stayer.until(told, (GRACE + 2) / house.scale)
        print(f"{way.__name__}: told after {(time.monotonic() - gone) * house.scale:.1f} s")
        assert await stayer.code()
        return region, clue, stayer

    async def all_ways():
        ways = enumerate(WAYS.items())
        return await asyncio.gather(
            *(goes(region, way, number in (1, 2)) for number, (region, way) in ways)
        )

    for region, clue, stayer in played(all_ways()):
        game, _seat = seat_of(house, stayer)
        of_game = f"FROM games_game g JOIN games_{{}} t ON t.game_id = g.id WHERE g.code = '{game}'"
        assert house.rows("SELECT outcome " + of_game.format("turn")) == [("cut",)], region
        said = "SELECT text, verdict " + of_game.format("utterance") + " AND kind = 'clue'"
        assert house.rows(said) == [(clue, "said")], region
        code = stayer.token.partition(".")[0]
        paid = house.rows(
            "SELECT p.status, p.ended_reason, l.kind, l.amount_minor > 0 "
            "FROM studies_participation p JOIN studies_ledgerentry l ON l.participation_id = p.id "
            f"WHERE p.code = '{code}'"
        )
        assert [(*row[:3], bool(row[3])) for row in paid] == [
            ("cut_short", "game_partner_left", "reward", True)
        ], region
    house.nothing_in_the_log()


def test_thirty_tabs_that_vanish_with_the_browser_leave_nobody_there(house):
    house.open(scale=2.5, heartbeat=2.5, silent=20)

    async def vanish():
        players = [house.player(REGIONS[n % 5], n // 5) for n in range(30)]
        await asyncio.gather(*(player.open() for player in players))
        await asyncio.gather(*(player.does("enter") for player in players))
        await asyncio.gather(*(player.may("ready") for player in players))
        await asyncio.gather(*(player.does("ready") for player in players))
        assert house.one("SELECT count(*) FROM games_game WHERE phase = 'clue'") == 15
        for player in players:
            player.vanish()

    played(vanish())
    left = until(lambda: all(absent(house)) and absent(house))
    assert left == [True] * 15


def absent(house):
    """Of each game, whether nobody is there."""
    states = house.rows("SELECT state FROM games_game")
    read = [row[0] if isinstance(row[0], dict) else json.loads(row[0]) for row in states]
    return [all(state["away"]) for state in read]
