"""What a run has cost, and how fast it goes."""

from collections.abc import Iterable
from typing import Any

from django.db.models import (
    Sum,
)

from core import clock, jobs
from evaluation.models import Run
from evaluation.selectors.judged import judgeable, models_of, unjudged
from inference.client import UNTIMED, Exchange
from inference.models import Call, LanguageModel

PACE = 500  # the rate shown is that of the last so many requests


Entry = tuple[Any, ...]  # of the ledger


def progress(run: Run) -> dict[str, Any]:
    """How far the run's stage is: `stage` (0: generating; k: its k-th judge), `judge` (its name),
    `done` and `total` (samples, or distinct replies to judge), `rate` (of them a second), `left`
    (seconds), `calls`, `cost` (micro-USD or None), and whether a worker lives."""
    judge = run.run_judges.select_related("judge").filter(number=run.stage).first()
    if judge is None:
        done, total = run.samples.count(), run.samples_planned
    else:
        total = judgeable(run).count()
        done = total - unjudged(run, judge.judge).count()
    rate = _rate(run) if run.status == Run.Status.RUNNING else 0.0
    return {
        "stage": run.stage,
        "judge": judge.judge.label if judge else None,
        "done": done,
        "total": total,
        "rate": rate,
        "left": (total - done) / rate if rate else None,
        "cost": spent(run) if is_priced(run) else None,
        "calls": calls(run),
        "worker": jobs.worker_is_alive(),
    }


def _rate(run: Run) -> float:
    """Replies a second over the last `PACE` calls, 0 while there are too few to tell."""
    last = list(
        Call.objects.filter(purpose=run.purpose).order_by("-pk").values_list("at", "choices")[:PACE]
    )
    if len(last) < 2:
        return 0.0
    seconds = (clock.now() - last[-1][0]).total_seconds()
    return sum(choices for _, choices in last) / seconds if seconds > 1 else 0.0


def spent(run: Run) -> int:
    """Micro-USD of every exchange of the run, failed ones too; 0 where there is no price."""
    total = Call.objects.filter(purpose=run.purpose).aggregate(sum=Sum("cost_micro"))["sum"]
    return total or 0


def booked_by_batch(run: Run, keys: Iterable[str]) -> set[Entry]:
    """What the ledger holds of these requests that came to the run in batch files."""
    calls = Call.objects.filter(
        purpose=run.purpose, job=None, ms=UNTIMED, request_key__in=set(keys)
    )
    return {entry(call.request_key, call.repeat, call) for call in calls}


def entry(key: str, repeat: int, made: Call | Exchange) -> Entry:
    """What tells one exchange of a request from another."""
    error = made.error or {}
    tokens = (made.input_tokens, made.output_tokens)
    return (key, repeat, made.status, made.choices, *tokens, error.get("code"), error.get("said"))


def is_simulated(model: LanguageModel) -> bool:
    """Whether the model, or another of its endpoint, has shown itself to be simulated."""
    return model.simulated or model.endpoint.models.filter(simulated=True).exists()


def is_priced(run: Run) -> bool:
    """Whether every model the run asks has a price; an imported run only has its judges."""
    asked = models_of(run)
    return bool(asked) and all(each.endpoint.input_price is not None for each in asked)


def calls(run: Run) -> int:
    return Call.objects.filter(purpose=run.purpose).count()
