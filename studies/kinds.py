"""What the rooms above register about the activities they run: a survey, a game.

Consent, screening, quota, pay and endings are the same for all; what happens between entry and
ending is the kind's own business.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from studies.models import Activity, Participation, Region
from studies.participation import Rejection
from studies.setup import ActivityKind


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `of` parts, 0 where there is nothing to count; `minutes_left` is an estimate, None
    where there is none."""

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
    URL that takes `study`, `state` says in words what there is; `early` may be worked at before
    there is an activity."""

    title: str
    page: str
    state: Callable[[Activity], str]
    early: bool = False


@dataclass(frozen=True)
class Review:
    """How a person decides on what was sent. `page` is the name of a URL that takes `study` and the
    participation's `code`. `reasons` are what one may reject for: code and title. `unfair` says in
    a sentence why one may not reject like this, None where one may. `decided` is told within the
    transaction that something was decided."""

    page: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)
    unfair: Callable[[Participation, Rejection], str | None] = lambda _row, _rejection: None
    decided: Callable[[Participation], None] = lambda _row: None


@dataclass(frozen=True, slots=True)
class Ending:
    """What a participant reads of how it ended, or once everything has arrived, marked for the
    catalogues."""

    title: str
    reason: str


@dataclass(frozen=True)
class Kind:
    """`missing`: what an activity still needs before the study opens, in words.
    `open`: freezes what participants will see; `begin`: makes a participant's first rows. Both
    run inside the caller's transaction.
    `waiting`: what has changed since an open study froze it, None where nothing has.
    `address`: the page an admitted participant goes on at, for a participation and its token.
    `left`: told after the commit with which a participation has ended; a process may die before.
    `self_identified`: people say which region they belong to, instead of where they have lived.
    `newcomers`: who has taken part in another activity of the study cannot take part in this.
    `ready`: whether people of a region can begin now.
    `review`: how what participants sent is decided on.
    `endings`: what participants read, of statuses that are told in words of the kind's own: of
    endings, by their reasons where those mean more, and of what was submitted.
    `not_ready`: of whom people cannot begin yet and what to do about it, in a sentence; empty where
    all can."""

    missing: Callable[[Activity], list[str]]
    open: Callable[[Activity, str], None]
    begin: Callable[[Participation], None]
    address: Callable[[Participation, str], str]
    progress: Callable[[Participation], Progress]
    part: Part | None = None
    waiting: Callable[[Activity], Waiting | None] = lambda _activity: None
    left: Callable[[Participation], object] = lambda _participation: None
    self_identified: bool = False
    newcomers: bool = False
    ready: Callable[[Activity, Region], bool] = lambda _activity, _region: True
    review: Review = field(default_factory=Review)
    endings: Mapping[str, Ending] = field(default_factory=dict)
    not_ready: Callable[[Activity], str] = lambda _activity: ""


_kinds: dict[str, Kind] = {}


def register(name: ActivityKind, kind: Kind) -> None:
    """Called once, from `AppConfig.ready`."""
    _kinds[name] = kind


def early_parts() -> list[Part]:
    """The parts of the set-up that may be worked at before there is an activity, each once."""
    parts = (kind.part for kind in _kinds.values())
    return list({part.page: part for part in parts if part and part.early}.values())


def runs(name: str) -> bool:
    """Whether a room of this version runs this kind of activity."""
    return name in _kinds


def of(activity: Activity) -> Kind | None:
    """None for a kind no room of this version runs."""
    return _kinds.get(activity.kind)
