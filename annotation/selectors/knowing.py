"""Who knows what was said of a task by another, and therefore never judges it alone."""

from django.db.models import Exists, OuterRef

from annotation.models import Reader


def knows(task: int, user: int) -> bool:
    return Reader.objects.filter(task=task, user=user).exists()


def known_to(user: int, task: str = "pk") -> Exists:
    """That the task a row leads to by its column `task` is known to this person."""
    return Exists(Reader.objects.filter(task=OuterRef(task), user=user))
