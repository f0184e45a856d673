"""Executes a run: asks for what is missing, keeps the endpoint busy, commits as replies come.

One ordinary thread drives a stage. It has no more requests outstanding than its lease of the
endpoint's places allows, and the place of a request is taken again only after its reply is
committed, so a kill at any moment costs no more than what was in flight. Replies that arrive during
one commit make up the next.
"""

import math
import threading
from collections import deque
from dataclasses import replace

from django.conf import settings

from core import clock, jobs
from core.errors import CommonplaceError
from core.jobs import JobLost, Work, WorkerStopping
from evaluation import selectors, services
from evaluation.models import Run
from evaluation.running import stages, trial
from evaluation.running.errands import Brought, Errand
from evaluation.running.purse import Purse
from evaluation.running.several import Several
from evaluation.running.stages import Stage
from inference.client import Finished, Session

BATCH = 32  # replies in one transaction
WAIT = 0.5  # seconds between signs of life while nothing arrives
RENEW = 1.0  # seconds between renewals of the lease, while that is well within the time-out
LAST_REPLIES = 5.0  # seconds a hand that has to stop waits for what is in flight
FAILURES_IN_A_ROW = 5  # errors before any reply: the endpoint refuses everything

_here: dict[int, Work] = {}  # run -> the hand this process has in it
_lock = threading.Lock()


def execute(work: Work) -> None:
    """Lend a hand until the run ends or others are left to end it."""
    run_id = work.args["run"]
    if not _enter(run_id, work):
        return
    try:
        _execute(work, run_id)
    finally:
        with _lock:
            _here.pop(run_id, None)
        services.let_go(work)


def _enter(run_id: int, work: Work) -> bool:
    """False where this process has a hand in the run already: two would only halve each other.

    A hand that was dismissed takes a moment to notice; it is waited for.
    """
    while True:
        with _lock:
            other = _here.setdefault(run_id, work)
        if other is work:
            return True
        if other.is_mine():
            return False
        work.beat()
        jobs.stopping.wait(WAIT / 5)


def _execute(work: Work, run_id: int) -> None:
    behind = -1  # the stage just gone through
    while (run := services.begin(run_id, work)) is not None:
        stage = stages.current(run)
        if stage.number == behind:
            stage.stretch *= stages.AGAIN
        behind = stage.number
        error = trial.of_judges(work, run) if run.position == 0 else None
        if error is None and stage.missing():
            services.call_hands(run, stage.endpoint.max_in_flight)
            with Session(stage.endpoint) as session:
                stop = _Drive(work, run, stage, session).to_the_end()
            if isinstance(stop, WorkerStopping):
                raise stop
            error = stop
        if not services.leave(work, run, stage, error):
            return


