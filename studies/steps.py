"""The five steps of a study, and the console pages each room hangs on them.

A room registers its pages in `AppConfig.ready`; the study page lists those its reader may open.
"""

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
class Room:
    """A page whose address takes nothing but `study`."""

    step: Step
    title: str
    url_name: str
    capability: Capability


_rooms: dict[str, Room] = {}


def register(step: str, title: str, url_name: str, capability: Capability) -> None:
    """Called once, from `AppConfig.ready`; the order of calls is the order shown."""
    _rooms[url_name] = Room(Step(step), title, url_name, capability)


def rooms(step: Step) -> list[Room]:
    return [room for room in _rooms.values() if room.step is step]
