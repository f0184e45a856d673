"""Waits at the terminal for a run, with a worker of its own where none is alive."""

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

from core import clock, jobs, worker
from evaluation import selectors
from evaluation.models import Run

POLL = 0.1  # seconds
NOTE_EVERY = 5.0  # seconds between lines of progress
STARTS = "No worker is running; starting one for the time of this command."
NOT_FINISHED = ("paused", "failed", "cancelled")


@contextlib.contextmanager
def own_worker() -> Iterator["subprocess.Popen[bytes] | None"]:
    """A worker of the command's own where none is alive, started ahead of a run: it is ready by
    the time the run is."""
    if jobs.worker_is_alive():
        yield None
    else:
        with worker.child_worker() as child:
            yield child


def wait_for(
    run: Run, note: Callable[[str], None], child: "subprocess.Popen[bytes] | None" = None
) -> dict[str, Any]:
    """Poll the run until it ends; the result `run_benchmark` and `resume_run` print. `child` is
    the command's own worker, if it has one already."""
    noted = clock.monotonic()
    if child:
        note(STARTS)
    with contextlib.ExitStack() as children:
        while run.status in Run.ACTIVE:
            # Asked every time: a worker that has just died still counts as alive for a while.
            if not jobs.worker_is_alive() and (child is None or child.poll() is not None):
                note(STARTS)
                child = children.enter_context(worker.child_worker())
            time.sleep(POLL)
            run = selectors.find_run(run.pk)
            if clock.monotonic() - noted >= NOTE_EVERY:
                noted = clock.monotonic()
                note(in_words(run))
    return result(run)


def in_words(run: Run) -> str:
    now = selectors.progress(run)
    if run.status == Run.Status.QUEUED:
        return f"run {run.pk}: waiting for a worker"
    things = f"replies judged by {now['judge']}" if now["judge"] else "samples"
    left = f", {now['rate']:.1f} a second, about {now['left']:.0f} s left" if now["rate"] else ""
    cost = "" if now["cost"] is None else f", {now['cost'] / 1_000_000:.4f} USD"
    return f"run {run.pk}: {now['done']} of {now['total']} {things}{left}{cost}"


def result(run: Run) -> dict[str, Any]:
    if run.status != Run.Status.FINISHED:
        return {"run": run.pk, "status": run.status, "error": run.error}
    outcomes = selectors.outcomes(run)
    return {
        "run": run.pk,
        "status": run.status,
        "samples": sum(outcomes.values()),
        "outcomes": outcomes,
        "calls": selectors.calls(run),
        "cost": selectors.spent(run) if selectors.is_priced(run) else None,
    }
