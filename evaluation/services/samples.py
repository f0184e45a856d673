"""What a run stores of its replies: every exchange, distinct replies, samples."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.db import transaction

from core import audit
from core.errors import CommonplaceError
from core.inserting import Rows
from evaluation import benchmarks, selectors
from evaluation.benchmarks import Ask, Place
from evaluation.errands import Brought, Said
from evaluation.models import Judge, Outcome, Reply, Run, Sample, Verdict
from inference import cache, leases
from releases.models import Item

Identity = tuple[int, str, str]  # item, variant, sha: what makes a reply distinct in a run

UNIQUE = ("run", "item", "variant", "sha")
_replies_of = Rows(
    Reply,
    *("run", "item", "variant", "sha", "text", "finish", "refusal", "altered"),
    *("parsed", "outcome"),
)
_samples_of = Rows(
    Sample,
    *("run", "item", "variant", "repeat", "turn"),
    *("reply", "call", "request_key", "shown", "choice"),
)


class Met(dict[Identity, tuple[int, str]]):
    """(number, outcome) of replies a hand has stored or found stored; forgets when there are many.

    Only good while nobody but running hands writes to the run.
    """

    MOST = 50_000

    def meet(self, more: Mapping[Identity, tuple[int, str]]) -> None:
        if len(self) > self.MOST:
            self.clear()
        self.update(more)


@dataclass(frozen=True)
class Answered:
    """One sample: where it belongs, and the reply, None where there is only an error."""

    item: Item
    variant: str
    repeat: int
    turn: int
    shown: list[int] | None
    said: Said | None
    request_key: str = ""  # empty: made elsewhere

    @property
    def place(self) -> Place:
        return (self.item.pk, self.variant, self.repeat, self.turn)


class Fence(Protocol):
    """What keeps a batch from being stored by somebody who has no part in the run any more: the
    `Work` of a job, or `services.holding` where there is none. `beat` raises then."""

    @property
    def job_id(self) -> int | None: ...

    def beat(self) -> None: ...


def commit(fence: Fence, run: Run, batch: Sequence[Brought], met: Met) -> None:
    """Store a batch: every exchange, and a sample for each repeat that was settled.

    One transaction that begins with the fence. An errand whose error pauses the run
    leaves its exchanges but no sample, so that a resume asks again.
    """
    settled = [answered for one in batch if not one.pauses for answered in _samples(one)]
    with transaction.atomic():
        fence.beat()
        calls = store_exchanges(fence, run, batch, run.asked)
        store_samples(run, settled, calls, met)


def store_exchanges(
    fence: Fence, run: Run, batch: Sequence[Brought], model: Any
) -> dict[tuple[str, int], int]:
    """The ledger, the cache and the budget of what was sent, in the caller's transaction."""
    sent = [(one.sent, one.finished) for one in batch if one.finished]
    calls = cache.store(model, sent, purpose=run.purpose, job_id=fence.job_id)
    if run.budget_id:
        leases.settle(
            run.budget_id,
            fence.job_id,
            reserved=sum(one.reserved for one in batch),
            spent=sum(one.cost for one in batch),
        )
    if not run.simulated and any(finished.simulated for _, finished in sent):
        run.simulated = True
        Run.objects.filter(pk=run.pk).update(simulated=True)
    return calls


def _samples(one: Brought) -> list[Answered]:
    ask: Ask = one.errand.about
    spot, key = ask.spot, ask.request.key()
    said: list[Said | None] = list(one.replies)
    said += [None] * (len(one.errand.repeats) - len(said))
    return [
        Answered(spot.item, spot.variant, repeat, spot.turn, ask.shown, each, key)
        for repeat, each in zip(one.errand.repeats, said, strict=True)
    ]


def store_samples(
    run: Run, settled: Sequence[Answered], calls: Mapping[tuple[str, int], int], met: Met
) -> None:
    replies = _store_replies(run, settled, met)
    rows = []
    for one in settled:
        reply, choice = replies.get(one.place, (None, None))
        call = calls.get((one.request_key, one.repeat))
        where = (run.pk, one.item.pk, one.variant, one.repeat, one.turn)
        rows.append((*where, reply, call, one.request_key, one.shown, choice))
    _samples_of.insert(rows)


