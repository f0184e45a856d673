"""Background work that survives the death of anything.

A `Job` row is the truth and a Celery message only a hint that carries its id, so a lost message
is sent again, a message delivered twice does nothing, and a worker that died is noticed by its
silent heartbeat. `attempts` is the fence: a worker that was given up on, but is only slow, finds
at its next `Work.beat()` that the job is no longer its own and stops.

    jobs.register("evaluation.run", execute_run, failed=mark_run_failed)
    jobs.enqueue("evaluation.run", key="run 12", args={"run": 12})

What recurs is a duty: `register_duty("studies.time_out", 60, time_out_overdue)`. One worker at a
time does it, beside the jobs, so it is short or enqueues one.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import F, Q

from core import clock
from core.errors import CommonplaceError
from core.models import Job, Tick, Worker

log = logging.getLogger(__name__)
FORGET_AT_ONCE = 200


class JobLost(Exception):
    """The job was cancelled or given to another worker; stop without writing anything more."""


class WorkerStopping(Exception):
    """This worker was told to stop; raised by an executor, it leaves the job to another one."""


_BEAT = (
    f"UPDATE {Job._meta.db_table} SET heartbeat = %s "  # noqa: S608  our own table
    "WHERE id = %s AND attempts = %s AND status = %s"
)
stopping = threading.Event()  # set once this process has been told to stop


@dataclass(frozen=True)
class Work:
    """A claimed job as its executor sees it."""

    job_id: int
    attempt: int
    args: dict[str, Any]

    def beat(self, done: int | None = None, total: int | None = None) -> None:
        """Show life and progress. Inside a transaction it is also the fence for what follows.

        Raises `JobLost` when the job is not this attempt's any more.
        """
        known = {"done": done, "total": total}
        changes = {name: value for name, value in known.items() if value is not None}
        if not (
            self._mine().update(heartbeat=clock.now(), **changes) if changes else self._fence()
        ):
            raise JobLost(f"job {self.job_id}")

    def _fence(self) -> int:
        """The heartbeat alone, many times a second: building the update anew takes most of it."""
        at = connection.ops.adapt_datetimefield_value(clock.now())
        with connection.cursor() as cursor:
            cursor.execute(_BEAT, [at, self.job_id, self.attempt, Job.Status.RUNNING.value])
            return cursor.rowcount

    def is_mine(self) -> bool:
        """Whether the job still is this attempt's."""
        return bool(self._mine().exists())

    def _mine(self) -> Any:
        return Job.objects.filter(pk=self.job_id, attempts=self.attempt, status=Job.Status.RUNNING)


@dataclass(frozen=True)
class Kind:
    execute: Callable[[Work], None]
    failed: Callable[[dict[str, Any], dict[str, Any]], None]  # (args, error)
    warm: Callable[[], None]


_kinds: dict[str, Kind] = {}


def register(
    kind: str,
    execute: Callable[[Work], None],
    failed: Callable[[dict[str, Any], dict[str, Any]], None] = lambda args, error: None,
    warm: Callable[[], None] = lambda: None,
) -> None:
    """Name the function that does a kind of work; called once, from `AppConfig.ready`.

    `warm` loads what is slow to load, before the first job: a job that imports for seconds
    shows no life meanwhile.
    """
    _kinds[kind] = Kind(execute, failed, warm)


@dataclass(frozen=True)
class Duty:
    """`every` is in seconds of the product."""

    every: float
    do: Callable[[], object]


_duties: dict[str, Duty] = {}


def register_duty(name: str, every: float, do: Callable[[], object]) -> None:
    """Name what workers do again and again; called once, from `AppConfig.ready`."""
    _duties[name] = Duty(every, do)


def do_duties() -> None:
    """Do what is due and nobody else has taken; one that breaks keeps no other from its turn."""
    for name, duty in _duties.items():
        if stopping.is_set() or not take_turn(name, duty.every):
            continue
        try:
            duty.do()
        except Exception:
            log.exception("the duty %s broke", name)


def warm_up() -> None:
    for kind in _kinds.values():
        kind.warm()


def enqueue(kind: str, key: str, args: dict[str, Any]) -> Job:
    """Create a job and send its hint once the surrounding transaction is committed.

    Raises `job.active` while an unfinished job holds the same key.
    """
    if kind not in _kinds:
        raise LookupError(f"no job kind {kind!r}")
    now = clock.now()
    try:
        with transaction.atomic():
            job = Job.objects.create(kind=kind, key=key, args=args, created=now, sent=now)
    except IntegrityError as error:
        raise CommonplaceError(
            "job.active", f"{key} is being worked on already. Wait for it or cancel it.", key=key
        ) from error
    transaction.on_commit(lambda: send(job.pk))
    return job


def send(job_id: int) -> None:
    """Hint to the workers that a job waits; if the broker is away the sweeper sends it again."""
    from core.tasks import run_job

    try:
        run_job.delay(job_id)
    except run_job.OperationalError:
        log.warning("the broker does not answer; job %s waits for the next sweep", job_id)


