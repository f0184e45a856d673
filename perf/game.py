"""How the live game bears pairs: server and load share the cores, every event is committed.

| load | what happens |
|---|---|
| `pairs` | 250 pairs whose players act every 4 s, 500 every 10 s, 100 and 250 every 2 s |
| `knee` | 250 pairs, a quarter more acts each time, until p99 > 250 ms or delivery < 99.9 % |
| `arrivals` | 100 people of 5 regions open the page and look for a partner at once |
| `kills` | 100 pairs whose players act every 2 s; the web process is killed (−9) 20 times |

Acts come at a rate, whatever the server does; whose turn it is acts as soon as they see what came
before, and times run from the moment the act was due until it is on the partner's screen. Every act
changes the partner's screen (`perf.playing`). In the end another process reads the database.
With `--pairs` and `--every`, `pairs` is one load instead of four.

    python -m perf.game pairs|knee|arrivals|kills [--pairs N] [--every S] [--seconds S] [--kills N]

SQLite in a scratch folder, or the empty DATABASE_URL (with REDIS_URL and WEB_PROCESSES) of the
environment; the database's own processor time is not in the figures then. With several web
processes `kills` kills one of them at a time, and their supervisor starts it anew.
"""

import argparse
import asyncio
import contextlib
import gc
import json
import os
import random
import secrets
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from console.simulating.line import TOKEN, Line
from console.simulating.person import Person, sessions
from perf.installation import ROOT, Installation, _tree
from perf.playing import REGIONS, Done, Pair, Stuck, Table, come_in, people, sit_down
from perf.survey import free_port, percentile

LOADS = ((250, 4.0), (500, 10.0), (100, 2.0), (250, 2.0))  # pairs, seconds between a player's acts
SECONDS, DRAIN = 60, 10
KNEE_PAIRS, KNEE_FROM, KNEE_STEP, KNEE_SECONDS = 250, 100, 1.25, 15
KNEE_P99, KNEE_DELIVERED = 0.250, 0.999
ARRIVALS, KILL_PAIRS, KILLS = 100, 100, 20
STUDY = """\
study: {slug}
names: {{en: Games to measure with}}
languages: [en]
country: Lantern Coast
timezone: Atlantic/Azores
currency: EUR
simulated: true
residency: {{more_than_percent: 50}}
regions:
{regions}
activities:
  taboo:
    kind: game
    names: {{en: A game of clues}}
    reward: {{kind: hourly, amount: 12.50, minutes: 60}}
game:
  on_drop: wait
  rare_region: wait
  practice: false
  clues: 10
  guesses: 5
  deck: 12
  ready_seconds: 600
  clue_seconds: 1800
  guess_seconds: 1800
  rate_seconds: 600
  grace_seconds: 1800
  play_seconds: 14400
  wait_seconds: 3600
consent:
  texts: {{en: We ask what people in your part of the country take for granted.}}
  purposes:
    take_part: {{en: I have read this and want to take part.}}
"""
REGION = """\
  {slug}:
    names: {{en: {name}}}
    phrases: {{en: in the {name}}}
    places: [{name} town]
    target: 100000
"""


@dataclass(frozen=True)
class Figures:
    """What a load came to; seconds."""

    name: str
    seconds: float
    done: Sequence[Done]
    errors: Counter[str]
    server: str
    generator: str

    @property
    def taken(self) -> list[float]:
        return [shown - each.act.due for each in self.done if (shown := each.shown)]

    @property
    def delivered(self) -> float:
        return len(self.taken) / max(1, len(self.done))

    @property
    def p99(self) -> float:
        return percentile(self.taken or [float("inf")], 99)

    def line(self) -> str:
        taken = self.taken or [0.0]
        p50, p95, p99 = (1000 * percentile(taken, share) for share in (50, 95, 99))
        within = sum(each <= 1 for each in taken) / max(1, len(self.done))
        errors = ", ".join(f"{count} × {what}" for what, count in self.errors.most_common(3))
        return (
            f"{self.name}: {len(self.done):,} acts ({len(self.done) / self.seconds:.0f}/s), "
            f"{self.delivered:.2%} delivered, {within:.2%} within 1 s, act to partner's screen "
            f"p50 {p50:.0f} p95 {p95:.0f} p99 {p99:.0f} ms, {self.errors.total()} errors"
            f"{f' ({errors})' if errors else ''}\n"
            f"  server {self.server}; load generator {self.generator}"
        )


