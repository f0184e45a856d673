"""What a run stores of its replies: every exchange, distinct replies, samples."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.db import transaction

from core.inserting import Rows
from evaluation import benchmarks
from evaluation.benchmarks import Ask, Place
from evaluation.models import Outcome, Reply, Run, Sample
from evaluation.running.errands import Brought, Said
from inference import cache, leases
from inference.models import LanguageModel
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
    mark_simulated(run, batch)
    with transaction.atomic():
        fence.beat()
        calls = store_exchanges(fence, run, batch, run.asked)
        store_samples(run, settled, calls, met)


def store_exchanges(
    fence: Fence, run: Run, batch: Sequence[Brought], model: LanguageModel
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
    return calls


def mark_simulated(run: Run, batch: Sequence[Brought]) -> None:
    """Mark the run where an endpoint said it is none. True whoever has the run, so it stands before
    the fence: the run's row is locked ahead of a job's, never after it."""
    if not run.simulated and any(one.finished and one.finished.simulated for one in batch):
        run.simulated = True
        Run.objects.filter(pk=run.pk).update(simulated=True)


def book(run: Run, batch: Sequence[Brought], model: LanguageModel) -> None:
    """Book what a hand sent that has no part in the run any more, and keep what came.

    Whatever was set aside for it went back with the hand's lease. Samples are not made: whoever
    has the run now finds the replies in the cache.
    """
    mark_simulated(run, batch)
    with transaction.atomic():
        store_exchanges(_Nobody(), run, batch, model)


@dataclass(frozen=True)
class _Nobody:
    job_id: None = None

    def beat(self) -> None:
        """Nothing to guard."""


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
