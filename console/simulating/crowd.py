"""Many simulated people at once: they come one after another, answer or play, and leave with their
code; some lose their connection on the way."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random

import aiohttp

from console.simulating.line import Line, keep_alive
from console.simulating.person import Invited, Person, Refused, sessions
from console.simulating.player import Player, time_left, tokens
from console.simulating.tally import Tally

ARRIVING = 0.25  # of the time, in which people come
HASTE = 100  # a thought takes this part of the time left, so that games are over in time
LONGEST_THOUGHT = 4.0  # seconds between two acts, on average
REST = (0.5, 2.0)  # seconds without a connection
FIRST_ACTS = 25  # one of which a connection is lost after
DRAIN = 10.0  # seconds after the end in which what is on its way may arrive
LEAST_PATIENCE = 0.3  # of what is left until a deadline, which a player uses at most
_BROKEN = (aiohttp.ClientError, OSError, TimeoutError)


@dataclass(frozen=True, slots=True)
class Crowd:
    """`names` are what things are called, by region. `drop` is the share of people who lose their
    connection, `seconds` how long it all lasts."""

    people: Sequence[Invited]
    players: Sequence[Invited]
    names: Mapping[str, Sequence[str]]
    drop: float
    seconds: float


class _Coming:
    """What is the same for all who come."""

    def __init__(self, crowd: Crowd, http: aiohttp.ClientSession) -> None:
        self.crowd, self.http, self.tally = crowd, http, Tally()
        self.rng = Random()  # noqa: S311  (a simulation)
        self.end = time.perf_counter() + crowd.seconds

    @property
    def over(self) -> bool:
        return time.perf_counter() >= self.end

    def is_dropped(self) -> bool:
        return self.rng.random() < self.crowd.drop

    async def think(self, html: str = "") -> None:
        left = time_left(html)
        usual = min(LONGEST_THOUGHT, max(0.0, self.end - time.perf_counter()) / HASTE)
        thought = usual * self.rng.uniform(0.5, 1.5)
        await asyncio.sleep(thought if left is None else min(thought, LEAST_PATIENCE * left))

    async def arrive(self, person: Person) -> None:
        await asyncio.sleep(self.rng.uniform(0, ARRIVING * self.crowd.seconds))
        await person.come_in()


async def come(crowd: Crowd) -> Tally:
    """Let them all come; what they did and were told. Raises `Refused` where the first of them
    already is."""
    async with sessions() as http:
        coming = _Coming(crowd, http)
        first = [*crowd.people, *crowd.players][0]
        await Person(first, http).read(first.link)
        lines: list[Line] = []
        beating = asyncio.create_task(keep_alive(lines))
        await asyncio.gather(
            *(_guarded(coming, _answer(coming, Person(each, http))) for each in crowd.people),
            *(_guarded(coming, _play(coming, Person(each, http), lines)) for each in crowd.players),
        )
        beating.cancel()
        await asyncio.gather(*(line.close() for line in lines))
    return coming.tally


async def _guarded(coming: _Coming, taking_part: Awaitable[None]) -> None:
    """Whoever is refused or gets through no more goes; that is counted."""
    try:
        await taking_part
    except Refused as error:
        coming.tally.refused[f"http.{error.status}"] += 1
    except _BROKEN as error:
        coming.tally.refused[type(error).__name__] += 1


# --- who answers ----------------------------------------------------------------------------------


async def _answer(coming: _Coming, person: Person) -> None:
    """Form after form; each answer is saved once it is written, as the page does it."""
    await coming.arrive(person)
    said, drops = tokens(coming.rng), coming.is_dropped()
    form = f"{person.link}forms/1/"
    while "/forms/" in form and not coming.over:
        texts: dict[str, str] = {}
        for key in await person.questions(form):
            await coming.think()
            texts[key] = f"What is usual here we call {next(said)}."
            saving = _saving(person, form, {key: texts[key]})
            if drops:
                drops = False
                await _broken_off(coming, saving())
            await _acknowledged(coming, person, saving, {key: texts[key]})
        await coming.think()
        form = await _acknowledged(coming, person, lambda: person.hand_in(form, texts), texts)  # noqa: B023
    coming.tally.codes += await person.look_for_code()


def _saving(person: Person, form: str, texts: dict[str, str]) -> Callable[[], Awaitable[str]]:
    async def save() -> str:
        await person.save(form, texts)
        return form

    return save


async def _broken_off(coming: _Coming, sending: Awaitable[str]) -> None:
    """The connection is lost while something is sent; it may have arrived or not."""
    task = asyncio.ensure_future(sending)
    await asyncio.sleep(0.001)
    task.cancel()
    with suppress(asyncio.CancelledError, Refused, *_BROKEN):
        await task
    await asyncio.sleep(coming.rng.uniform(*REST))


async def _acknowledged(
    coming: _Coming, person: Person, send: Callable[[], Awaitable[str]], texts: Mapping[str, str]
) -> str:
    """Send until there is an answer; where it leads."""
    coming.tally.sent += 1
    began = time.perf_counter()
    while True:
        try:
            after = await send()
        except _BROKEN:
            if time.perf_counter() > coming.end + DRAIN:
                raise
            await asyncio.sleep(REST[0])
        else:
            coming.tally.kept(person.link, texts, time.perf_counter() - began)
            return after


# --- who plays ------------------------------------------------------------------------------------


async def _play(coming: _Coming, person: Person, lines: list[Line]) -> None:
    await coming.arrive(person)
    changed = asyncio.Event()
    line = Line(coming.http, person.link, changed.set)
    lines.append(line)
    coming.tally.lines[person.link] = line
    running = asyncio.create_task(line.run())
    player = Player(coming.crowd.names[person.invited.screening["region"]], coming.rng)
    await _sit(coming, line, player, changed)
    while line.waits and time.perf_counter() < coming.end + DRAIN:
        await asyncio.sleep(0.1)
    if line.gone:
        coming.tally.codes += await person.look_for_code()
    else:  # partners are told what this one did last
        await asyncio.sleep(1)
    await line.close()
    await running


async def _sit(coming: _Coming, line: Line, player: Player, changed: asyncio.Event) -> None:
    """Play until there is nothing to play, or the time is over."""
    drops_after = coming.rng.randint(1, FIRST_ACTS) if coming.is_dropped() else -1
    answered = ""
    while not line.ended and not coming.over:
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await changed.wait()
        changed.clear()
        before = line.html
        if line.waits or not line.open or before == answered:
            continue
        await coming.think(before)
        if line.html != before:
            changed.set()
            continue
        fields = player.answer(before)
        if fields is None:
            continue
        await line.act(fields)
        answered = before
        if len(line.acts) == drops_after:
            line.drop(coming.rng.uniform(*REST), reload=coming.rng.random() < 0.5)
