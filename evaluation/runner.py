"""Executes a run: asks for what is missing, keeps the endpoint busy, commits as replies come.

One ordinary thread drives it. At most `max_in_flight` requests are outstanding, and the place
of a request is taken again only after its reply is committed, so a kill at any moment costs no
more than what was in flight. Replies that arrive during one commit make up the next.
"""

import dataclasses
import itertools
import math
from collections.abc import Iterator

from django.conf import settings

from core import clock, jobs
from core.errors import CommonplaceError
from core.jobs import Work, WorkerStopping
from evaluation import selectors, services
from evaluation.benchmarks import Ask
from evaluation.models import Run
from evaluation.services import Answered
from inference import cache
from inference.client import Session
from inference.endpoints import Target, target
from inference.models import Completion

WINDOW = 64  # asks whose samples and completions are looked up at once
BATCH = 32  # samples in one transaction
WAIT = 0.5  # seconds between signs of life while nothing arrives
LAST_REPLIES = 5.0  # seconds a worker that is stopping waits for what is in flight
FAILURES_IN_A_ROW = 5  # errors before any reply: the endpoint refuses everything


def execute(work: Work) -> None:
    run = services.begin(work.args["run"], work)
    if run is None:
        return
    endpoint = dataclasses.replace(target(run.asked), base_url=run.settings["base_url"])
    with Session(endpoint) as session:
        stop = _Drive(work, run, session, endpoint).to_the_end()
    if isinstance(stop, WorkerStopping):
        raise stop
    services.end(run, work, stop)


class _Drive:
    """One execution of a run: what is outstanding, what it may cost, and why it has to stop."""

    def __init__(self, work: Work, run: Run, session: Session, endpoint: Target) -> None:
        self.work, self.run, self.session = work, run, session
        self.places = endpoint.max_in_flight
        self.purse = Purse(run.cap_micro, selectors.spent(run), endpoint)
        self.todo = _todo(run)
        self.waiting: dict[object, Ask] = {}
        self.done = run.samples.count()
        self.failures, self.any_reply = 0, False
        self.stop: CommonplaceError | WorkerStopping | None = None
        self.give_up_at = math.inf

    def to_the_end(self) -> CommonplaceError | WorkerStopping | None:
        """Obtain every missing sample; None when complete, otherwise what stopped it."""
        while True:
            if jobs.stopping.is_set():
                self._halt(WorkerStopping(), LAST_REPLIES)
            batch = self._ask()
            if not self.waiting and not batch:
                return self.stop
            batch += self._collect(0 if batch else WAIT)
            for answered in batch:
                self._judge(answered)
            for start in range(0, len(batch), BATCH):
                part = batch[start : start + BATCH]
                self.done = services.commit(self.work, self.run, part, self.done)
            if not batch:
                self.work.beat()
            if clock.monotonic() > self.give_up_at:
                return self.stop

    def _ask(self) -> list[Answered]:
        """Fill the free places; what the cache knows comes back at once and takes none."""
        known: list[Answered] = []
        while not self.stop and len(self.waiting) < self.places and len(known) < BATCH:
            ask, completion = next(self.todo, (None, None))
            if ask is None:
                break
            if completion is not None:
                known.append(Answered.from_cache(ask, completion))
            elif refusal := self.purse.reserve(ask):
                self._halt(refusal)
            else:
                self.waiting[ask.place] = ask
                self.session.submit(ask.place, ask.request)
        return known

    def _collect(self, wait: float) -> list[Answered]:
        if not self.waiting:
            return []
        new = [
            Answered.from_endpoint(self.waiting.pop(finished.ticket), finished)
            for finished in self.session.collect(wait)
        ]
        for answered in new:
            self.purse.settle(answered)
        return new

    def _judge(self, answered: Answered) -> None:
        """Stop at an error only a person can put right, or when nothing but errors comes."""
        if answered.error is None:
            self.any_reply = True
            return
        self.failures += 1
        hopeless = self.failures >= FAILURES_IN_A_ROW and not self.any_reply
        if answered.pauses or hopeless:
            answered.pauses = True
            self._halt(answered.error, clock.scaled(settings.JOB_TIMEOUT))

    def _halt(self, reason: CommonplaceError | WorkerStopping, patience: float = math.inf) -> None:
        """Send nothing more; what is outstanding may still arrive for `patience` seconds."""
        if self.stop is None:
            self.stop, self.give_up_at = reason, clock.monotonic() + patience


def _todo(run: Run) -> Iterator[tuple[Ask, Completion | None]]:
    """What the run still lacks, each with its kept completion where there is one."""
    use_cache = run.settings["use_cache"]
    asks = iter(selectors.plan(run))
    while window := list(itertools.islice(asks, WINDOW)):
        have = selectors.sampled(run, window)
        missing = [ask for ask in window if ask.place not in have]
        kept = cache.lookup(ask.identity for ask in missing) if use_cache else {}
        for ask in missing:
            yield ask, kept.get(ask.identity)


class Purse:
    """Keeps a run within its cap (micro-USD): spent + what outstanding requests may cost."""

    def __init__(self, cap: int | None, spent: int, endpoint: Target) -> None:
        self.cap, self.spent, self.endpoint = cap, spent, endpoint
        self.reserved: dict[object, int] = {}

    def reserve(self, ask: Ask) -> CommonplaceError | None:
        if self.cap is None:
            return None
        cost = selectors.most_it_costs(ask.request, self.endpoint)
        if self.spent + sum(self.reserved.values()) + cost > self.cap:
            return CommonplaceError(
                "run.cost_cap",
                "The next request could pass the cost cap, so the run has paused; everything so "
                "far is kept. Resume it with a higher cap.",
                cap=self.cap,
                spent=self.spent,
            )
        self.reserved[ask.place] = cost
        return None

    def settle(self, answered: Answered) -> None:
        self.reserved.pop(answered.ask.place, None)
        exchanges = answered.finished.exchanges if answered.finished else ()
        self.spent += sum(exchange.cost_micro or 0 for exchange in exchanges)
