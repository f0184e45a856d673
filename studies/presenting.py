"""What pages show of a study's rows, in the language the study puts first."""

from dataclasses import dataclass

from studies import languages, money, participation, selectors, setup
from studies.models import Activity, Study


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


def regions(study: Study) -> list[RegionLine]:
    return [
        RegionLine(
            row.slug,
            languages.choose(row.names, study.languages)[1] or row.slug,
            languages.choose(row.phrases, study.languages)[1],
            [place.name for place in row.places.all()],
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
