"""Games on real servers, over real sockets, with what befalls both: pages that vanish, people who
leave, servers that are killed. On PostgreSQL two servers share the database, and the two of a pair
are at different ones.

Hours pass in seconds (`scale`). What the product times is told in its own seconds: `silent` is
after how many a page counts as lost.
"""

import asyncio
import json
import random
import re
import shutil
import time

import pytest
import redis

from tests.system.conftest import (
    EMBEDDED,
    REDIS_DATABASE,
    REDIS_URL,
    Installation,
    _database,
    _env,
    _installed,
    free_port,
    until,
)
from tests.system.game_studies import MODERATOR, PASSWORD, REGIONS
from tests.system.players import Player, meet
from tests.system.test_kills import rows
from tests.system.test_serve import Browser

SERVERS = 1 if EMBEDDED else 2


class House:
    """The servers of an installation, and the people who may play; each is asked for once."""

    def __init__(self, installation, people):
        self.installation, self.people = installation, people
        self.ports = [free_port() for _server in range(SERVERS)]
        self.servers, self.env, self.scale = [], {}, 1.0

    def open(self, scale=1, heartbeat=5, silent=15):
        """Durations are the product's seconds, of which `scale` are a real one."""
        self.scale = scale
        self.env = {
            "COMMONPLACE_TIME_SCALE": str(scale),
            "COMMONPLACE_GAME_HEARTBEAT": str(heartbeat),
            "COMMONPLACE_GAME_IDLE_AFTER": str(silent),
        }
        self.start()
        return self

    def start(self):
        order = ("serve", "--no-worker", "--port")
        self.servers = [self.installation.start(*order, port, **self.env) for port in self.ports]
        for server in self.servers:
            server.ready()

    def kill(self):
        for server in self.servers:
            server.kill()

    def hosts(self):
        return [f"127.0.0.1:{port}" for port in self.ports]

    def player(self, region, server=0, study="clues"):
        host = self.hosts()[server % SERVERS]
        return Player(host, self.people[study][region].pop())

    def pair(self, region, study="clues"):
        return [self.player(region, server, study) for server in (0, 1)]

    def rows(self, sql):
        return rows(self.installation, sql)

    def one(self, sql):
        return self.rows(sql)[0][0]

    def nothing_in_the_log(self):
        assert [server.err.read_text() for server in self.servers] == [""] * SERVERS


@pytest.fixture(scope="module")
def _peopled(tmp_path_factory, _migrated):
    """An installation with the studies, to be copied: (folder, database, people)."""
    migrated, source = _migrated
    folder = tmp_path_factory.mktemp("peopled")
    shutil.copytree(migrated, folder, dirs_exist_ok=True)
    with _database(source) as database:
        installation = Installation(folder, _env(folder, database))
        order = f"from tests.system.game_studies import make; make({str(folder)!r})"
        made = installation.start("shell", "-v", 0, "-c", order)
        assert made.end() == 0, made.err.read_text()
        yield folder, database, made.lines()[-1]


@pytest.fixture
def house(tmp_path, _peopled):
    folder, database, people = _peopled
    shutil.copytree(folder, tmp_path / "data")
    for installation in _installed(tmp_path / "data", database):
        yield House(installation, json.loads(people))


def played(coroutine):
    """Run it to its end, and leave no page open."""
    return asyncio.run(coroutine)


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
    house.open(scale=5, heartbeat=2, silent=15)

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


def seat_of(house, player):
    """(code of the game, number of the seat)."""
    code = player.token.partition(".")[0]
    found = house.rows(
        "SELECT g.code, s.number FROM games_seat s JOIN games_game g ON g.id = s.game_id "
        f"JOIN studies_participation p ON p.id = s.participation_id WHERE p.code = '{code}'"
    )
    return found[-1]


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
    house.open(scale=5, heartbeat=2.5, silent=20)

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
    house.open(scale=5, heartbeat=2.5, silent=20)

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
    left = until(lambda: all(absent(house)) and absent(house), 30)
    assert left == [True] * 15


def absent(house):
    """Of each game, whether nobody is there."""
    states = house.rows("SELECT state FROM games_game")
    read = [row[0] if isinstance(row[0], dict) else json.loads(row[0]) for row in states]
    return [all(state["away"]) for state in read]


# --- coming back ----------------------------------------------------------------------------------


def standing(player):
    """What the page shows of a turn, without the clock."""
    page = player.page
    return page.word, page.clues, page.orders, player.version


def test_five_refreshes_and_a_killed_server_lead_back_to_the_same_turn(house):
    house.open(scale=40, heartbeat=20, silent=240)

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
    house.open(scale=60, heartbeat=60, silent=600)
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
