"""A run under way, in words: its stages, how fast it goes, what it holds, what failed last."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, Sum

from core.models import AuditEntry, Job
from evaluation import selectors, services
from evaluation.models import Run, Sample, Verdict
from inference import leases
from inference.models import Call
from studies.selectors import counted

FAULTS = {
    "endpoint.rate_limited": "the endpoint asked to slow down",
    "endpoint.unavailable": "the endpoint did not answer, or broke off",
    "endpoint.not_an_api": "what answers at the address is no model endpoint",
    "endpoint.unreadable": "the endpoint's answer could not be read",
    "endpoint.quota_exhausted": "the account behind the endpoint has no credit left",
    "endpoint.key_refused": "the endpoint refused the key",
    "endpoint.model_unknown": "the endpoint does not know the model",
    "endpoint.parameter_refused": "the endpoint refused a parameter",
    "endpoint.request_refused": "the endpoint refused the request",
    "endpoint.text_withheld": "the endpoint withheld its text",
}
SEVERAL = {
    "honours": "The endpoint brings as many replies a request as are wanted",
    "ignores": "The endpoint brings one reply a request, however many are asked for",
    "copies": "The endpoint answers a request for several with copies, so each reply is asked for",
    "refuses": "The endpoint refuses requests for several replies, so each is asked for",
}


@dataclass(frozen=True)
class Step:
    """One stage of a run on its path: `look` is done, now, needs or todo."""

    name: str
    look: str
    stand: str


def of(run: Run) -> dict[str, Any]:
    """Everything the part of a run's page that refreshes shows."""
    now = selectors.progress(run)
    theirs = leases.living().filter(purpose=run.purpose)
    held = theirs.aggregate(workers=Count("pk"), held=Sum("places"))
    exchanges = Call.objects.filter(purpose=run.purpose).order_by("-pk")
    last = exchanges.filter(choices=0).first()
    return {
        "progress": now,
        "sentence": sentence(run, now),
        "steps": steps(run, now),
        "failed_verdicts": _failed_verdicts(run),
        "failed": exchanges.filter(choices=0).count(),
        "last_fault": fault(last) if last else "",
        "last_fault_at": last.at if last else None,
        "workers": held["workers"],
        "places": held["held"] or 0,
        "several": several(run),
    }


def reread(run: Run) -> dict[str, Any] | None:
    """What came of reading the run's replies again: `at`, and the counts of `services.reparse`;
    `waits` is true while it is queued or going on, `broke` where the last time came to no end.
    None where nobody asked for it."""
    job = Job.objects.filter(kind=services.REREADING, args__run=run.pk).order_by("-pk").first()
    if job and job.status in Job.UNFINISHED:
        return {"waits": True}
    if job and job.status == Job.Status.FAILED:
        return {"broke": True}
    entries = AuditEntry.objects.filter(object_kind="run", object_id=str(run.pk))
    last = entries.filter(action="run.reparsed").first()
    return {"waits": False, "at": last.at, **last.data} if last else None


def _failed_verdicts(run: Run) -> int:
    """Replies a judge of the run could not be asked about; resuming asks again."""
    given = Verdict.objects.filter(reply__run=run, judge__runs=run)
    return given.filter(outcome=Verdict.Outcome.FAILED).count()


def sentence(run: Run, now: dict[str, Any]) -> str:
    """`Generating: 3,120 of 48,900 samples, 410 a second, about 2 minutes left`."""
    of, judge = f"{now['done']:,} of {now['total']:,}", now["judge"]
    said = f"Judged by {judge}: {of} replies" if judge else f"Generating: {of} samples"
    if not now["rate"] or not now["left"]:
        return said
    rate = f"{now['rate']:,.0f}" if now["rate"] >= 10 else f"{now['rate']:.1f}"
    return f"{said}, {rate} a second, {duration(now['left'])} left"


def duration(seconds: float) -> str:
    """`about 2 minutes`."""
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= 1.5 * length:
            return f"about {round(seconds / length):,} {unit}s"
    if seconds >= 50:
        return "about a minute"
    return f"about {counted(max(1, round(seconds)), 'second')}"


def steps(run: Run, now: dict[str, Any]) -> list[Step]:
    """Generating, each judge in turn, and the report at the end."""
    judges = list(run.run_judges.select_related("judge"))
    samples = now["done"] if not now["judge"] else run.samples.count()
    path = []
    if run.source == Run.Source.GENERATED:
        stand = f"{samples:,} of {run.samples_planned:,} samples"
        path.append(Step("Generating", _look(run, 0), stand))
    judged = _judged(run) if judges else {}
    total = selectors.judgeable(run).count() if judges else 0
    for each in judges:
        stand = f"{judged.get(each.judge_id, 0):,} of {total:,} replies"
        path.append(Step(f"Judging by {each.judge}", _look(run, each.number), stand))
    finished = run.status == Run.Status.FINISHED
    path.append(
        Step("Report", "done" if finished else "todo", "below" if finished else "at the end")
    )
    return path


def _judged(run: Run) -> dict[int, int]:
    given = Verdict.objects.filter(reply__run=run, reply__outcome="ok")
    return dict(given.values_list("judge").order_by().annotate(n=Count("pk")))


def _look(run: Run, stage: int) -> str:
    if run.status == Run.Status.FINISHED or stage < run.stage:
        return "done"
    if stage > run.stage:
        return "todo"
    return "now" if run.status in Run.ACTIVE else "needs"


def fault(call: Call) -> str:
    """Why an exchange brought no reply, and what the endpoint said."""
    error = call.error or {}
    why = FAULTS.get(error.get("code", ""), "the exchange brought no reply")
    said = str(error.get("said") or "").strip()
    return f"{why}: {said}" if said else why


def several(run: Run) -> str:
    """How many replies one request brings; empty while that has not been seen."""
    if run.per_request_why == "caps":
        return f"The endpoint brings {run.per_request} replies a request"
    return SEVERAL.get(run.per_request_why, "")


def in_short(runs: Sequence[Run]) -> dict[int, str]:
    """How far the runs under way are, in a few words; three queries for however many.

    Their `run_judges` with the judges are best fetched before."""
    active = [run for run in runs if run.status in (*Run.ACTIVE, Run.Status.PAUSED)]
    if not active:
        return {}
    made = Sample.objects.filter(run__in=active).values_list("run").order_by()
    samples = dict(made.annotate(n=Count("pk")))
    judging = [run for run in active if run.stage]
    given = Verdict.objects.filter(reply__run__in=judging, reply__outcome="ok").order_by()
    verdicts = {
        (run, judge): n
        for run, judge, n in given.values_list("reply__run", "judge").annotate(n=Count("pk"))
    }
    answered = Count("replies", filter=Q(replies__outcome="ok"))
    counts = Run.objects.filter(pk__in=[run.pk for run in judging]).order_by()
    replies = dict(counts.annotate(answered=answered).values_list("pk", "answered"))
    return {run.pk: _short(run, samples, verdicts, replies) for run in active}


def _short(
    run: Run,
    samples: dict[int, int],
    verdicts: dict[tuple[int, int], int],
    replies: dict[int, int],
) -> str:
    judge = next((each for each in run.run_judges.all() if each.number == run.stage), None)
    if judge is None:
        return f"{samples.get(run.pk, 0):,} of {run.samples_planned:,} samples"
    done = verdicts.get((run.pk, judge.judge_id), 0)
    return f"{done:,} of {replies.get(run.pk, 0):,} replies judged by {judge.judge}"
