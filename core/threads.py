"""Threads for the synchronous work of what lives in the event loop, each with a lasting database
connection. A new thread, hence a new connection, for every piece of work would cost more than the
work."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

from django.db import close_old_connections

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    def __init__(self, number: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(number, thread_name_prefix=name)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do the work in the first thread that is free, in a context of its own, so that none sees
        the language of the one before."""

        def connected() -> T:
            close_old_connections()
            try:
                return work(*args, **kwargs)
            finally:
                close_old_connections()

        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, copy_context().run, connected)

    def close(self) -> None:
        """Wait for what is being done, and end the threads and their connections."""
        self._pool.shutdown()
