"""An installation of real processes: data folder or database of its own, stub, worker, commands.

On SQLite by default; with DATABASE_URL and REDIS_URL set, on PostgreSQL and Redis, where every
installation has a database of its own and all share one emptied Redis database.
"""

import contextlib
import fcntl
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest
import redis

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = "releases/samples/lantern_coast.json"
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
REDIS_DATABASE = 7 + WORKER  # each emptied
IN_FLIGHT = 8
TIMEOUT = 6  # seconds a job may be silent, also on a busy machine
PATIENCE = 120  # seconds after which what should come counts as missing
PORTS = 1000  # of each worker, below those that a machine gives to whoever connects
DATABASE_URL, REDIS_URL = os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")
EMBEDDED = not REDIS_URL
NOTHING = (None, "")
_first = 20_000 + PORTS * WORKER
_ports = iter(random.sample(range(_first, _first + PORTS), PORTS))


def until(true: Callable[[], Any], seconds: float = PATIENCE, every: float = 0.05) -> Any:
    """What `true()` returns, as soon as that is something; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (value := true()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {true}"
        time.sleep(every)
    return value


def free_port() -> int:
    """A port that nobody gets meanwhile: neither another worker nor whoever connects."""
    for port in _ports:
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no port is free")


def children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for listed in Path(f"/proc/{pid}/task").glob("*/children"):
            found += map(int, listed.read_text().split())
    return found


def runs(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@dataclass
class Process:
    """A running `manage.py` command whose output goes to files."""

    popen: "subprocess.Popen[bytes]"
    out: Path
    err: Path

    @property
    def pid(self) -> int:
        return self.popen.pid

    def kill(self) -> None:
        """kill −9: nothing of the process's own gets to run."""
        self.popen.send_signal(signal.SIGKILL)
        self.popen.wait()

    def end(self, seconds: float = PATIENCE) -> int:
        return self.popen.wait(timeout=seconds)

    def lines(self) -> list[str]:
        """What it has printed so far, the last line only once it is whole."""
        return self.out.read_text().split("\n")[:-1]

    def ready(self) -> str:
        """The first line, once it is printed; fails with its errors if it ends before."""

        def first() -> str:
            assert self.popen.poll() is None or self.lines(), self.err.read_text()
            return next(iter(self.lines()), "")

        return until(first)


