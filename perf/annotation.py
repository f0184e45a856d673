"""How the annotation queue bears people: 200,000 tasks, and 20 people who judge one a second for a
minute over HTTP.

| load | what happens |
|---|---|
| `queue` | each sends a judgement, which stores it and takes the next task |
| `pages` | and then opens the page of that task |

`judge` is the judgement stored and the next task taken, `page` that task's page, `both` what a
person waits for in all. The first of the people has 50,000 judgements behind them, the second has
skipped 5,000 tasks at the head of the queue. Times run from the moment something was due. In the
end the database is asked whether any task was ever held more often than it may.

Run from the root of the repository: `python -m perf.annotation queue|pages [TASKS [SECONDS]]`.
SQLite in a scratch folder, or the empty DATABASE_URL (with REDIS_URL and WEB_PROCESSES) of the
environment.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from perf.installation import ROOT, Installation
from perf.person import Refused
from perf.survey import Times, free_port, percentile
from perf.tasks import PASSWORD

TASKS, PEOPLE, SECONDS, OVERLAP = 200_000, 20, 60, 2
JUDGED, SKIPPED = 50_000, 5_000
_CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
_SEEN = re.compile(r'name="seen" value="([^"]+)"')


@dataclass
class Annotator:
    """Somebody signed in. `at` is the address of the task they have, `seen` what its page said of
    the answers; `served` are the tasks they were given, in order."""

    email: str
    origin: str
    study: str
    http: aiohttp.ClientSession
    at: str = ""
    seen: str = ""
    csrf: str = ""
    served: list[str] = field(default_factory=list)

    async def sign_in(self) -> None:
        self._learn(await self._page("/accounts/sign-in/"))
        name = {"username": self.email, "password": PASSWORD}
        await self._send("/accounts/sign-in/", name)
        self._learn(await self._page(f"/studies/{self.study}/annotation/"))

    async def ask(self) -> None:
        self._given(await self._send(f"/studies/{self.study}/annotation/agreement/next/", {}))

    async def judge(self) -> None:
        said = {"action": "send", "choice": "none"}
        seen = {"seen": self.seen} if self.seen else {}
        self._given(await self._send(self.at, said | seen))

    async def look(self) -> None:
        page = await self._page(self.at)
        self._learn(page)
        seen = _SEEN.search(page)
        if seen is None:
            raise Refused(f"no task at {self.at}")
        self.seen = seen[1]

    def _given(self, address: str) -> None:
        if "/tasks/" not in address:
            raise Refused(f"no next task, but {address}")
        self.at = address.partition("?")[0]
        self.served.append(self.at)

    def _learn(self, page: str) -> None:
        found = _CSRF.search(page)
        if found is None:
            raise Refused("a page without a form")
        self.csrf = found[1]

    async def _page(self, path: str) -> str:
        async with self.http.get(self.origin + path) as response:
            if response.status != 200:
                raise Refused(f"{response.status} at {path}")
            return await response.text()

    async def _send(self, path: str, data: dict[str, str]) -> str:
        """Where it leads."""
        sent = data | {"csrfmiddlewaretoken": self.csrf}
        async with self.http.post(self.origin + path, data=sent, allow_redirects=False) as response:
            await response.read()
            if response.status != 302:
                raise Refused(f"{response.status} at {path}")
            return response.headers["Location"]


async def work(person: Annotator, times: Times, start: float, seconds: int, look: bool) -> None:
    """A judgement a second; who is late goes on at once."""
    await person.ask()
    if look:
        await person.look()
    for turn in range(seconds):
        due = start + turn
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        async with times.counted("judge"):
            await person.judge()
            given = time.perf_counter()
            times.add("judge", given - due)
            if look:
                await person.look()
                there = time.perf_counter()
                times.add("page", there - given)
                times.add("both", there - due)


async def measure(
    installation: Installation, study: str, seconds: int, look: bool
) -> list[Annotator]:
    times = Times()
    async with _people(installation.origin, study) as people:
        await asyncio.gather(*(person.sign_in() for person in people))
        start = time.perf_counter() + 2
        cpu = installation.cpu_seconds()
        # Nobody begins at the same moment of a second.
        await asyncio.gather(
            *(
                work(person, times, start + place / len(people), seconds, look)
                for place, person in enumerate(people)
            )
        )
        cpu = installation.cpu_seconds() - cpu
    print(f"{len(people)} people, {seconds} s, {times.errors.total()} errors")
    for error, count in times.errors.most_common(5):
        print(f"  {count} × {error}")
    for what, taken in times.of.items():
        p50, p95, p99 = (1000 * percentile(taken, share) for share in (50, 95, 99))
        print(f"  {what:<10} {len(taken):>5}  p50 {p50:>5.0f}  p95 {p95:>5.0f}  p99 {p99:>5.0f} ms")
    print(f"  server: {cpu / seconds:.0%} of a core, at most {installation.memory_mb():.0f} MB")
    return people


class _people:
    """Annotators with a browser each, closed in the end."""

    def __init__(self, origin: str, study: str) -> None:
        timeout = aiohttp.ClientTimeout(total=60)
        self.people = [
            Annotator(
                f"annotator{n}@example.org",
                origin,
                study,
                aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.CookieJar(unsafe=True)),
            )
            for n in range(PEOPLE)
        ]

    async def __aenter__(self) -> list[Annotator]:
        return self.people

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*(person.http.close() for person in self.people))


def double(people: list[Annotator]) -> int:
    """Tasks that were given to more people than shall judge them, or to one person twice."""
    given = Counter(address for person in people for address in set(person.served))
    again = sum(len(person.served) - len(set(person.served)) for person in people)
    return sum(count > OVERLAP for count in given.values()) + again


def shell(installation: Installation, code: str) -> str:
    order = [installation.python, "manage.py", "shell", "-v", "0", "-c", code]
    done = subprocess.run(order, cwd=ROOT, env=installation.env, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def main(load: str, tasks: int, seconds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="commonplace-perf-") as folder:
        installation = Installation(Path(folder), free_port())
        installation.start()
        try:
            study = installation.open_study()
            began = time.perf_counter()
            history = f"judged={min(JUDGED, tasks // 4)}, skipped={min(SKIPPED, tasks // 40)}"
            order = f"fill({study!r}, {tasks}, {PEOPLE}, {OVERLAP}, {history})"
            shell(installation, f"from perf.tasks import fill; {order}")
            os.sync()  # what was written to begin with is no part of the load
            print(f"{tasks:,} tasks written in {time.perf_counter() - began:.0f} s")
            people = asyncio.run(measure(installation, study, seconds, load == "pages"))
            counted = f"from perf.tasks import held; held({study!r})"
            found: dict[str, Any] = json.loads(shell(installation, counted))
            over = max(0, found["most"] - OVERLAP)
            print(f"  {double(people)} double leases, {over} places too many at any task")
        finally:
            installation.stop()


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4 or sys.argv[1] not in ("queue", "pages"):
        raise SystemExit(__doc__)
    given = [int(each) for each in sys.argv[2:]]
    main(sys.argv[1], *(given + [TASKS, SECONDS][len(given) :]))
