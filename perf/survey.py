"""How the survey bears people: three loads on a server that shares its cores with the load.

| load | what happens |
|---|---|
| `paced` | 1,000 people at ten times human pace for a minute: 67 autosaves, 4 sent forms a second |
| `class` | 200 people send their form at random moments within 10 seconds |
| `flat` | 200 people send their form at once |

A form has 15 questions with answers of 600 characters in several scripts; a sent form is followed
by the page that comes next. Times run from the moment something was due, so that a slow server
cannot slow the load down. In the end another process reads the database, and everything that was
acknowledged has to be there.

Run from the root of the repository: `python -m perf.survey paced|class|flat|all`. SQLite in a
scratch folder, or the empty DATABASE_URL (with REDIS_URL and WEB_PROCESSES) of the environment.
"""

import asyncio
import contextlib
import gc
import random
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from perf.installation import Installation
from perf.person import Person, Refused, come_in

CHARACTERS = 600
PHRASES = (
    "guests come before it is dark",
    "naïve façade größer",
    "слово мята чай",
    "बाज़ार में चाय मेहमान",
    "কথা চা অতিথি",
    "کتاب چای مہمان",
    "客人 茶 朋友",
)
PACED_PEOPLE, PACED_SECONDS, SAVES, PAGES = 1000, 60, 67, 4
CROWD, CLASS_SECONDS = 200, 10


@dataclass
class Times:
    """Seconds of everything that came out well, and what did not, by what was done."""

    of: dict[str, list[float]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)

    @contextlib.asynccontextmanager
    async def counted(self, what: str) -> AsyncIterator[None]:
        try:
            yield
        except (Refused, aiohttp.ClientError, TimeoutError) as error:
            self.errors[f"{what}: {error!r}"] += 1

    def add(self, what: str, seconds: float) -> None:
        self.of.setdefault(what, []).append(seconds)


def text(seed: str) -> str:
    rng, said = random.Random(seed), seed
    while len(said) < CHARACTERS:
        said += f" {rng.choice(PHRASES)}"
    return said[:CHARACTERS].strip()


async def paced(people: Sequence[Person], times: Times) -> None:
    rng = random.Random(1)
    busy: set[str] = set()

    def somebody() -> Person:
        """Nobody does two things at once, and who has sent the last form is done."""
        while True:
            person = rng.choice(people)
            if person.number and person.code not in busy:
                return person

    async def save(due: float, number: int) -> None:
        await _until(due)
        person = somebody()
        busy.add(person.code)
        async with times.counted("autosave"):
            key = rng.choice(person.keys)
            await person.save(key, text(f"{person.code} {key} {number}"))
            times.add("autosave", time.perf_counter() - due)
        busy.discard(person.code)

    async def page(due: float) -> None:
        await _until(due)
        person = somebody()
        busy.add(person.code)
        await _send(person, times, due)
        busy.discard(person.code)

    start = time.perf_counter() + 0.5
    saves = range(SAVES * PACED_SECONDS)
    sent = range(PAGES * PACED_SECONDS)
    await asyncio.gather(
        *(save(start + number / SAVES, number) for number in saves),
        *(page(start + number / PAGES) for number in sent),
    )


async def a_class(people: Sequence[Person], times: Times) -> None:
    rng = random.Random(2)
    start = time.perf_counter() + 0.5

    async def one(person: Person, due: float) -> None:
        await _until(due)
        await _send(person, times, due)

    await asyncio.gather(*(one(person, start + rng.uniform(0, CLASS_SECONDS)) for person in people))


async def flat(people: Sequence[Person], times: Times) -> None:
    start = time.perf_counter()
    await asyncio.gather(*(_send(person, times, start) for person in people))


async def _send(person: Person, times: Times, due: float) -> None:
    texts = {key: text(f"{person.code} {key}") for key in person.keys}
    late = time.perf_counter() - due if due else 0
    async with times.counted("form"):
        accepted, shown = await person.send(texts)
        times.add("form accepted", accepted + late)
        times.add("next page", shown + late)


async def _until(due: float) -> None:
    await asyncio.sleep(max(0.0, due - time.perf_counter()))


Load = Callable[[Sequence[Person], Times], Awaitable[None]]
LOADS: dict[str, tuple[Load, int, int]] = {  # what happens, people, forms of the study
    "paced": (paced, PACED_PEOPLE, 3),
    "class": (a_class, CROWD, 3),
    "flat": (flat, CROWD, 1),
}


async def measure(name: str, installation: Installation, study: str) -> None:
    load, count, _ = LOADS[name]
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as http:
        invited = await asyncio.to_thread(installation.invite, study, count)
        people = [Person(code, link, http) for code, link in invited.items()]
        await come_in(people)
        times = Times()
        gc.collect()
        gc.disable()
        cpu, began = installation.cpu_seconds(), time.perf_counter()
        await load(people, times)
        seconds = time.perf_counter() - began
        cpu = installation.cpu_seconds() - cpu
        gc.enable()
    _print(name, times, seconds)
    print(f"  server: {cpu / seconds:.0%} of a core, at most {installation.memory_mb():.0f} MB")
    _compare(people, await asyncio.to_thread(installation.stored, study))


def _print(name: str, times: Times, seconds: float) -> None:
    print(f"{name}: {seconds:.1f} s, {times.errors.total()} errors")
    for error, count in times.errors.most_common(5):
        print(f"  {count} × {error}")
    for what, taken in times.of.items():
        p50, p95, p99 = (1000 * percentile(taken, share) for share in (50, 95, 99))
        print(
            f"  {what:<14} {len(taken):>5}  p50 {p50:>6.0f}  p95 {p95:>6.0f}  p99 {p99:>6.0f} ms"
            f"  {len(taken) / seconds:>6.1f}/s"
        )


def _compare(people: Sequence[Person], stored: dict[str, dict[str, str]]) -> None:
    kept = [(person.code, key, said) for person in people for key, said in person.kept.items()]
    lost = sum(stored.get(code, {}).get(key) != said for code, key, said in kept)
    print(f"  {len(kept)} acknowledged answers, {lost} of them not in the database")


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile; `share` of 100."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100).__int__() - 1)]


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def main(wanted: str) -> None:
    names = list(LOADS) if wanted == "all" else [wanted]
    with tempfile.TemporaryDirectory(prefix="commonplace-perf-") as folder:
        installation = Installation(Path(folder), free_port())
        installation.start()
        try:
            for name in names:
                study = installation.open_study(forms=LOADS[name][2])
                asyncio.run(measure(name, installation, study))
        finally:
            installation.stop()


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in (*LOADS, "all"):
        raise SystemExit(__doc__)
    main(sys.argv[1])
