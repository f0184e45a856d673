"""A worker as a child process, for the embedded profile and for commands that find none alive."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings


def start_child() -> "subprocess.Popen[bytes]":
    """A worker that ends when this process does, however this process ends."""
    command = [sys.executable, "manage.py", "worker", "--parent", str(os.getpid())]
    return subprocess.Popen(command, cwd=settings.BASE_DIR, stdout=sys.stderr)  # noqa: S603


def stop_child(child: "subprocess.Popen[bytes]") -> None:
    child.terminate()
    try:
        child.wait(timeout=10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


@contextmanager
def child_worker() -> Iterator["subprocess.Popen[bytes]"]:
    child = start_child()
    try:
        yield child
    finally:
        stop_child(child)