class Lag:
    """How late the load generator itself is, and how much of a core it takes."""

    async def measure(self) -> None:
        self.late: list[float] = []
        while True:
            due = time.perf_counter() + 0.01
            await asyncio.sleep(0.01)
            self.late.append(time.perf_counter() - due)

    @contextlib.asynccontextmanager
    async def measured(self) -> AsyncIterator[None]:
        gc.collect()
        gc.disable()
        task, cpu, began = asyncio.create_task(self.measure()), time.process_time(), time.time()
        yield
        self.share = (time.process_time() - cpu) / (time.time() - began)
        task.cancel()
        gc.enable()

    def line(self) -> str:
        p99, most = 1000 * percentile(self.late, 99), 1000 * max(self.late)
        return f"{self.share:.0%} of a core, late by p99 {p99:.0f} ms, at most {most:.0f}"


async def measure(
    installation: Installation, table: Table, every: float, seconds: float
) -> Figures:
    """Every pair acts every `every` seconds, at moments of their own."""
    errors: Counter[str] = Counter()
    before = {id(pair): len(pair.done) for pair in table.pairs}
    lag, cpu = Lag(), installation.cpu_seconds()

    async def play(pair: Pair, due: float) -> None:
        try:
            while due < end:
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                await pair.act(due)
                due += every
            await pair.until(lambda: all(_settled(line) for line in pair.lines), DRAIN)
        except Stuck as error:
            errors[str(error)] += 1

    async with lag.measured():
        start = time.perf_counter() + 0.5
        end = start + seconds
        await asyncio.gather(*(play(pair, start + random.random() * every) for pair in table.pairs))
        over = time.perf_counter()
        cpu = (installation.cpu_seconds() - cpu) / (over - start)
        await asyncio.sleep(0.5)
    done = [each for pair in table.pairs for each in pair.done[before[id(pair)] :]]
    name = f"{len(table.pairs)} pairs, each player every {2 * every:g} s"
    server = f"{cpu:.0%} of a core, {installation.memory_mb():.0f} MB"
    return Figures(name, seconds, done, errors, server, lag.line())


def _settled(line: Line) -> bool:
    return not line.waits


@contextlib.asynccontextmanager
async def playing(installation: Installation, study: str, pairs: int) -> AsyncIterator[Table]:
    async with sessions() as http:
        began = time.perf_counter()
        links = await asyncio.to_thread(invite, installation, study, 2 * pairs)
        table = await sit_down(links, http)
        print(f"{pairs} pairs sit after {time.perf_counter() - began:.0f} s", flush=True)
        try:
            yield table
        finally:
            await table.close()


async def pairs(installation: Installation, options: argparse.Namespace) -> None:
    loads = [(options.pairs, options.every or 4.0)] if options.pairs else LOADS
    for number, every in loads:
        study = open_study(installation)
        async with playing(installation, study, number) as table:
            found = await measure(installation, table, every / 2, options.seconds or SECONDS)
            print(found.line(), flush=True)
            compare(installation, study, table.pairs)


async def knee(installation: Installation, options: argparse.Namespace) -> None:
    rate, bearable = float(KNEE_FROM), 0.0
    study, number = open_study(installation), options.pairs or KNEE_PAIRS
    async with playing(installation, study, number) as table:
        while True:
            seconds = options.seconds or KNEE_SECONDS
            found = await measure(installation, table, number / rate, seconds)
            print(found.line(), flush=True)
            if found.p99 > KNEE_P99 or found.delivered < KNEE_DELIVERED or found.errors:
                break
            bearable, rate = rate, rate * KNEE_STEP
        print(f"the knee: {bearable:.0f} acts a second are borne, {rate:.0f} are not")
        compare(installation, study, table.pairs)


async def arrivals(installation: Installation, options: argparse.Namespace) -> None:
    """From opening the page to a partner's being found."""
    study, number = open_study(installation), 2 * options.pairs if options.pairs else ARRIVALS
    links = await asyncio.to_thread(invite, installation, study, number)
    async with sessions() as http:
        came = people(links, http)
        await come_in(came)
        lag = Lag()
        async with lag.measured():
            began = time.perf_counter()
            took = await asyncio.gather(*(_paired(person, began) for person in came))
    share = (1000 * percentile(took, each) for each in (50, 95))
    p50, p95 = share
    print(
        f"{number} arrivals of {len(REGIONS)} regions at once: all paired in {max(took):.2f} s "
        f"(p50 {p50:.0f}, p95 {p95:.0f} ms)\n  load generator {lag.line()}"
    )


async def _paired(person: Person, began: float) -> float:
    await person.read(f"{person.link}game/")
    changed = asyncio.Event()
    line = Line(person.http, person.link, changed.set)
    running = asyncio.create_task(line.run())
    while not line.version:
        if line.open and not line.acts:
            await line.act({"do": "enter"})
        changed.clear()
        await changed.wait()
    took = time.perf_counter() - began
    await line.close()
    await running
    return took


