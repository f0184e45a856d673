"""Every write to runs, replies and samples."""

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from core import audit, clock, jobs
from core.errors import CommonplaceError
from core.jobs import Work
from core.models import Job
from core.text import storable
from evaluation import benchmarks, importers, selectors
from evaluation.benchmarks import Ask, Reading
from evaluation.importers import ImportedSample, Refused
from evaluation.models import Reply, Run, Sample
from inference import cache, prompts
from inference.client import Finished
from inference.endpoints import resolve_model, target
from inference.models import Call, Completion, Prompt
from inference.requests import ChatRequest
from releases.models import Item
from releases.selectors import find_release

JOB_KIND = "evaluation.run"


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


# --- Starting -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Order:
    """A run as somebody asked for it."""

    benchmark: str
    release: str
    model: str
    given: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    seed: int = 0
    cap_micro: int | None = None
    use_cache: bool = True
    pack: Sequence[Prompt] = ()  # prompts that replace shipped ones
    nonce: str | None = None  # the same nonce twice is the same run


def prepare(order: Order, actor: str) -> Run:
    """The run an order would become, its items derived but itself unsaved.

    Raises what is wrong with the order: unknown benchmark, release, model, setting or pack,
    a missing key, a cap without a price.
    """
    benchmark = benchmarks.find(order.benchmark)
    settings = benchmark.read_settings(order.given)
    asked = find_release(order.release)
    model = resolve_model(order.model)
    endpoint = target(model)
    if order.cap_micro is not None and endpoint.input_price is None:
        raise CommonplaceError(
            "run.no_price",
            f"A cost cap needs a price, and endpoint {model.endpoint.name} has none. Give it "
            "one in COMMONPLACE_ENDPOINTS, or start without a cap.",
        )
    release = benchmark.derive(asked, settings, actor)
    pinned = [prompts.current(name, pack=order.pack) for name in benchmark.prompts]
    kept = {
        **dataclasses.asdict(settings),
        "use_cache": order.use_cache,
        "base_url": endpoint.base_url,
        "model": model.name,
        "prompts": {prompt.name: prompt.sha256 for prompt in pinned},
        "release_sha256": release.sha256,
    }
    run = Run(
        benchmark=benchmark.name,
        release=release,
        asked_release=asked.label,
        model=model,
        model_label=str(model),
        settings=kept,
        seed=order.seed,
        cap_micro=order.cap_micro,
        simulated=model.simulated or release.simulated,
        started_by=actor,
        created=clock.now(),
        nonce=order.nonce,
    )
    run.samples_planned = selectors.items(run).count() * kept["samples"]
    return run


def start_run(order: Order, actor: str) -> Run:
    """Create the run and queue its job. With a nonce seen before, the run it already made."""
    if order.nonce and (earlier := Run.objects.filter(nonce=order.nonce).first()):
        return earlier
    run = prepare(order, actor)
    with transaction.atomic():
        run.save()
        run.prompts.set(Prompt.objects.filter(sha256__in=run.settings["prompts"].values()))
        _queue(run)
        audit.record(actor, "run.started", "run", run.pk, benchmark=run.benchmark)
    return run


def _queue(run: Run) -> None:
    run.job = jobs.enqueue(JOB_KIND, key=run.purpose, args={"run": run.pk})
    run.save(update_fields=["job"])


def resume_run(run: Run, actor: str, cap_micro: int | None = None) -> Run:
    """Queue what a run still lacks; a run whose worker has gone silent counts as dead.

    Raises `run.active` while a living worker has it, `run.finished` when nothing is missing.
    """
    if run.status == Run.Status.FINISHED or run.source == Run.Source.IMPORTED:
        raise CommonplaceError(
            "run.finished", f"Run {run.pk} is complete; there is nothing to resume.", run=run.pk
        )
    if run.status in Run.ACTIVE and run.job and not _abandoned(run.job):
        raise CommonplaceError(
            "run.active",
            f"Run {run.pk} is being worked on. Wait for it, or cancel it first.",
            run=run.pk,
        )
    with transaction.atomic():
        if run.job:
            jobs.cancel(run.job)
        changes: dict[str, Any] = {"status": Run.Status.QUEUED, "error": None, "finished": None}
        if cap_micro is not None:
            changes["cap_micro"] = cap_micro
        same = Run.objects.filter(pk=run.pk, status=run.status, job=run.job)
        if not same.update(**changes):
            raise CommonplaceError(
                "run.active", f"Run {run.pk} has just been resumed by somebody else.", run=run.pk
            )
        run.refresh_from_db()
        _queue(run)
        audit.record(actor, "run.resumed", "run", run.pk)
    return run


def _abandoned(job: Job) -> bool:
    """A job nobody works on: silent for too long, or queued while no worker lives."""
    if job.status == Job.Status.QUEUED:
        return not jobs.worker_is_alive()
    return not jobs.is_alive(job)


