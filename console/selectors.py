"""What the first page shows: the newest of everything, and what to do next."""

from typing import Any

from accounts.models import User
from core import jobs
from evaluation.models import Run
from evaluation.selectors import may_run, visible_runs
from inference.endpoints import configured
from releases.selectors import visible_releases
from studies import presenting, standing
from studies.models import Study
from studies.presenting import StudyLine
from studies.selectors import may_create

NEWEST = 5


def overview(user: User) -> dict[str, Any]:
    runs = visible_runs(user)
    return {
        "studies": _studies(user),
        "may_create": may_create(user),
        "releases": visible_releases(user).order_by("-created", "-pk")[:NEWEST],
        "runs": runs[:NEWEST],
        "waiting": runs.filter(status__in=(Run.Status.PAUSED, Run.Status.FAILED))[:NEWEST],
        "endpoints": sorted(configured()),
        "worker": jobs.worker_is_alive(),
        "may_run": may_run(user),
    }


def _studies(user: User) -> list[StudyLine]:
    """Those where something waits for the user come first."""
    visible = list(Study.objects.visible_to(user).order_by("-created", "-pk"))
    due = standing.due(user, visible)
    visible.sort(key=lambda study: study.pk not in due)
    return presenting.study_lines(visible[:NEWEST], due)
