"""Where the web processes listen. What the children are handed is opened before Django is set up,
so nothing of it is imported here."""

import socket
import sys
from typing import Any


class OneEach(socket.socket):
    """A place to listen at that every process it is handed to opens for itself.

    Of processes that wait at one and the same socket mostly the same one is woken: it would have
    nearly all players, who stay. Where each has its own, the system deals them out evenly.
    """

    @classmethod
    def at(cls, family: int, host: str, port: int) -> "OneEach":
        opened = cls(family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        opened.bind((host, port))
        return opened

    @classmethod
    def instead_of(cls, listening: socket.socket) -> socket.socket:
        """Takes the place of a socket that has shown it to be free. Elsewhere than on Linux the
        processes share that socket."""
        if sys.platform != "linux":
            return listening
        family, place = listening.family, listening.getsockname()[:2]
        listening.close()
        return cls.at(family, *place)

    def __reduce__(self) -> tuple[Any, ...]:
        return OneEach.at, (self.family, *self.getsockname()[:2])