def cancel_run(run: Run, actor: str) -> Run:
    """Stop a run; what it has stays, and it can be resumed. Raises `run.not_active`."""
    with transaction.atomic():
        stopped = Run.objects.filter(pk=run.pk, status__in=(*Run.ACTIVE, Run.Status.PAUSED)).update(
            status=Run.Status.CANCELLED, finished=clock.now()
        )
        if not stopped:
            raise CommonplaceError(
                "run.not_active",
                f"Run {run.pk} is {run.get_status_display().lower()}; there is nothing to cancel.",
                run=run.pk,
            )
        if run.job:
            jobs.cancel(run.job)
        audit.record(actor, "run.cancelled", "run", run.pk)
    run.refresh_from_db()
    return run


# --- While it runs ------------------------------------------------------------------------------


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
        _store_samples(run, settled, calls)
        if not run.simulated and any(finished.simulated for _, finished in sent):
            run.simulated = True
            Run.objects.filter(pk=run.pk).update(simulated=True)
    return done + len(settled)


def _store_samples(run: Run, settled: Sequence[Answered], calls: Mapping[Any, Call]) -> None:
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
    ids = {
        (reply.item_id, reply.variant, reply.sha): reply.pk
        for reply in Reply.objects.filter(run=run, item__in=items, sha__in=shas).only(
            "item_id", "variant", "sha"
        )
    }
    return {place: (ids[identity], choice) for place, (identity, choice) in places.items()}


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


# --- Outputs made elsewhere ---------------------------------------------------------------------


@dataclass(frozen=True)
class Imported:
    run: Run
    read: int
    kept: int
    refused: tuple[Refused, ...]

    def as_dict(self) -> dict[str, Any]:
        refused = [each.as_dict() for each in self.refused]
        return {"run": self.run.pk, "read": self.read, "kept": self.kept, "refused": refused}


def import_outputs(
    benchmark_name: str,
    release_label: str,
    data: bytes,
    *,
    preset: str | None,
    model_label: str | None,
    actor: str,
) -> Imported:
    """Score replies made elsewhere as a finished run; nothing is written if no line is usable.

    A line is refused for what `importers` finds, an item the release lacks, options that are not
    the item's, or a repeat seen before. Raises `import.nothing_kept` and what `prepare` raises.
    """
    benchmark = benchmarks.find(benchmark_name)
    settings = benchmark.read_settings({"preset": preset})
    asked = find_release(release_label)
    release = benchmark.derive(asked, settings, actor)
    by_key = {item.key: item for item in release.items.all()}
    answered: dict[tuple[int, str, int, int], Answered] = {}
    refused: list[Refused] = []
    read, named = 0, ""
    for line in importers.read_outputs(data):
        read += 1
        named = named or getattr(line, "model", "")
        found = line if isinstance(line, Refused) else _match(line, by_key, answered)
        if isinstance(found, Refused):
            refused.append(found)
        else:
            answered[found.ask.place] = found
    if not answered:
        raise CommonplaceError(
            "import.nothing_kept",
            "No line of the file could be used, so nothing was imported. "
            + (f"The first: line {refused[0].line}, {refused[0].reason}." if refused else ""),
            refused=[each.as_dict() for each in refused[:20]],
        )
    run = Run(
        benchmark=benchmark.name,
        release=release,
        asked_release=asked.label,
        model_label=model_label or named or "unnamed",
        source=Run.Source.IMPORTED,
        settings={**dataclasses.asdict(settings), "file_sha256": hashlib.sha256(data).hexdigest()},
        status=Run.Status.FINISHED,
        samples_planned=len(answered),
        simulated=release.simulated,
        started_by=actor,
        created=clock.now(),
        finished=clock.now(),
    )
    with transaction.atomic():
        run.save()
        _store_samples(run, list(answered.values()), {})
        audit.record(actor, "run.imported", "run", run.pk, benchmark=run.benchmark)
    return Imported(run, read, len(answered), tuple(refused))


def _match(
    line: ImportedSample, by_key: Mapping[str, Item], taken: Mapping[Any, Any]
) -> Answered | Refused:
    """The imported line as an answer to an item of the release, its letters made option indices."""
    item = by_key.get(line.item)
    if item is None:
        return Refused(line.line, "import.unknown_item", f"the release has no item {line.item}")
    options = [frozenset(option["regions"]) for option in item.payload["options"]]
    if set(options) != set(line.regions) or len(options) != len(line.regions):
        return Refused(
            line.line,
            "import.options_differ",
            f"the options of {line.item} stand for other regions; perhaps another preset",
        )
    shown = [options.index(regions) for regions in line.regions]
    ask = Ask(item, "", line.repeat, 1, ChatRequest("", "", ()), shown)
    if ask.place in taken:
        return Refused(
            line.line, "import.duplicate", f"repeat {line.repeat} of {line.item} came before"
        )
    text, altered = storable(line.text)
    return Answered(ask, text, line.finish, altered=altered)
