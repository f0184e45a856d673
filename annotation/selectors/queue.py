"""What an annotator has before them: their own place at a task and nobody else's."""

from accounts.models import User
from annotation.models import Assignment, Judgement, Project, PutBack, Task
from annotation.selectors import ahead, knowing
from core.errors import NotFound

Status = Assignment.Status


def find_mine(task: Task, user: User) -> Assignment | None:
    return Assignment.objects.filter(task=task, annotator=user).first()


def access_mine(task: Task, user: User) -> Assignment:
    """Raises `task.not_yours` (404), also where the task is somebody else's."""
    row = find_mine(task, user)
    if row is None:
        raise NotFound(
            "task.not_yours",
            "This task is not among yours. Press “Next task” on the page of the annotation; the "
            "queue gives you one.",
        )
    return row


def last(project: Project, user: User, source_key: str) -> Assignment | None:
    """This person's place at the task they have just left."""
    rows = Assignment.objects.filter(project=project, annotator=user, task__source_key=source_key)
    return rows.select_related("task").first() if source_key else None


def is_writable(row: Assignment) -> bool:
    """Whether it can be gone on with; a draft that lapsed may still find a place when it is."""
    placed = row.slot is not None or row.task.status == Task.Status.OPEN
    return row.status in Assignment.HELD and placed


def can_be_taken_back(row: Assignment) -> bool:
    """Whether what this person last did with the task can be undone: sending it while others still
    judge it, flagging it, or skipping it while a place at it is free."""
    undone = (Status.SUBMITTED, Status.FLAGGED, Status.SKIPPED)
    if row.status not in undone or row.task.status != Task.Status.OPEN:
        return False
    if row.annotator_id is None or knowing.knows(row.task_id, row.annotator_id):
        return False
    return row.status != Status.SKIPPED or ahead.free(row.task.assignments.all()).exists()


def put_back(row: Assignment) -> PutBack | None:
    """What came of this person's last flag on the task."""
    return row.put_back.last()


def said(row: Assignment) -> dict[str, object]:
    """What the person has written of the task: the first pass, else the draft, else nothing."""
    sent = Judgement.objects.filter(assignment=row, phase=Judgement.Phase.FIRST).first()
    return sent.value if sent else row.draft or {}
