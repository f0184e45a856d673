"""Every read of runs that is more than a filter."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from statistics import median
from typing import Any

from django.db.models import (
    Count,
    Exists,
    FilteredRelation,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)

from accounts.models import User
from core import clock, jobs
from core.errors import CommonplaceError, NotFound
from evaluation import benchmarks
from evaluation.benchmarks import Ask, Place, Spot
from evaluation.judging import request_of
from evaluation.models import Judge, Outcome, Reply, Run, Sample, Verdict
from evaluation.purse import most_it_costs
from inference import cache
from inference.client import UNTIMED, Exchange
from inference.endpoints import model_family, target
from inference.families import same_family
from inference.models import Call, LanguageModel, Prompt
from inference.requests import ChatRequest
from releases.models import Item
from releases.selectors import visible_releases

PACE = 500  # the rate shown is that of the last so many requests
ASSUMED_MS = 1000  # of a reply, before a model has been called at all
Entry = tuple[Any, ...]  # of the ledger
ESTIMATED_AT_ONCE = 500  # requests whose kept replies are looked up together


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


def spots(run: Run) -> Sequence[Spot]:
    """Where the run wants samples, in the order they are asked for."""
    return benchmarks.find(run.benchmark).spots(run, list(items(run)))


def planned(run: Run) -> int:
    """Samples."""
    return sum(len(spot.repeats) for spot in spots(run))


def prompts(run: Run) -> dict[str, str]:
    """The run's pinned prompts: text by name."""
    pinned = run.settings["prompts"]
    rows = Prompt.objects.filter(sha256__in=pinned.values(), name__in=pinned)
    return {row.name: row.text for row in rows if pinned[row.name] == row.sha256}


def plan(run: Run) -> Iterator[Ask]:
    """Every request of the run's generation, as if nothing were there yet."""
    benchmark, texts = benchmarks.find(run.benchmark), prompts(run)
    for spot in spots(run):
        yield benchmark.ask(run, spot, texts)


def position(run: Run, stage: int) -> int | None:
    """How far a stage is handed out; None when the run is elsewhere or not wanted any more."""
    at = Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING, stage=stage)
    return at.values_list("position", flat=True).first()


def sampled(run: Run, spots: Sequence[Spot]) -> set[Place]:
    """The places of these spots that have their sample already."""
    found = run.samples.filter(item__in={spot.item.pk for spot in spots})
    repeats = {repeat for spot in spots for repeat in spot.repeats}
    if len(repeats) <= len(spots):
        found = found.filter(repeat__in=repeats)
    return set(found.values_list("item", "variant", "repeat", "turn"))


def judgeable(run: Run) -> QuerySet[Reply]:
    """The distinct replies that judges are asked about: those that are an answer."""
    return run.replies.filter(outcome=Outcome.OK)


def unjudged(run: Run, judge: Judge) -> QuerySet[Reply]:
    given = Verdict.objects.filter(judge=judge, reply=OuterRef("pk"))
    return run.replies.filter(~Exists(given), outcome=Outcome.OK)


VerdictCell = tuple[str, dict[str, Any], str, str | None, str | None, int]


def verdict_cells(run: Run, judge: Judge) -> list[VerdictCell]:
    """The run's answered samples by verdict: (item's key, its labels, variant, value, verdict's
    outcome, samples). Value and outcome are None where the judge has not judged the reply yet."""
    given = FilteredRelation("verdicts", condition=Q(verdicts__judge=judge))
    # Counted reply by reply: half the time of joining the samples themselves.
    theirs = Sample.objects.filter(reply=OuterRef("pk")).order_by().values("reply")
    counted = (
        run.replies.filter(outcome=Outcome.OK)
        .alias(given=given)
        .values_list("item", "variant", "given__value", "given__outcome")
        .annotate(n=Sum(Subquery(theirs.annotate(n=Count("pk")).values("n")), default=0))
        .order_by()
    )
    about = {pk: (key, labels) for pk, key, labels in _labelled(run)}
    return [(*about[item], *rest) for item, *rest in counted]


