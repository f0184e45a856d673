"""Commonplace as a product of the oTree benchmark harness, scenario `form` (docs/performance.md).

Copy the harness into a scratch folder, put this file beside its `bench.py`, and say where the
product is: `COMMONPLACE_ROOT` (its repository), `COMMONPLACE_PYTHON` (an interpreter that has its
packages; default the `.venv` in there). On PostgreSQL the product is run as a larger installation
is: two web processes and Redis, whose address is `BENCH_REDIS_URL`; that database is emptied.
"""

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

from perf.installation import Installation  # noqa: E402
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


class WarmUp(LiveChannel):
    """The harness warms up a live page whatever it measures; this stands in and reaches nobody."""

    async def send(self, msg_id: str, text: str) -> None:
        pass

    async def recv(self) -> tuple[str, str]:
        return "relay", ""

    async def close(self) -> None:
        pass


class CommonplaceAdapter(Adapter):
    name = "commonplace"

    def __init__(self, control: CommonplaceControl) -> None:
        self.control = control
        self.studies: list[str] = []

    async def setup(self, scenario: str, n: int) -> list[Participant]:
        """Participants who have agreed and were admitted: their link leads on to the form."""
        if scenario == "live":
            if n > 2:
                raise NotImplementedError("there is no live page to measure yet")
            return [Participant(index, "") for index in range(n)]
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

    async def start(self, p: Participant) -> Person | None:
        person: Person | None = p.extra.get("person")
        if person is None:
            return None
        person.http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=60)
        )
        try:
            await person.open_form()
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

    async def open_live(self, session: None) -> LiveChannel:
        return WarmUp()

    async def reload(self, session: Person) -> bool:
        raise NotImplementedError

    async def end(self, session: Person | None) -> None:
        if session:
            await session.http.close()

    async def stored_forms(self) -> set[tuple[str, ...]]:
        people = [
            texts for study in self.studies for texts in self.control.running.stored(study).values()
        ]
        return {tuple(texts[f"q{n}"] for n in range(1, len(texts) + 1)) for texts in people}

    async def stored_messages(self) -> list[str]:
        raise NotImplementedError


def make_control(db: str, workdir: Path) -> CommonplaceControl:
    return CommonplaceControl(db, workdir)


def make_adapter(control: CommonplaceControl) -> CommonplaceAdapter:
    return CommonplaceAdapter(control)
