"""How a process speaks to the sockets it serves, and with Redis to those of other processes.

A message is a hint, delivered at most once: whoever misses one sees by its version, with the next
heartbeat, that they did. Nothing is told before it is committed, and never from a worker or a
command, which hold no socket and have no loop here.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from channels.layers import InMemoryChannelLayer, get_channel_layer

from core import clock

logger = logging.getLogger(__name__)
SWEEP_EVERY = 1.0  # real seconds

_loop: asyncio.AbstractEventLoop | None = None  # the one all sockets of the process live in


class InProcessLayer(InMemoryChannelLayer):
    """Looks for what has expired once a second; the one it is made of looks through every channel
    for every message, which at a thousand sockets takes seconds (docs/performance.md)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._swept = clock.monotonic()

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
        asyncio.run_coroutine_threadsafe(_send(messages), loop)


async def _send(messages: Mapping[str, Mapping[str, Any]]) -> None:
    layer = get_channel_layer()
    try:
        for group, message in messages.items():
            await layer.group_send(group, dict(message))
    except Exception:
        logger.exception("Not told to %d sockets, which will ask", len(messages))
