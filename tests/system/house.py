"""Servers of an installation in which people play, and who they are."""

import asyncio
import json
import shutil

import pytest

from tests.system.conftest import EMBEDDED, _installed, free_port, made_once
from tests.system.players import Player
from tests.system.test_kills import rows

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


@pytest.fixture(scope="session")
def _peopled(tmp_path_factory, _migrated):
    """An installation with the studies: (folder, database, people)."""
    with made_once(tmp_path_factory.getbasetemp(), "peopled", _people, _migrated) as made:
        yield *made, (made[0] / "people.json").read_text()


def _people(installation):
    folder = installation.folder
    order = f"from tests.system.game_studies import make; make({str(folder)!r})"
    made = installation.start("shell", "-v", 0, "-c", order)
    assert made.end() == 0, made.err.read_text()
    (folder / "people.json").write_text(made.lines()[-1])


@pytest.fixture
def house(tmp_path, _peopled):
    folder, database, people = _peopled
    shutil.copytree(folder, tmp_path / "data")
    for installation in _installed(tmp_path / "data", database):
        yield House(installation, json.loads(people))


def played(coroutine):
    """Run it to its end, and leave no page open."""
    return asyncio.run(coroutine)


def seat_of(house, player):
    """(code of the game, number of the seat)."""
    code = player.token.partition(".")[0]
    found = house.rows(
        "SELECT g.code, s.number FROM games_seat s JOIN games_game g ON g.id = s.game_id "
        f"JOIN studies_participation p ON p.id = s.participation_id WHERE p.code = '{code}'"
    )
    return found[-1]
