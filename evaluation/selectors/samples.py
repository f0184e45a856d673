"""The samples of a run: counted by outcome, narrowed, with what was sent."""

from django.db.models import (
    Count,
    Q,
    QuerySet,
)

from evaluation import benchmarks
from evaluation.models import Outcome, Run, Sample
from evaluation.selectors.planning import items, prompts, spots
from inference.requests import ChatRequest


def outcomes(run: Run) -> dict[str, int]:
    """Samples by outcome, all six present; a sample without a reply has failed."""
    counts = dict.fromkeys(Outcome.values, 0)
    for row in run.samples.values("reply__outcome").order_by().annotate(n=Count("pk")):
        counts[row["reply__outcome"] or Outcome.FAILED] += row["n"]
    return counts


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
