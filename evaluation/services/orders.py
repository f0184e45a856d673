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
from evaluation.benchmarks import Benchmark
from evaluation.models import Judge, Run, RunJudge, Verdict
from evaluation.running.purse import no_price
from evaluation.services.batches import await_batch
from evaluation.services.hands import JOB_KIND, jobs_of
from evaluation.services.verdicts import how_judged, model_judge
from inference import leases, prompts
from inference.endpoints import resolve_model, target
from inference.models import Budget, LanguageModel, Prompt
from releases.selectors import find_release

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
    judges: Sequence[str] = ()  # endpoint/model, each once
    by_batch: bool = False  # asked by a provider that works off files, not by workers


def prepare(order: Order, actor: str) -> Run:
    """The run an order would become, its items derived but itself unsaved.

    Raises what is wrong with the order: unknown benchmark, release, model, setting, pack or
    judge, a judge that would judge itself, a missing key, a cap without a price.
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
    for judge in order.judges:
        _check_cap(order.cap_micro, resolve_model(judge))
    release = benchmark.derive(asked, settings, actor)
    language = release.about["language"]
    pinned = [prompts.current(name, language, order.pack) for name in benchmark.prompts]
    judges = _judges(benchmark, str(model), language, order)
    _refuse_unused_pack(order.pack, [*pinned, *(judge.prompt for judge in judges if judge.prompt)])
    kept = {
        **dataclasses.asdict(settings),
        "use_cache": order.use_cache,
        "base_url": endpoint.base_url,
        "model": model.name,
        "prompts": {prompt.name: prompt.sha256 for prompt in pinned},
        "release_sha256": release.sha256,
        "preset": release.about.get("recipe", {}).get("preset"),
    }
    run = Run(
        benchmark=benchmark.name,
        release=release,
        asked_release=asked.label,
        model=model,
        model_label=str(model),
        settings=kept,
        seed=order.seed,
        budget=None if order.cap_micro is None else Budget(cap=order.cap_micro),
        simulated=release.simulated
        or any(selectors.is_simulated(each) for each in (model, *(j.asked for j in judges))),
        started_by=actor,
        created=clock.now(),
        nonce=order.nonce,
    )
    run.ordered_judges = judges
    run.samples_planned = selectors.planned(run)
    return run


def _refuse_unused_pack(pack: Sequence[Prompt], used: Sequence[Prompt]) -> None:
    if pack and not set(pack) & set(used):
        names = ", ".join(f"{prompt.name} in {prompt.language}" for prompt in used)
        raise CommonplaceError(
            "prompt.pack_unused",
            f"The prompt pack holds none of the prompts that would be used here: {names}.",
        )


def _judges(benchmark: Benchmark, model: str, language: str, order: Order) -> list[Judge]:
    """The judges of an order, in turn; `model` is the name of the one they judge, also where its
    replies were made elsewhere. Raises `benchmark.no_judges`, `judge.twice` and
    `judge.same_model`."""
    if not order.judges:
        return []
    judging = how_judged(benchmark)
    prompt = prompts.current(judging.prompt, language, order.pack)
    found: list[Judge] = []
    for name in order.judges:
        asked = resolve_model(name)
        if str(asked) == model:
            raise CommonplaceError(
                "judge.same_model",
                f"{asked} would judge its own replies. Choose another model as the judge.",
                judge=str(asked),
            )
        judge = model_judge(asked, target(asked), prompt, judging)
        if judge in found:
            raise CommonplaceError(
                "judge.twice", f"{asked} is named twice; a judge judges a run once.", judge=name
            )
        found.append(judge)
    return found


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
        raise no_price(model.endpoint.name)


def start_run(order: Order, actor: str) -> Run:
    """Create the run and queue its job. With a nonce seen before, the run it already made."""
    if order.nonce and (earlier := Run.objects.filter(nonce=order.nonce).first()):
        return earlier
    run = prepare(order, actor)
    try:
        with transaction.atomic():
            if run.budget:
                run.budget.save()
            run.save()
            run.prompts.set(Prompt.objects.filter(sha256__in=run.settings["prompts"].values()))
            _add_judges(run, run.ordered_judges)
            _set_going(run, by_batch=order.by_batch)
            audit.record(actor, "run.started", "run", run.pk, benchmark=run.benchmark)
    except IntegrityError:
        if order.nonce is None:
            raise
        return Run.objects.get(nonce=order.nonce)  # the other click was a moment faster
    return run


def _add_judges(run: Run, judges: Sequence[Judge]) -> None:
    before = run.run_judges.count()
    RunJudge.objects.bulk_create(
        [RunJudge(run=run, judge=judge, number=before + n) for n, judge in enumerate(judges, 1)]
    )


def _set_going(run: Run, *, by_batch: bool) -> None:
    if by_batch:
        await_batch(run)
    else:
        _queue(run)


def _queue(run: Run) -> None:
    run.job = jobs.enqueue(JOB_KIND, key=run.purpose, args={"run": run.pk})
    run.save(update_fields=["job"])


def resume_run(
    run: Run, actor: str, cap_micro: int | None = None, *, by_batch: bool = False
) -> Run:
    """Queue what a run still lacks, or await it `by_batch`; a run whose workers have gone silent
    counts as dead.

    Samples and verdicts that failed are asked for again. Raises `run.active` while a living
    worker has it, `run.finished` when nothing is missing, `endpoint.unknown` and `run.no_price`
    where an endpoint or its price is not configured any more.
    """
    imported = run.source == Run.Source.IMPORTED  # nothing of it was asked for here
    failed = run.samples.none() if imported else run.samples.filter(reply=None)
    unjudged = Verdict.objects.filter(
        reply__run=run, judge__runs=run, outcome=Verdict.Outcome.FAILED
    )
    lacks = failed.exists() or unjudged.exists()
    if run.status == Run.Status.FINISHED and not lacks:
        raise CommonplaceError(
            "run.finished", f"Run {run.pk} is complete; there is nothing to resume.", run=run.pk
        )
    _refuse_if_active(run)
    cap = run.cap_micro if cap_micro is None else cap_micro
    for asked in selectors.models_of(run):
        _check_cap(cap, resolve_model(str(asked)))
    with transaction.atomic():
        _take_up(run)
        if lacks:
            failed.delete()
            unjudged.delete()
            run.stage, run.position = int(imported), 0
        if cap_micro is not None:
            _raise_cap(run, cap_micro)
        run.save(update_fields=["stage", "position", "budget"])
        _set_going(run, by_batch=by_batch)
        audit.record(actor, "run.resumed", "run", run.pk)
    return run


def _refuse_if_active(run: Run) -> None:
    living = leases.living().filter(purpose=run.purpose).exists()
    if run.status in Run.ACTIVE and (living or (run.job and not _abandoned(run.job))):
        raise CommonplaceError(
            "run.active",
            f"Run {run.pk} is being worked on. Wait for it, or cancel it first.",
            run=run.pk,
        )


def _take_up(run: Run) -> None:
    """Make the run queued again, out of whoever's hands it was in.

    Raises `run.active` where somebody else did so a moment earlier.
    """
    same = Run.objects.filter(pk=run.pk, status=run.status, job=run.job_id)
    if not same.update(status=Run.Status.QUEUED, error=None, finished=None, job=None):
        raise CommonplaceError(
            "run.active", f"Run {run.pk} has just been resumed by somebody else.", run=run.pk
        )
    _dismiss(run)
    run.refresh_from_db()


def _dismiss(run: Run) -> None:
    """Take the run away from every hand; what they hold is free once they have noticed."""
    for job in jobs_of(run):
        jobs.cancel(job)
    leases.dismiss(run.purpose)


def _raise_cap(run: Run, cap_micro: int) -> None:
    if run.budget:
        Budget.objects.filter(run=run).update(cap=cap_micro)
    else:
        run.budget = Budget.objects.create(cap=cap_micro, spent=selectors.spent(run))


def _abandoned(job: Job) -> bool:
    """A job nobody works on: silent for too long, or queued while no worker lives or starts."""
    if job.status == Job.Status.QUEUED:
        return not jobs.worker_is_alive() and not jobs.was_just_sent(job)
    return not jobs.is_alive(job)


def pause_run(run: Run, actor: str) -> Run:
    """Hand out no more of a run. What is handed out already is still asked, answered and kept.

    A run that is paused already stays as it is. Raises `run.not_active`.
    """
    reason = CommonplaceError(
        "run.paused", f"{actor} paused the run. Resume it to go on where it stopped."
    )
    with transaction.atomic():
        paused = Run.objects.filter(pk=run.pk, status__in=Run.ACTIVE).update(
            status=Run.Status.PAUSED, error=reason.as_dict()
        )
        if paused:
            audit.record(actor, "run.paused", "run", run.pk)
    run.refresh_from_db()
    if run.status != Run.Status.PAUSED:
        raise CommonplaceError(
            "run.not_active",
            f"Run {run.pk} is {run.get_status_display().lower()}; there is nothing to pause.",
            run=run.pk,
        )
    return run


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
        _dismiss(run)
        audit.record(actor, "run.cancelled", "run", run.pk)
    run.refresh_from_db()
    return run


def rejudge(run: Run, names: Sequence[str], actor: str, pack: Sequence[Prompt] = ()) -> Run:
    """Have the stored replies of a run judged by further judges; nothing is generated.

    A judge that has judged the run before, with the same prompt, only judges what lacks its
    verdict. Raises `run.active`, `run.incomplete`, `judge.same_model`, `judge.twice`,
    `benchmark.no_judges`.
    """
    _refuse_if_active(run)
    if run.samples.count() < run.samples_planned:
        raise CommonplaceError(
            "run.incomplete",
            f"Run {run.pk} still lacks samples. Resume it; once it is complete, have it judged.",
            run=run.pk,
        )
    order = Order(run.benchmark, "", "", pack=pack, judges=names)
    language = run.release.about["language"]
    judges = _judges(benchmarks.find(run.benchmark), run.model_label, language, order)
    _refuse_unused_pack(pack, [judge.prompt for judge in judges if judge.prompt])
    if run.budget:
        for judge in judges:
            _check_cap(run.budget.cap, judge.asked)
    with transaction.atomic():
        _take_up(run)
        _add_judges(run, [judge for judge in judges if judge not in run.judges.all()])
        if any(selectors.is_simulated(judge.asked) for judge in judges):
            run.simulated = True
        named = run.run_judges.filter(judge__in=judges).order_by("number").first()
        run.stage = named.number if named else 0
        run.position = 0
        run.save(update_fields=["stage", "position", "simulated"])
        _queue(run)
        audit.record(actor, "run.rejudged", "run", run.pk, judges=[str(each) for each in judges])
    return run


def learn(run: Run, limit: int, why: str) -> None:
    """Keep how many samples the run's endpoint brings in one request."""
    run.per_request, run.per_request_why = limit, why
    Run.objects.filter(pk=run.pk).update(per_request=limit, per_request_why=why)
