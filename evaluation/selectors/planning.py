"""What a run is made of: its items, its requests, and which of them have their sample."""

from collections.abc import Iterator, Sequence

from django.db.models import (
    QuerySet,
)

from evaluation import benchmarks
from evaluation.benchmarks import Ask, Place, Spot
from evaluation.models import Run
from inference.models import Prompt
from releases.models import Item


def items(run: Run) -> QuerySet[Item]:
    """The items of the run, its limit applied, in the release's order."""
    kind = benchmarks.find(run.benchmark).items
    found = run.release.items.filter(kind=kind).order_by("position")
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