@dataclass
class Installation:
    folder: Path
    env: dict[str, str]
    started: list[Process] = field(default_factory=list)

    def manage(self, *arguments: object) -> tuple[int, dict]:
        """Run a command with `--json` to its end: (exit, the one object on standard output)."""
        command = [sys.executable, "manage.py", *map(str, arguments), "--json"]
        done = subprocess.run(
            command, cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.stdout.count("\n") == 1, done.stdout + done.stderr
        return done.returncode, json.loads(done.stdout)

    def start(self, *arguments: object, **env: str) -> Process:
        out, err = (self.folder / f"{uuid4().hex}.{kind}" for kind in ("out", "err"))
        with out.open("w") as out_file, err.open("w") as err_file:
            popen = subprocess.Popen(
                [sys.executable, "manage.py", *map(str, arguments)],
                cwd=ROOT,
                env=self.env | env,
                stdout=out_file,
                stderr=err_file,
            )
        self.started.append(Process(popen, out, err))
        return self.started[-1]

    def stop(self) -> None:
        """Kill what was started and wait for the children, which have to end by themselves."""
        for process in self.started:
            print(f"--- {process.popen.args[2:]}\n{process.err.read_text()}")
        orphans = [child for process in self.started for child in children(process.pid)]
        for process in self.started:
            process.kill()
        until(lambda: not any(map(runs, orphans)))


class Stub:
    """A stub endpoint in a process of its own, seen from outside."""

    def __init__(self, url: str) -> None:
        self.url = url

    def stats(self) -> dict:
        return self._get("stats")

    def reset(self) -> None:
        self._get("reset")

    def requests(self) -> int:
        return self.stats()["requests"]

    def _get(self, page: str) -> dict:
        with urllib.request.urlopen(f"{self.url}/{page}", timeout=PATIENCE) as response:
            return json.load(response)


@pytest.fixture(scope="session")
def stub_process(tmp_path_factory) -> Iterator[Stub]:
    installation = Installation(folder := tmp_path_factory.mktemp("stub"), _env(folder))
    process = installation.start("stub_llm", "--port", 0, "--latency-ms", 50)
    yield Stub(process.ready().removeprefix("Ready: "))
    installation.stop()


@pytest.fixture
def stub(stub_process) -> Stub:
    stub_process.reset()
    return stub_process


@contextlib.contextmanager
def made_once(
    base: Path,
    name: str,
    make: Callable[[Installation], None],
    source: tuple[Path | None, str] = NOTHING,
) -> Iterator[tuple[Path, str]]:
    """An installation to be copied: (folder, database). The first worker that asks for it makes it
    of a copy of `source`, and the last that leaves takes it away."""
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, made = shared / name, shared / f"{name}.database"
    with _locked(shared / f"{name}.lock"):
        users = (shared / f"{name}.users").open("w")
        fcntl.flock(users, fcntl.LOCK_SH)
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of somebody who failed
            shutil.copytree(source[0], folder) if source[0] else folder.mkdir()
            with _database(source[1], kept=True) as database:
                make(Installation(folder, _env(folder, database)))
            made.write_text(database)
    yield folder, (database := made.read_text())
    with _locked(shared / f"{name}.lock"), users, contextlib.suppress(BlockingIOError):
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        made.unlink()
        shutil.rmtree(folder)
        _drop(database)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def _migrated(tmp_path_factory) -> Iterator[tuple[Path, str]]:
    """What all migrations make of nothing. They take as long as all else that a test does."""
    with made_once(tmp_path_factory.getbasetemp(), "migrated", _migrate) as made:
        yield made


def _migrate(installation: Installation) -> None:
    migrate = installation.start("migrate", "--verbosity", 0)
    assert migrate.end() == 0, migrate.err.read_text()


@pytest.fixture(scope="session")
def _template(tmp_path_factory, _migrated) -> Iterator[tuple[Path, str]]:
    """A migrated installation with the sample release."""
    with made_once(tmp_path_factory.getbasetemp(), "template", _import, _migrated) as made:
        yield made


def _import(installation: Installation) -> None:
    code, result = installation.manage("import_release", "indica", SAMPLE)
    assert (code, result["kept"]) == (0, result["read"]), result


@pytest.fixture
def installation(tmp_path, _template, stub) -> Iterator[Installation]:
    """Migrated, with the release indica@1 and the stub as its endpoint."""
    folder, database = _template
    shutil.copytree(folder, tmp_path / "data")
    yield from _installed(tmp_path / "data", database, stub.url)


@pytest.fixture
def empty(tmp_path, _migrated) -> Iterator[Installation]:
    """Migrated, with nothing in it yet."""
    folder, database = _migrated
    shutil.copytree(folder, tmp_path / "data")
    yield from _installed(tmp_path / "data", database)


@pytest.fixture
def fresh(tmp_path) -> Iterator[Installation]:
    """An empty data folder and database, as a newcomer has them."""
    (tmp_path / "data").mkdir()
    yield from _installed(tmp_path / "data")


def _installed(
    folder: Path, template: str | None = None, stub_url: str | None = None
) -> Iterator[Installation]:
    with _database(template) as database:
        installation = Installation(folder, _env(folder, database, stub_url))
        try:
            yield installation
        finally:
            installation.stop()


@contextlib.contextmanager
def _database(template: str | None = None, *, kept: bool = False) -> Iterator[str]:
    """The URL of a new database, "" on SQLite, where a copied folder is one already. It is dropped
    at the end, or where it is to be kept, if something fails."""
    if EMBEDDED:
        yield ""
        return
    redis.Redis.from_url(REDIS_URL, db=REDIS_DATABASE).flushdb()
    name = f"system_{uuid4().hex}"
    source = urlsplit(template).path[1:] if template else "template1"
    with psycopg.connect(DATABASE_URL, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {source}")
    url = urlsplit(DATABASE_URL)._replace(path=f"/{name}").geturl()
    with contextlib.ExitStack() as at_end:
        at_end.callback(_drop, url)
        yield url
        if kept:
            at_end.pop_all()


def _drop(database: str) -> None:
    if database:
        with psycopg.connect(DATABASE_URL, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {urlsplit(database).path[1:]} WITH (FORCE)")


def _env(folder: Path, database: str = "", stub_url: str | None = None) -> dict[str, str]:
    ours = ("COMMONPLACE_", "DJANGO_", "DATABASE_URL", "REDIS_URL", "PORT", "WEB_PROCESSES")
    env = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    if EMBEDDED:
        env.pop("SECRET_KEY", None)
    elif database:
        env["DATABASE_URL"] = database
        env["REDIS_URL"] = urlsplit(REDIS_URL)._replace(path=f"/{REDIS_DATABASE}").geturl()
    endpoint = {"base_url": stub_url, "key_variable": "", "max_in_flight": IN_FLIGHT}
    return env | {
        "COMMONPLACE_DATA": str(folder),
        "COMMONPLACE_DOTENV": "0",
        "COMMONPLACE_HASHED_STATIC": "0",
        "COMMONPLACE_JOB_TICK": "0.4",
        "COMMONPLACE_JOB_TIMEOUT": str(TIMEOUT),
        "COMMONPLACE_ENDPOINTS": json.dumps({"stub": endpoint} if stub_url else {}),
        "PYTHONUNBUFFERED": "1",
    }
