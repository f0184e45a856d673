"""The harness's scenario `live` played in Commonplace: what the first of a pair sends is a clue,
what the second sends is the wish for the next one. One turn holds twenty messages of a pair, hence
`--seconds 20` at most."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from random import Random

import aiohttp
from adapter import ChannelClosed, LiveChannel, Participant

from console.simulating.line import Act, Line
from console.simulating.player import tokens
from perf.playing import sit_down

LONGEST = 66  # characters of a message's own words in a clue
Row = tuple[str, Act, "Channel"]
_words = tokens(Random())


@dataclass
class Table:
    """Two channels and what one has sent and the other was not shown yet; `last` role that sent."""

    channels: dict[int, "Channel"] = field(default_factory=dict)
    pending: deque[Row] = field(default_factory=deque)
    last: int = 1


class Channel(LiveChannel):
    def __init__(self, line: Line, role: int, table: Table, ids: dict[str, str]) -> None:
        self.line, self.role, self.table, self.ids = line, role, table, ids
        self.heard: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self.acks: dict[str, Act] = {}
        self.opened = asyncio.Event()
        line.changed = self.look
        table.channels[role] = self

    async def open(self) -> None:
        self.running = asyncio.create_task(self.line.run())
        try:
            await asyncio.wait_for(self.opened.wait(), 30)
        except TimeoutError:
            raise ChannelClosed("no view came") from None

    def look(self) -> None:
        """Something has come: which acts of both are acknowledged and shown by now?"""
        if self.line.open:
            self.opened.set()
        for msg_id, act in list(self.acks.items()):
            if act.acked:
                del self.acks[msg_id]
                self.heard.put_nowait(("ack", msg_id))
            elif act.refused:
                del self.acks[msg_id]
                self.heard.put_nowait(("error", msg_id))
        pending = self.table.pending
        while pending and pending[0][1].acked and pending[0][2].line.saw(pending[0][1].version):
            msg_id, _act, receiver = pending.popleft()
            receiver.heard.put_nowait(("relay", msg_id))

    async def send(self, msg_id: str, text: str) -> None:
        other = self.table.channels[1 - self.role]
        if self.table.last == self.role:  # the warm-up lets one speak alone
            await other.line.act({"do": "next"})
            await asyncio.sleep(0.2)
        self.table.last = self.role
        fields = {"do": "next"}
        if self.role == 0:
            fields = {"do": "clue", "text": f"{text[:LONGEST]} {next(_words)}"}
        act = await self.line.act(fields)
        self.ids[act.nonce] = msg_id
        self.acks[msg_id] = act
        self.table.pending.append((msg_id, act, other))

    async def recv(self) -> tuple[str, str]:
        if self.line.ended and self.heard.empty():
            raise ChannelClosed(self.line.ended)
        return await self.heard.get()

    async def close(self) -> None:
        await self.line.close()
        await self.running


async def seated(links: list[str], http: aiohttp.ClientSession) -> list[Participant]:
    """Who plays, the giver of each pair first; their pages of before are closed."""
    table = await sit_down(links, http)
    people = []
    for number, pair in enumerate(table.pairs):
        giver, _move = next(pair.moves)
        for role, seat in enumerate((giver, 1 - giver)):
            link = pair.lines[seat].link
            people.append(Participant(2 * number + role, link, pair=number, role=role))
    await table.close()
    return people
