"""Every read of runs that is more than a filter."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from accounts.models import User
from core import clock, jobs
from core.errors import CommonplaceError, NotFound
from evaluation import benchmarks
from evaluation.benchmarks import Ask
from evaluation.models import Outcome, Run, Sample
from inference import cache
from inference.endpoints import Target, target
from inference.models import Call, LanguageModel, Prompt
from inference.requests import ChatRequest, estimate_tokens
from releases.models import Item
from releases.selectors import visible_releases

PACE = 500  # the rate shown is that of the last so many requests
ASSUMED_MS = 1000  # of a reply, before a model has been called at all


def find_run(run_id: int) -> Run:
    """Raises `run.unknown`."""
    run = Run.objects.select_related("release", "model__endpoint", "job").filter(pk=run_id).first()
    if run is None:
        raise NotFound(
            "run.unknown", f"There is no run {run_id}. `list_runs` names them all.", run=run_id
        )
    return run


def visible_runs(user: User) -> QuerySet[Run]:
    """Runs over releases the user may see."""
    return Run.objects.filter(release__in=visible_releases(user)).select_related(
        "release", "model__endpoint", "job"
    )


def access_run(user: User, run_id: int) -> Run:
    run = visible_runs(user).filter(pk=run_id).first()
    if run is None:
        raise NotFound("run.unknown", f"There is no run {run_id}, or it is not yours to see.")
    return run


def may_run(user: User) -> bool:
    """Releases without a study are run by superusers."""
    return user.is_superuser


def refuse_unless_may_run(user: User) -> None:
    """Raises `run.not_allowed` (403)."""
    if not may_run(user):
        raise CommonplaceError(
            "run.not_allowed",
            "Only an administrator may start, stop or resume runs here. Ask one to do it.",
            http_status=403,
        )


# --- What a run is made of ----------------------------------------------------------------------


def items(run: Run) -> QuerySet[Item]:
    """The items of the run, its limit applied, in the release's order."""
    found = run.release.items.order_by("position")
    limit = run.settings.get("limit")
    return found[:limit] if limit else found


def plan(run: Run) -> Iterator[Ask]:
    prompts = {
        prompt.name: prompt.text
        for prompt in Prompt.objects.filter(sha256__in=run.settings["prompts"].values())
    }
    return benchmarks.find(run.benchmark).plan(run, list(items(run)), prompts)


def sampled(run: Run, window: Sequence[Ask]) -> set[tuple[int, str, int, int]]:
    """The places of a window of asks that have their sample already."""
    return set(
        run.samples.filter(
            item__in={ask.item.pk for ask in window}, repeat__in={ask.repeat for ask in window}
        ).values_list("item", "variant", "repeat", "turn")
    )


def outcomes(run: Run) -> dict[str, int]:
    """Samples by outcome, all six present; a sample without a reply has failed."""
    counts = dict.fromkeys(Outcome.values, 0)
    for row in run.samples.values("reply__outcome").order_by().annotate(n=Count("pk")):
        counts[row["reply__outcome"] or Outcome.FAILED] += row["n"]
    return counts


def progress(run: Run) -> dict[str, Any]:
    """How far it is: `done`, `total`, `rate` (samples a second), `left` (seconds), `calls`,
    `cost` (micro-USD or None), and whether a worker lives."""
    job = run.job
    active = job is not None and run.status == Run.Status.RUNNING
    done = job.done if job and active else run.samples.count()
    rate, sent = 0.0, Call.objects.filter(purpose=run.purpose)
    now = sent.filter(job=job).order_by("-pk")
    if active and (first := now[PACE:].first() or now.last()):
        seconds = (clock.now() - first.at).total_seconds()
        rate = min(PACE, now.count()) / seconds if seconds > 1 else 0.0
    return {
        "done": done,
        "total": run.samples_planned,
        "rate": rate,
        "left": (run.samples_planned - done) / rate if rate else None,
        "cost": spent(run) if is_priced(run) else None,
        "calls": sent.count(),
        "worker": jobs.worker_is_alive(),
    }


