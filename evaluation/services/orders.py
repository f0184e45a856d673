"""Starting, resuming and cancelling runs."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from core import audit, clock, jobs
from core.errors import CommonplaceError
from core.models import Job
from evaluation import benchmarks, selectors
from evaluation.models import Run
from inference import prompts
from inference.endpoints import resolve_model, target
from inference.models import LanguageModel, Prompt
from releases.selectors import find_release

JOB_KIND = "evaluation.run"
LARGEST = 2**53  # the largest whole number every JSON reader keeps


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
    if not 0 <= order.seed <= LARGEST:
        raise CommonplaceError(
            "settings.value", f"The seed must be a whole number from 0 to {LARGEST}.", name="seed"
        )
    asked = find_release(order.release)
    model = resolve_model(order.model)
    endpoint = target(model)
    _check_cap(order.cap_micro, model)
    release = benchmark.derive(asked, settings, actor)
    language = release.about["language"]
    pinned = [prompts.current(name, language, order.pack) for name in benchmark.prompts]
    if order.pack and not set(order.pack) & set(pinned):
        raise CommonplaceError(
            "prompt.pack_unused",
            f"The prompt pack holds none of the prompts this run uses: "
            f"{', '.join(benchmark.prompts)} in {language} or English.",
        )
    kept = {
        **dataclasses.asdict(settings),
        "use_cache": order.use_cache,
        "base_url": endpoint.base_url,
        "model": model.name,
        "prompts": {prompt.name: prompt.sha256 for prompt in pinned},
        "release_sha256": release.sha256,
        "preset": release.about["recipe"]["preset"],
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
        simulated=release.simulated or selectors.is_simulated(model),
        started_by=actor,
        created=clock.now(),
        nonce=order.nonce,
    )
    run.samples_planned = selectors.items(run).count() * kept["samples"]
    return run


def _check_cap(cap_micro: int | None, model: LanguageModel) -> None:
    if cap_micro is None:
        return
    if not 0 <= cap_micro <= LARGEST:
        raise CommonplaceError(
            "settings.value",
            f"A cost cap lies between 0 and {LARGEST // 1_000_000} US dollars.",
            name="max_cost",
        )
    if target(model).input_price is None:
        raise CommonplaceError(
            "run.no_price",
            f"A cost cap needs a price, and endpoint {model.endpoint.name} has none. Give it "
            "one in COMMONPLACE_ENDPOINTS, or start without a cap.",
        )


def start_run(order: Order, actor: str) -> Run:
    """Create the run and queue its job. With a nonce seen before, the run it already made."""
    if order.nonce and (earlier := Run.objects.filter(nonce=order.nonce).first()):
        return earlier
    run = prepare(order, actor)
    try:
        with transaction.atomic():
            run.save()
            run.prompts.set(Prompt.objects.filter(sha256__in=run.settings["prompts"].values()))
            _queue(run)
            audit.record(actor, "run.started", "run", run.pk, benchmark=run.benchmark)
    except IntegrityError:
        if order.nonce is None:
            raise
        return Run.objects.get(nonce=order.nonce)  # the other click was a moment faster
    return run


def _queue(run: Run) -> None:
    run.job = jobs.enqueue(JOB_KIND, key=run.purpose, args={"run": run.pk})
    run.save(update_fields=["job"])


def resume_run(run: Run, actor: str, cap_micro: int | None = None) -> Run:
    """Queue what a run still lacks; a run whose worker has gone silent counts as dead.

    Samples that failed are asked again. Raises `run.active` while a living worker has it,
    `run.finished` when nothing is missing.
    """
    failed = run.samples.filter(reply=None)
    complete = run.status == Run.Status.FINISHED and not failed.exists()
    if complete or run.source == Run.Source.IMPORTED:
        raise CommonplaceError(
            "run.finished", f"Run {run.pk} is complete; there is nothing to resume.", run=run.pk
        )
    if run.status in Run.ACTIVE and run.job and not _abandoned(run.job):
        raise CommonplaceError(
            "run.active",
            f"Run {run.pk} is being worked on. Wait for it, or cancel it first.",
            run=run.pk,
        )
    _check_cap(cap_micro, run.asked)
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
        failed.delete()
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