def _store_replies(
    run: Run, settled: Sequence[Answered], met: Met
) -> dict[Place, tuple[int, int | None]]:
    """Make the distinct replies; place -> (reply's number, option chosen)."""
    read = benchmarks.find(run.benchmark).read
    new: dict[Identity, tuple[Any, ...]] = {}
    places: dict[Place, tuple[Identity, int | None]] = {}
    for one in settled:
        said = one.said
        if said is None:
            continue
        reading = read(one.item, one.shown, said.text, said.finish, said.refusal)
        sha = _reply_sha(said.text, said.finish, refusal=said.refusal)
        identity = (one.item.pk, one.variant, sha)
        places[one.place] = (identity, reading.choice)
        if identity not in met:
            row = (said.text, said.finish, said.refusal, said.altered)
            new[identity] = (run.pk, *identity, *row, reading.parsed, reading.outcome)
    if new:
        stored = _replies_of.insert_or_find(
            new.values(), UNIQUE, ("item", "variant", "sha", "id", "outcome")
        )
        found = {(item, variant, sha): (pk, outcome) for item, variant, sha, pk, outcome in stored}
        met.meet({each: met.get(each) or found[each] for each, _ in places.values()})
    return {
        place: (pk, choice if outcome == Outcome.OK else None)
        for place, (identity, choice) in places.items()
        for pk, outcome in [met[identity]]
    }


def _reply_sha(text: str, finish: str, *, refusal: bool) -> str:
    """Replies are one when text and finish are; the same text cut short is another reply."""
    return hashlib.sha256(f"{finish}\0{int(refusal)}\0{text}".encode()).hexdigest()


def reparse(run: Run, actor: str) -> dict[str, int]:
    """Read every stored reply and verdict of a run again, as the code reads them now.

    Nothing is asked. Returns counts: `replies` and `verdicts` that are read otherwise than before,
    and `unjudged`, replies that are an answer now and lack a verdict (`rejudge` gives it).
    Raises `run.active` while the run is being worked on.
    """
    if run.status in Run.ACTIVE:
        raise CommonplaceError(
            "run.active", f"Run {run.pk} is being worked on. Wait for it, or cancel it first."
        )
    changed = 0
    replies = run.replies.select_related("item").order_by("pk")
    for reply in replies.iterator(chunk_size=500):
        changed += _read_again(run, reply)
    verdicts = _verdicts_again(run)
    unjudged = sum(selectors.unjudged(run, judge).count() for judge in run.judges.all())
    audit.record(actor, "run.reparsed", "run", run.pk, replies=changed, verdicts=verdicts)
    return {"replies": changed, "verdicts": verdicts, "unjudged": unjudged}


def _read_again(run: Run, reply: Reply) -> bool:
    """One transaction a reply that changes. A choice depends on what a sample was shown."""
    read = benchmarks.find(run.benchmark).read
    samples = list(reply.samples.all())
    changed = []
    reading = None
    for sample in samples:
        reading = read(reply.item, sample.shown, reply.text, reply.finish, reply.refusal)
        choice = reading.choice if reading.outcome == Outcome.OK else None
        if choice != sample.choice:
            sample.choice = choice
            changed.append(sample)
    if reading is None:
        return False
    differs = reading.outcome != reply.outcome
    if changed or differs:
        with transaction.atomic():
            Sample.objects.bulk_update(changed, ["choice"])
            run.replies.filter(pk=reply.pk).update(outcome=reading.outcome, parsed=reading.parsed)
    return bool(changed or differs)


def _verdicts_again(run: Run) -> int:
    judging = benchmarks.find(run.benchmark).judging
    if judging is None:
        return 0
    changed = []
    given = Verdict.objects.filter(reply__run=run, judge__kind=Judge.Kind.MODEL)
    for verdict in given.exclude(outcome=Verdict.Outcome.FAILED).iterator(chunk_size=500):
        judged = judging.read(verdict.text, verdict.finish)
        if (judged.outcome, judged.value) != (verdict.outcome, verdict.value):
            verdict.outcome, verdict.value = judged.outcome, judged.value
            changed.append(verdict)
    for start in range(0, len(changed), 50):
        Verdict.objects.bulk_update(changed[start : start + 50], ["outcome", "value"])
    return len(changed)
