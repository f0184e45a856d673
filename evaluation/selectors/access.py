"""Which runs there are for whom, and who may run them."""

from django.db.models import (
    QuerySet,
)

from accounts.models import User
from core.errors import CommonplaceError, NotFound
from evaluation.models import Run
from releases.selectors import visible_releases


def find_run(run_id: int) -> Run:
    """Raises `run.unknown`."""
    run = Run.objects.select_related("release", "model__endpoint", "job").filter(pk=run_id).first()
    if run is None:
        raise NotFound(
            "run.unknown", f"There is no run {run_id}. `list_runs` names them all.", run=run_id
        )
    return run


def visible_runs(user: User) -> QuerySet[Run]:
    """Runs over releases the user may see."""
    return Run.objects.filter(release__in=visible_releases(user)).select_related(
        "release", "model__endpoint", "job"
    )


def access_run(user: User, run_id: int) -> Run:
    run = visible_runs(user).filter(pk=run_id).first()
    if run is None:
        raise NotFound("run.unknown", f"There is no run {run_id}, or it is not yours to see.")
    return run


def may_run(user: User) -> bool:
    """Releases without a study are run by superusers."""
    return user.is_superuser


def refuse_unless_may_run(user: User) -> None:
    """Raises `run.not_allowed` (403)."""
    if not may_run(user):
        raise CommonplaceError(
            "run.not_allowed",
            "Only an administrator may start, stop or resume runs here. Ask one to do it.",
            http_status=403,
        )
