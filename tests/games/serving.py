"""The product's own server and clients of its sockets, in the process of the test."""

import itertools
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from config.asgi import Application
from console.management.commands import serve
from studies import links

PATIENCE = 20  # seconds after which what should come counts as missing
_nonces = itertools.count(1)


@contextmanager
def serving() -> Iterator[str]:
    """The host and port of a server that is set as `manage.py serve` sets it."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(serve.configuration(Application()))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


class Page:
    """A participant's open page; `seen` is every byte of text that reached it."""

    def __init__(self, host, participation, tab="", again=False, origin=None, token=None):
        self.address = f"ws://{host}/ws/p/{token or links.token(participation)}/game/"
        self.seen = []
        self._later = []  # the view that came with an answer
        self._open = ExitStack()
        self.socket = self._open.enter_context(
            connect(
                f"{self.address}?tab={tab}" + "&again" * again,
                origin=origin or f"http://{host}",
                open_timeout=PATIENCE,
                close_timeout=1,  # of a page that has left messages unread
            )
        )

    def next(self, *kinds):
        """The next message of one of these kinds; others are passed over."""
        while True:
            message = self._later.pop() if self._later else self._received()
            if not kinds or message["type"] in kinds:
                return message

    def _received(self):
        text = self.socket.recv(timeout=PATIENCE)
        self.seen.append(text)
        message = json.loads(text)
        if "view" in message:
            self._later.append(message.pop("view"))
        return message

    def until(self, words):
        """The first view that shows these words."""
        while words not in (view := self.next("view"))["html"]:
            pass
        return view

    def send(self, do, nonce=None, **fields):
        nonce = nonce or f"n{next(_nonces)}"
        self.socket.send(json.dumps({"do": do, "nonce": nonce, **fields}))
        return nonce

    def says(self, do, nonce=None, **fields):
        """Send, and what is answered to it."""
        nonce = self.send(do, nonce, **fields)
        while (answer := self.next("ack", "refused"))["nonce"] != nonce:
            pass
        return answer

    def closed(self):
        """The code the server closed with; what came before is in `seen`."""
        try:
            while True:
                self.seen.append(self.socket.recv(timeout=PATIENCE))
        except ConnectionClosed as closed:
            return closed.rcvd.code

    def close(self):
        self._open.close()