async def kills(installation: Installation, options: argparse.Namespace) -> None:
    """Everybody acts on through the kills, as far as they can."""
    study, every = open_study(installation), (options.every or 2.0) / 2
    stop = asyncio.Event()
    errors: Counter[str] = Counter()

    async def play(pair: Pair) -> None:
        await asyncio.sleep(random.random() * every)
        try:
            while not stop.is_set():
                due = time.perf_counter()
                await pair.act(due)
                await asyncio.sleep(max(0.0, due + every - time.perf_counter()))
            await pair.until(lambda: all(_settled(line) for line in pair.lines))
        except Stuck as error:
            errors[str(error)] += 1

    async with playing(installation, study, options.pairs or KILL_PAIRS) as table:
        tasks = [asyncio.create_task(play(pair)) for pair in table.pairs]
        for number in range(1, options.kills + 1):
            await asyncio.sleep(random.uniform(2, 5))
            up = await asyncio.to_thread(kill, installation)
            later = [await _goes_on(pair, up) for pair in table.pairs]
            print(
                f"kill {number}: all games go on {max(later):.1f} s after the restart, half of "
                f"them after {percentile(later, 50):.1f}",
                flush=True,
            )
        stop.set()
        await asyncio.gather(*tasks)
        await asyncio.sleep(2)
        print(f"{options.kills} kills, {errors.total()} errors: {dict(errors)}")
        compare(installation, study, table.pairs)


async def _goes_on(pair: Pair, since: float) -> float:
    """Seconds from an instant until the first act that reaches the partner after it."""
    while True:
        shown = [each.shown for each in pair.done[-6:] if each.shown > since]
        if shown:
            return min(shown) - since
        if time.perf_counter() - since > DRAIN * 3:
            return float("inf")
        await asyncio.sleep(0.05)


def kill(installation: Installation) -> float:
    """Kill the web process, or one of them; when there is one again."""
    processes = [pid for pid in _tree(installation.pid)[1:] if "spawn_main" in _command(pid)]
    if not processes:
        installation.stop(signal.SIGKILL)
        installation.start()
        return time.perf_counter()
    os.kill(random.choice(processes), signal.SIGKILL)
    return time.perf_counter()


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def compare(installation: Installation, study: str, played: Iterable[Pair]) -> None:
    """What was acknowledged with what is stored, and what is stored with what was shown."""
    followed = json.loads(shell(installation, f"print_followed({study!r})"))
    stored, acts = set(followed["nonces"]), [each for pair in played for each in pair.done]
    acked = [each for each in acts if each.act.acked]
    missing = sum(each.act.nonce not in stored for each in acked)
    partners = {each.act.token: each.partner for each in acts if each.act.fields["do"] == "clue"}
    tokens = Counter(TOKEN.findall(" ".join(followed["clues"])))
    unseen = sum(token not in partners[token].read for token in tokens if token in partners)
    unseen += sum(not each.shown for each in acked if each.act.fields["do"] != "clue")
    print(
        f"  {len(acked):,} acknowledged acts, {missing} of them not in the database; of "
        f"{len(stored):,} stored {unseen} unseen; {tokens.total() - len(tokens)} stored twice",
        flush=True,
    )


def open_study(installation: Installation) -> str:
    """The short name of a new study of games that collects."""
    slug = f"games_{secrets.token_hex(4)}"
    regions = "".join(REGION.format(slug=each, name=each.title()) for each in REGIONS)
    path = installation.folder / f"{slug}.yaml"
    path.write_text(STUDY.format(slug=slug, regions=regions.rstrip("\n")))
    installation.manage("load_study", path)
    shell(installation, f"list_artifacts({slug!r})")
    installation.manage("open_study", slug)
    return slug


def invite(installation: Installation, study: str, count: int) -> list[str]:
    return list(installation.invite(study, count).values())


def shell(installation: Installation, code: str) -> str:
    code = f"from perf.played import list_artifacts, print_followed; {code}"
    order = [installation.python, "manage.py", "shell", "-v", "0", "-c", code]
    done = subprocess.run(order, cwd=ROOT, env=installation.env, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


WHAT = {"pairs": pairs, "knee": knee, "arrivals": arrivals, "kills": kills}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("load", choices=WHAT)
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--every", type=float, help="seconds between two acts of a player")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--kills", type=int, default=KILLS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="commonplace-perf-") as folder:
        installation = Installation(Path(folder), free_port())
        installation.start()
        try:
            print(f"load average {os.getloadavg()[0]:.1f} before")
            asyncio.run(WHAT[options.load](installation, options))
        finally:
            installation.stop()


if __name__ == "__main__":
    main()