def _labelled(run: Run) -> QuerySet[Item, tuple[int, str, dict[str, Any]]]:
    return run.release.items.order_by().values_list("pk", "key", "labels")


def judged_by_both(run: Run, one: Judge, other: Judge) -> list[tuple[str, str, str, int]]:
    """The run's distinct replies that both gave a verdict on: (item's key, the one's value, the
    other's, replies)."""
    ok = Verdict.Outcome.OK
    theirs = Verdict.objects.filter(judge=other, outcome=ok, reply=OuterRef("reply"))
    mine = Verdict.objects.filter(judge=one, outcome=ok, reply__run=run)
    counted = (
        mine.annotate(theirs=Subquery(theirs.values("value")))
        .exclude(theirs=None)
        .values_list("reply__item__key", "value", "theirs")
        .annotate(n=Count("pk"))
    )
    return list(counted.order_by())


def judges_by_name(run: Run) -> dict[str, Judge]:
    """The judges of the run in turn. Of several of one name, who differ in their prompt, all but
    the first have a part of its hash behind it."""
    return _by_name(judges_of(run))


def people_by_name(run: Run, *, of_a_draw: bool = True) -> dict[str, Judge]:
    """The people who judged replies of the run; with `of_a_draw` also those whose replies were
    drawn for them, which figures have to weigh."""
    people = Judge.objects.filter(kind=Judge.Kind.PERSON).order_by("pk")
    theirs = Verdict.objects.filter(judge=OuterRef("pk"), reply__run=run)
    if not of_a_draw:
        theirs = theirs.filter(decision=None)
    return _by_name(people.filter(Exists(theirs)))


def _by_name(judges: Iterable[Judge]) -> dict[str, Judge]:
    named: dict[str, Judge] = {}
    for judge in judges:
        name = f"{judge.label} ({judge.hash[:8]})" if judge.label in named else judge.label
        named[name] = judge
    return named


def is_kin(run: Run, judge: Judge) -> bool:
    """Whether a model judges one of its own family, by their names or what the setting says."""
    if judge.model is None:
        return False
    if run.model is None:
        return same_family(run.model_label, judge.model.name)
    return bool(model_family(run.model) & model_family(judge.model))


def outcomes(run: Run) -> dict[str, int]:
    """Samples by outcome, all six present; a sample without a reply has failed."""
    counts = dict.fromkeys(Outcome.values, 0)
    for row in run.samples.values("reply__outcome").order_by().annotate(n=Count("pk")):
        counts[row["reply__outcome"] or Outcome.FAILED] += row["n"]
    return counts


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


# --- Money and time -----------------------------------------------------------------------------


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
    asked = [run.model] if run.model else []
    asked += [judge.asked for judge in judges_of(run)]
    return bool(asked) and all(each.endpoint.input_price is not None for each in asked)


def calls(run: Run) -> int:
    return Call.objects.filter(purpose=run.purpose).count()


def estimate(run: Run) -> dict[str, Any]:
    """What a prepared run would take: `samples`, `calls`, `cached` (samples whose reply is kept),
    `tokens` (in and at most out, approximate), `cost` (micro-USD at most, or None without a
    price), `seconds`. Judges are counted as if every reply were another: `judge_calls` at most,
    part of `calls`. A request is taken to bring all repeats of its question."""
    endpoint = target(run.asked)
    calls = cached = tokens = cost = 0
    longest = 0
    for window in _windows(plan(run)):
        kept = _kept(window) if run.settings["use_cache"] else set()
        for ask in window:
            fresh = [r for r in ask.spot.repeats if (ask.request.key(), r) not in kept]
            cached += len(ask.spot.repeats) - len(fresh)
            if fresh:
                calls += 1
                tokens += ask.request.most_tokens(len(fresh))
                cost += most_it_costs(ask.request, len(fresh), endpoint)
                longest = max(longest, ask.request.max_tokens or 0)
    seconds = calls / endpoint.max_in_flight * _pace(run.asked)
    judges = [_judge_estimate(run, judge, longest) for judge in judges_of(run)]
    priced = [endpoint, *(target(judge.asked) for judge in judges_of(run))]
    return {
        "samples": run.samples_planned,
        "calls": calls + sum(each["calls"] for each in judges),
        "judge_calls": sum(each["calls"] for each in judges),
        "cached": cached,
        "tokens": tokens + sum(each["tokens"] for each in judges),
        "cost": cost + sum(each["cost"] for each in judges)
        if all(each.input_price is not None for each in priced)
        else None,
        "seconds": round(seconds + sum(each["seconds"] for each in judges), 3),
    }


