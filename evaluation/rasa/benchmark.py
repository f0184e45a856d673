"""RASA: does a model know what each region takes for granted, when the question names it?

A question is asked for every region that has a gold answer to it, in one sentence and many times
over. Judges compare each distinct reply with the gold answer (arXiv 2601.15550, RASA).
"""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from core.errors import CommonplaceError
from evaluation import benchmarks, run_settings, selectors
from evaluation.benchmarks import Ask, Benchmark, ForPeople, Judging, Reading, Report, Spot
from evaluation.importers import Fault, ImportedSample
from evaluation.judging.agreement import agreement
from evaluation.models import Judge, Run
from evaluation.rasa import comparison, metrics
from evaluation.rasa.metrics import Cell
from evaluation.rasa.plan import anchored
from evaluation.rasa.presentation import PRESENTATION
from evaluation.reading.verdicts import read_verdict
from evaluation.reading.visible import after_reasoning, unusable
from inference.prompts import render
from inference.requests import ChatRequest
from releases.building import openings
from releases.models import Item, Release

PROMPT, JUDGE_PROMPT = "rasa/question", "rasa/judge"


@dataclass(frozen=True)
class Settings:
    samples: int = field(default=30, metadata={"least": 1, "most": 1000})  # a question and region
    temperature: float = field(default=1.0, metadata={"least": 0, "most": 2})
    top_p: float | None = field(default=None, metadata={"least": 0, "most": 1})
    max_tokens: int = field(default=120, metadata={"least": 1, "most": 100_000})
    limit: int | None = field(default=None, metadata={"least": 1, "most": 1_000_000})  # questions
    weight: float = field(default=0.5, metadata={"least": 0, "most": 1})  # of a partial answer
    resamples: int = field(default=2000, metadata={"least": 200, "most": 100_000})


def derive(release: Release, settings: Settings, actor: str) -> Release:
    """The release of questions itself, whatever else it holds. Raises `benchmark.wrong_release`,
    `rasa.no_phrase`."""
    questions = release.items.filter(kind=Item.Kind.QUESTION)
    if not questions.exists():
        raise CommonplaceError(
            "benchmark.wrong_release",
            f"{release.label} holds no questions with gold answers by region. Give a release that "
            "does: one frozen from a study, or an imported data set of questions.",
        )
    phrases = _phrases(release)
    nameless = {region for region, phrase in phrases.items() if not phrase.strip()}
    answered = {
        region
        for gold in (questions.values_list("payload__gold", flat=True) if nameless else ())
        for region in nameless
        if gold.get(region)
    }
    if answered:
        lacking = [region for region in phrases if region in answered]
        raise CommonplaceError(
            "rasa.no_phrase",
            f"Questions cannot name {', '.join(lacking)}: no words that say where it is are stored "
            f"in the language {release.about['language']!r}. Write them in the study's regions and "
            "freeze again, or import a file that has them.",
            regions=lacking,
            language=release.about["language"],
        )
    return release


def spots(run: Run, items: list[Item]) -> list[Spot]:
    """Question by question, each for the regions with gold; one request may bring all samples."""
    repeats = tuple(range(1, run.settings["samples"] + 1))
    regions = run.release.regions
    return [
        Spot(item, region, repeats)
        for item in items
        for region in regions
        if item.payload["gold"].get(region)
    ]


def ask(run: Run, spot: Spot, prompts: Mapping[str, str]) -> Ask:
    given = run.settings
    text = render(prompts[PROMPT], question=_question(run.release, spot.item, spot.variant))
    request = ChatRequest(
        base_url=given["base_url"],
        model=given["model"],
        messages=(("user", text),),
        temperature=given["temperature"],
        top_p=given["top_p"],
        max_tokens=given["max_tokens"],
    )
    return Ask(spot, request)


def read(item: Item, shown: list[int] | None, text: str, finish: str, refusal: bool) -> Reading:
    """`ok` for whatever is said: whether it answers the question is for a judge to say."""
    if outcome := unusable(finish, refusal=refusal):
        return Reading(outcome)
    return Reading("truncated" if after_reasoning(text) is None else "ok")


def place(line: ImportedSample, item: Item) -> tuple[str, None]:
    if not line.region:
        raise Fault("import.missing_field", "region is missing")
    if not item.payload["gold"].get(line.region):
        raise Fault(
            "import.unknown_region", f"{item.key} has no gold answer of a region {line.region}"
        )
    return line.region, None


