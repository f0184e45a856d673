"""What withdrawal deletes: every room registers one handler for the words in its rows.

A handler takes a participant who has withdrawn, deletes text and identities in its rows, keeps
structure and counts, and returns what it did as counts. It runs as a job of its own and may run
again.
"""

from collections.abc import Callable

from studies.models import Participant

Handler = Callable[[Participant], dict[str, int]]

handlers: dict[str, Handler] = {}


def register(name: str, handler: Handler) -> None:
    """Called once, from `AppConfig.ready`."""
    handlers[name] = handler
