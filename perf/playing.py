"""Pairs of players that act at a rate, whatever the server does: people come in, sit down two by
two, and play legal moves in which every act changes the partner's screen.

A turn is ten clues, a wrong guess after two of them, a pass and a rating; a game has 24 turns, more
than any load here gets done.
"""

import asyncio
import itertools
import re
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import aiohttp

from console.simulating.line import Act, Line, keep_alive
from console.simulating.person import Invited, Person
from console.simulating.player import tokens

REGIONS = ("harbour", "marsh", "terraces", "moor", "islands")
CLUES, GUESSED_AFTER = 10, (3, 7)
PATIENCE = 60  # seconds after which what should come counts as missing
AT_ONCE = 20  # people on the way to their game
Fields = dict[str, str]
_CLUE = re.compile(r'name="do" value="clue"')


class Stuck(Exception):
    """Something did not come, or was refused."""


@dataclass(slots=True)
class Done:
    """An act and whose screen it changes."""

    act: Act
    partner: Line

    @property
    def shown(self) -> float:
        """When it was on the partner's screen; 0 where it is not."""
        if not self.act.acked:
            return 0.0
        words = self.act.token
        if self.act.fields["do"] == "clue" and words:
            return self.partner.read.get(words, 0.0)
        return self.partner.saw(self.act.version)


@dataclass
class Pair:
    """Two lines, whose changes wake whoever waits for `changed`."""

    lines: tuple[Line, Line]
    changed: asyncio.Event
    done: list[Done] = field(default_factory=list)
    stuck: str = ""
    moves: Iterator[tuple[int, Fields]] = field(default_factory=lambda: iter(()))

    async def act(self, due: float) -> None:
        """The next move, as soon as who makes it sees what came before. Raises `Stuck`."""
        seat, fields = next(self.moves)
        line, before = self.lines[seat], self.done[-1].act if self.done else None
        await self.until(lambda: before is None or (bool(before.acked) and _sees(line, before)))
        act = await line.act(fields, due)
        self.done.append(Done(act, self.lines[1 - seat]))

    async def until(self, true: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Raises `Stuck` after so many seconds, and at once where the last act was refused."""
        end = time.perf_counter() + seconds
        while not true():
            if self.done and self.done[-1].act.refused:
                raise Stuck(f"{self.done[-1].act.fields['do']}: {self.done[-1].act.refused}")
            if time.perf_counter() > end:
                raise Stuck("nothing came")
            self.changed.clear()
            try:
                async with asyncio.timeout(1):
                    await self.changed.wait()
            except TimeoutError:
                continue

    async def sit(self, meeting: asyncio.Lock) -> None:
        """Find each other and begin; `meeting` lets one pair of a region meet at a time."""
        async with meeting:
            for line in self.lines:
                await self.until(lambda line=line: line.open)  # type: ignore[misc]
                await line.act({"do": "enter"})
                await self.until(lambda line=line: not line.waits)  # type: ignore[misc]
            await self.until(lambda: all(line.version for line in self.lines))
        for line in self.lines:
            await line.act({"do": "ready"})
        await self.until(lambda: any(_CLUE.search(line.html) for line in self.lines))
        giver = next(seat for seat, line in enumerate(self.lines) if _CLUE.search(line.html))
        self.moves = _moves(giver)


def _sees(line: Line, act: Act) -> bool:
    return line.version >= act.version


def _moves(giver: int) -> Iterator[tuple[int, Fields]]:
    """Seat and move, from the first clue on."""
    words = tokens(Random())
    for turn in itertools.count():
        gives = (giver + turn) % 2
        for number in range(1, CLUES + 1):
            yield gives, {"do": "clue", "text": f"Next to {next(words)} it is always there"}
            if number in GUESSED_AFTER:
                yield 1 - gives, {"do": "guess", "text": f"something of {next(words)}"}
            yield 1 - gives, {"do": "next"}
        yield 1 - gives, {"do": "rate", "accuracy": "4", "quality": "3"}


@dataclass
class Table:
    """Everybody who has come; `running` are the tasks of their heartbeats and lines."""

    pairs: list[Pair]
    running: list["asyncio.Task[None]"]

    @property
    def lines(self) -> list[Line]:
        return [line for pair in self.pairs for line in pair.lines]

    async def close(self) -> None:
        heart, *running = self.running
        heart.cancel()
        await asyncio.gather(*(line.close() for line in self.lines))
        await asyncio.gather(*running)


async def come_in(people: Iterable[Person]) -> None:
    """All of them up to the instructions of the game."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(person: Person) -> None:
        async with places:
            await person.come_in()

    await asyncio.gather(*map(one, people))


def people(links: Sequence[str], http: aiohttp.ClientSession) -> list[Person]:
    """The two of a pair belong to one region, pairs to the regions in turn."""
    return [
        Person(Invited(link, {"region": REGIONS[place // 2 % len(REGIONS)]}), http)
        for place, link in enumerate(links)
    ]


async def sit_down(links: Sequence[str], http: aiohttp.ClientSession) -> Table:
    """Pairs that have begun to play, of people who have just come in."""
    came = people(links, http)
    await come_in(came)
    lines: list[Line] = []
    table = Table([], [asyncio.create_task(keep_alive(lines))])
    meetings: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
    sitting: list[Awaitable[None]] = []
    for one, other in zip(came[::2], came[1::2], strict=True):
        changed = asyncio.Event()
        two = (Line(http, one.link, changed.set), Line(http, other.link, changed.set))
        pair = Pair(two, changed)
        lines += two
        table.pairs.append(pair)
        table.running += [asyncio.create_task(line.run()) for line in two]
        sitting.append(pair.sit(meetings[one.invited.screening["region"]]))
    await asyncio.gather(*sitting)
    return table
