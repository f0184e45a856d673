"""The five steps of a study, and the console pages each room hangs on them.

A room registers its pages in `AppConfig.ready`; the study page lists those its reader may open.
A page where work waits for somebody also registers how to count it, for many studies at once, so
that the list of studies asks once. Where a step stands is said by the room that does its work.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from studies.permissions import Capability

if TYPE_CHECKING:
    from accounts.models import User
    from studies.models import Study


class Step(StrEnum):
    SET_UP = "set_up"
    COLLECT = "collect"
    AGREE = "agree"
    FREEZE = "freeze"
    BENCHMARK = "benchmark"


@dataclass(frozen=True)
class Waits:
    """`counts` takes ids of studies and a reader, and says how much waits for them in those where
    something does; `purpose` ends the sentence “4 wait for …”, and `thing` is what they are, where
    the page does not say it. Who has the `capability` is told;
    without one whoever may open the page."""

    counts: Callable[[Collection[int], "User"], Mapping[int, int]]
    purpose: str
    capability: Capability | None = None
    thing: str = ""

    def said(self, count: int) -> str:
        things = self.thing and f" {self.thing}{'' if count == 1 else 's'}"
        return f"{count:,}{things} {'waits' if count == 1 else 'wait'} for {self.purpose}"


@dataclass(frozen=True)
class Room:
    """A page whose address takes nothing but `study`. Of a `kind` it is for studies alone that have
    an activity of that kind."""

    step: Step
    title: str
    url_name: str
    capability: Capability
    waits: Waits | None = None
    kind: str = ""


@dataclass(frozen=True)
class Stand:
    """Where a step of an open study stands: `said` in a few words, `look` is done, now or todo;
    `links` lead to what the step has made: (title, address)."""

    said: str
    look: str = "todo"
    links: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Next:
    """Something to do next in an open study: `title` ends the sentence “Next: …”, `why` says in
    another one why now; it is done on the `page` of this `address`."""

    title: str
    why: str
    page: str
    address: str


_rooms: dict[str, Room] = {}
_nexts: list[tuple[Capability, Callable[["Study"], Next | None]]] = []
_stands: dict[Step, Callable[["Study", "User"], Stand]] = {}


def register(
    step: str,
    title: str,
    url_name: str,
    capability: Capability,
    waits: Waits | None = None,
    kind: str = "",
) -> None:
    """Called once, from `AppConfig.ready`; the order of calls is the order shown."""
    _rooms[url_name] = Room(Step(step), title, url_name, capability, waits, kind)


def register_stand(step: str, stand: Callable[["Study", "User"], Stand]) -> None:
    """Called once, from `AppConfig.ready`, by the room whose step it is."""
    _stands[Step(step)] = stand


def register_next(capability: Capability, find: Callable[["Study"], Next | None]) -> None:
    """Called once, from `AppConfig.ready`; `find` says whether it is the next thing to do for those
    who have the capability."""
    _nexts.append((capability, find))


def nexts(study: "Study", may: Collection[Capability]) -> list[Next]:
    """What there is to do next in an open study for a reader who may do this."""
    found = [find(study) for capability, find in _nexts if capability in may]
    return [each for each in found if each]


def stand(step: Step, study: "Study", user: "User") -> Stand:
    """Where a registered step stands for this reader."""
    return _stands[step](study, user)


def rooms(step: Step, kinds: Collection[str]) -> list[Room]:
    """Those of a study that has activities of these kinds."""
    every = (room for room in _rooms.values() if room.step is step)
    return [room for room in every if not room.kind or room.kind in kinds]


def rooms_of_work() -> list[tuple[Room, Waits]]:
    """The pages where work can wait."""
    return [(room, room.waits) for room in _rooms.values() if room.waits]
