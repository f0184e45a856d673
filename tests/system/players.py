"""Players as their pages are: a socket that beats, comes back when it breaks, and sends again what
nobody acknowledged. Nothing here knows the server but by its addresses."""

import asyncio
import contextlib
import http.client
import itertools
import json
import re
import socket
from collections.abc import Callable
from functools import cached_property
from html import unescape
from secrets import token_hex
from typing import Any
from urllib.parse import urlencode

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

PATIENCE = 120  # seconds after which what should come counts as missing
AGAIN = 0.1  # seconds until a broken socket is opened anew
FINAL = (4403, 4404, 4409, 4410)
BROKEN = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError)
JSON = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
_tabs = itertools.count(1)


class Screen:
    """What a page shows, of its HTML."""

    def __init__(self, html: str) -> None:
        self.html = html

    @cached_property
    def text(self) -> str:
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", self.html)).split())

    @cached_property
    def word(self) -> str:
        """What they describe; "" for who guesses."""
        found = re.search(r'<p class="word"[^>]*>([^<]+)<', self.html)
        return unescape(found[1]) if found else ""

    @cached_property
    def clues(self) -> list[str]:
        found = re.findall(r'<li class="slip[^>]*>\s*(?:<[^>]+>\s*)*([^<]+?)\s*<', self.html)
        return [unescape(each) for each in found]

    @cached_property
    def orders(self) -> frozenset[str]:
        """What its buttons do."""
        return frozenset(re.findall(r'name="do" value="(\w+)"', self.html))

    def field(self, name: str) -> str:
        found = re.search(rf'name="{name}" value="([^"]*)"', self.html)
        return found[1] if found else ""


