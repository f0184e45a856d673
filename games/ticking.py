"""The clock of the games in a web process: what is due is done, whoever sees another screen by it
is told. Several processes may tick at once, since every row is claimed by a conditional update."""

import asyncio
import contextlib
import logging
from datetime import datetime

from django.conf import settings

from core import clock
from core.threads import Threads
from games import telling
from games.services import rounds

SHORTEST = 0.02  # real seconds between two rounds, however time is scaled
logger = logging.getLogger(__name__)


def tick(since: datetime) -> None:
    """One round. Nobody is lost by a silence that began before `since`: while no server was there,
    nobody could be heard."""
    telling.tell(rounds.look_round(since=since))


class Ticker:
    """Ticks until it is stopped, one round after the other."""

    def __init__(self) -> None:
        self._stopping = asyncio.Event()
        self._task = asyncio.create_task(self._run(clock.now()))

    async def stop(self) -> None:
        """Returns when the round that is being done is."""
        self._stopping.set()
        await self._task

    async def _run(self, since: datetime) -> None:
        threads, failing = Threads(1, "ticker"), False
        while not self._stopping.is_set():
            try:
                await threads.run(tick, since)
                failing = False
            except Exception:
                if not failing:  # said once, not twice a second
                    logger.exception("A round of the games failed; it is tried again")
                failing = True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(SHORTEST, clock.scaled(settings.GAME_TICK))):
                    await self._stopping.wait()
        threads.close()
