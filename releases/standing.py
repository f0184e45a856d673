"""Where the freezing of a study stands, as its path shows it."""

from django.urls import reverse

from accounts.models import User
from annotation import kinds
from annotation.models import Decision, GoldAnswer
from releases import presenting, selectors
from releases.models import Release
from studies.models import Artifact, Study
from studies.selectors import counted
from studies.steps import Stand


def newest_release(study: Study) -> Release | None:
    """The last one frozen of its gold that nothing supersedes."""
    frozen = study.releases.filter(parent=None, superseded_by=None)
    return frozen.order_by("-created", "-pk").first()


def decided_since(release: Release) -> int:
    """Tasks that were decided, or decided anew, after a release of their study was frozen."""
    decisions = Decision.objects.filter(current=True, at__gt=release.created)
    of_gold = [kind.name for kind in kinds.of_gold()]
    of_study = decisions.filter(task__project__study=release.study_id)
    return of_study.filter(task__project__kind__in=of_gold).count()


def stand(study: Study, user: User) -> Stand:
    release = newest_release(study)
    if release is None:
        listed = study.artifacts.filter(status=Artifact.Status.LISTED).count()
        gold = GoldAnswer.objects.filter(question__study=study).exclude(texts=[])
        questions = gold.order_by().values("question").distinct().count()
        there = [f"{counted(questions, 'question')} with gold"] * bool(questions)
        there += [counted(listed, "artifact")] * bool(listed)
        if not there:
            return Stand("once something is decided")
        return Stand(f"{' and '.join(there)}, none frozen", "now")
    links = [(release.label, reverse("releases:detail", args=(release.name, release.version)))]
    held = counted(release.items.count(), presenting.noun(selectors.kinds(release)))
    if since := decided_since(release):
        return Stand(f"{held} frozen, {counted(since, 'decision')} since", "now", links)
    return Stand(f"{held} frozen", "done", links)