def execute(job_id: int) -> None:
    """Claim a queued job by conditional update and do it; anything but queued is left alone."""
    claimed = Job.objects.filter(pk=job_id, status=Job.Status.QUEUED).update(
        status=Job.Status.RUNNING, attempts=F("attempts") + 1, heartbeat=clock.now()
    )
    if not claimed:
        return
    job = Job.objects.get(pk=job_id)
    work = Work(job.pk, job.attempts, job.args)
    try:
        _kinds[job.kind].execute(work)
    except JobLost:
        log.warning("job %s was taken away from this worker", job_id)
    except WorkerStopping:
        overdue = clock.ago(settings.JOB_TIMEOUT)  # so the next sweep sends it
        work._mine().update(status=Job.Status.QUEUED, sent=overdue)
    except CommonplaceError as error:
        _fail(work, job.kind, error.as_dict())
    except Exception as error:
        log.exception("job %s (%s) broke", job_id, job.kind)
        _fail(work, job.kind, _crash(error))
    else:
        work._mine().update(status=Job.Status.DONE, finished=clock.now())


def _crash(error: Exception) -> dict[str, Any]:
    return {
        "code": "job.crashed",
        "message": "The work broke off through a fault of ours; what was done is kept. "
        "Resume it, and if it breaks again report the time it happened.",
        "data": {"kind": type(error).__name__},
    }


def _fail(work: Work, kind: str, error: dict[str, Any]) -> None:
    with transaction.atomic():
        if work._mine().update(status=Job.Status.FAILED, error=error, finished=clock.now()):
            _kinds[kind].failed(work.args, error)


def cancel(job: Job) -> bool:
    """Take an unfinished job away from whoever has it; False if it had ended."""
    return bool(
        Job.objects.filter(pk=job.pk, status__in=Job.UNFINISHED).update(
            status=Job.Status.CANCELLED, finished=clock.now()
        )
    )


def is_alive(job: Job) -> bool:
    """Whether a worker has shown life on it within the time-out."""
    return (
        job.status == Job.Status.RUNNING
        and job.heartbeat is not None
        and job.heartbeat > clock.ago(settings.JOB_TIMEOUT)
    )


def was_just_sent(job: Job) -> bool:
    """Whether a worker that was started for the job may not have shown itself yet."""
    return job.sent > clock.ago(3 * settings.JOB_TICK)


def worker_is_alive() -> bool:
    return workers_alive() > 0


def workers_alive() -> int:
    return Worker.objects.filter(last_seen__gt=clock.ago(3 * settings.JOB_TICK)).count()


def show_worker(name: str) -> None:
    Worker.objects.update_or_create(name=name, defaults={"last_seen": clock.now()})
    Worker.objects.filter(last_seen__lt=clock.ago(24 * 3600)).delete()


def forget_worker(name: str) -> None:
    Worker.objects.filter(name=name).delete()


def take_turn(name: str, every: float) -> bool:
    """True for the one worker that moves the named duty `every` seconds on."""
    now = clock.now()
    Tick.objects.get_or_create(name=name, defaults={"due": now})
    due = clock.later(every)
    return bool(Tick.objects.filter(name=name, due__lte=now).update(due=due))


def sweep() -> None:
    """Send lost hints again and give the jobs of dead workers to living ones.

    A job that has died `JOB_ATTEMPTS` times fails with `job.gave_up`, so that work which kills
    its worker cannot go round for ever.
    """
    silent = clock.ago(settings.JOB_TIMEOUT)
    dead = Q(status=Job.Status.RUNNING, heartbeat__lte=silent)
    for job in Job.objects.filter(dead):
        same = Job.objects.filter(dead, pk=job.pk, attempts=job.attempts)
        if job.attempts >= settings.JOB_ATTEMPTS:
            error = {
                "code": "job.gave_up",
                "message": f"The work stopped {job.attempts} times without a word; what was done "
                "is kept. Look at the worker's memory and log, then resume.",
                "data": {},
            }
            with transaction.atomic():
                if same.update(status=Job.Status.FAILED, error=error, finished=clock.now()):
                    _kinds[job.kind].failed(job.args, error)
        else:
            same.update(status=Job.Status.QUEUED, sent=silent)
    for job in Job.objects.filter(status=Job.Status.QUEUED, sent__lte=silent):
        if Job.objects.filter(pk=job.pk, sent=job.sent).update(sent=clock.now()):
            send(job.pk)


def forget_finished() -> int:
    """Delete jobs that ended longer ago than they are kept; how many."""
    ended = Job.objects.filter(finished__lt=clock.ago(settings.JOB_RETENTION_DAYS * 24 * 3600))
    forgotten = 0
    while batch := list(ended.values_list("pk", flat=True)[:FORGET_AT_ONCE]):
        forgotten += Job.objects.filter(pk__in=batch).delete()[1].get("core.Job", 0)
    return forgotten