class _Drive:
    """One hand's part in one stage: what is outstanding, and why it has to stop."""

    def __init__(self, work: Work, run: Run, stage: Stage, session: Session) -> None:
        self.work, self.run, self.stage, self.session = work, run, stage, session
        self.purse = Purse(run, work, stage.endpoint)
        self.several = Several(run.per_request, run.per_request_why)
        self.todo: deque[Errand] = deque()
        self.known: deque[Brought] = deque()
        self.waiting: dict[int, tuple[Errand, int]] = {}  # ticket -> errand, micro-USD set aside
        self.unstored: list[Brought] = []
        self.tickets = 0
        self.places = 0
        self.renew_at = 0.0
        self.all_taken = False
        self.failures, self.any_reply = 0, False
        self.stop: CommonplaceError | WorkerStopping | None = None
        self.give_up_at = math.inf

    def to_the_end(self) -> CommonplaceError | WorkerStopping | None:
        """Obtain what is missing; None when all is handed out and in, otherwise what stopped it.

        Raises `JobLost` when the run is not this hand's any more; what it had sent is booked then.
        """
        try:
            stop = self._to_the_end()
            self._give_up()
            self._store()
        except JobLost:
            self._book()
            raise
        return stop

    def _to_the_end(self) -> CommonplaceError | WorkerStopping | None:
        while True:
            if jobs.stopping.is_set():
                self._halt(WorkerStopping(), LAST_REPLIES)
            self._renew()
            self.unstored = self._send()
            self._look_ahead()
            if not self.waiting and not self.unstored and (self.stop or self._nothing_left()):
                return self.stop
            self.unstored += self._collect(0 if self.unstored else WAIT)
            self._store()
            if clock.monotonic() > self.give_up_at:
                return self.stop

    def _store(self) -> None:
        while self.unstored:
            self.stage.store(self.work, self.unstored[:BATCH])
            del self.unstored[:BATCH]

    def _nothing_left(self) -> bool:
        return self.all_taken and not self.todo and not self.known

    def _renew(self) -> None:
        """Show life, and take the places of the endpoint that are this hand's share."""
        if clock.monotonic() < self.renew_at:
            return
        again = self.renew_at > 0
        self.renew_at = clock.monotonic() + min(RENEW, clock.scaled(settings.JOB_TIMEOUT) / 10)
        endpoint = self.stage.endpoint
        share = services.renew(
            self.work,
            self.run,
            self.stage.model,
            most=settings.WORKER_IN_FLIGHT,
            in_flight=len(self.waiting),
            again=again,
        )
        self.places = share.places
        if selectors.position(self.run, self.stage.number) is None:  # paused, or somebody else's
            self.todo.clear()
            self.all_taken = True
        self.session.pace(
            _part(endpoint.requests_per_minute, share.of_all),
            _part(endpoint.tokens_per_minute, share.of_all),
        )

    # --- Sending --------------------------------------------------------------------------------

    def _send(self) -> list[Brought]:
        """Fill the free places; what is known already comes back at once and takes none."""
        # The first request goes alone: what is wrong with all of them is then seen by one.
        places = self.places if self.any_reply else min(1, self.places)
        while not self.stop and len(self.waiting) < places and len(self.known) < BATCH:
            if not self.todo and not self._take():
                break
            if self.todo and not self._send_one():
                break
        return [self.known.popleft() for _ in range(min(BATCH, len(self.known)))]

    def _look_ahead(self) -> None:
        """Prepare what is sent next while replies are on their way, not when a place is free."""
        busy = self.waiting and not self.stop and len(self.todo) < self.places
        if busy and not self.session.has_news():
            self._take()

    def _take(self) -> bool:
        if self.all_taken:
            return False
        stretch = self.stage.take()
        if stretch is None:
            self.all_taken = True
            return False
        known, wanted = stretch
        self.known.extend(known)
        self.todo.extend(wanted)
        return True

    def _send_one(self) -> bool:
        """Send the next errand, or the part of it one request brings; False: not now."""
        errand = self.todo[0]
        n = self.several.part(len(errand.repeats), singly=errand.singly)
        if not n:
            return False
        cost = self.purse.take_out(errand.request, n)
        if cost is None and n > 1 and not self.waiting:  # what is left may pay for one
            n, cost = 1, self.purse.take_out(errand.request, 1)
        if cost is None:
            if not self.waiting:
                self._halt(self.purse.refusal())
            return False
        self.todo.popleft()
        if rest := errand.rest(n, singly=errand.singly):
            self.todo.appendleft(rest)
        self.tickets += 1
        self.waiting[self.tickets] = (errand.first(n), cost)
        self.several.scouting += n > 1 or errand.singly
        self.session.submit(self.tickets, errand.request, n, paid_once=self.purse.capped)
        return True

    # --- Taking in ------------------------------------------------------------------------------

    def _collect(self, wait: float) -> list[Brought]:
        if not self.waiting:
            if not self.places and not self.stop:
                jobs.stopping.wait(min(WAIT, RENEW))  # others hold every place of the endpoint
            return []
        return [self._bring(finished) for finished in self.session.collect(wait)]

    def _bring(self, finished: Finished) -> Brought:
        errand, reserved = self.waiting.pop(finished.ticket)
        self.several.scouting -= len(errand.repeats) > 1 or errand.singly
        sent = errand.repeats
        if finished.error is None:
            self.any_reply = True
            kept = self._learn(errand, finished)
        elif self._refuses_several(errand, finished.error):
            kept = 0
        elif finished.again and errand.tried < settings.RETRY_ATTEMPTS:
            errand, kept = replace(errand, tried=errand.tried + len(finished.exchanges)), 0
        else:
            kept = len(sent)
            self._judge(finished)
        if rest := errand.rest(kept, singly=self._doubted(errand, kept, finished)):
            self.todo.appendleft(rest)
        pauses = finished.error is not None and (finished.pauses or finished.error is self.stop)
        stands = finished
        if len(finished.replies) > kept:  # copies are not kept
            stands = replace(finished, replies=finished.replies[:kept])
        return Brought(errand.first(kept), stands.replies, stands, pauses, reserved, sent)

    def _learn(self, errand: Errand, finished: Finished) -> int:
        """How many of the replies stand; what is learnt about several at once is kept."""
        why = self.several.why
        texts = [reply.text for reply in finished.replies]
        kept = self.several.learn(
            errand.request.key(), len(errand.repeats), texts, even=self.stage.even
        )
        if self.several.why != why:
            services.learn(self.run, self.several.limit, self.several.why)
        return kept

    def _doubted(self, errand: Errand, kept: int, finished: Finished) -> bool:
        return errand.singly or 0 < kept < len(finished.replies)

    def _refuses_several(self, errand: Errand, error: CommonplaceError) -> bool:
        if error.data.get("parameter") != "n":
            return False
        refused = self.several.refused(len(errand.repeats), str(error.data.get("said", "")))
        if refused:
            services.learn(self.run, self.several.limit, self.several.why)
        return refused

    def _judge(self, finished: Finished) -> None:
        """Stop at an error only a person can put right, or when nothing but errors comes."""
        if finished.error is None:
            return
        self.failures += 1
        hopeless = self.failures >= FAILURES_IN_A_ROW and not self.any_reply
        if finished.pauses or hopeless:
            self._halt(finished.error, clock.scaled(settings.JOB_TIMEOUT))

    def _halt(self, reason: CommonplaceError | WorkerStopping, patience: float = math.inf) -> None:
        """Send nothing more; what is outstanding may still arrive for `patience` seconds, or less
        where a reason before left less."""
        self.stop = self.stop or reason
        self.give_up_at = min(self.give_up_at, clock.monotonic() + patience)

    def _give_up(self) -> None:
        """Wait for nothing more; what was tried for it until now is kept to be booked."""
        self.session.close()
        self.unstored += [self._bring(each) for each in self.session.collect(0)]

    def _book(self) -> None:
        """What was sent has to be paid, whoever has the run now."""
        until = clock.monotonic() + LAST_REPLIES
        while self.waiting and clock.monotonic() < until:
            self.unstored += [self._bring(each) for each in self.session.collect(WAIT)]
        self._give_up()
        services.book(self.run, self.unstored, self.stage.model)


def _part(limit: int | None, share: float) -> float | None:
    return None if limit is None else limit * share
