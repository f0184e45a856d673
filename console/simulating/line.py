"""A player's page as the script of ours keeps it (docs/live-play.md): one socket, opened again when
it breaks, and what is not acknowledged sent once more.

Instants are seconds of `time.perf_counter`.
"""

import asyncio
import json
import random
import re
import secrets
import socket
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp

FINAL = (4403, 4404, 4409, 4410)  # closed with these, a page does not come back
TOKEN = re.compile(r"\bzq[a-z]{8}\b")  # the one word of a clue or a proposal that nobody else says
_SHORTEST_WAIT, _LONGEST_WAIT, _DOUBLINGS = 0.25, 8.0, 6  # seconds until the next attempt
_PULSE = 0.25  # seconds between two looks at who has been silent
_BROKEN = (aiohttp.ClientError, OSError, TimeoutError)


@dataclass(slots=True)
class Act:
    """Something a player does. It is `due` at an instant, and `sent` then or later; `acked` is 0
    until it is acknowledged, with the `version` of the game after it. `refused` is a code."""

    fields: Mapping[str, str]
    nonce: str
    due: float
    sent: float = 0.0
    acked: float = 0.0
    version: int = 0
    refused: str = ""

    @property
    def token(self) -> str:
        found = TOKEN.search(self.fields.get("text") or self.fields.get("about") or "")
        return found[0] if found else ""


class Line:
    """`html` is what the player has before them, `version` the game's, `gone` the address where
    they go on once there is nothing to play. `changed` is called for every view."""

    def __init__(
        self, http: aiohttp.ClientSession, link: str, changed: Callable[[], None] = lambda: None
    ) -> None:
        self.http, self.link, self.changed = http, link, changed
        self.html, self.tag, self.gone = "", "", ""
        self.version, self.beat = 0, 5.0
        self.acts: list[Act] = []
        self.read: dict[str, float] = {}  # words of others and one's own, and when they were shown
        self.ended = ""  # why it is over: go, taken, closed
        self.breaks = 0
        self._versions: list[int] = []  # that were shown, each higher than the one before
        self._shown: list[float] = []  # when
        self._outbox: dict[str, Act] = {}
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._tab, self._again = secrets.token_hex(12), False
        self._tries, self._rest, self._spoke, self._fresh = 0, 0.0, 0.0, True

    @property
    def open(self) -> bool:
        """Whether there is a socket on which a view has come."""
        return self._socket is not None and not self._fresh

    @property
    def waits(self) -> bool:
        """Whether something is not acknowledged yet, or its outcome not shown."""
        return bool(self._outbox) or (bool(self.acts) and self.version < self.acts[-1].version)

    async def run(self) -> None:
        """Until there is nothing to play any more."""
        while not self.ended:
            with suppress(*_BROKEN):
                await self._connected()
            self._socket, self._fresh = None, True
            if not self.ended:
                self.breaks += 1
                self._tries += 1
                await asyncio.sleep(self._rest or self._wait())
                self._rest = 0.0

    async def act(self, fields: Mapping[str, str], due: float | None = None) -> Act:
        """Send it, now or as soon as there is a connection again."""
        now = time.perf_counter()
        act = Act(fields, secrets.token_hex(12), now if due is None else due, now)
        self.acts.append(act)
        self._outbox[act.nonce] = act
        if self.open:
            await self._send({**fields, "nonce": act.nonce})
        return act

    def saw(self, version: int) -> float:
        """When the player was first shown this version of the game or a later one; 0 if never."""
        place = bisect_left(self._versions, version)
        return self._shown[place] if place < len(self._shown) else 0.0

    def drop(self, rest: float, *, reload: bool) -> None:
        """Lose the connection without a word, and be back after `rest` seconds: as the same page,
        or as one that was loaded anew."""
        self._rest = rest
        if reload:
            self._tab, self._again = secrets.token_hex(12), False
        if self._socket is not None:
            with suppress(OSError):
                self._socket.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    async def say_beat(self, now: float) -> None:
        """A sign of life, where nothing was said for a while."""
        if self.open and now - self._spoke >= self.beat:
            await self._send({"do": "beat"})

    async def close(self) -> None:
        self.ended = self.ended or "closed"
        if self._socket is not None:
            await self._socket.close()

    def _wait(self) -> float:
        longest = min(_LONGEST_WAIT, _SHORTEST_WAIT * 2 ** min(self._tries, _DOUBLINGS))
        return longest * random.uniform(0.5, 1.5)  # noqa: S311  (a simulation)

    def _address(self) -> str:
        place = urlsplit(self.link)
        scheme = "wss" if place.scheme == "https" else "ws"
        again = "&again" if self._again else ""
        return f"{scheme}://{place.netloc}/ws{place.path}game/?tab={self._tab}{again}"

    async def _connected(self) -> None:
        place = urlsplit(self.link)
        origin = f"{place.scheme}://{place.netloc}"
        patience = aiohttp.ClientWSTimeout(ws_close=1.0)
        async with self.http.ws_connect(
            self._address(), origin=origin, compress=15, timeout=patience
        ) as self._socket:
            async for message in self._socket:
                if message.type is not aiohttp.WSMsgType.TEXT:
                    break
                await self._hear(json.loads(message.data), time.perf_counter())
            if self._socket.close_code in FINAL:
                self.ended = self.ended or "closed"

    async def _hear(self, said: Mapping[str, Any], now: float) -> None:
        if said["type"] == "view":
            await self._show(said, now)
        elif said["type"] in ("ack", "refused"):
            self._settle(said, now)
            if "view" in said:
                await self._hear(said["view"], now)
        elif said["type"] == "beat" and said["tag"] != self.tag:
            await self._send({"do": "look"})
        elif said["type"] == "go":
            self.ended, self.gone = "go", said["address"]
            self.changed()
        elif said["type"] == "taken":
            self.ended = "taken"
            self.changed()

    async def _show(self, view: Mapping[str, Any], now: float) -> None:
        self.version, self.tag, self.html = view["version"], view["tag"], view["html"]
        self.beat = view["beat"] / 1000
        for token in TOKEN.findall(self.html):
            self.read.setdefault(token, now)
        if self.version > (self._versions[-1] if self._versions else 0):
            self._versions.append(self.version)
            self._shown.append(now)
        if self._fresh:
            self._fresh, self._again, self._tries = False, True, 0
            for nonce, act in list(self._outbox.items()):
                await self._send({**act.fields, "nonce": nonce})
        self.changed()

    def _settle(self, said: Mapping[str, Any], now: float) -> None:
        act = self._outbox.pop(said["nonce"], None)
        if act is None:
            return
        if said["type"] == "ack":
            act.acked, act.version = now, said.get("version", 0)
        else:
            act.refused = said["code"]
        self.changed()

    async def _send(self, fields: Mapping[str, str]) -> None:
        self._spoke = time.perf_counter()
        if self._socket is not None:
            with suppress(*_BROKEN):
                await self._socket.send_str(json.dumps(fields, ensure_ascii=False))


async def keep_alive(lines: Iterable[Line]) -> None:
    """The heartbeats of many pages, until it is cancelled."""
    while True:
        now = time.perf_counter()
        for line in lines:
            await line.say_beat(now)
        await asyncio.sleep(_PULSE)
