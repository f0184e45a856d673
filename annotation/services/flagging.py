"""What the team does with flagged tasks: reading what is said, and putting them back.

A flag is a comment on the task, and who has read it does not judge the task alone any more. So it
is read by a command, never by opening a page, and from then on the queue passes its reader by.
"""

from django.db import transaction

from accounts.models import User
from annotation.models import PutBack, Task
from annotation.selectors import disputes
from annotation.services import knowing, queueing
from core import audit, clock
from core.errors import CommonplaceError
from core.text import clean


def read(task: Task, user: User) -> None:
    """Enter that somebody reads what others say is wrong with a task.

    Locks the task. Raises `task.held` for who has it before them.
    """
    with transaction.atomic():
        task = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        knowing.refuse_who_holds(task, user)
        if any(row.annotator_id != user.pk for row in disputes.flags(task)):
            knowing.learn(task, user)


def put_back(task: Task, word: str, user: User) -> int:
    """Put a flagged task back into the queue, with a `word` for who had flagged it; they can go on
    with it as well as anybody else who has not read their flag. The number of flags.

    Locks the task. Raises `flag.unread` and `task.held`.
    """
    with transaction.atomic():
        task = (
            Task.objects.select_for_update(no_key=True)
            .select_related("project__study")
            .get(pk=task.pk)
        )
        flags = disputes.flags(task)
        if not all(disputes.may_read(task, flag, user) for flag in flags):
            raise CommonplaceError(
                "flag.unread",
                "Read what is said to be wrong with this task first.",
                http_status=409,
            )
        for row in flags:
            PutBack.objects.create(
                assignment=row, note=row.note, word=clean(word).strip(), by=user, at=clock.now()
            )
            queueing.unflag(row)
        if flags:
            audit.record(
                user.email,
                "task.put_back",
                "task",
                task.source_key,
                study=task.project.study.slug,
                kind=task.project.kind,
            )
    return len(flags)
