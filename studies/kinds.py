"""What the rooms above register about the activities they run: a survey, a game.

Consent, screening, quota, pay and endings are the same for all; what happens between entry and
ending is the kind's own business.
"""

from collections.abc import Callable
from dataclasses import dataclass

from studies.models import Activity, Participation
from studies.setup import ActivityKind


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `of` parts; `minutes_left` is an estimate, None where there is none."""

    done: int
    of: int
    minutes_left: int | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A change nobody is asked yet: `said` in a sentence, `address` of the page that publishes
    it."""

    said: str
    address: str


@dataclass(frozen=True)
class Part:
    """The part of the set-up that gives an activity what its kind needs: `page` is the name of a
    URL that takes `study`, `state` says in words what there is."""

    title: str
    page: str
    state: Callable[[Activity], str]


@dataclass(frozen=True)
class Kind:
    """`missing`: what an activity still needs before the study opens, in words.
    `open`: freezes what participants will see; `begin`: makes a participant's first rows. Both
    run inside the caller's transaction.
    `waiting`: what has changed since an open study froze it, None where nothing has.
    `address`: the page an admitted participant goes on at, for a participation and its token."""

    missing: Callable[[Activity], list[str]]
    open: Callable[[Activity, str], None]
    begin: Callable[[Participation], None]
    address: Callable[[Participation, str], str]
    progress: Callable[[Participation], Progress]
    part: Part | None = None
    waiting: Callable[[Activity], Waiting | None] = lambda _activity: None


_kinds: dict[str, Kind] = {}


def register(name: ActivityKind, kind: Kind) -> None:
    """Called once, from `AppConfig.ready`."""
    _kinds[name] = kind


def parts() -> list[Part]:
    """The parts of the set-up that activities of this version need, each once."""
    return list({kind.part.page: kind.part for kind in _kinds.values() if kind.part}.values())


def runs(name: str) -> bool:
    """Whether a room of this version runs this kind of activity."""
    return name in _kinds


def of(activity: Activity) -> Kind | None:
    """None for a kind no room of this version runs."""
    return _kinds.get(activity.kind)