def _windows(asks: Iterator[Ask]) -> Iterator[list[Ask]]:
    while window := list(islice(asks, ESTIMATED_AT_ONCE)):
        yield window


def judges_of(run: Run) -> list[Judge]:
    """In turn, also those of a run that is not saved yet."""
    if run.pk is None:
        return list(run.ordered_judges)
    return [each.judge for each in run.run_judges.select_related("judge__model__endpoint")]


def _judge_estimate(run: Run, judge: Judge, longest: int) -> dict[str, Any]:
    """As if every sample had a reply of its own, as long as it may be."""
    endpoint, judging = target(judge.asked), benchmarks.find(run.benchmark).judging
    sample = spots(run)[:1]
    if judging is None or not sample:
        return {"calls": 0, "tokens": 0, "cost": 0, "seconds": 0.0}
    item, variant = sample[0].item, sample[0].variant
    request = request_of(judge, judging, item, variant, judging.example(item, variant))
    asked, written = request.prompt_tokens() + longest, request.max_tokens or 0
    n = run.samples_planned
    return {
        "calls": n,
        "tokens": n * (asked + written),
        "cost": n * (endpoint.cost(asked, written) or 0),
        "seconds": n / endpoint.max_in_flight * _pace(judge.asked),
    }


def _kept(asks: Iterable[Ask]) -> set[tuple[str, int]]:
    return set(cache.lookup((ask.request.key(), r) for ask in asks for r in ask.spot.repeats))


def _pace(model: LanguageModel) -> float:
    """Seconds a call of the model takes, by its last ones."""
    recent = Call.objects.filter(model=model, status=200, ms__gt=UNTIMED).order_by("-pk")[:200]
    return median(recent.values_list("ms", flat=True) or [ASSUMED_MS]) / 1000


# --- Looking at samples -------------------------------------------------------------------------


def samples(run: Run, *, outcome: str = "", region: str = "", item: str = "") -> QuerySet[Sample]:
    """The run's samples, newest question last, narrowed by outcome, region asked for or
    chosen, or item key."""
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
    """Samples that were asked for the region, or whose chosen option stands for it."""
    by_option: dict[int, list[int]] = {}
    for found in items(run):
        for index, option in enumerate(found.payload.get("options", ())):
            if region in option["regions"]:
                by_option.setdefault(index, []).append(found.pk)
    chosen = Q(variant=region)
    for index, theirs in by_option.items():
        chosen |= Q(choice=index, item__in=theirs)
    return chosen


def request_as_sent(run: Run, sample: Sample) -> tuple[ChatRequest | None, bool]:
    """The request of a sample, made again from pinned prompt and item, and whether its hash is
    the one stored when it was sent. An imported sample has none."""
    if run.source == Run.Source.IMPORTED:
        return None, False
    place = (sample.item_id, sample.variant, sample.repeat, sample.turn)
    for spot in spots(run):
        if spot.item.pk == sample.item_id and place in spot.places:
            ask = benchmarks.find(run.benchmark).ask(run, spot, prompts(run))
            return ask.request, ask.request.key() == sample.request_key
    return None, False
