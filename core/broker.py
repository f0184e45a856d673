"""The broker of an installation without Redis: messages are files in a folder.

Written instead of the library's own filesystem transport, which leaves a reader half of a file
(celery/kombu issue 1551), hands messages through the temporary folder of the machine, and never
again opens a queue whose table of bindings was being written when its process was killed. Here a
file appears when it is whole, whoever deletes it has the message, and nothing else is kept.
"""

import logging
import os
import time
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import uuid4

from kombu.exceptions import ChannelError
from kombu.transport import virtual
from kombu.utils.json import dumps, loads

ROUND = 0.1  # seconds

log = logging.getLogger(__name__)


class Channel(virtual.Channel):
    def _put(self, queue: str, message: dict[str, Any], **_: Any) -> None:
        name = f"{time.time_ns()}_{uuid4().hex}"  # in the order they were sent, as a rule
        unfinished = self._folder / f"{name}.part"
        try:
            unfinished.write_text(dumps(message), "utf-8")
            unfinished.rename(self._folder / f"{name}.{queue}.msg")
        except OSError as error:
            with suppress(OSError):
                unfinished.unlink()
            raise ChannelError(f"cannot write to {self._folder}: {error}") from error

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        for file in self._waiting(queue):
            try:
                content = file.read_bytes()
                file.unlink()
            except OSError:
                continue  # another worker was quicker, or it is none of ours
            try:
                message: dict[str, Any] = loads(content)
                self.Message(message, channel=self)
            except (ValueError, LookupError, TypeError, AttributeError):
                log.warning("%s was no message and is gone; its job is sent again", file.name)
                continue
            return message
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._waiting(queue))

    def _purge(self, queue: str) -> int:
        waiting = self._waiting(queue)
        for file in waiting:
            file.unlink(missing_ok=True)
        return len(waiting)

    def _waiting(self, queue: str) -> list[Path]:
        try:
            names = sorted(os.listdir(self._folder))
        except OSError as error:
            raise ChannelError(f"cannot read {self._folder}: {error}") from error
        return [self._folder / name for name in names if name.partition(".")[2] == f"{queue}.msg"]

    @property
    def _folder(self) -> Path:
        return Path(self.connection.client.transport_options["folder"])


class Transport(virtual.Transport):
    """Without the exchanges that tell every worker something: a folder gives each file to one."""

    Channel = Channel
    driver_type = driver_name = "folder"

    def drain_events(self, connection: Any, timeout: float | None = None, **_: Any) -> None:
        """As the library's; it looks only between two calls whether the worker has to stop."""
        super().drain_events(connection, timeout=min(timeout or ROUND, ROUND))
