"""The five steps of a study, and the console pages each room hangs on them.

A room registers its pages in `AppConfig.ready`; the study page lists those its reader may open.
A page where work waits for somebody also registers how to count it, for many studies at once, so
that the list of studies asks once.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from studies.permissions import Capability


class Step(StrEnum):
    SET_UP = "set_up"
    COLLECT = "collect"
    AGREE = "agree"
    FREEZE = "freeze"
    BENCHMARK = "benchmark"


@dataclass(frozen=True)
class Waits:
    """`counts` takes ids of studies and says how much waits in those where something does;
    `purpose` ends the sentence “4 wait for …”."""

    counts: Callable[[Collection[int]], Mapping[int, int]]
    purpose: str

    def said(self, count: int) -> str:
        return f"{count:,} {'waits' if count == 1 else 'wait'} for {self.purpose}"


@dataclass(frozen=True)
class Room:
    """A page whose address takes nothing but `study`."""

    step: Step
    title: str
    url_name: str
    capability: Capability
    waits: Waits | None = None


_rooms: dict[str, Room] = {}


def register(
    step: str, title: str, url_name: str, capability: Capability, waits: Waits | None = None
) -> None:
    """Called once, from `AppConfig.ready`; the order of calls is the order shown."""
    _rooms[url_name] = Room(Step(step), title, url_name, capability, waits)


def rooms(step: Step) -> list[Room]:
    return [room for room in _rooms.values() if room.step is step]


def rooms_of_work() -> list[tuple[Room, Waits]]:
    """The pages where work can wait."""
    return [(room, room.waits) for room in _rooms.values() if room.waits]
