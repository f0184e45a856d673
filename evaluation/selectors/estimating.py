"""What a prepared run would take."""

from collections.abc import Iterable, Iterator
from itertools import islice
from statistics import median
from typing import Any

from evaluation import benchmarks
from evaluation.benchmarks import Ask
from evaluation.judging.asking import request_of
from evaluation.models import Judge, Run
from evaluation.running.purse import most_it_costs
from evaluation.selectors.judged import judges_of
from evaluation.selectors.planning import plan, spots
from inference import cache
from inference.client import UNTIMED
from inference.endpoints import Target, target
from inference.models import Call, LanguageModel

ASSUMED_MS = 1000  # of a reply, before a model has been called at all
ESTIMATED_AT_ONCE = 500  # requests whose kept replies are looked up together


def estimate(run: Run, *, by_batch: bool = False) -> dict[str, Any]:
    """What a prepared run would take: `samples`, `calls`, `cached` (samples whose reply is kept),
    `tokens` (in and at most out, approximate), `cost` (micro-USD at most, or None without a
    price), `seconds`. Judges are counted as if every reply were another: `judge_calls` at most,
    part of `calls`. A request is taken to bring all repeats of its question. `by_batch`: at the
    price of batch files."""
    endpoint = _priced(run.asked, by_batch=by_batch)
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
    endpoints = {judge: _priced(judge.asked, by_batch=by_batch) for judge in judges_of(run)}
    judges = [_judge_estimate(run, judge, asked, longest) for judge, asked in endpoints.items()]
    return {
        "samples": run.samples_planned,
        "calls": calls + sum(each["calls"] for each in judges),
        "judge_calls": sum(each["calls"] for each in judges),
        "cached": cached,
        "tokens": tokens + sum(each["tokens"] for each in judges),
        "cost": cost + sum(each["cost"] for each in judges)
        if all(each.input_price is not None for each in (endpoint, *endpoints.values()))
        else None,
        "seconds": round(seconds + sum(each["seconds"] for each in judges), 3),
    }


def _windows(asks: Iterator[Ask]) -> Iterator[list[Ask]]:
    while window := list(islice(asks, ESTIMATED_AT_ONCE)):
        yield window


def _priced(model: LanguageModel, *, by_batch: bool) -> Target:
    endpoint = target(model)
    return endpoint.by_batch() if by_batch else endpoint


def _judge_estimate(run: Run, judge: Judge, endpoint: Target, longest: int) -> dict[str, Any]:
    """As if every sample had a reply of its own, as long as it may be."""
    judging = benchmarks.find(run.benchmark).judging
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
