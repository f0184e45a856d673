"""Commonplace in the oTree benchmark harness, scenarios `form` and `live` (docs/performance.md).

Copy the harness into a scratch folder, put this file beside its `bench.py`, and say where the
product is: `COMMONPLACE_ROOT` (its repository), `COMMONPLACE_PYTHON` (an interpreter that has its
packages; default the `.venv` in there). On PostgreSQL the product is run as a larger installation
is: two web processes and Redis, whose address is `BENCH_REDIS_URL`; that database is emptied.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import aiohttp
import pg
from adapter import Adapter, Control, LiveChannel, Participant, SubmitResult

ROOT = Path(os.environ["COMMONPLACE_ROOT"]).resolve()
PYTHON = os.environ.get("COMMONPLACE_PYTHON", str(ROOT / ".venv" / "bin" / "python"))
REDIS_URL = os.environ.get("BENCH_REDIS_URL", "redis://127.0.0.1:6379/7")
PORT = int(os.environ.get("BENCH_PORT", "8077")) + 2
DATABASE = "commonplace"
sys.path.insert(0, str(ROOT))

from console.simulating.line import Line  # noqa: E402
from console.simulating.person import sessions  # noqa: E402
from perf.game import open_study as open_games  # noqa: E402
from perf.game import shell  # noqa: E402
from perf.installation import Installation  # noqa: E402
from perf.otree.live_commonplace import Channel, Table, seated  # noqa: E402
from perf.person import Person, Refused, come_in  # noqa: E402


class CommonplaceControl(Control):
    def __init__(self, db: str, workdir: Path) -> None:
        self.folder = workdir / f"commonplace-{db}"
        self.cluster = pg.Cluster(workdir / "pg") if db == "postgres" else None
        self.env: dict[str, str] = {}
        stored_in = f"SQLite {sqlite3.sqlite_version}"
        if self.cluster:
            self.cluster.start()
            stored_in = f"PostgreSQL {self.cluster.version()}"
            self.env = {
                "DATABASE_URL": self.cluster.url(DATABASE),
                "REDIS_URL": REDIS_URL,
                "WEB_PROCESSES": os.environ.get("WEB_PROCESSES", "2"),
            }
        self.installation: Installation | None = None
        self.settings = {"command": f"manage.py serve --port {PORT}", "db": stored_in, **self.env}

    @property
    def running(self) -> Installation:
        assert self.installation, "reset comes first"
        return self.installation

    def reset(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.cluster:
            self.cluster.recreate(DATABASE)
            subprocess.run(
                ["redis-cli", "-u", REDIS_URL, "flushdb"], check=True, capture_output=True
            )
        self.installation = Installation(self.folder, PORT, PYTHON, self.env)

    def start(self) -> float:
        return self.running.start()

    def stop(self) -> None:
        if self.installation:
            self.installation.stop()

    def kill9(self) -> None:
        raise NotImplementedError

    def watch(self) -> dict[str, list[int]]:
        groups = {"server": [self.running.pid]}
        if self.cluster:
            groups["db"] = [self.cluster.pid()]
        return groups

    def close(self) -> None:
        self.stop()
        if self.cluster:
            self.cluster.stop()


class CommonplaceAdapter(Adapter):
    name = "commonplace"

    def __init__(self, control: CommonplaceControl) -> None:
        self.control = control
        self.studies: list[str] = []
        self.games: list[str] = []
        self.tables: dict[str, Table] = {}  # by link
        self.ids: dict[str, str] = {}  # of messages, by the number of the command

    async def setup(self, scenario: str, n: int) -> list[Participant]:
        """Participants who have agreed and were admitted: their link leads on to the form, or to
        the game in which they are about to give and to hear the first clue."""
        if scenario == "live":
            return await self._seat(n)
        running = self.control.running
        self.studies.append(running.open_study())
        invited = running.invite(self.studies[-1], n)
        async with aiohttp.ClientSession() as http:
            people = [Person(code, link, http) for code, link in invited.items()]
            await come_in(people)
        return [
            Participant(index, person.form, extra={"person": person})
            for index, person in enumerate(people)
        ]

    async def _seat(self, n: int) -> list[Participant]:
        self.games.append(open_games(self.control.running))
        links = list(self.control.running.invite(self.games[-1], n).values())
        async with sessions() as http:
            people = await seated(links, http)
        for one, other in zip(people[::2], people[1::2], strict=True):
            self.tables[one.start_url] = self.tables[other.start_url] = Table()
        return people

    async def start(self, p: Participant) -> Person:
        person: Person = p.extra.get("person") or Person(str(p.role), p.start_url, None)
        person.http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=60)
        )
        try:
            if p.extra:
                await person.open_form()
            else:
                async with person.http.get(f"{p.start_url}game/") as response:
                    response.raise_for_status()
                    await response.read()
        except BaseException:
            await person.http.close()
            raise
        return person

    async def submit_form(self, session: Person, answers: list[str]) -> SubmitResult:
        try:
            times = await session.send(dict(zip(session.keys, answers, strict=True)))
        except (Refused, aiohttp.ClientError, TimeoutError, OSError) as error:
            return SubmitResult(False, 0, 0, repr(error)[:100])
        return SubmitResult(True, *times)

    async def open_live(self, session: Person) -> LiveChannel:
        line = Line(session.http, session.link)
        channel = Channel(line, int(session.code), self.tables[session.link], self.ids)
        await channel.open()
        return channel

    async def reload(self, session: Person) -> bool:
        raise NotImplementedError

    async def end(self, session: Person) -> None:
        await session.http.close()

    async def stored_forms(self) -> set[tuple[str, ...]]:
        people = [
            texts for study in self.studies for texts in self.control.running.stored(study).values()
        ]
        return {tuple(texts[f"q{n}"] for n in range(1, len(texts) + 1)) for texts in people}

    async def stored_messages(self) -> list[str]:
        """With repeats, as the database has them."""
        found = [
            json.loads(shell(self.control.running, f"print_followed({study!r})"))["nonces"]
            for study in self.games
        ]
        return [self.ids[nonce] for nonces in found for nonce in nonces if nonce in self.ids]


def make_control(db: str, workdir: Path) -> CommonplaceControl:
    return CommonplaceControl(db, workdir)


def make_adapter(control: CommonplaceControl) -> CommonplaceAdapter:
    return CommonplaceAdapter(control)
