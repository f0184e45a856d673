"""The stages of a run: generating samples, then each judge's verdicts.

A stage hands out stretches of its work as errands, stores what they brought, and says what is
still missing. Nothing is asked that is stored or kept already.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Protocol

from django.db.models import QuerySet

from evaluation import benchmarks, selectors, services
from evaluation.benchmarks import Ask, Place, Spot
from evaluation.judging.asking import request_of
from evaluation.models import Judge, Reply, Run
from evaluation.running.errands import Brought, Errand
from inference import cache
from inference.endpoints import Target, target
from inference.models import LanguageModel
from inference.requests import ChatRequest

STRETCH = 64  # samples or verdicts taken at once
AGAIN = 8  # times that where a stage is gone round once more and most is there


class Stage(Protocol):
    number: int
    endpoint: Target
    model: LanguageModel
    stretch: int
    even: bool  # sampling that allows one text only

    def take(self) -> tuple[list[Brought], list[Errand]] | None:
        """The next stretch: what is known already, and what to send; None at the end."""

    def stretches(self) -> Iterator[Sequence[int]]:
        """All its places in stretches, without claiming any."""

    def whole(self, places: Sequence[int]) -> list[Errand]:
        """The errands of places, as if nothing were stored; what is no place has none."""

    def lacking(self, places: Sequence[int]) -> list[Errand]:
        """The errands of places, with the repeats that are not stored yet."""

    def store(self, fence: services.Fence, batch: Sequence[Brought]) -> None: ...

    def missing(self) -> int: ...


def current(run: Run) -> Stage:
    """The stage the run is at."""
    return numbered(run, run.stage)


def numbered(run: Run, number: int) -> Stage:
    """Raises RunJudge.DoesNotExist where the run has no such stage."""
    if number == 0:
        return Generating(run)
    judge = run.run_judges.select_related("judge__model__endpoint", "judge__prompt").get(
        number=number
    )
    return Judging(run, judge.judge, number)


class Generating:
    number = 0

    def __init__(self, run: Run) -> None:
        self.run, self.model = run, run.asked
        self.endpoint = replace(target(run.asked), base_url=run.settings["base_url"])
        self.benchmark = benchmarks.find(run.benchmark)
        self.prompts = selectors.prompts(run)
        self.spots = self.benchmark.spots(run, list(selectors.items(run)))
        self.stretch = STRETCH
        self.position = run.position
        self.met = services.Met()
        self.even = run.settings.get("temperature") == 0

    def take(self) -> tuple[list[Brought], list[Errand]] | None:
        stretch = self._claim()
        if stretch is None:
            return None
        return known_and_wanted(self.lacking(stretch), use_cache=self.run.settings["use_cache"])

    def stretches(self) -> Iterator[Sequence[int]]:
        for start in range(0, len(self.spots), self.stretch):
            yield range(start, min(len(self.spots), start + self.stretch))

    def whole(self, places: Sequence[int]) -> list[Errand]:
        return [self._errand(n, self.spots[n]) for n in places if n < len(self.spots)]

    def lacking(self, places: Sequence[int]) -> list[Errand]:
        spots = {n: self.spots[n] for n in places if n < len(self.spots)}
        have = selectors.sampled(self.run, list(spots.values()))
        return [
            self._errand(n, lacking)
            for n, spot in spots.items()
            if (lacking := _without(spot, have))
        ]

    def _errand(self, place: int, spot: Spot) -> Errand:
        ask: Ask = self.benchmark.ask(self.run, spot, self.prompts)
        return Errand(ask.request, spot.repeats, ask, place=place)

    def _claim(self) -> range | None:
        while self.position < len(self.spots):
            size = max(1, self.stretch // len(self.spots[self.position].repeats))
            onward = min(len(self.spots), self.position + size)
            start = self.position
            if services.claim(self.run, 0, start, onward):
                self.position = onward
                return range(start, onward)
            now = selectors.position(self.run, 0)
            if now is None:
                return None
            self.position = now
        return None

    def store(self, fence: services.Fence, batch: Sequence[Brought]) -> None:
        services.commit(fence, self.run, batch, self.met)

    def missing(self) -> int:
        return self.run.samples_planned - self.run.samples.count()


class Judging:
    even = True

    def __init__(self, run: Run, judge: Judge, number: int) -> None:
        self.run, self.judge, self.number, self.model = run, judge, number, judge.asked
        self.endpoint = replace(target(judge.asked), base_url=judge.settings["base_url"])
        self.judging = services.judging_of(run)
        self.items = {item.pk: item for item in selectors.items(run)}
        self.stretch = STRETCH
        self.position = run.position

    def take(self) -> tuple[list[Brought], list[Errand]] | None:
        """Replies follow each other by their number; the position is that of the last one taken."""
        while True:
            replies = list(self._after(self.position)[: self.stretch])
            if not replies:
                return None
            if services.claim(self.run, self.number, self.position, replies[-1].pk):
                self.position = replies[-1].pk
                break
            now = selectors.position(self.run, self.number)
            if now is None:
                return None
            self.position = now
        use_cache = self.run.settings.get("use_cache", True)
        return known_and_wanted(self._unjudged(replies), use_cache=use_cache)

    def stretches(self) -> Iterator[Sequence[int]]:
        last = 0
        while places := list(self._after(last).values_list("pk", flat=True)[: self.stretch]):
            yield places
            last = places[-1]

    def whole(self, places: Sequence[int]) -> list[Errand]:
        return [self._errand(reply) for reply in self._at(places)]

    def lacking(self, places: Sequence[int]) -> list[Errand]:
        return self._unjudged(self._at(places))

    def _after(self, place: int) -> QuerySet[Reply]:
        return selectors.judgeable(self.run).filter(pk__gt=place).order_by("pk")

    def _at(self, places: Iterable[int]) -> QuerySet[Reply]:
        return selectors.judgeable(self.run).filter(pk__in=places).order_by("pk")

    def _unjudged(self, replies: Iterable[Reply]) -> list[Errand]:
        given = self.judge.verdicts.filter(reply__in=replies)
        judged = set(given.values_list("reply_id", flat=True))
        return [self._errand(reply) for reply in replies if reply.pk not in judged]

    def _errand(self, reply: Reply) -> Errand:
        return Errand(self._request(reply), (1,), reply, place=reply.pk)

    def store(self, fence: services.Fence, batch: Sequence[Brought]) -> None:
        services.commit_verdicts(fence, self.run, self.judge, batch)

    def missing(self) -> int:
        return selectors.unjudged(self.run, self.judge).count()

    def _request(self, reply: Reply) -> ChatRequest:
        item = self.items[reply.item_id]
        return request_of(self.judge, self.judging, item, reply.variant, reply.text)


def _without(spot: Spot, have: Set[Place]) -> Spot | None:
    """The spot with the repeats that are not there yet, None where all are."""
    if not have:
        return spot
    places = zip(spot.repeats, spot.places, strict=True)
    missing = tuple(repeat for repeat, place in places if place not in have)
    return replace(spot, repeats=missing) if missing else None


def known_and_wanted(
    errands: Sequence[Errand], *, use_cache: bool
) -> tuple[list[Brought], list[Errand]]:
    """What the cache has of the errands, and what has to be sent for."""
    if not use_cache:
        for errand in errands:
            errand.request.key()  # computed now, while others are on their way, and kept
        return [], list(errands)
    kept = cache.lookup((each.request.key(), repeat) for each in errands for repeat in each.repeats)
    known, wanted = [], []
    for errand in errands:
        key = errand.request.key()
        had = tuple(repeat for repeat in errand.repeats if (key, repeat) in kept)
        if had:
            replies = [kept[key, repeat] for repeat in had]
            known.append(Brought(replace(errand, repeats=had), replies))
        if lacking := tuple(repeat for repeat in errand.repeats if repeat not in had):
            wanted.append(replace(errand, repeats=lacking))
    return known, wanted
