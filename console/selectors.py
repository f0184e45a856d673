"""What the first page shows: the newest of everything, and what to do next."""

from typing import Any

from accounts.models import User
from core import jobs
from evaluation.models import Run
from evaluation.selectors import may_run, visible_runs
from inference.endpoints import configured
from releases.selectors import visible_releases

NEWEST = 5


def overview(user: User) -> dict[str, Any]:
    runs = visible_runs(user)
    return {
        "releases": visible_releases(user).order_by("-created", "-pk")[:NEWEST],
        "runs": runs[:NEWEST],
        "waiting": runs.filter(status__in=(Run.Status.PAUSED, Run.Status.FAILED))[:NEWEST],
        "endpoints": sorted(configured()),
        "worker": jobs.worker_is_alive(),
        "may_run": may_run(user),
    }
