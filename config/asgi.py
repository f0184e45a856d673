"""The web process as an ASGI application that answers each request in one hop to a thread.

Django's own handler changes threads for every synchronous middleware and view, and takes a new
thread, hence a new database connection, for every request. Here IN_FLIGHT threads, each with a
lasting connection, run the whole synchronous chain. What waits for the network, as a slow phone
that sends or receives, waits in the event loop and holds none of them (docs/performance.md).

Players' sockets and the clock of their games live in the same loop.
"""

import asyncio
import gc
import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import IO, Any

import django
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.db import close_old_connections, connections
from django.http import HttpResponse, StreamingHttpResponse
from django.urls import set_script_prefix

from core import layers, origins

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


class Application(ASGIHandler):
    def __init__(self) -> None:
        super().__init__()
        self.threads = ThreadPoolExecutor(settings.IN_FLIGHT, thread_name_prefix="request")
        self.downloads = asyncio.Semaphore(settings.DOWNLOADS)

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        doors = {"http": self.answer, "websocket": talk, "lifespan": live}
        if scope["type"] in doors:
            await doors[scope["type"]](scope, receive, send)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        # What has arrived whole is answered even if nobody waits any more: a connection that
        # breaks must not lose answers. In a context of its own no request sees the language of
        # the one before it in the same thread.
        context = copy_context()
        with body:
            response = await asyncio.get_running_loop().run_in_executor(
                self.threads, lambda: context.run(self.respond, scope, body)
            )
            if isinstance(response, HttpResponse):
                await self.send_response(response, send)
            else:
                async with self.downloads, ThreadSensitiveContext():
                    await self.stream(response, receive, send)

    def respond(self, scope: Scope, body: IO[bytes]) -> HttpResponse | StreamingHttpResponse:
        """All that is synchronous about a request; its response is left to be sent."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=type(self), scope=scope)
        request, refusal = self.create_request(scope, body)
        response: Any = self.get_response(request) if request else refusal
        response._handler_class = type(self)
        if response.streaming and response.is_async:
            close_old_connections()
            return response
        whole = gathered(response) if response.streaming else response
        response.close()
        return whole

    async def stream(self, response: StreamingHttpResponse, receive: Receive, send: Send) -> None:
        """Send piece by piece until the end, or until the reader leaves. The pieces are made in
        a thread that ends with the stream, and so do its connections."""
        sending = asyncio.ensure_future(self.send_response(response, send))
        leaving = asyncio.ensure_future(receive())
        await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        sending.cancel()
        leaving.cancel()
        outcome, _ = await asyncio.gather(sending, leaving, return_exceptions=True)
        await sync_to_async(response.close)()
        await sync_to_async(connections.close_all)()
        if isinstance(outcome, Exception):
            raise outcome


async def live(_scope: Scope, receive: Receive, send: Send) -> None:
    """The life of the process: sockets may be told from the moment it is up, and games go on. When
    it ends the server closes the sockets with 1012, and pages come back by themselves."""
    from games.ticking import Ticker

    await receive()
    layers.live_in(asyncio.get_running_loop())
    ticker = Ticker()
    gc.freeze()  # what is loaded stays: looking through it again would hold up everybody's messages
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await ticker.stop()
    layers.live_in(None)
    await send({"type": "lifespan.shutdown.complete"})


async def talk(scope: Scope, receive: Receive, send: Send) -> None:
    """A socket to whom it belongs. It is accepted first even where it is not wanted: of a refused
    handshake a page learns nothing, not even that it was refused."""
    from games.consumers import ADDRESS, Closing, PlayerSocket

    found = ADDRESS.fullmatch(scope["path"])
    if found and origins.is_own(scope):
        await PlayerSocket.as_asgi()(scope, receive, send)
        return
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": Closing.FOREIGN if found else Closing.UNKNOWN})


def gathered(stream: StreamingHttpResponse) -> HttpResponse:
    """A synchronous stream in one piece, as Django would: it is a static file and small. What is
    large goes through `core.downloads`."""
    whole = HttpResponse(b"".join(stream), status=stream.status_code, headers=stream.headers)
    whole.cookies = stream.cookies
    return whole


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)
application = Application()
