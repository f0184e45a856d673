"""The one Celery task, and what a worker process does besides: showing life and sweeping."""

import logging
import os
import socket
import threading
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings
from django.db import DatabaseError, connection

from core import clock, jobs

log = logging.getLogger(__name__)
_name = f"{socket.gethostname()}:{os.getpid()}"


@shared_task(name="core.run_job")
def run_job(job_id: int) -> None:
    jobs.execute(job_id)


@worker_ready.connect
def _start_looking_round(**_: Any) -> None:
    threading.Thread(target=_look_round, name="look-round", daemon=True).start()


@worker_shutting_down.connect
def _stop_looking_round(**_: Any) -> None:
    jobs.stopping.set()


def _look_round() -> None:
    while not jobs.stopping.is_set():
        try:
            _take_turns()
        except DatabaseError:
            log.warning("the database did not answer; looking round again later")
        finally:
            connection.close()
        jobs.stopping.wait(clock.scaled(settings.JOB_TICK))
    jobs.forget_worker(_name)
    connection.close()


def _take_turns() -> None:
    jobs.show_worker(_name)
    if jobs.take_turn("sweep", settings.JOB_TICK):
        jobs.sweep()
    jobs.do_duties()
