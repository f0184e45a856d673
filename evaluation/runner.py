"""Executes a run: asks for what is missing, keeps the endpoint busy, commits as replies come.

One ordinary thread drives it. At most `max_in_flight` requests are outstanding, and the place
of a request is taken again only after its reply is committed, so a kill at any moment costs no
more than what was in flight. Replies that arrive during one commit make up the next.
"""

import dataclasses
import itertools
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
    session = Session(endpoint)
    try:
        error = _drive(work, run, session, endpoint)
    finally:
        session.close()
    if isinstance(error, WorkerStopping):
        raise error
    services.end(run, work, error)


def _drive(
    work: Work, run: Run, session: Session, endpoint: Target
) -> CommonplaceError | WorkerStopping | None:
    """Obtain every missing sample. Returns what stopped it before its end, or None: complete."""
    todo = _todo(run)
    purse = Purse(run.cap_micro, selectors.spent(run), endpoint)
    waiting: dict[object, Ask] = {}
    stop: CommonplaceError | WorkerStopping | None = None
    give_up_at = 0.0
    failures, any_reply = 0, False
    done = run.samples.count()
    while True:
        batch: list[Answered] = []
        if jobs.stopping.is_set() and not stop:
            stop, give_up_at = WorkerStopping(), clock.monotonic() + LAST_REPLIES
        while not stop and len(waiting) < endpoint.max_in_flight and len(batch) < BATCH:
            ask, completion = next(todo, (None, None))
            if ask is None:
                break
            if completion is not None:
                batch.append(Answered.from_cache(ask, completion))
            elif stop := purse.reserve(ask):
                break
            else:
                waiting[ask.place] = ask
                session.submit(ask.place, ask.request)
        if not waiting and not batch:
            return stop
        if waiting:
            for finished in session.collect(0 if batch else WAIT):
                answered = Answered.from_endpoint(waiting.pop(finished.ticket), finished)
                purse.settle(answered)
                batch.append(answered)
        for answered in batch:
            any_reply = any_reply or answered.error is None
            failures += answered.error is not None
            if answered.error and (
                answered.pauses or (failures >= FAILURES_IN_A_ROW and not any_reply)
            ):
                answered.pauses = True
                stop = stop or answered.error
                give_up_at = give_up_at or clock.monotonic() + clock.scaled(settings.JOB_TIMEOUT)
        for start in range(0, len(batch), BATCH):
            done = services.commit(work, run, batch[start : start + BATCH], done)
        if not batch:
            work.beat()
        if stop and give_up_at and clock.monotonic() > give_up_at:
            return stop


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
        self.spent += (
            sum(exchange.cost_micro or 0 for exchange in answered.finished.exchanges)
            if answered.finished
            else 0
        )
