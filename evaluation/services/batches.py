"""Runs that a provider works off by files, while no worker has a part in them.

Such a run is paused, and its error says what it waits for. Whoever has the replies stores them as a
worker would, under the lock of the run's row in place of a job.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction

from core import audit
from core.errors import CommonplaceError
from evaluation.models import Run
from evaluation.services.hands import Stage, move_on

AWAITS = "run.awaits_batch"


def awaits_batch(run: Run) -> bool:
    return run.status == Run.Status.PAUSED and (run.error or {}).get("code") == AWAITS


def await_batch(run: Run) -> None:
    """Pause a run nobody works on until the replies of its stage are imported."""
    run.status, run.error = Run.Status.PAUSED, _awaits(run).as_dict()
    run.save(update_fields=["status", "error"])


def _awaits(run: Run) -> CommonplaceError:
    judge = run.run_judges.select_related("judge").filter(number=run.stage).first()
    what = f"the verdicts of {judge.judge}" if judge else f"the replies of {run.model_label}"
    return CommonplaceError(
        AWAITS,
        f"The run waits for {what} in batch files. Write them with `write_batch {run.pk} --out "
        f"FOLDER`, have the provider work them off, and read what comes back with `import_batch "
        f"{run.pk} FILE`, or do so on the run's page; or resume the run to ask without files.",
        run=run.pk,
        stage=run.stage,
    )


@dataclass(frozen=True)
class _Hold:
    run_id: int
    job_id: None = None

    def beat(self) -> None:
        """Lock the run. Raises `run.active` where workers have it."""
        status = Run.objects.select_for_update(no_key=True).values_list("status", flat=True)
        if status.get(pk=self.run_id) in Run.ACTIVE:
            raise CommonplaceError(
                "run.active",
                f"Run {self.run_id} is being worked on. Wait for it or cancel it, then import the "
                "files again; what is in already is kept.",
                run=self.run_id,
            )


@contextmanager
def holding(run: Run) -> Iterator[_Hold]:
    """One transaction in which nobody else changes the run; the fence for what is stored in it.

    Raises `run.active`.
    """
    with transaction.atomic():
        hold = _Hold(run.pk)
        hold.beat()
        yield hold


def move_on_by_batch(run: Run, stage: Stage) -> bool:
    """From a stage of which nothing is missing on to the next, which waits for its files too, or
    to the end. Whether there is another stage now. A run that does not wait for files stays."""
    with holding(run):
        run.refresh_from_db()
        if not awaits_batch(run) or run.stage != stage.number or stage.missing():
            return False
        move_on(run, stage)
        if run.status == Run.Status.FINISHED:
            run.error = None
            run.save(update_fields=["error"])
            return False
        await_batch(run)
        return True


def record_import(run: Run, actor: str, *, kept: int, failed: int) -> None:
    audit.record(actor, "run.batch_imported", "run", run.pk, kept=kept, failed=failed)
