"""Entering who knows what another has said of a task: they do not judge it alone any more, and the
queue passes them by."""

from django.db import transaction

from accounts.models import User
from annotation.models import Assignment, Reader, Task
from core import clock
from core.errors import CommonplaceError


def learn(task: Task, user: User) -> None:
    """Locks the task. Raises `task.held` for who has it before them."""
    with transaction.atomic():
        task = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        refuse_who_holds(task, user)
        Reader.objects.get_or_create(task=task, user=user, defaults={"at": clock.now()})


def refuse_who_holds(task: Task, user: User) -> None:
    """Raises `task.held`."""
    if task.assignments.filter(annotator=user, status__in=Assignment.HELD).exists():
        raise CommonplaceError(
            "task.held",
            "You have this task before you. Send it or leave it to others first, so that you "
            "judge it without knowing what somebody else says of it.",
            http_status=409,
        )
