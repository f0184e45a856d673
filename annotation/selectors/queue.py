"""What an annotator has before them: their own place at a task and nobody else's."""

from accounts.models import User
from annotation.models import Assignment, Judgement, Project, Task
from core.errors import NotFound


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
    sent = row.status == Assignment.Status.SUBMITTED
    return sent and row.task.status == Task.Status.OPEN


def said(row: Assignment) -> dict[str, object]:
    """What the person has written of the task: the first pass, else the draft, else nothing."""
    sent = Judgement.objects.filter(assignment=row, phase=Judgement.Phase.FIRST).first()
    return sent.value if sent else row.draft or {}
