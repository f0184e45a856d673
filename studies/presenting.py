"""What pages show of a study's rows, in the language the study puts first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import prefetch_related_objects
from django.urls import reverse

from accounts.models import User
from studies import languages, money, participation, selectors, setup, standing, steps
from studies.models import Activity, Region, Study
from studies.standing import Collected, Due
from studies.steps import Room, Stand, Step


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
    """`texts` in every language of the study: (tag, its English name, direction, text, sentences
    to tick)."""

    version: int
    texts: list[tuple[str, str, str, str, list[str]]]


@dataclass(frozen=True)
class StudyLine:
    """A study in a list: `state` says in words where it stands, `due` what waits for its
    reader."""

    study: Study
    about: str
    state: str
    due: list[Due]


@dataclass(frozen=True)
class StepLine:
    """`state` says in words where the step stands; `look` is done, now, needs or todo; `rooms`
    are the pages its reader may open: (title, how much waits there, address); `links` lead to
    what it has made: (title, address); `due` is what waits on its pages."""

    name: str
    title: str
    state: str
    look: str
    rooms: list[tuple[str, int, str]]
    links: Sequence[tuple[str, str]]
    due: list[Due]


def path_of(
    study: Study, checks: list[selectors.Check], user: User, due: list[Due]
) -> list[StepLine]:
    """The five steps of a study, for a reader for whom this waits."""
    complete, opened = all(check.done for check in checks), study.status != Study.Status.SET_UP
    set_up = Stand("complete", "done") if complete or opened else Stand("under way", "now")
    after = Stand("after the set-up")
    if opened:
        collect = _collecting(standing.collected([study.pk])[study.pk])
    else:
        collect = Stand("ready to open", "now") if complete else after
    stands = {Step.SET_UP: set_up, Step.COLLECT: collect}
    for step in (Step.AGREE, Step.FREEZE, Step.BENCHMARK):
        stands[step] = steps.stand(step, study, user) if opened else after
    may = selectors.capabilities(user, study)
    kinds = set(study.activities.values_list("kind", flat=True))
    lines = []
    for step, stand in stands.items():
        rooms = [room for room in steps.rooms(step, kinds) if room.capability in may]
        lines.append(_step(step, stand, study, rooms, due))
    return lines


def _collecting(counts: Collected) -> Stand:
    full = 0 < counts.wanted <= counts.accepted and not counts.inside
    return Stand(_counts(counts), "done" if full else "now")


def _step(
    step: Step, stand: Stand, study: Study, rooms: Sequence[Room], due: list[Due]
) -> StepLine:
    pages = {room.url_name for room in rooms}
    here = [each for each in due if each.page in pages]
    counts = {each.page: each.count for each in here}
    return StepLine(
        step.value.replace("_", "-"),
        step.value.replace("_", " ").capitalize(),
        stand.said,
        "needs" if here else stand.look,
        [
            (room.title, counts.get(room.url_name, 0), reverse(room.url_name, args=(study.slug,)))
            for room in rooms
        ],
        stand.links,
        here,
    )


def study_lines(studies: Sequence[Study], due: Mapping[int, list[Due]]) -> list[StudyLine]:
    """Studies for a reader for whom this is due, by the ids of the studies."""
    prefetch_related_objects(studies, "regions")
    collected = standing.collected([study.pk for study in studies])
    return [
        StudyLine(
            study,
            f"{study.country}, {selectors.counted(len(study.regions.all()), 'region')}, "
            f"{selectors.in_english(study.languages)}",
            "being set up" if study.status == Study.Status.SET_UP else _counts(collected[study.pk]),
            due.get(study.pk, []),
        )
        for study in studies
    ]


def _counts(counts: Collected) -> str:
    said = f"{counts.inside:,} taking part, {counts.accepted:,} of {counts.wanted:,} accepted"
    if counts.activities > 1:
        each = counts.wanted // counts.activities
        said += f" ({each:,} for each of {counts.activities} activities)"
    return said


def regions(study: Study) -> list[RegionLine]:
    return [
        RegionLine(
            row.slug,
            region_name(row, study),
            languages.choose(row.phrases, study.languages)[1],
            [place.called(study.languages) for place in row.places.all()],
            row.target,
        )
        for row in study.regions.prefetch_related("places")
    ]


def region_name(region: Region, study: Study) -> str:
    return languages.choose(region.names, study.languages)[1] or region.slug


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
            name, direction = languages.in_english(tag), languages.direction(tag)
            shown.append((tag, name, direction, document.texts[tag], sentences))
    return ConsentShown(document.version, shown)
