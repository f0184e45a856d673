"""How a process speaks to the sockets it serves, and with Redis to those of other processes.

A message is a hint, delivered at most once: whoever misses one sees by its version, with the next
heartbeat, that they did. Nothing is told before it is committed, and never from a worker or a
command, which hold no socket and have no loop here.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Mapping
from typing import Any

from channels.layers import InMemoryChannelLayer, get_channel_layer

from core import clock

logger = logging.getLogger(__name__)
SWEEP_EVERY = 1.0  # real seconds

_loop: asyncio.AbstractEventLoop | None = None  # the one all sockets of the process live in
_sending: set[asyncio.Future[None]] = set()


class InProcessLayer(InMemoryChannelLayer):
    """Sends to a group at once: a message of ours is changed by nobody, so it needs no copy and no
    task for each reader. And it looks for what has expired once a second; the layer it is made of
    looks through every channel for every message, which at a thousand sockets takes seconds
    (docs/performance.md)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._swept = clock.monotonic()

    def put(self, group: str, message: Mapping[str, Any]) -> None:
        """A reader that does not read any more misses it, as the rest of what is told."""
        self._clean_expired()
        until = time.time() + self.expiry
        for channel in self.groups.get(group, ()):
            room = self.get_capacity(channel)
            queue = self.channels.setdefault(channel, asyncio.Queue(maxsize=room))
            with contextlib.suppress(asyncio.QueueFull):
                queue.put_nowait((until, message))

    async def group_send(self, group: str, message: Mapping[str, Any]) -> None:
        self.put(group, message)

    def _clean_expired(self) -> None:
        now = clock.monotonic()
        if now - self._swept >= SWEEP_EVERY:
            self._swept = now
            super()._clean_expired()


def live_in(loop: asyncio.AbstractEventLoop | None) -> None:
    """From now on sockets are served in this loop; None when no more are."""
    global _loop
    _loop = loop


def live() -> bool:
    """Whether this process serves sockets."""
    return _loop is not None


def tell(messages: Mapping[str, Mapping[str, Any]]) -> None:
    """Send a message to each group, from any thread. Returns at once, and nobody is told where the
    process serves no sockets."""
    loop = _loop
    if loop is not None and messages:
        loop.call_soon_threadsafe(_begin, messages)


def _begin(messages: Mapping[str, Mapping[str, Any]]) -> None:
    layer = get_channel_layer()
    if isinstance(layer, InProcessLayer):
        for group, message in messages.items():
            layer.put(group, message)
        return
    task = asyncio.ensure_future(_send(layer, messages))
    _sending.add(task)  # a task that nobody holds may be collected before it is done
    task.add_done_callback(_sending.discard)


async def _send(layer: Any, messages: Mapping[str, Mapping[str, Any]]) -> None:
    try:
        for group, message in messages.items():
            await layer.group_send(group, dict(message))
    except Exception:
        logger.exception("Not told to %d sockets, which will ask", len(messages))
