"""RA-MCQ: which region does a model answer for when nobody named one?

An item is a question to which at least three regions gave different answers; one option stands
for each answer. The model sees the options in a fresh order every time and replies with a
letter. Over many samples the regions it picks are set against what chance would pick
(arXiv 2601.15550, RA-MCQ).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

from django.db.models import Count

from core.errors import CommonplaceError
from evaluation import benchmarks, run_settings
from evaluation.benchmarks import Ask, Benchmark, Reading, Report, Spot
from evaluation.importers import Fault, ImportedSample
from evaluation.models import Run
from evaluation.ra_mcq import metrics, plan
from evaluation.ra_mcq.presentation import PRESENTATION
from inference.prompts import render
from inference.requests import ChatRequest
from releases.models import Item, Release
from releases.services import build_items

PROMPT = "ra_mcq/question"
LONGEST_NAME = 80


@dataclass(frozen=True)
class Settings:
    preset: Literal["agreement", "as-published"] | None = None  # built items have theirs
    samples: int = field(default=30, metadata={"least": 1, "most": 1000})  # a question
    temperature: float = field(default=1.0, metadata={"least": 0, "most": 2})
    top_p: float | None = field(default=None, metadata={"least": 0, "most": 1})
    max_tokens: int = field(default=64, metadata={"least": 1, "most": 100_000})
    send_seed: bool = True  # a seed of its own for every sample; off where an endpoint refuses it
    limit: int | None = field(default=None, metadata={"least": 1, "most": 1_000_000})
    resamples: int = field(default=2000, metadata={"least": 200, "most": 100_000})


def derive(release: Release, settings: Settings, actor: str) -> Release:
    """The release of multiple-choice items: the one given, or one built from its questions.

    Items of this release built the same way before are used again, whatever they are called.
    """
    kinds = set(release.items.order_by().values_list("kind", flat=True).distinct())
    if kinds == {Item.Kind.CHOICE}:
        if settings.preset not in (None, _preset(release)):
            raise CommonplaceError(
                "preset.differs",
                f"The items of {release.label} were built by {_preset(release)}. Leave the preset "
                "out, or give the release of questions they come from.",
            )
        return release
    if Item.Kind.QUESTION not in kinds:
        raise CommonplaceError(
            "benchmark.wrong_release",
            f"{release.label} holds no questions to choose between. Give a release of questions "
            "with gold answers by region, or of built multiple-choice items.",
        )
    preset = settings.preset or "agreement"
    for built in release.derivatives.order_by("pk"):
        if built.about["recipe"]["kind"] == "ra_mcq" and _preset(built) == preset:
            return built
    name = f"{release.name}-ra_mcq-{preset}"
    if len(name) > LONGEST_NAME or Release.objects.filter(name=name).exists():
        name = f"{release.name[:40]}-ra_mcq-{preset}-{release.sha256[:8]}"
    return build_items("ra_mcq", release, name, preset=preset, actor=actor)


def _preset(built: Release) -> str:
    return built.about["recipe"]["preset"]


class ByRepeat(Sequence[Spot]):
    """Every item once, then every item again: each repeat is a request of its own.

    A run that stops midway has asked every item about as often.
    """

    def __init__(self, items: Sequence[Item], samples: int) -> None:
        self._items, self._samples = items, samples

    def __len__(self) -> int:
        return len(self._items) * self._samples

    @overload
    def __getitem__(self, index: int) -> Spot: ...
    @overload
    def __getitem__(self, index: slice) -> list[Spot]: ...
    def __getitem__(self, index: int | slice) -> Spot | list[Spot]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        repeat, place = divmod(index, len(self._items))
        return Spot(self._items[place], "", (repeat + 1,))


def spots(run: Run, items: list[Item]) -> Sequence[Spot]:
    return ByRepeat(items, run.settings["samples"])


def ask(run: Run, spot: Spot, prompts: Mapping[str, str]) -> Ask:
    given, item, (repeat,) = run.settings, spot.item, spot.repeats
    tag = run.release.about["language"]
    options = item.payload["options"]
    shown = plan.shown_order(run.seed, item.key, repeat, len(options))
    letters = plan.letters(len(options))
    lines = [
        f"{letter}. {options[index]['text'][tag]}"
        for letter, index in zip(letters, shown, strict=True)
    ]
    text = render(
        prompts[PROMPT],
        question=item.payload["question"][tag].strip(),
        options="\n".join(lines),
        letters=", ".join(letters),
    )
    request = ChatRequest(
        base_url=given["base_url"],
        model=given["model"],
        messages=(("user", text),),
        temperature=given["temperature"],
        top_p=given["top_p"],
        max_tokens=given["max_tokens"],
        seed=plan.request_seed(run.seed, item.key, repeat) if given["send_seed"] else None,
    )
    return Ask(spot, request, list(shown))


def read(item: Item, shown: list[int] | None, text: str, finish: str, refusal: bool) -> Reading:
    from evaluation.reading.letters import parse_letter  # every process would compile its grammar

    options = item.payload["options"]
    order = shown if shown is not None else list(range(len(options)))
    texts = [next(iter(options[index]["text"].values())) for index in order]
    parsed = parse_letter(text, texts, finish, refusal=refusal)
    if parsed.outcome != "ok" or parsed.letter is None:
        return Reading(parsed.outcome)
    choice = order[ord(parsed.letter) - ord("A")]
    if parsed.option_text_match:
        return Reading("ok", {"option": choice}, choice)
    return Reading("ok", {"letter": parsed.letter}, choice)


def place(line: ImportedSample, item: Item) -> tuple[str, list[int]]:
    if not line.regions:
        raise Fault("import.missing_field", "options is missing")
    options = [frozenset(option["regions"]) for option in item.payload["options"]]
    if set(options) != set(line.regions) or len(options) != len(line.regions):
        raise Fault(
            "import.options_differ",
            f"the options of {line.item} stand for other regions; perhaps another preset",
        )
    return "", [options.index(regions) for regions in line.regions]


def measure(run: Run) -> dict[str, Any]:
    """The measures of `metrics` over the run's answered samples, counted by the database."""
    answered = run.samples.filter(choice__isnull=False)
    counts = {
        (key, choice): n
        for key, choice, n in answered.values_list("item__key", "choice").annotate(n=Count("pk"))
        if choice is not None
    }
    used = Item.objects.filter(pk__in=answered.values("item"))
    options = {
        item.key: tuple(tuple(option["regions"]) for option in item.payload["options"])
        for item in used
    }
    return metrics.measure_counts(
        run.release.regions, options, counts, seed=run.seed, resamples=run.settings["resamples"]
    )


def compare(runs: Sequence[Run], reports: Sequence[Report]) -> dict[str, Any]:
    """`ratio` and `intervals` by region and run, and the `tests` of each run."""
    regions = list(dict.fromkeys(region for one in reports for region in one["ratio"]))
    return {
        "ratio": {
            region: {str(one["run"]): one["ratio"].get(region) for one in reports}
            for region in regions
        },
        "intervals": {
            region: {str(one["run"]): one["intervals"].get(region) for one in reports}
            for region in regions
        },
        "tests": {
            str(one["run"]): {key: one[key] for key in ("chi2", "df", "p", "clustered")}
            for one in reports
        },
    }


benchmarks.register(
    Benchmark(
        name="ra_mcq",
        title="Regional choice (RA-MCQ)",
        prompts=(PROMPT,),
        read_settings=lambda given: run_settings.read(Settings, given),
        derive=derive,
        spots=spots,
        ask=ask,
        read=read,
        place=place,
        measure=measure,
        compare=compare,
        presentation=PRESENTATION,
        items=Item.Kind.CHOICE,
    )
)
