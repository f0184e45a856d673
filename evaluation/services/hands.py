"""Several workers at one run: who joins, who takes which stretch, who moves the run on.

A run is worked on by hands, one job each, at most one in a process. A stage (generating, then each
judge in turn) is handed out in stretches: a hand moves `Run.position` on by conditional update.
What a dead hand had taken is found missing by the last one to leave, who goes round once more.
"""

import contextlib
import math
from collections.abc import Mapping
from typing import Any, Protocol

from django.conf import settings
from django.db import transaction

from core import clock, jobs
from core.errors import CommonplaceError
from core.jobs import JobLost, Work
from core.models import Job
from evaluation import selectors
from evaluation.models import Run
from evaluation.running import manifest
from inference import leases
from inference.models import LanguageModel, Lease

JOB_KIND = "evaluation.run"


class Stage(Protocol):
    number: int

    def missing(self) -> int: ...


def begin(run_id: int, work: Work) -> Run | None:
    """The run to work on, marked as running; None when it is no longer wanted."""
    started = Run.objects.filter(pk=run_id, status__in=Run.ACTIVE)
    if not started.update(status=Run.Status.RUNNING):
        return None
    work.beat()
    leases.give_back(Lease.objects.filter(job=work.job_id))  # what an attempt that died had held
    return Run.objects.select_related("release", "model__endpoint", "budget").get(pk=run_id)


def renew(
    work: Work, run: Run, model: LanguageModel, *, most: int, in_flight: int, again: bool
) -> leases.Share:
    """Show life, and take or renew the job's places of the model's endpoint.

    Raises `JobLost`, also where the lease was ended since: others rely on it then.
    """
    with transaction.atomic():
        work.beat()
        if again and not Lease.objects.filter(job=work.job_id).exists():
            raise JobLost(f"the lease of job {work.job_id}")
        return leases.hold(
            model.endpoint_id,
            work.job_id,
            run.purpose,
            most=most,
            in_flight=in_flight,
            places=model.endpoint.max_in_flight,
        )


def let_go(work: Work) -> None:
    """Give back what the job holds, unless the job has passed to somebody else."""
    with transaction.atomic():
        mine = Lease.objects.filter(job=work.job_id)
        try:
            work.beat()
        except JobLost:
            mine = mine.filter(purpose=leases.LEAVING)
        leases.give_back(mine)


def claim(run: Run, stage: int, position: int, onward: int) -> bool:
    """Move the stage's position on, if nobody else has and the run is still wanted."""
    return bool(
        Run.objects.filter(
            pk=run.pk, status=Run.Status.RUNNING, stage=stage, position=position
        ).update(position=onward)
    )


def leave(work: Work, run: Run, stage: Stage, error: CommonplaceError | None) -> bool:
    """End this hand's part in a stage; whether there is more for it to do.

    An error pauses the run. The last hand to leave moves the run on to its next stage or ends it;
    where something is still missing it goes round again. Locks the run, then the leases.
    """
    with transaction.atomic():
        locked = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
        work.beat()
        leases.give_back(Lease.objects.filter(job=work.job_id))
        if locked.status != Run.Status.RUNNING:
            return False
        if error is not None:
            locked.status, locked.error = Run.Status.PAUSED, error.as_dict()
            locked.save(update_fields=["status", "error"])
            return False
        if locked.stage != stage.number:
            return True
        if leases.living().filter(purpose=run.purpose).exists():
            return False
        move_on(locked, stage)
        return locked.status == Run.Status.RUNNING


def move_on(locked: Run, stage: Stage) -> None:
    """From a stage nobody is at: on to the next or to the end, or round again where something is
    missing. The run's row must be locked."""
    if stage.missing():
        locked.position = 0
    elif (onward := _next(locked, stage.number)) is not None:
        locked.stage, locked.position = onward, 0
    else:
        locked.status, locked.finished = Run.Status.FINISHED, clock.now()
        locked.manifest = manifest.of(locked)
    locked.save(update_fields=["status", "stage", "position", "finished", "manifest"])


def _next(run: Run, number: int) -> int | None:
    """The judge who has something left to judge: those to come, then any that was passed over."""
    entries = list(run.run_judges.select_related("judge"))
    for entry in sorted(entries, key=lambda each: (each.number <= number, each.number)):
        if selectors.unjudged(run, entry.judge).exists():
            return entry.number
    return None


def mark_failed(args: Mapping[str, Any], error: Mapping[str, Any]) -> None:
    """A hand gave up: an error nobody foresaw. Where others are at it, they go on."""
    run = Run.objects.get(pk=args["run"])
    if leases.living().filter(purpose=run.purpose).exists():
        return
    Run.objects.filter(pk=run.pk, status__in=Run.ACTIVE).update(
        status=Run.Status.FAILED, error=error, finished=clock.now()
    )


def call_hands(run: Run, places: int) -> int:
    """Queue jobs for the workers that could help with an endpoint of so many `places`; how many."""
    useful = math.ceil(places / settings.WORKER_IN_FLIGHT)
    wanted = min(jobs.workers_alive(), useful)
    gave_up = Job.objects.filter(kind=JOB_KIND, args__run=run.pk, status=Job.Status.FAILED)
    if gave_up.filter(finished__gt=clock.ago(settings.JOB_TIMEOUT)).exists():
        return 0  # a worker without the key, say: it would only fail again
    have = jobs_of(run).count()
    called = 0
    for number in range(2, 2 + wanted):
        if have + called >= wanted:
            break
        try:
            jobs.enqueue(JOB_KIND, key=f"{run.purpose} hand {number}", args={"run": run.pk})
        except CommonplaceError:
            continue  # that hand is at work
        called += 1
    return called


def look_after() -> None:
    """The duty beside all runs: free what dead hands held, call hands where more can help, and
    take up a run that nobody has a job for."""
    leases.forget_silent()
    for run in Run.objects.filter(status__in=Run.ACTIVE).select_related("model__endpoint"):
        if jobs_of(run).exists():
            if run.status == Run.Status.RUNNING:
                call_hands(run, run.asked.endpoint.max_in_flight)
        elif not leases.living().filter(purpose=run.purpose).exists():
            with contextlib.suppress(CommonplaceError):  # another worker was a moment faster
                jobs.enqueue(JOB_KIND, key=run.purpose, args={"run": run.pk})


def jobs_of(run: Run) -> Any:
    """Its unfinished jobs."""
    return Job.objects.filter(kind=JOB_KIND, args__run=run.pk, status__in=Job.UNFINISHED)
