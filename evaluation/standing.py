"""Where the benchmarking of a study stands, as its path shows it."""

from urllib.parse import urlencode

from django.urls import reverse

from accounts.models import User
from evaluation.models import Run
from evaluation.selectors import may_run, visible_runs
from releases.selectors import of_artifacts_alone
from releases.standing import newest_release
from studies.models import Study
from studies.selectors import counted
from studies.steps import Stand

SHOWN = 3  # runs


def stand(study: Study, user: User) -> Stand:
    """Runs over the study's releases and what was built from them; imported releases belong to no
    study and are not counted."""
    runs, release = visible_runs(user).filter(release__study=study), newest_release(study)
    links = [(_called(run), reverse("evaluation:detail", args=(run.pk,))) for run in runs[:SHOWN]]
    usable = release is not None and not of_artifacts_alone(release)
    if release is not None and usable and may_run(user):
        address = f"{reverse('evaluation:new')}?{urlencode({'release': release.label})}"
        links.append((f"Benchmark a model with {release.label}", address))
    count = runs.count()
    finished = runs.filter(status=Run.Status.FINISHED).count()
    if count:
        look = "done" if finished == count else "now"
        return Stand(f"{finished:,} of {counted(count, 'run')} finished", look, links)
    if release is not None and not usable:
        return Stand("no benchmark uses artifacts alone yet")
    if release is not None:
        return Stand(f"the release {release.label} is ready", "now", links)
    return Stand("once a release is frozen")


def _called(run: Run) -> str:
    return f"Run {run.pk}: {run.model_label}, {run.status}"
