"""Which studies a user can see, asked from below: `studies` registers the answer.

reach.register(lambda user: slugs)      # in StudiesConfig.ready()
reach.studies(user)
"""

from collections.abc import Callable, Iterable

from accounts.models import User

_visible: list[Callable[[User], Iterable[str]]] = []


def register(visible: Callable[[User], Iterable[str]]) -> None:
    _visible.append(visible)


def studies(user: User) -> list[str]:
    """Short names of the studies this user can see, in order."""
    return sorted({slug for visible in _visible for slug in visible(user)})
