"""Reading what is stored again, by the rules as they are now."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import QuerySet

from core import audit, jobs
from core.errors import CommonplaceError
from core.jobs import Work
from core.models import Job
from evaluation import benchmarks, selectors
from evaluation.models import Judge, Outcome, Reply, Run, Sample, Verdict

REREADING = "evaluation.reparse"  # the job kind
AT_ONCE = 500  # replies or verdicts between two signs of life

Row = TypeVar("Row", Reply, Verdict)


def read_again(run: Run, actor: str) -> Job:
    """Queue `reparse`. Raises `run.active` and, while it is queued or going on, `job.active`."""
    _refuse_if_active(run)
    return jobs.enqueue(
        REREADING, key=f"{run.purpose} read again", args={"run": run.pk, "actor": actor}
    )


def execute(work: Work) -> None:
    """Where the run was resumed in between there is nothing to do: it is read as it goes on."""
    run = Run.objects.get(pk=work.args["run"])
    if run.status not in Run.ACTIVE:
        reparse(run, work.args["actor"], work.beat)


def _refuse_if_active(run: Run) -> None:
    if run.status in Run.ACTIVE:
        raise CommonplaceError(
            "run.active", f"Run {run.pk} is being worked on. Wait for it, or cancel it first."
        )


def reparse(run: Run, actor: str, beat: Callable[[], None] = lambda: None) -> dict[str, int]:
    """Read every stored reply and verdict of a run again, as the code reads them now.

    Nothing is asked. Returns counts: `replies` and `verdicts` that are read otherwise than before,
    and `unjudged`, replies that are an answer now and lack a verdict (`rejudge` gives it).
    `beat` is called now and then. Raises `run.active` while the run is being worked on.
    """
    _refuse_if_active(run)
    changed = 0
    for replies in _stretches(run.replies.select_related("item").prefetch_related("samples")):
        beat()
        changed += sum(_read_again(run, reply) for reply in replies)
    verdicts = _verdicts_again(run, beat)
    unjudged = sum(selectors.unjudged(run, judge).count() for judge in run.judges.all())
    found: dict[str, Any] = {"replies": changed, "verdicts": verdicts, "unjudged": unjudged}
    audit.record(actor, "run.reparsed", "run", run.pk, **found)
    return found


def _stretches(rows: QuerySet[Row]) -> Iterator[list[Row]]:
    """All rows, some at a time, each query read to its end: SQLite lets nobody write while a query
    of theirs is open and others have written since it began."""
    last = 0
    while stretch := list(rows.filter(pk__gt=last).order_by("pk")[:AT_ONCE]):
        yield stretch
        last = stretch[-1].pk


def _read_again(run: Run, reply: Reply) -> bool:
    """One transaction a reply that changes. A choice depends on what a sample was shown."""
    read = benchmarks.find(run.benchmark).read
    samples = list(reply.samples.all())
    changed = []
    reading = None
    for sample in samples:
        reading = read(reply.item, sample.shown, reply.text, reply.finish, reply.refusal)
        choice = reading.choice if reading.outcome == Outcome.OK else None
        if choice != sample.choice:
            sample.choice = choice
            changed.append(sample)
    if reading is None:
        return False
    differs = reading.outcome != reply.outcome
    if changed or differs:
        with transaction.atomic():
            Sample.objects.bulk_update(changed, ["choice"])
            run.replies.filter(pk=reply.pk).update(outcome=reading.outcome, parsed=reading.parsed)
    return bool(changed or differs)


def _verdicts_again(run: Run, beat: Callable[[], None]) -> int:
    judging = benchmarks.find(run.benchmark).judging
    if judging is None:
        return 0
    given = Verdict.objects.filter(reply__run=run, judge__kind=Judge.Kind.MODEL)
    count = 0
    for verdicts in _stretches(given.exclude(outcome=Verdict.Outcome.FAILED)):
        beat()
        changed = []
        for verdict in verdicts:
            judged = judging.read(verdict.text, verdict.finish)
            if (judged.outcome, judged.value) != (verdict.outcome, verdict.value):
                verdict.outcome, verdict.value = judged.outcome, judged.value
                changed.append(verdict)
        Verdict.objects.bulk_update(changed, ["outcome", "value"], batch_size=50)
        count += len(changed)
    return count