# --- Money and time -----------------------------------------------------------------------------


def most_it_costs(request: ChatRequest, endpoint: Target) -> int:
    """Micro-USD a request can cost at most: its tokens in and all the tokens it may reply with."""
    tokens = sum(estimate_tokens(content) for _, content in request.messages)
    return endpoint.cost(tokens, request.max_tokens or 0) or 0


def spent(run: Run) -> int:
    """Micro-USD of every exchange of the run, failed ones too; 0 where there is no price."""
    total = Call.objects.filter(purpose=run.purpose).aggregate(sum=Sum("cost_micro"))["sum"]
    return total or 0


def is_simulated(model: LanguageModel) -> bool:
    """Whether the model, or another of its endpoint, has shown itself to be simulated."""
    return model.simulated or model.endpoint.models.filter(simulated=True).exists()


def is_priced(run: Run) -> bool:
    return run.model is not None and run.model.endpoint.input_price is not None


def calls(run: Run) -> int:
    return Call.objects.filter(purpose=run.purpose).count()


def estimate(run: Run) -> dict[str, Any]:
    """What a prepared run would take: `samples`, `calls`, `cached`, `tokens` (in and at most
    out, approximate), `cost` (micro-USD at most, or None without a price), `seconds`."""
    endpoint = target(run.asked)
    asks = list(plan(run))
    kept = cache.lookup(ask.identity for ask in asks) if run.settings["use_cache"] else {}
    fresh = [ask for ask in asks if ask.identity not in kept]
    tokens = sum(
        estimate_tokens(content) for ask in fresh for _, content in ask.request.messages
    ) + sum(ask.request.max_tokens or 0 for ask in fresh)
    recent = Call.objects.filter(model=run.model, status=200).order_by("-pk")[:200]
    pace = median(recent.values_list("ms", flat=True) or [ASSUMED_MS])
    priced = endpoint.input_price is not None
    return {
        "samples": len(asks),
        "calls": len(fresh),
        "cached": len(asks) - len(fresh),
        "tokens": tokens,
        "cost": sum(most_it_costs(ask.request, endpoint) for ask in fresh) if priced else None,
        "seconds": round(len(fresh) / endpoint.max_in_flight * pace / 1000, 3),
    }


# --- Looking at samples -------------------------------------------------------------------------


def samples(run: Run, *, outcome: str = "", region: str = "", item: str = "") -> QuerySet[Sample]:
    """The run's samples, newest question last, narrowed by outcome, chosen region or item key."""
    found = run.samples.select_related("item", "reply", "call").order_by(
        "item__position", "repeat", "turn"
    )
    if item:
        found = found.filter(item__key=item)
    if outcome == Outcome.FAILED:
        found = found.filter(Q(reply=None) | Q(reply__outcome=outcome))
    elif outcome:
        found = found.filter(reply__outcome=outcome)
    if region:
        found = found.filter(_chose(run, region))
    return found


def _chose(run: Run, region: str) -> Q:
    """Samples whose chosen option stands for the region."""
    chosen = Q(pk__in=[])
    for found in items(run):
        for index, option in enumerate(found.payload.get("options", ())):
            if region in option["regions"]:
                chosen |= Q(item=found, choice=index)
    return chosen


def request_as_sent(run: Run, sample: Sample) -> tuple[ChatRequest | None, bool]:
    """The request of a sample, made again from pinned prompt and item, and whether its hash is
    the one stored when it was sent. An imported sample has none."""
    if run.source == Run.Source.IMPORTED:
        return None, False
    for ask in plan(run):
        if ask.place == (sample.item_id, sample.variant, sample.repeat, sample.turn):
            return ask.request, ask.request.key() == sample.request_key
    return None, False
