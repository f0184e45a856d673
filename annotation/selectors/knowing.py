"""Who knows what was said of a task by another, and therefore never judges it alone; and who is to
know nothing of it yet."""

from django.db.models import Exists, OuterRef, Q

from annotation.models import Assignment, Reader, Task


def knows(task: int, user: int) -> bool:
    return Reader.objects.filter(task=task, user=user).exists()


def known_to(user: int, task: str = "pk") -> Exists:
    """That the task a row leads to by its column `task` is known to this person."""
    return Exists(Reader.objects.filter(task=OuterRef(task), user=user))


def held_by(user: int, task: str = "pk") -> Exists:
    """That this person has a place at the task and may send a first pass from it, also where
    somebody has decided the task since."""
    rows = Assignment.objects.filter(task=OuterRef(task), annotator=user, slot__isnull=False)
    return Exists(rows.filter(status__in=Assignment.HELD))


def may_still_judge(user: int, task: str = "pk") -> Q:
    """That this person may still judge the task alone, or judge it otherwise: while it is open a
    place can become theirs, and what they sent can be taken back."""
    status = "status" if task == "pk" else f"{task}__status"
    return Q(held_by(user, task)) | Q(~known_to(user, task), **{status: Task.Status.OPEN})
