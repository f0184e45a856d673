"""What there is to annotate in a study, and how far it is."""

from dataclasses import asdict, dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation import kinds
from annotation.kinds import Kind
from annotation.models import Assignment, Guideline, Project, Task
from annotation.selectors import disputes, knowing
from core import clock
from core.errors import NotFound
from studies.models import Study

Status = Assignment.Status


@dataclass(frozen=True)
class Progress:
    """How far each turn at a task has come; the five are the `total`. `places` are the judgements
    there shall be: a turn that was skipped, or lay for too long, gives its place to another, and
    what is free at a task that somebody has decided is no place any more."""

    pending: int
    draft: int
    submitted: int
    skipped: int
    flagged: int
    places: int

    @property
    def total(self) -> int:
        return self.pending + self.draft + self.submitted + self.skipped + self.flagged

    def as_dict(self) -> dict[str, int]:
        return {**asdict(self), "total": self.total}

    @property
    def percent(self) -> int:
        """Of the places, rounded down: 100 is all."""
        return 100 * self.submitted // self.places if self.places else 0


@dataclass(frozen=True)
class Line:
    """A kind in a study; all but `kind` is None or empty until it is opened."""

    kind: Kind
    project: Project | None = None
    tasks: int = 0
    decided: int = 0
    overall: Progress | None = None
    mine: Progress | None = None
    waiting: dict[str, int] | None = None
    guideline: int = 0


def access_project(study: Study, kind: str) -> Project:
    """The project of a study already accessed. Raises `annotation.kind_unknown` and
    `annotation.not_open` (404)."""
    found = kinds.of(kind)
    project = Project.objects.select_related("study").filter(study=study, kind=kind).first()
    if project is None:
        raise NotFound(
            "annotation.not_open",
            f"“{found.title}” is not open in this study yet. Whoever may decide disputes can open "
            "it from the page of its annotation.",
            kind=kind,
        )
    return project


def access_task(project: Project, source_key: str) -> Task:
    """Raises `task.unknown` (404)."""
    tasks = project.tasks.select_related("project__study", "question", "region")
    task = tasks.filter(source_key=source_key).first()
    if task is None:
        raise NotFound(
            "task.unknown",
            f"There is no task “{source_key}” here. Its answers may not count any more; go on "
            "from the page of the annotation.",
            task=source_key,
        )
    return task


def lines(study: Study, user: User) -> list[Line]:
    """Every kind of gold, and what else is open, with where it stands for this reader."""
    opened = {each.kind: each for each in Project.objects.filter(study=study)}
    return [
        _line(kind, opened[kind.name], user) if kind.name in opened else Line(kind)
        for kind in kinds.every()
        if kind.makes_gold or kind.name in opened
    ]


def progress(project: Project) -> Progress:
    """Of everybody together."""
    return _progress(Assignment.objects.filter(project=project), 0)


def progress_of(project: Project, user: User) -> Progress:
    """Of one person: what they have had, and as pending what they could still get."""
    mine = Assignment.objects.filter(project=project, annotator=user)
    return _progress(mine, open_to(project, user))


def progress_of_each(project: Project) -> dict[str, Progress]:
    """By address, of everybody who has had a task."""
    people = User.objects.filter(assignments__project=project).distinct().order_by("email")
    return {user.email: progress_of(project, user) for user in people}


def counted(places: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Without those that are free at a task somebody has decided: nobody gets them any more."""
    return places.exclude(_is_free(), task__status=Task.Status.DECIDED)


def open_to(project: Project, user: User) -> int:
    """How many tasks the queue still holds for a person, without those they have."""
    rows = Assignment.objects.filter(task=OuterRef("pk"))
    free = rows.filter(_is_free())
    tasks = Task.objects.filter(project=project, status=Task.Status.OPEN).exclude(inputs="")
    new_to = ~Exists(rows.filter(annotator=user)) & ~knowing.known_to(user.pk)
    return tasks.filter(new_to, Exists(free)).count()


def _is_free() -> Q:
    return Q(status=Status.FREE) | Q(status=Status.LEASED, lease_until__lt=clock.now())


def newest_guideline(project: Project) -> Guideline:
    return project.guidelines.all()[0]


def _line(kind: Kind, project: Project, user: User) -> Line:
    tasks = project.tasks.aggregate(
        all=Count("pk"), decided=Count("pk", filter=Q(status=Task.Status.DECIDED))
    )
    return Line(
        kind,
        project,
        tasks["all"],
        tasks["decided"],
        progress(project),
        progress_of(project, user),
        disputes.counts(project, user),
        newest_guideline(project).version,
    )


def _progress(rows: QuerySet[Assignment], open_tasks: int) -> Progress:
    by_status = counted(rows).order_by().values_list("status")
    read = by_status.annotate(Count("pk"), Count("slot"))
    found = {status: (count, placed) for status, count, placed in read}
    count = {status: found.get(status, (0, 0))[0] for status in Status}
    return Progress(
        pending=count[Status.FREE] + count[Status.LEASED] + open_tasks,
        draft=count[Status.DRAFT],
        submitted=count[Status.SUBMITTED],
        skipped=count[Status.SKIPPED],
        flagged=count[Status.FLAGGED],
        places=sum(placed for _, placed in found.values()) + open_tasks,
    )
