"""`worker`: does the background work (benchmark runs, exports) until it is stopped."""

import os
import sys
import threading
import time
import warnings
from typing import Any

from django.core.management.base import CommandParser

from config.celery import app
from core import jobs
from core.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Do background work until stopped"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--threads", type=int, default=4, help="jobs at once (default 4)")
        parser.add_argument("--alive", action="store_true", help="only say whether one is alive")
        parser.add_argument("--parent", type=int, help="end when this process has ended")

    def work(self, threads: int, alive: bool, parent: int | None, **_: Any) -> dict[str, Any]:
        if alive:
            return {"alive": jobs.worker_is_alive()}
        if parent:
            threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
        jobs.warm_up()
        os.environ["CELERY_SKIP_CHECKS"] = "1"  # they import every page; `check` has its own step
        warnings.filterwarnings("ignore", message="You're running the worker with superuser")
        # Not `celery worker`: its command line imports for half a second what is not used here.
        app.Worker(
            pool_cls="threads",
            concurrency=threads,
            loglevel="WARNING",
            quiet=True,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        ).start()
        return {}

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if not options["alive"]:
            sys.stdout.flush()
            os._exit(0)  # to take everything apart in order takes Python half a second

    def failed(self, result: dict[str, Any]) -> bool:
        return result.get("alive") is False


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)