class Player:
    """`page` is what they have before them, `views` every view that came, `acked` what was
    acknowledged, by nonce. `ended` is "taken" or "go" once the page plays no more."""

    def __init__(self, host: str, token: str) -> None:
        self.host, self.token = host, token
        self.tab = f"tab{next(_tabs)}"
        self.page, self.tag, self.version, self.beat = Screen(""), "", 0, 1.0
        self.views: list[dict[str, Any]] = []
        self.acked: dict[str, dict[str, str]] = {}
        self.looks = 0
        self._asked = True  # for what is shown: whatever comes is newer than what is here
        self.narrow = False  # a poor line: next to nothing is on its way unread
        self.ended, self.address = "", ""
        self.line: ClientConnection | None = None
        self._outbox: dict[str, tuple[dict[str, str], asyncio.Future[dict[str, Any]]]] = {}
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    # --- the page -----------------------------------------------------------------------------

    async def open(self, *, beats: bool = True) -> "Player":
        """Open the page; comes back once it shows something, or has been told to go elsewhere."""
        self._tasks = [asyncio.create_task(self._live())]
        if beats:
            self.start_to_beat()
        await self.until(lambda: self.views or self.ended)
        return self

    def start_to_beat(self) -> None:
        self._tasks.append(asyncio.create_task(self._beat()))

    async def close(self) -> None:
        """As a tab is closed."""
        self._end_tasks()
        if self.line:
            await self.line.close()

    def vanish(self) -> None:
        """The connection breaks off, and nobody says goodbye."""
        self._end_tasks()
        if self.line:
            self.line.transport.abort()

    def freeze(self) -> None:
        """The network is gone: nothing is sent or taken any more, and nobody is told."""
        self._end_tasks()
        self.stall()

    def stall(self) -> None:
        """Take nothing of what is sent until `resume`."""
        assert self.line
        self.line.transport.pause_reading()

    def resume(self) -> None:
        assert self.line
        self.line.transport.resume_reading()

    async def refresh(self) -> None:
        """Load the page anew: the old socket ends with it, and a new tab's name comes."""
        await self.close()
        status, page = await self.fetch("game/")
        assert status == 200
        self.page, self.views, self.tab = Screen(page), [], f"tab{next(_tabs)}"
        await self.open()

    async def _live(self) -> None:
        while not self.ended:
            try:
                await self._talk("&again" if self.views else "")
            except BROKEN:
                await asyncio.sleep(AGAIN)

    async def _talk(self, again: str) -> None:
        address = f"ws://{self.host}/ws/p/{self.token}/game/?tab={self.tab}{again}"
        options: dict[str, Any] = {"origin": f"http://{self.host}", "ping_interval": None}
        if self.narrow:
            options |= {"compression": None, "sock": await self._narrow_line()}
        async with connect(
            address, **options, proxy=None, open_timeout=10, close_timeout=1
        ) as line:
            self.line, self._asked = line, True
            first = True
            async for text in line:
                self._hear(json.loads(text))
                if first and not self.ended:
                    for fields, _answer in list(self._outbox.values()):
                        await self._send(fields)
                first = False
        assert line.close_code not in FINAL or self.ended, line.close_code

    async def _narrow_line(self) -> socket.socket:
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.setblocking(False)
        name, port = self.host.split(":")
        await asyncio.get_running_loop().sock_connect(line, (name, int(port)))
        return line

    def _hear(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "view" if message["version"] < self.version and not self._asked:
                self._look()
            case "view":
                self._asked = False
                self.views.append(message)
                self.page, self.tag = Screen(message["html"]), message["tag"]
                self.version, self.beat = message["version"], message["beat"] / 1000
            case "ack" | "refused":
                self._settle(message)
                if "view" in message:
                    self._hear(message["view"])
            case "beat" if message["tag"] != self.tag:
                self._look()
            case "taken" | "go" as ended:
                self.ended, self.address = ended, message.get("address", "")
        self._changed.set()

    def _look(self) -> None:
        self.looks += 1
        self._asked = True
        self._tasks.append(asyncio.create_task(self._send({"do": "look"})))

    def _settle(self, message: dict[str, Any]) -> None:
        fields, answer = self._outbox.pop(message["nonce"], ({}, None))
        if message["type"] == "ack" and fields:
            self.acked[message["nonce"]] = fields
        if answer and not answer.done():
            answer.set_result(message)

    async def _beat(self) -> None:
        while not self.ended:
            await asyncio.sleep(self.beat)
            await self._send({"do": "beat"})

    async def _send(self, fields: dict[str, str]) -> None:
        if self.line:
            with contextlib.suppress(*BROKEN):
                await self.line.send(json.dumps(fields))

    def _end_tasks(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._tasks = []

    # --- what a person does -------------------------------------------------------------------

    async def do(self, order: str, **fields: str) -> dict[str, Any]:
        """Send it, again where the connection broke, until it is acknowledged or refused."""
        nonce = token_hex(12)
        sent = {"do": order, "nonce": nonce, **fields}
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._outbox[nonce] = (sent, answer)
        await self._send(sent)
        async with asyncio.timeout(PATIENCE):
            return await answer

    async def does(self, order: str, **fields: str) -> None:
        answer = await self.do(order, **fields)
        assert answer["type"] == "ack", answer

    async def until(self, true: Callable[[], Any], seconds: float = PATIENCE) -> None:
        """Wait until it is true, looked at whenever a message comes."""
        try:
            async with asyncio.timeout(seconds):
                while not true():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"not within {seconds} s; shown is {self.page.text}") from None

    async def shows(self, words: str, seconds: float = PATIENCE) -> None:
        await self.until(lambda: words in self.page.text, seconds)

    async def may(self, order: str) -> None:
        """Wait until there is a button for it."""
        await self.until(lambda: order in self.page.orders)

    async def fetch(self, step: str = "", data: dict[str, str] | None = None) -> tuple[int, str]:
        """A page of theirs by its form or address: (status, text), redirects not followed."""
        return await asyncio.to_thread(self.ask, step, data)

    def ask(self, step: str, data: dict[str, str] | None = None) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        body, method = (urlencode(data), "POST") if data is not None else (None, "GET")
        headers = JSON if data is not None and step == "game/" else {}
        headers = headers or {"Content-Type": JSON["Content-Type"]}
        connection.request(method, f"/p/{self.token}/{step}", body, headers)
        with contextlib.closing(connection), connection.getresponse() as response:
            return response.status, response.read().decode()

    async def code(self) -> str:
        """The completion code on the page they are sent to; "" where there is none."""
        await self.until(lambda: self.ended == "go")
        assert self.address == f"/p/{self.token}/"
        _status, page = await self.fetch()
        found = re.search(r'id="completion-code"[^>]*>\s*([0-9A-Z]+)\s*<', page)
        return found[1] if found else ""


async def meet(one: Player, other: Player) -> tuple[Player, Player]:
    """Both look for a partner and say that they are ready: (giver, guesser)."""
    for player in (one, other):
        await player.does("enter")
    for player in (one, other):
        await player.may("ready")
        await player.does("ready")
    for player in (one, other):
        await player.shows("Word 1 of")
    return (one, other) if one.page.word else (other, one)
