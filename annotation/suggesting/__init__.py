"""What machines would say of a task, by spelling or by a model, checked against the answers.

Pure. A suggestion is shown to people and decides nothing: see `annotation.models.Suggestion`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotation.models import Task

Value = dict[str, Any]


@dataclass(frozen=True)
class About:
    """What a task is about, as far as a machine may know it.

    `fills` are the placeholders of the prompt, `context` what its reader checks against, `answers`
    the ids of those whose words are in it; `withheld` counts what had to stay out, and where that
    leaves too little, `enough` is false and nothing is asked.
    """

    fills: Mapping[str, str]
    context: Any
    answers: Sequence[int]
    withheld: int = 0
    enough: bool = True


@dataclass(frozen=True)
class Said:
    """What a reply comes to: a value its kind could have been sent, or None where its evidence
    does not carry what it claims; with reasons to read and numbers of what was checked."""

    value: Value | None
    told: dict[str, Any] = field(default_factory=dict)
    checks: dict[str, Any] = field(default_factory=dict)


class Unreadable(Exception):
    """A reply that has to be asked for again; the code says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Suggester:
    """How a kind gets suggestions. `tokens` is the first limit of a reply; `read` raises
    `Unreadable`; `claims` are the things a value says are so, which people may add to or take
    from."""

    prompt: str
    tokens: int
    about: Callable[["Task", bool], About]  # (task, whether a model outside will read it)
    read: Callable[[Mapping[str, Any], Any], Said]
    by_rule: Callable[[Any], Value | None]
    claims: Callable[[Mapping[str, Any]], frozenset[str]]
