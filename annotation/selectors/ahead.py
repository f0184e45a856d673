"""What is ahead of somebody in the queue, read along its indexes however long it is.

Every task somebody asks for goes through here, so that the queries are prepared.
"""

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.models import Assignment, Project, Task
from annotation.selectors import knowing
from core import clock
from core.prepared import Prepared

NEAR = 20  # places at the head of the queue that are tried
SHOWN = 20  # tasks ahead are counted up to here; to count all of 200,000 takes 0.4 s
START = -1  # in front of every position

Status = Assignment.Status


def begun(project: Project, user: User) -> list[Assignment]:
    """What this person has in hand: what they wrote at, what they opened of tasks that nobody has
    decided since, and their drafts that lapsed and can perhaps go on."""
    return _begun.all(project.pk, user.pk)


def head(project: Project, user: User) -> list[Assignment]:
    """Places at the head of this person's queue: behind the last task they got, where people who
    work side by side have left nothing to look past, else from the start."""
    for after in _starts(project, user):
        late = [row for row in _leased.all(project.pk, user.pk, after) if _is_late(row)]
        waiting = [*late, *_untaken.all(project.pk, user.pk, after)]
        if waiting:
            return sorted(waiting, key=lambda row: (row.position, row.slot or 0))[:NEAR]
    return []


def left(project: Project, user: User) -> int:
    """How many tasks are ahead, at most SHOWN. Those that somebody let lie are counted when their
    turn comes."""
    for after in _starts(project, user):
        if tasks := _tasks.rows(project.pk, user.pk, after):
            return len(tasks)
    return 0


def of_task(task: Task, user: User) -> list[Assignment]:
    """Places at this task that this person can take, while it still wants judging."""
    rows = _open().filter(~knowing.known_to(user.pk, "task"), task=task)
    return list(free(rows).order_by("slot"))


def free(rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    late = Q(status=Status.LEASED, lease_until__lt=clock.now())
    return rows.filter(Q(status=Status.FREE) | late)


def _starts(project: Project, user: User) -> list[int]:
    last = _last.rows(project.pk, user.pk)
    return [last[0][0], START] if last else [START]


def _is_late(row: Assignment) -> bool:
    return row.lease_until is not None and row.lease_until < clock.now()


def _open() -> QuerySet[Assignment]:
    """Places at tasks that still want judging and have something to judge."""
    return Assignment.objects.filter(task__status=Task.Status.OPEN).exclude(task__inputs="")


def _ahead(project: int, user: int, after: int, status: str) -> QuerySet[Assignment]:
    """Of one status at a time: that follows an index in the order of the queue, while two would
    read and sort all that is free."""
    own = Assignment.objects.filter(task=OuterRef("task"), annotator=user)
    rows = _open().filter(
        ~Exists(own),
        ~knowing.known_to(user, "task"),
        project=project,
        status=status,
        position__gt=after,
    )
    return rows.select_related("task").order_by("position", "slot")


def _in_hand(project: int, user: int) -> QuerySet[Assignment]:
    may_be_free = Assignment.objects.filter(
        task=OuterRef("task"),
        task__status=Task.Status.OPEN,
        status__in=(Status.FREE, Status.LEASED),
    )
    return (
        Assignment.objects.filter(
            Q(status=Status.LEASED, task__status=Task.Status.OPEN)
            | Q(status=Status.DRAFT, slot__isnull=False)
            | Q(Exists(may_be_free), status=Status.DRAFT),
            project=project,
            annotator=user,
            status__in=Assignment.HELD,
        )
        .select_related("task")
        .order_by(F("slot").asc(nulls_last=True), "position")
    )


_begun: Prepared[Assignment] = Prepared(_in_hand, int, int)
_last: Prepared[Assignment] = Prepared(
    lambda project, user: (
        Assignment.objects.filter(project=project, annotator=user)
        .order_by("-position")
        .values_list("position")[:1]
    ),
    int,
    int,
)
_untaken: Prepared[Assignment] = Prepared(
    lambda project, user, after: _ahead(project, user, after, Status.FREE)[:NEAR], int, int, int
)
_leased: Prepared[Assignment] = Prepared(
    lambda project, user, after: _ahead(project, user, after, Status.LEASED), int, int, int
)
_tasks: Prepared[Assignment] = Prepared(
    lambda project, user, after: (
        _ahead(project, user, after, Status.FREE)
        .select_related(None)
        .order_by("position")
        .values_list("position", "task_id")
        .distinct()[:SHOWN]
    ),
    int,
    int,
    int,
)