# --- Judging ------------------------------------------------------------------------------------


def judge_messages(
    prompt: str, item: Item, variant: str, answer: str
) -> tuple[tuple[str, str], ...]:
    """The answer stands in it as one JSON string, without its reasoning, so that whatever looks
    like a verdict there is seen to be quoted."""
    seen = for_people(item, variant, answer)
    text = render(
        prompt,
        question=seen.question,
        gold="\n".join(seen.gold),
        answer=json.dumps(seen.answer, ensure_ascii=False),
    )
    return (("user", text),)


def for_people(item: Item, variant: str, answer: str) -> ForPeople:
    return ForPeople(
        question=_question(item.release, item, variant),
        gold=_gold(item, variant),
        answer=(after_reasoning(answer) or "").strip(),
        language=item.release.about["language"],
        about=variant,
    )


def right_answer(item: Item, variant: str) -> str:
    return " ".join(_gold(item, variant))


def _question(release: Release, item: Item, region: str) -> str:
    tag = release.about["language"]
    return anchored(item.payload["text"][tag], _phrases(release)[region], tag)


def _phrases(release: Release) -> dict[str, str]:
    return openings(release.about["regions"], release.about["language"])


def _gold(item: Item, region: str) -> list[str]:
    tag = item.release.about["language"]
    return [answer["text"][tag].strip() for answer in item.payload["gold"][region]]


# --- Measuring ----------------------------------------------------------------------------------


def measure(run: Run) -> dict[str, Any]:
    """`judges`: by name, in the order they were named, what `metrics.measure` makes of each, and
    whether it is of the judged model's family; `agreement`: of every two that judged the same
    replies, people among them."""
    weight = run.settings.get("weight", comparison.USUAL)
    judges = selectors.judges_by_name(run)
    people = selectors.people_by_name(run, of_a_draw=False)
    return {
        "judges": {
            name: metrics.measure(cells(run, judge), run.release.regions, weight=weight)
            | {"kind": judge.kind, "same_family": selectors.is_kin(run, judge)}
            for name, judge in judges.items()
        },
        "agreement": _agreement(run, judges | people),
    }


def _agreement(run: Run, judges: Mapping[str, Judge]) -> list[dict[str, Any]]:
    found = []
    for (a, one), (b, other) in combinations(judges.items(), 2):
        if counts := selectors.judged_by_both(run, one, other):
            kinds = {"a_kind": one.kind, "b_kind": other.kind}
            found.append({"a": a, "b": b, **kinds, **agreement(counts)})
    return found


def compare(runs: Sequence[Run], reports: Sequence[Report]) -> dict[str, Any]:
    """Runs over releases with the same regions, see `comparison.compare`; the weight and the
    number of resamples are the first run's."""
    first = runs[0]
    return comparison.compare(
        [comparison.Compared(run.pk, run.model_label, _judged(run)) for run in runs],
        first.release.regions,
        weight=first.settings.get("weight", comparison.USUAL),
        resamples=first.settings.get("resamples", 2000),
        seed=first.seed,
    )


def _judged(run: Run) -> dict[str, list[Cell]]:
    return {name: cells(run, judge) for name, judge in selectors.judges_by_name(run).items()}


def cells(run: Run, judge: Judge) -> list[Cell]:
    """The run's answered samples by question, region and what the judge said of them."""
    counted: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    domains: dict[str, str] = {}
    for question, labels, region, value, outcome, n in selectors.verdict_cells(run, judge):
        counted[question, region][(value if outcome == "ok" else outcome) or "waiting"] += n
        domains[question] = labels.get("domain", "")
    kept = {*metrics.SHARES.values()}
    return [
        Cell(
            question=question,
            domain=domains[question],
            region=region,
            labels={label: n for label, n in counts.items() if label in kept},
            unparsed=counts["unparsed"],
            failed=counts["failed"],
            waiting=counts["waiting"],
        )
        for (question, region), counts in counted.items()
    ]


benchmarks.register(
    Benchmark(
        name="rasa",
        title="Regional knowledge (RASA)",
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
        judging=Judging(
            signal="correctness",
            prompt=JUDGE_PROMPT,
            messages=judge_messages,
            read=read_verdict,
            example=right_answer,
            for_people=for_people,
        ),
    )
)
