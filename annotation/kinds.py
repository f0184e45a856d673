"""The kinds of annotation. Whoever needs one registers it by name in `AppConfig.ready`.

A kind says what tasks there are, what is read from an annotator's form, when two people have said
the same, and what a decision does. Queue, leases, drafts, blindness and adjudication are the
engine's and the same for all.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from annotation.suggesting import Suggester
from core.errors import CommonplaceError, NotFound

if TYPE_CHECKING:
    from annotation.models import Decision, Project, Task

Value = dict[str, Any]  # what is judged, as its kind shapes it; JSON
Fields = Callable[[str], Sequence[str]]  # name -> the values sent under it


@dataclass(frozen=True)
class Source:
    """A task there should be. `inputs` is a hash of all that is judged; `payload` holds ids and
    numbers, no participant's word."""

    key: str
    position: int
    payload: dict[str, Any]
    inputs: str
    question: int | None = None
    region: int | None = None


@dataclass(frozen=True)
class Read:
    """`value` as far as it could be read, what stands against sending it, by field, and what was
    sent that means nothing here: a page leaves that out, since its answers may have changed."""

    value: Value
    faults: dict[str, str] = field(default_factory=dict)
    strange: Sequence[str] = ()


@dataclass(frozen=True)
class Asked:
    """What a task asks about that is no question of its study; `about` says of what, or whom."""

    text: str
    language: str
    about: str = ""


@dataclass(frozen=True)
class Kind:
    """`template` is the fragment that shows a task with its form; `shown(task, value)` is what it
    is told beside `value`. `decided` runs within the transaction of the decision.

    What a release holds comes of the kinds that make gold. Any other is about something else than
    answers to a study's questions: it says with `asked` what by the ids of tasks, shows it with
    the fragment `evidence`, and is opened by whoever has use of it.
    """

    name: str
    title: str
    about: str
    template: str
    summary: str  # the fragment that shows a value to read
    sources: Callable[["Project", int | None], Iterable[Source]]  # of one question, or of all
    shown: Callable[["Task", Value], dict[str, Any]]
    read: Callable[["Task", Fields], Read]
    same: Callable[[Sequence[Mapping[str, Any]]], bool]
    category: Callable[[Mapping[str, Any]], str]
    decided: Callable[["Task", "Decision"], None]
    outdated: Callable[["Task"], None]  # an input of a decided task has changed
    suggester: Suggester | None = None
    makes_gold: bool = True
    asked: Callable[[Sequence["Task"]], Mapping[int, Asked]] | None = None
    evidence: str = ""
    keys: Sequence[tuple[str, str]] = ()  # (key, what it does), in place of those of agreement


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """The order of calls is the order shown."""
    _kinds[kind.name] = kind


def every() -> list[Kind]:
    return list(_kinds.values())


def of_gold() -> list[Kind]:
    return [kind for kind in _kinds.values() if kind.makes_gold]


def suggester_of(name: str) -> Suggester:
    """Raises `suggestion.not_offered` and `annotation.kind_unknown`."""
    kind = of(name)
    if kind.suggester is None:
        raise CommonplaceError(
            "suggestion.not_offered",
            f"“{kind.title}” has no suggestions: people judge it alone.",
            kind=name,
        )
    return kind.suggester


def of(name: str) -> Kind:
    """Raises `annotation.kind_unknown` (404)."""
    if name not in _kinds:
        raise NotFound(
            "annotation.kind_unknown",
            f"There is no annotation called “{name}”. Choose one from the study's page.",
            kind=name,
        )
    return _kinds[name]
