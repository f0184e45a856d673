"""What a running run stores: its state, every exchange, replies and samples."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from core import clock
from core.errors import CommonplaceError
from core.jobs import Work
from evaluation import benchmarks
from evaluation.benchmarks import Ask, Reading
from evaluation.models import Outcome, Reply, Run, Sample
from inference import cache
from inference.client import Finished
from inference.models import Call, Completion


@dataclass
class Answered:
    """What became of one ask: a reply, new or kept, or an error."""

    ask: Ask
    text: str | None
    finish: str = ""
    refusal: bool = False
    altered: bool = False
    finished: Finished | None = None  # None: nothing was sent
    pauses: bool = False

    @property
    def error(self) -> CommonplaceError | None:
        return self.finished.error if self.finished else None

    @classmethod
    def from_cache(cls, ask: Ask, kept: Completion) -> "Answered":
        return cls(ask, kept.text, kept.finish, kept.refusal, kept.altered)

    @classmethod
    def from_endpoint(cls, ask: Ask, new: Finished) -> "Answered":
        return cls(ask, new.text, new.finish, new.refusal, new.altered, new, new.pauses)


def begin(run_id: int, work: Work) -> Run | None:
    """Mark the run as running; None when it was cancelled or taken over before its job began."""
    started = Run.objects.filter(pk=run_id, job_id=work.job_id, status__in=Run.ACTIVE).update(
        status=Run.Status.RUNNING
    )
    if not started:
        return None
    run = Run.objects.select_related("release", "model__endpoint").get(pk=run_id)
    work.beat(run.samples.count(), run.samples_planned)
    return run


def end(run: Run, work: Work, error: CommonplaceError | None) -> None:
    """Finish the run, or pause it with the reason."""
    with transaction.atomic():
        work.beat()
        Run.objects.filter(pk=run.pk).update(
            status=Run.Status.PAUSED if error else Run.Status.FINISHED,
            error=error.as_dict() if error else None,
            finished=None if error else clock.now(),
        )


def mark_failed(args: Mapping[str, Any], error: Mapping[str, Any]) -> None:
    """The job gave up: an error nobody foresaw, or a refusal before the first request."""
    Run.objects.filter(pk=args["run"], status__in=Run.ACTIVE).update(
        status=Run.Status.FAILED, error=error, finished=clock.now()
    )


def commit(work: Work, run: Run, batch: Sequence[Answered], done: int) -> int:
    """Store a batch: every exchange, and a sample for each ask that was settled; the new `done`.

    One transaction that begins with the fence (`Work.beat`). An ask whose error pauses the run
    leaves its exchanges but no sample, so that a resume asks again.
    """
    settled = [answered for answered in batch if not answered.pauses]
    with transaction.atomic():
        work.beat(done=done + len(settled))
        sent = [(one.ask.repeat, one.finished) for one in batch if one.finished]
        calls = cache.store(run.asked, sent, purpose=run.purpose, job_id=work.job_id)
        store_samples(run, settled, calls)
        if not run.simulated and any(finished.simulated for _, finished in sent):
            run.simulated = True
            Run.objects.filter(pk=run.pk).update(simulated=True)
    return done + len(settled)


def store_samples(run: Run, settled: Sequence[Answered], calls: Mapping[Any, Call]) -> None:
    replies = _store_replies(run, settled)
    rows = []
    for one in settled:
        reply, choice = replies.get(one.ask.place, (None, None))
        rows.append(
            Sample(
                run=run,
                item=one.ask.item,
                variant=one.ask.variant,
                repeat=one.ask.repeat,
                turn=one.ask.turn,
                reply_id=reply,
                choice=choice,
                call=calls.get(one.ask.identity),
                request_key=one.ask.identity[0] if one.ask.request.model else "",
                shown=one.ask.shown,
            )
        )
    Sample.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)


def _store_replies(run: Run, settled: Sequence[Answered]) -> dict[object, tuple[int, int | None]]:
    """Make the distinct replies; place -> (reply id, option chosen)."""
    read = benchmarks.find(run.benchmark).read
    rows: dict[tuple[int, str, str], Reply] = {}
    places: dict[object, tuple[tuple[int, str, str], int | None]] = {}
    for one in settled:
        if one.text is None:
            continue
        reading = read(one.ask.item, one.ask.shown, one.text, one.finish, one.refusal)
        sha = _reply_sha(one.text, one.finish, refusal=one.refusal)
        identity = (one.ask.item.pk, one.ask.variant, sha)
        rows[identity] = _reply(run, one, sha, reading)
        places[one.ask.place] = (identity, reading.choice)
    Reply.objects.bulk_create(rows.values(), ignore_conflicts=True, batch_size=500)
    shas = {sha for _, _, sha in rows}
    items = {item for item, _, _ in rows}
    stored = {
        (reply.item_id, reply.variant, reply.sha): reply
        for reply in Reply.objects.filter(run=run, item__in=items, sha__in=shas).only(
            "item_id", "variant", "sha", "outcome"
        )
    }
    return {
        place: (reply.pk, choice if reply.outcome == Outcome.OK else None)
        for place, (identity, choice) in places.items()
        for reply in [stored[identity]]
    }


def _reply(run: Run, one: Answered, sha: str, reading: Reading) -> Reply:
    return Reply(
        run=run,
        item=one.ask.item,
        variant=one.ask.variant,
        sha=sha,
        text=one.text or "",
        finish=one.finish,
        refusal=one.refusal,
        altered=one.altered,
        parsed=reading.parsed,
        outcome=reading.outcome,
    )


def _reply_sha(text: str, finish: str, *, refusal: bool) -> str:
    """Replies are one when text and finish are; the same text cut short is another reply."""
    return hashlib.sha256(f"{finish}\0{int(refusal)}\0{text}".encode()).hexdigest()
