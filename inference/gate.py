"""How many requests an endpoint has in flight, and when it may be asked again.

One `Gate` per endpoint and process, shared by all sessions; it lives on the client's loop.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from django.conf import settings

from core.clock import monotonic, scaled


class StillClosed(Exception):
    """The endpoint asked to be left alone for longer than a run waits; `seconds` remain."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Gate:
    """Bounds the requests in flight, and stays shut for as long as a Retry-After said."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._slots = asyncio.Semaphore(limit)
        self._withheld = 0  # slots to take away as they come back, after the limit was lowered
        self._opens = 0.0

    async def resize(self, limit: int) -> None:
        """Whoever is inside stays; a lower limit holds as soon as enough have left."""
        self._withheld += self._limit - limit
        self._limit = limit
        while self._withheld < 0:
            self._withheld += 1
            self._slots.release()
        while self._withheld > 0 and not self._slots.locked():
            self._withheld -= 1
            await self._slots.acquire()  # at once, since it is not locked

    def shut(self, seconds: float) -> None:
        """Nobody passes for `seconds` of the product; a longer wait already set stays."""
        self._opens = max(self._opens, monotonic() + scaled(seconds))

    @asynccontextmanager
    async def passage(self) -> AsyncIterator[None]:
        """Wait for a slot and for the gate to open, and hold the slot inside.

        Raises `StillClosed` at once when the wait would pass settings.RETRY_LONGEST_WAIT.
        """
        await self._slots.acquire()
        try:
            while (wait := self._opens - monotonic()) > 0:
                if wait > scaled(settings.RETRY_LONGEST_WAIT):
                    raise StillClosed(wait * settings.TIME_SCALE)
                await asyncio.sleep(wait)
            yield
        finally:
            if self._withheld > 0:
                self._withheld -= 1
            else:
                self._slots.release()
