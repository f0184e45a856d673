"""What pages show of a study's rows, in the language the study puts first."""

from dataclasses import dataclass

from django.urls import reverse

from studies import languages, money, participation, selectors, setup, steps
from studies.models import Activity, Study
from studies.permissions import Capability
from studies.steps import Step


@dataclass(frozen=True)
class RegionLine:
    slug: str
    name: str
    phrase: str
    places: list[str]
    target: int


@dataclass(frozen=True)
class ActivityLine:
    slug: str
    name: str
    about: str
    reward: str


@dataclass(frozen=True)
class ConsentShown:
    """`texts` in every language of the study: (tag, direction, text, sentences to tick)."""

    version: int
    texts: list[tuple[str, str, str, list[str]]]


@dataclass(frozen=True)
class StepLine:
    """`state` says in words where the step stands; `look` is done, now or todo; `rooms` are the
    pages its reader may open: (title, address)."""

    name: str
    title: str
    state: str
    look: str
    rooms: list[tuple[str, str]]


def path_of(
    study: Study, checks: list[selectors.Check], may: frozenset[Capability]
) -> list[StepLine]:
    """The five steps of a study, for a reader who may do so much."""
    complete, opened = all(check.done for check in checks), study.status != Study.Status.SET_UP
    set_up = ("complete", "done") if complete or opened else ("under way", "now")
    if opened:
        counts = selectors.collected(study)
        words = f"{counts.inside:,} in, {counts.accepted:,} of {counts.wanted:,} accepted"
        collect = (words, "now")
    else:
        collect = ("ready to open", "now") if complete else ("after the set-up", "todo")
    stand = {
        Step.SET_UP: ("Set up", *set_up),
        Step.COLLECT: ("Collect", *collect),
        Step.AGREE: ("Agree", "not in this version", "todo"),
        Step.FREEZE: ("Freeze", "not in this version", "todo"),
        Step.BENCHMARK: ("Benchmark", "of imported releases only", "todo"),
    }
    return [
        StepLine(
            step.value.replace("_", "-"),
            *words,
            [
                (room.title, reverse(room.url_name, args=(study.slug,)))
                for room in steps.rooms(step)
                if room.capability in may
            ],
        )
        for step, words in stand.items()
    ]


def regions(study: Study) -> list[RegionLine]:
    return [
        RegionLine(
            row.slug,
            languages.choose(row.names, study.languages)[1] or row.slug,
            languages.choose(row.phrases, study.languages)[1],
            [place.called(study.languages) for place in row.places.all()],
            row.target,
        )
        for row in study.regions.prefetch_related("places")
    ]


def activities(study: Study) -> list[ActivityLine]:
    return [
        ActivityLine(
            row.slug,
            row.name,
            f"{row.kind}, {row.phase}, about {row.minutes} minutes",
            reward(row, study.currency),
        )
        for row in study.activities.select_related("study")
    ]


def reward(activity: Activity, currency: str) -> str:
    """`12.50 EUR an hour, 5.21 EUR in all`."""
    amount = f"{money.plain(activity.amount_minor, currency)} {currency}"
    if activity.reward == setup.RewardKind.FLAT:
        return amount
    expected = activity.minutes * 60_000
    owed = money.owed(activity.amount_minor, hourly=True, worked_ms=expected, expected_ms=expected)
    return f"{amount} an hour, {money.plain(owed, currency)} {currency} in all"


def codes(activity: Activity) -> list[tuple[str, str]]:
    """(when it is given, the completion code), in the order of `participation.Code`."""
    given = activity.codes
    return [(kind.replace("_", " "), given[kind]) for kind in participation.Code if kind in given]


def consent(study: Study) -> ConsentShown | None:
    document = selectors.newest_consent(study)
    if document is None:
        return None
    asked = [document.purposes[each] for each in setup.Purpose if each in document.purposes]
    shown = []
    for tag in study.languages:
        if tag in document.texts:
            order = [tag, *study.languages]
            sentences = [languages.choose(texts, order)[1] for texts in asked]
            shown.append((tag, languages.direction(tag), document.texts[tag], sentences))
    return ConsentShown(document.version, shown)
