"""A player's socket, `/ws/p/<token>/game/`: one page of one participant, and a door like any other.

It parses, calls `games.answering` in a thread, and sends what that returns. It belongs to no group
but the participation's own (`games.telling`).
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Any
from urllib.parse import parse_qs

from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from core import clock
from core.errors import CommonplaceError, NotFound
from core.threads import Threads
from games import answering, telling, wire
from games.services import tabs
from games.wire import Closing
from studies import links

ADDRESS = re.compile(r"/ws/p/([^/]+)/game/")
STALLED = 10  # real seconds in which a page takes nothing of what it is sent
threads = Threads(settings.SOCKET_THREADS, "socket")


class PlayerSocket(AsyncWebsocketConsumer):
    """`tab` is the page's own name; `again` says that it had a socket before."""

    group, tab = "", ""
    closed = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        asked = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        self.token = ADDRESS.fullmatch(scope["path"])[1]  # type: ignore[index]
        named = re.sub(r"\W", "", asked.get("tab", [""])[0], flags=re.ASCII)[: tabs.LONGEST]
        self.tab = named or token_hex(8)
        self.again = "again" in asked
        self.pace = wire.Pace(clock.monotonic())
        self.came = clock.now().timestamp()
        try:
            await super().__call__(scope, receive, send)
        finally:
            if self.group:
                await self.channel_layer.group_discard(self.group, self.channel_name)

    async def dispatch(self, message: Mapping[str, Any]) -> None:
        """Connections to the database are the threads' own; there is none to close here."""
        await getattr(self, message["type"].replace(".", "_"))(message)

    async def connect(self) -> None:
        try:
            row = await threads.run(links.participation_of, self.token)
        except NotFound:
            await self.accept()
            return await self.close(Closing.UNKNOWN)
        self.group = telling.group(row.pk)
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()
        await self.answer(answering.arrive, self.token, self.tab, self.came, again=self.again)
        if not self.closed:
            opened = {"type": "tab.opened", "tab": self.tab, "came": self.came}
            await self.channel_layer.group_send(self.group, opened)
        return None

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if text_data is None:
            return await self.close(Closing.NOT_TEXT)
        nonce = ""
        try:
            fields = wire.read(text_data, settings.SOCKET_BYTES)
            nonce = fields.get("nonce", "")
            self.pace.allow(clock.monotonic())
        except CommonplaceError as error:
            await self.answer(answering.refuse, self.token, nonce, error)
            return await asyncio.sleep(wire.BREATH)
        if fields["do"] == "beat":
            return await self.answer(answering.beat, self.token, self.tab)
        if fields["do"] == "look":
            return await self.answer(answering.look, self.token)
        return await self.answer(answering.follow, self.token, fields)

    async def answer(self, ask: Callable[..., answering.Messages], *args: Any, **kw: Any) -> None:
        for message in await threads.run(ask, *args, **kw):
            await self.say(message)

    async def player_told(self, event: Mapping[str, Any]) -> None:
        await self.say(event["message"])

    async def tab_opened(self, event: Mapping[str, Any]) -> None:
        """Of a page that has gone by now the message may come after this one is here."""
        if event["tab"] != self.tab and event["came"] > self.came:
            await self.say(answering.TAKEN)

    async def say(self, message: Mapping[str, Any]) -> None:
        """A page that takes nothing any more is let go of; it comes back to a snapshot."""
        if self.closed:
            return
        try:
            async with asyncio.timeout(STALLED):
                await self.send(json.dumps(message, ensure_ascii=False))
        except TimeoutError:
            raise StopConsumer from None
        if message["type"] == "taken":
            await self.close(Closing.TAKEN)
        elif message.get("view", message)["type"] == "go":
            await self.close(Closing.ELSEWHERE)

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        self.closed = True
        await super().close(code, reason)

    async def websocket_disconnect(self, message: Mapping[str, Any]) -> None:
        raise StopConsumer
