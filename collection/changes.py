"""Who is told, within the transaction, that something changed which counts as a result: a
decision on a participation, or words that went with a withdrawal. Rooms above register."""

from collections.abc import Callable

from studies.models import Study

Listener = Callable[[Study], None]

_listeners: list[Listener] = []


def register(listener: Listener) -> None:
    """Called once, from `AppConfig.ready`."""
    _listeners.append(listener)


def tell(study: Study) -> None:
    for listener in _listeners:
        listener(study)
