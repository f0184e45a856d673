"""What a benchmark is to the runner, and which ones there are.

A benchmark says where samples are wanted, what is asked for each, reads every reply into an
outcome, and measures the counts. Where a reply needs a judge, it also says what a judge is asked
and how the verdict is read. Generation, reading, judging and measuring are separate steps: a reply
is stored before it is read, and a report is computed from stored rows only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.errors import NotFound
from inference.requests import ChatRequest

if TYPE_CHECKING:
    from core import charts, tables
    from evaluation.importers import ImportedSample
    from evaluation.models import Run
    from releases.models import Item, Release

Place = tuple[
    int, str, int, int
]  # item, variant, repeat, turn: what makes a sample unique in a run


@dataclass(frozen=True)
class Spot:
    """Repeats of one item and variant that are asked for by one and the same request."""

    item: "Item"
    variant: str
    repeats: tuple[int, ...]  # from 1; one where every repeat is another request
    turn: int = 1

    @property
    def places(self) -> list[Place]:
        return [(self.item.pk, self.variant, repeat, self.turn) for repeat in self.repeats]


@dataclass(frozen=True)
class Ask:
    """A spot with what is sent, and what was shown where."""

    spot: Spot
    request: ChatRequest
    shown: list[int] | None = None  # shown[position] = option index in the item


@dataclass(frozen=True)
class Reading:
    """A reply read: its outcome, and for an `ok` one the option chosen as the item counts it."""

    outcome: str
    parsed: dict[str, Any] | None = None
    choice: int | None = None


@dataclass(frozen=True)
class Judged:
    """A judge's reply read: the value for an `ok` one, otherwise `unparsed`."""

    outcome: str
    value: str = ""
    reasoning: str = ""
    discrepancies: tuple[str, ...] = ()


@dataclass(frozen=True)
class ForPeople:
    """What people see of a reply they judge: what a model that judges it sees. `about` says whom
    the question is about, `language` is that of question and gold."""

    question: str
    gold: Sequence[str]
    answer: str
    language: str
    about: str = ""


@dataclass(frozen=True)
class Judging:
    """How replies are judged: one verdict of each judge on each distinct reply whose outcome is ok.

    `messages` makes what is sent from the prompt's text, the item, the variant and the reply's
    text; `read` makes the verdict of what came back, its finish reason beside it; `for_people`
    makes of item, variant and text what people judge.
    """

    signal: str
    prompt: str  # name of the prompt judges get
    messages: Callable[[str, "Item", str, str], tuple[tuple[str, str], ...]]
    read: Callable[[str, str], Judged]
    example: Callable[["Item", str], str]  # a reply that is certainly right, to try a judge with
    for_people: Callable[["Item", str, str], ForPeople]
    max_tokens: int = 600


Report = dict[str, Any]  # of a run, as `reports.report` makes it
Link = Callable[[str], str]  # region -> the page with the samples behind it


@dataclass(frozen=True)
class Presentation:
    """How the reports of a benchmark are shown, and their comparison, which is what `compare` of
    the benchmark gives.

    `figures` are of a report with answers. `compared` shows a comparison as figures and
    `compared_tables` as tables with captions.
    """

    heading: str  # over its figures
    reading: str  # the template that says how to read them
    finding: Callable[[Report], str]  # the report in one sentence, without its full stop
    in_words: Callable[[Report], list[str]]  # lines of a printed report below its head
    tables: Callable[[Sequence[Report]], list["tables.Table"]]  # the main one first
    figures: Callable[[Report, Link | None], list["charts.Figure"]]
    compared: Callable[[Sequence[Report], dict[str, Any]], list["charts.Figure"]]
    compared_tables: Callable[[Sequence[Report], dict[str, Any]], list["charts.Table"]]


@dataclass(frozen=True)
class Benchmark:
    name: str
    title: str
    prompts: tuple[str, ...]  # that its requests are made of
    read_settings: Callable[[Mapping[str, Any]], Any]  # given values -> frozen dataclass
    derive: Callable[["Release", Any, str], "Release"]  # release asked for -> release of its items
    spots: Callable[["Run", list["Item"]], Sequence[Spot]]  # in the order they are asked
    ask: Callable[["Run", Spot, Mapping[str, str]], Ask]  # prompts by name -> what is sent
    read: Callable[["Item", list[int] | None, str, str, bool], Reading]
    # A reply made elsewhere -> its variant, and the options as shown; raises `importers.Fault`.
    place: Callable[["ImportedSample", "Item"], tuple[str, list[int] | None]]
    measure: Callable[["Run"], dict[str, Any]]
    compare: Callable[[Sequence["Run"], Sequence[Report]], dict[str, Any]]  # runs, their reports
    presentation: Presentation
    judging: Judging | None = None
    items: str = "question"  # the kind of a release's items that it asks about; others stay out


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
