"""What a benchmark is to the runner, and which ones there are.

A benchmark plans the requests, reads each reply into an outcome, and measures the counts.
Generation, reading and measuring are separate steps: a reply is stored before it is read, and
a report is computed from stored rows only.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.errors import NotFound
from inference.requests import ChatRequest

if TYPE_CHECKING:
    from evaluation.models import Run
    from releases.models import Item, Release


@dataclass(frozen=True)
class Ask:
    """One sample to obtain: which item and repeat, what is sent, what was shown where."""

    item: "Item"
    variant: str
    repeat: int  # from 1
    turn: int
    request: ChatRequest
    shown: list[int] | None  # shown[position] = option index in the item

    @property
    def place(self) -> tuple[int, str, int, int]:
        """What makes a sample unique within its run."""
        return (self.item.pk, self.variant, self.repeat, self.turn)

    @property
    def identity(self) -> tuple[str, int]:
        """What makes its completion unique in the cache."""
        return (self.request.key(), self.repeat)


@dataclass(frozen=True)
class Reading:
    """A reply read: its outcome, and for an `ok` one the option chosen as the item counts it."""

    outcome: str
    parsed: dict[str, Any] | None = None
    choice: int | None = None


@dataclass(frozen=True)
class Benchmark:
    name: str
    title: str
    prompts: tuple[str, ...]
    read_settings: Callable[[Mapping[str, Any]], Any]  # given values -> frozen dataclass
    derive: Callable[["Release", Any, str], "Release"]  # release asked for -> release of its items
    plan: Callable[["Run", list["Item"], Mapping[str, str]], Iterator[Ask]]
    read: Callable[["Item", list[int] | None, str, str, bool], Reading]
    measure: Callable[["Run"], dict[str, Any]]


_benchmarks: dict[str, Benchmark] = {}


def register(benchmark: Benchmark) -> None:
    _benchmarks[benchmark.name] = benchmark


def find(name: str) -> Benchmark:
    """Raises `benchmark.unknown` with the names there are."""
    try:
        return _benchmarks[name]
    except KeyError:
        known = ", ".join(sorted(_benchmarks))
        raise NotFound(
            "benchmark.unknown",
            f"There is no benchmark {name!r}. Choose one of: {known}.",
            known=names(),
        ) from None


def names() -> list[str]:
    return sorted(_benchmarks)
