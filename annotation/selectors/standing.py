"""Where the annotation of a study stands, as its path shows it."""

from django.db.models import Count, Q

from accounts.models import User
from annotation import kinds
from annotation.models import Project, Task
from annotation.selectors import inputs
from studies.models import Study
from studies.selectors import counted
from studies.steps import Stand


def stand(study: Study, user: User) -> Stand:
    """The same for every reader: counts say nothing of what anybody judged."""
    opened = Project.objects.filter(study=study, kind__in=[kind.name for kind in kinds.of_gold()])
    if not opened.exists():
        if inputs.results(study).exists():
            return Stand("ready to open", "now")
        return Stand("once answers are accepted")
    tasks = Task.objects.filter(project__in=opened).aggregate(
        all=Count("pk"), decided=Count("pk", filter=Q(status=Task.Status.DECIDED, stale=False))
    )
    if not tasks["all"]:
        return Stand("open, without a task yet", "now")
    look = "done" if tasks["decided"] == tasks["all"] else "now"
    return Stand(f"{tasks['decided']:,} of {counted(tasks['all'], 'task')} decided", look)
