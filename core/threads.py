"""Threads for the synchronous work of what lives in the event loop, each with a lasting database
connection. A new thread, hence a new connection, for every piece of work would cost more than the
work."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, ParamSpec, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    def __init__(self, number: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(number, thread_name_prefix=name)
        self._connections: set[Any] = set()  # one of each thread

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do the work in the first thread that is free, in a context of its own, so that none sees
        the language of the one before."""

        def connected() -> T:
            connection: Any = connections[DEFAULT_DB_ALIAS]
            self._connections.add(connection)
            try:
                return work(*args, **kwargs)
            finally:
                # A connection that is fine stays with its thread: to take one out of the pool and
                # give it back at every turn costs as much as a statement.
                if connection.errors_occurred:
                    connection.close_if_unusable_or_obsolete()

        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, copy_context().run, connected)

    def close(self) -> None:
        """Wait for what is being done, and end the threads and their connections; not to be called
        in the event loop, which would stand still."""
        self._pool.shutdown()
        for connection in self._connections:
            connection.inc_thread_sharing()  # its thread is gone
            connection.close()
