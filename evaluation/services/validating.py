"""Having people judge a sample of what judges judged."""

from collections.abc import Sequence

from django.db import transaction

from annotation.models import Project
from annotation.services import projects
from core import audit, clock
from core.errors import CommonplaceError
from evaluation.models import DrawnReply, Run, Validation
from evaluation.services.verdicts import judging_of
from evaluation.validation import drawing, draws, people
from evaluation.validation.drawing import Taken
from studies.models import Study

SAMPLE, MOST = 100, 5000  # replies
BATCH = 100  # rows of one statement


def validate(
    runs: Sequence[Run], actor: str, *, size: int = SAMPLE, seed: int = 0, study: Study | None
) -> Validation:
    """Draw replies of finished runs and make a task of each, in the study their release is of, or
    in `study` where it is of none. Ordered again with the same size and seed, it is the same.

    Raises `validation.not_finished`, `.not_judged`, `.no_study`, `.other_study`,
    `.studies_differ`, `.sample_unusable`, `.sample_too_small` and `.drawn_already`, and
    `benchmark.no_judges`.
    """
    runs = list(dict.fromkeys(runs))
    _refuse_unless_judged(runs)
    if not 1 <= size <= MOST:
        raise CommonplaceError(
            "validation.sample_unusable", f"A sample has from 1 to {MOST:,} replies.", sample=size
        )
    home = _home(runs, study)
    found = _drawn_before(runs, size, seed)
    if found is None:
        taken = _draw(runs, size, seed)
        project = projects.open_project(home, people.NAME, actor)
        found = _store(project, runs, taken, size, seed, actor)
    projects.refresh(found.project)
    return found


def _refuse_unless_judged(runs: Sequence[Run]) -> None:
    for run in runs:
        judging_of(run)
        if run.status != Run.Status.FINISHED:
            raise CommonplaceError(
                "validation.not_finished",
                f"Run {run.pk} is not finished, so what it judged is not all there to draw from. "
                "Let it end first.",
                run=run.pk,
            )


def _home(runs: Sequence[Run], named: Study | None) -> Study:
    """The study whose annotators judge: nobody else is shown what belongs to a study."""
    homes = {run.release.study for run in runs}
    if len(homes) > 1:
        raise CommonplaceError(
            "validation.studies_differ",
            "The releases of these runs are not of the same study, so no one group of people may "
            "see them all. Validate them one by one.",
        )
    (home,) = homes
    if home is None:
        if named is None:
            raise CommonplaceError(
                "validation.no_study",
                f"{runs[0].release.label} belongs to no study, so it has no annotators. Name a "
                "study whose members shall judge.",
            )
        return named
    if named not in (None, home):
        raise CommonplaceError(
            "validation.other_study",
            f"{runs[0].release.label} belongs to the study “{home.slug}”, and only its members may "
            "judge what it holds. Leave the study out.",
            study=home.slug,
        )
    return home


def _drawn_before(runs: Sequence[Run], size: int, seed: int) -> Validation | None:
    """The same order, given before. A second draw from a run would weigh what the first drew."""
    found = draws.of_runs(runs)
    same = len(found) == 1 and (found[0].size, found[0].seed) == (size, seed)
    if same and draws.runs_of(found[0]) == {run.pk for run in runs}:
        return found[0]
    if found:
        raise CommonplaceError(
            "validation.drawn_already",
            f"Replies of {_named(runs)} have been drawn already, {found[0].size} with the seed "
            f"{found[0].seed}. Go on with those: figures hang on one draw.",
            http_status=409,
            sample=found[0].size,
            seed=found[0].seed,
        )
    return None


def _draw(runs: Sequence[Run], size: int, seed: int) -> list[Taken]:
    candidates = [draws.candidates(run) for run in runs]
    for run, some in zip(runs, candidates, strict=True):
        if not some:
            raise CommonplaceError(
                "validation.not_judged",
                f"Run {run.pk} has no reply with a verdict. Have it judged first: `rejudge` does.",
                run=run.pk,
            )
    try:
        return drawing.draw(candidates, size, seed)
    except drawing.TooFew as error:
        raise CommonplaceError(
            "validation.sample_too_small",
            f"A run has {error.strata} different verdicts, and {size} replies of {len(runs)} runs "
            "do not reach for one of each. Draw more.",
            sample=size,
        ) from error


def _store(
    project: Project, runs: Sequence[Run], taken: Sequence[Taken], size: int, seed: int, actor: str
) -> Validation:
    """Locks the runs, so that of two orders at once the second is told, or given the first's."""
    with transaction.atomic():
        list(
            Run.objects.select_for_update(no_key=True)
            .filter(pk__in=[run.pk for run in runs])
            .order_by("pk")
        )
        if (found := _drawn_before(runs, size, seed)) is not None:
            return found
        made = Validation.objects.create(
            project=project, seed=seed, size=size, started_by=actor, created=clock.now()
        )
        DrawnReply.objects.bulk_create(
            (
                DrawnReply(
                    validation=made,
                    reply_id=each.reply,
                    stratum=each.stratum,
                    replies=each.replies,
                    drawn=each.drawn,
                )
                for each in taken
            ),
            batch_size=BATCH,
        )
        audit.record(
            actor,
            "judges.validated",
            "run",
            _named(runs),
            study=project.study.slug,
            replies=len(taken),
        )
    return made


def _named(runs: Sequence[Run]) -> str:
    return ", ".join(f"run {run.pk}" for run in runs)
