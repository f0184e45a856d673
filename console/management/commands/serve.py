"""`serve`: the web process, with everything it needs brought up first."""

import contextlib
import fcntl
import os
import resource
import signal
import socket
import threading
import time
import urllib.request
from typing import IO, Any

import uvicorn
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandParser
from uvicorn.supervisors import Multiprocess

from config import env
from console import services
from core import worker
from core.commands import Command as BaseCommand
from core.errors import CommonplaceError


class Command(BaseCommand):
    help = "Serve the product: migrate, start a worker, answer requests"
    needs_database = False

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=env.whole("PORT", 8000, least=1))
        parser.add_argument("--no-worker", action="store_true", help="workers run elsewhere")
        parser.add_argument("--check", action="store_true", help="start, fetch the page, stop")
        parser.add_argument(
            "--demo", action="store_true", help="have a demonstration made if there is no study"
        )

    def work(
        self, host: str, port: int, no_worker: bool, check: bool, demo: bool, **_: Any
    ) -> dict[str, Any]:
        lock = only_web_process() if settings.EMBEDDED else None
        listening = listen(host, port)
        call_command("migrate", interactive=False, verbosity=0)
        if not settings.WHITENOISE_USE_FINDERS:
            call_command("collectstatic", interactive=False, verbosity=0)
        admin = services.prepare_installation()
        if demo and not check:
            services.order_demonstration()
        stop = threading.Event()
        keeper = threading.Thread(target=keep_worker, args=(stop,))
        if not no_worker:
            keeper.start()
        self.answered = False
        announcer = threading.Thread(
            target=self._announce, args=(address(host, port), admin, check), daemon=True
        )
        announcer.start()
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            answer(listening)
        except KeyboardInterrupt:
            pass  # Ctrl-C and SIGTERM are the ordinary ways to stop
        finally:
            stop.set()
            if not no_worker:
                keeper.join()
            if lock:
                lock.close()
        if check and not self.answered:
            raise CommonplaceError("serve.no_answer", "The server started but did not answer.")
        url = address(host, port)
        return {"url": url, "admin": url + admin if admin else None}

    def show(self, result: dict[str, Any]) -> None:
        """It has all been said by the line that begins with Ready."""

    def _announce(self, url: str, admin: str | None, check: bool) -> None:
        """Say once that the product answers; with --check, that is all it was started for."""
        known_as = {"Host": "localhost"}  # whatever name it is bound to
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not self.answered:
            with contextlib.suppress(OSError):
                for page in ("/healthz", "/accounts/sign-in/"):
                    request = urllib.request.Request(url + page, headers=known_as)  # noqa: S310
                    urllib.request.urlopen(request, timeout=5).read()  # noqa: S310
                self.answered = True
            time.sleep(0.1)
        if self.answered:
            if self.as_json:  # the one object comes when the server stops
                self.note(f"Ready: {url}")
            else:
                self.stdout.write(f"Ready: {url}" + (f"  admin: {url}{admin}" if admin else ""))
                self.stdout.flush()
        if check:
            os.kill(os.getpid(), signal.SIGINT)


def only_web_process() -> IO[str]:
    """Hold the data folder: with SQLite a second web process would lose messages unseen."""
    lock = (settings.DATA_DIR / "web.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise CommonplaceError(
            "serve.already_running",
            f"Another server uses {settings.DATA_DIR}. Stop it, set COMMONPLACE_DATA to another "
            "folder, or use PostgreSQL and Redis for several processes.",
        ) from error
    return lock


def listen(host: str, port: int) -> socket.socket:
    """Take the port before anything else is begun, so that nobody else's answer says Ready."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise CommonplaceError(
            "serve.port_taken",
            f"The server cannot listen on {host}:{port} ({error.strerror}). Choose another PORT, "
            "or stop what uses it.",
            port=port,
        ) from error


def address(host: str, port: int) -> str:
    """Where a browser on this machine finds the server."""
    reached_at = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://[{reached_at}]:{port}" if ":" in reached_at else f"http://{reached_at}:{port}"


def answer(listening: socket.socket) -> None:
    """Serve in this process, or in WEB_PROCESSES children, until a signal says to stop."""
    allow_many_sockets()
    config = configuration("config.asgi:application", env.whole("WEB_PROCESSES", 1, least=1))
    if config.workers > 1:
        Multiprocess(config, sockets=[listening]).run()
    else:
        uvicorn.Server(config).run(sockets=[listening])


def configuration(application: Any, processes: int = 1) -> uvicorn.Config:
    """How the web server is set; `application` is an ASGI application or, for several processes,
    where each finds it."""
    return uvicorn.Config(
        application,
        workers=processes,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=75,
        # A phone that takes nothing any more must not hold the server up when it is to stop.
        timeout_graceful_shutdown=5,
        proxy_headers=settings.SECURE_TRANSPORT,  # believed only where a proxy is said to be
        lifespan="on",
        ws_max_size=2 * settings.SOCKET_BYTES,  # up to half of it is refused with a sentence
        ws_ping_interval=20,  # below the half minute after which networks of phones forget us
        ws_ping_timeout=20,
        # Views of one game resemble each other: the second is sent in a tenth of its bytes.
        ws_per_message_deflate=True,
    )


def allow_many_sockets() -> None:
    """Every player's socket takes a descriptor; many systems give a process no more than 1,024
    unless it asks."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # where the most is said to be infinite
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def keep_worker(stop: threading.Event) -> None:
    """Keep one worker child alive until told to stop."""
    child = worker.start_child()
    while not stop.wait(1):
        if child.poll() is not None:
            child = worker.start_child()
    worker.stop_child(child)
