"""How many requests an endpoint has in flight, how fast they follow, and when it is left alone.

One `Gate` per endpoint and process, shared by all sessions; it lives on the client's loop.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from django.conf import settings

from core.clock import monotonic, scaled
from inference.pacing import Meter


class StillClosed(Exception):
    """The endpoint asked to be left alone for longer than a run waits; `seconds` remain."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Gate:
    """Bounds the requests in flight, keeps their pace, and stays shut as long as Retry-After said.

    Who holds a slot passes in the order of coming: only the first of them waits for the time,
    the others wait for the first.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._slots = asyncio.Semaphore(limit)
        self._withheld = 0  # slots to take away as they come back, after the limit was lowered
        self._first = asyncio.Lock()  # held by the one who waits for the time
        self._news = asyncio.Event()  # the time to wait for has changed
        self._requests, self._tokens = Meter(), Meter()
        self._opens = 0.0  # in seconds of the product, as `_clock` counts them

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

    def pace(self, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        """This process's share of the endpoint's limits. None: no limit; 0: others have it all.

        Holds at once, also for those who wait; what has passed stays counted.
        """
        at = _clock()
        self._requests.limit(requests_per_minute, at)
        self._tokens.limit(tokens_per_minute, at)
        self._news.set()

    def shut(self, seconds: float) -> None:
        """Nobody passes for `seconds` of the product; a longer wait already set stays."""
        self._opens = max(self._opens, _clock() + seconds)
        self._news.set()

    @asynccontextmanager
    async def passage(self, tokens: int = 0) -> AsyncIterator[None]:
        """Wait for a slot, for the gate to open and for the pace, and hold the slot inside.

        `tokens` is what the request may cost; more than a minute's worth passes too, alone.
        Raises `StillClosed` at once when the gate stays shut for longer than
        settings.RETRY_LONGEST_WAIT. The pace is waited for however long it takes.
        """
        await self._slots.acquire()
        try:
            async with self._first:
                await self._wait(tokens)
            yield
        finally:
            if self._withheld > 0:
                self._withheld -= 1
            else:
                self._slots.release()

    async def _wait(self, tokens: int) -> None:
        while (wait := self._seconds(tokens)) > 0:
            self._news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(scaled(wait)):
                    await self._news.wait()
        at = _clock()
        self._requests.count(1, at)
        self._tokens.count(tokens, at)

    def _seconds(self, tokens: int) -> float:
        at = _clock()
        shut = self._opens - at
        if shut > settings.RETRY_LONGEST_WAIT:
            raise StillClosed(shut)
        return max(shut, self._requests.wait(1, at), self._tokens.wait(tokens, at))


def _clock() -> float:
    """Seconds of the product, for measuring durations."""
    return monotonic() / scaled(1)
