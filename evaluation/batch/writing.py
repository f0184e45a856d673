"""A run by batch files: waits for them, and writes what its stage lacks.

Reading what a provider made of them is `reading`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from core.errors import CommonplaceError
from evaluation import services
from evaluation.batch import openai_format
from evaluation.batch.openai_format import KEY_PART, Wanted, Written
from evaluation.models import Run
from evaluation.running import stages
from evaluation.running.errands import Brought, Errand
from evaluation.running.purse import most_it_costs
from evaluation.running.several import MOST, Several
from evaluation.running.stages import Stage, known_and_wanted
from evaluation.services import Order

REPLIES_AT_ONCE = 50  # in one transaction


def start(order: Order, folder: Path, actor: str) -> dict[str, Any]:
    """Start a run of which nothing is asked here, and write its files; see `written`.

    Where its cap forbids the files the run is there all the same, and waits.
    """
    make_folder(folder)
    return written(prepare(services.start_run(order, actor), actor), folder)


def written(run: Run, folder: Path) -> dict[str, Any]:
    """Write the files of a prepared run: `{"run", "status", "files": [{"path", "requests"}]}`."""
    files = [file.as_dict() for file in write(run, folder)]
    return {"run": run.pk, "status": run.status, "files": files}


def prepare(run: Run, actor: str, cap_micro: int | None = None) -> Run:
    """Have the run wait for the files of its stage; what the cache has of it is stored.

    A run that waits already stays at its stage and keeps what failed there; any other is resumed
    (`services.resume_run`, with what that raises), so what failed is asked for again.
    """
    if not services.awaits_batch(run) or cap_micro is not None:
        run = services.resume_run(run, actor, cap_micro, by_batch=True)
    go_through_known(run)
    run.refresh_from_db()
    return run


def write(run: Run, folder: Path) -> list[Written]:
    """Write what the stage of a waiting run lacks, as `run-12-stage-0-1.jsonl`, …

    Nothing is written where it could cost more than the cap leaves (`run.cost_cap`), or into a
    folder that cannot be written to (`batch.unwritable`). The folder must be there.
    """
    if not services.awaits_batch(run):
        return []
    stage = stages.current(run)
    try:
        return openai_format.write(
            _request_lines(run, stage),
            folder,
            f"run-{run.pk}-stage-{stage.number}",
            most_lines=settings.BATCH_REQUESTS,
            most_bytes=settings.BATCH_BYTES,
        )
    except OSError as error:
        raise _unwritable(folder, error) from error


def make_folder(folder: Path) -> None:
    """Raises `batch.unwritable`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> CommonplaceError:
    return CommonplaceError(
        "batch.unwritable",
        f"{folder} cannot be written to: {error.strerror}. Give another folder.",
    )


def _request_lines(run: Run, stage: Stage) -> Iterator[bytes]:
    """A line for each request the stage lacks. Raises `run.cost_cap`."""
    endpoint, several = stage.endpoint.by_batch(), Several(run.per_request, run.per_request_why)
    at_once = several.limit if several.proven else MOST
    left = None if run.budget is None else run.budget.cap - run.budget.spent - run.budget.reserved
    cost = 0
    for _, lacking in _lacking(run, stage):
        for errand in lacking:
            for repeats in _pieces(errand.repeats, at_once):
                cost += most_it_costs(errand.request, len(repeats), endpoint)
                if left is not None and cost > left:
                    raise _cost_cap(run, left)
                yield openai_format.request_line(
                    _wanted(run, stage, errand, repeats), errand.request.asking(len(repeats))
                )


def _lacking(run: Run, stage: Stage) -> Iterator[tuple[list[Brought], list[Errand]]]:
    """What the stage lacks, stretch by stretch: what the cache has of it, and the rest."""
    use_cache = run.settings.get("use_cache", True)
    for places in stage.stretches():
        yield known_and_wanted(stage.lacking(places), use_cache=use_cache)


def _pieces(repeats: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
    """Repeats that follow each other, at most so many."""
    start = 0
    for end in range(1, len(repeats) + 1):
        full = end - start == most
        if end == len(repeats) or full or repeats[end] != repeats[end - 1] + 1:
            yield tuple(repeats[start:end])
            start = end


def _wanted(run: Run, stage: Stage, errand: Errand, repeats: Sequence[int]) -> Wanted:
    key = errand.request.key()[:KEY_PART]
    return Wanted(run.pk, stage.number, errand.place, key, repeats[0], repeats[-1])


def _cost_cap(run: Run, left: int) -> CommonplaceError:
    return CommonplaceError(
        "run.cost_cap",
        f"The requests that run {run.pk} still lacks could cost more than the "
        f"{left / 1_000_000:.6f} USD its cap leaves, so no file was written. Write them with a "
        f"higher cap (`write_batch {run.pk} --max-cost USD --out FOLDER`), or start a smaller run.",
        run=run.pk,
        left=left,
    )


# --- What is known already -----------------------------------------------------------------------


def go_through_known(run: Run) -> None:
    """Store what the cache has of a waiting run's stage, and move on as long as one is complete."""
    while True:
        run.refresh_from_db()
        if not services.awaits_batch(run):
            return
        stage = stages.current(run)
        if stage.missing():
            _store_known(run, stage)
        if not services.move_on_by_batch(run, stage):
            return


def _store_known(run: Run, stage: Stage) -> None:
    for known, _ in _lacking(run, stage):
        for start in range(0, len(known), REPLIES_AT_ONCE):
            with services.holding(run) as fence:
                stage.store(fence, known[start : start + REPLIES_AT_ONCE])
