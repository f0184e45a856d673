"""Reads a study file (docs/study-file.md) into a `Setup`, or says by line what is wrong with it.

Rooms above register a section of their own, which stands under its key beside ours.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from core.errors import CommonplaceError
from core.text import fold
from studies import languages, money, nodes, setup

if TYPE_CHECKING:
    from studies.models import Study

LARGEST_FILE = 5 * 1024 * 1024  # bytes

_STUDY = (
    "study",
    "names",
    "languages",
    "country",
    "timezone",
    "currency",
    "residency",
    "ethics_number",
    "retention_days",
    "simulated",
    "regions",
    "activities",
    "consent",
)
_REGION = ("names", "phrases", "aliases", "places", "language", "target")
_ACTIVITY = ("kind", "phase", "names", "reward", "recruiter", "recruiter_study_id")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where it was built


@dataclass(frozen=True)
class Section:
    """`parse` takes the value under the key and the study's languages. `load` makes the study as
    it says, within the caller's transaction, and returns what changed as `Loaded.changes` has it.
    """

    parse: Callable[[nodes.Value, list[str]], Any]
    load: "Callable[[Study, Any, str], list[str]]"


sections: dict[str, Section] = {}


def register_section(
    name: str,
    parse: Callable[[nodes.Value, list[str]], Any],
    load: "Callable[[Study, Any, str], list[str]]",
) -> None:
    """Called once, from `AppConfig.ready`; the section may be left out of a file."""
    sections[name] = Section(parse, load)


def parse(data: bytes) -> setup.Setup:
    """The set-up a file describes.

    Raises `study_file.*` with `line` (from 1), `key` (dotted), `value` and `allowed` in its data:
    `too_large`, `not_text`, `not_yaml`, `unknown_key` (with `did_you_mean`), `missing_key`,
    `key_twice`, `value`, `one_region`.
    """
    root = _root(data)
    study = nodes.Map(root, (*_STUDY, *sections))
    tongues = study.read("languages", _languages)
    texts = nodes.texts_in(tongues)
    regions = study.read("regions", nodes.entries(lambda value: _region(value, tongues)))
    if len(regions) == 1:
        raise study.at("regions").fault(
            "one_region",
            "A study compares regions, so one alone has nothing to agree or differ with. "
            "Add a second region.",
            value=regions[0].slug,
            allowed="two or more regions",
        )
    _refuse_shared_places(study.at("regions"), regions)
    currency = study.read("currency", nodes.checked(money.currency))
    facts = setup.StudyFacts(
        slug=study.read("study", nodes.checked(setup.slug)),
        names=study.read("names", texts),
        languages=tongues,
        country=study.read("country", nodes.line(setup.LONGEST_NAME)),
        timezone=study.read("timezone", nodes.checked(setup.timezone)),
        currency=currency,
        residency_percent=study.read("residency", _residency),
        ethics_number=study.read("ethics_number", nodes.line(setup.LONGEST_NAME), ""),
        retention_days=study.read("retention_days", nodes.whole(0, 3650), 90),
    )
    return setup.Setup(
        facts=facts,
        simulated=study.read("simulated", nodes.yes_or_no, False),
        regions=regions,
        activities=study.read(
            "activities", nodes.entries(lambda value: _activity(value, texts, currency))
        ),
        consent=study.read("consent", lambda value: _consent(value, tongues)),
        sections={
            name: section.parse(study.at(name), tongues)
            for name, section in sections.items()
            if name in study.values
        },
    )


# --- what stands under a key ------------------------------------------------------------------


def _region(value: nodes.Value, tongues: list[str]) -> setup.RegionFacts:
    region, texts = nodes.Map(value, _REGION), nodes.texts_in(tongues)
    language = region.read("language", nodes.checked(languages.tag), tongues[0])
    if language not in tongues:
        raise region.at("language").refuse(
            "The language of a region is one of the study's.", allowed=tongues
        )
    return setup.RegionFacts(
        slug=nodes.checked(setup.slug)(value.named()),
        names=region.read("names", texts),
        phrases=region.read("phrases", texts),
        aliases=region.read("aliases", nodes.list_of(nodes.line(setup.LONGEST_NAME)), []),
        places=region.read("places", lambda places: _places(places, tongues)),
        language=language,
        target=region.read("target", nodes.whole(1, 100_000)),
        position=value.position,
    )


def _places(value: nodes.Value, tongues: list[str]) -> list[setup.PlaceFacts]:
    entries = list(value.items())
    try:
        return setup.distinct_places(_place(entry, tongues) for entry in entries)
    except CommonplaceError as error:
        if "position" not in error.data:
            raise
        raise entries[error.data["position"] - 1].refuse(error.message) from error


def _place(value: nodes.Value, tongues: list[str]) -> setup.PlaceFacts:
    """A text, or a map of texts whose first language gives the name."""
    text, first = nodes.line(setup.LONGEST_NAME), tongues[0]
    names = nodes.texts_in(tongues, text)(value) if value.is_map() else {first: text(value)}
    return setup.PlaceFacts(names[first], names)


def _activity(
    value: nodes.Value, texts: nodes.Read[languages.Texts], code: str
) -> setup.ActivityFacts:
    activity = nodes.Map(value, _ACTIVITY)
    reward = nodes.Map(activity.at("reward"), ("kind", "amount", "minutes"))
    return setup.ActivityFacts(
        slug=nodes.checked(setup.slug)(value.named()),
        names=activity.read("names", texts),
        kind=activity.read("kind", nodes.one_of(setup.ActivityKind)),
        phase=activity.read("phase", nodes.one_of(setup.Phase), setup.Phase.PILOT),
        reward=reward.read("kind", nodes.one_of(setup.RewardKind)),
        amount_minor=reward.read("amount", nodes.checked(lambda text: money.minor(text, code))),
        minutes=reward.read("minutes", nodes.whole(1, 1440)),
        position=value.position,
        recruiter=activity.read("recruiter", nodes.line(60), ""),
        recruiter_study_id=activity.read("recruiter_study_id", nodes.line(setup.LONGEST_NAME), ""),
    )


def _consent(value: nodes.Value, tongues: Sequence[str]) -> setup.ConsentFacts:
    consent, texts = nodes.Map(value, ("texts", "purposes")), nodes.texts_in(tongues)
    purposes = nodes.Map(consent.at("purposes"), tuple(setup.Purpose))
    purposes.at(setup.Purpose.TAKE_PART)
    return setup.ConsentFacts(
        texts=consent.read("texts", nodes.texts_in(tongues, nodes.paragraphs)),
        purposes={
            purpose: purposes.read(purpose, texts)
            for purpose in setup.Purpose
            if purpose in purposes.values
        },
    )


def _residency(value: nodes.Value) -> int:
    return nodes.Map(value, ("more_than_percent",)).read("more_than_percent", nodes.whole(50, 99))


def _languages(value: nodes.Value) -> list[str]:
    given = [nodes.checked(languages.tag)(each) for each in value.items()]
    return value.checked(lambda: languages.tags(given))


def _refuse_shared_places(value: nodes.Value, regions: Sequence[setup.RegionFacts]) -> None:
    home: dict[str, str] = {}
    for region in regions:
        for name in (name for place in region.places for name in place.called):
            other = home.setdefault(fold(name), region.slug)
            if other != region.slug:
                raise (
                    nodes.Map(value, None)
                    .at(region.slug)
                    .refuse(
                        f"“{name}” lies in {other} already, and a place lies in one region only.",
                        given=name,
                    )
                )


def _root(data: bytes) -> nodes.Value:
    if len(data) > LARGEST_FILE:
        raise CommonplaceError(
            "study_file.too_large",
            "The file is larger than 5 MB. A study with all its questions is shorter than that.",
        )
    try:
        node = yaml.compose(data.decode("utf-8-sig"), Loader=_LOADER)
    except UnicodeDecodeError as error:
        raise CommonplaceError(
            "study_file.not_text", "The file is not text in UTF-8. Save it as UTF-8."
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or "a character YAML does not allow"
        raise CommonplaceError(
            "study_file.not_yaml",
            f"Line {line}: this is not YAML ({problem}). Check indentation, colons and quotes.",
            line=line,
        ) from error
    if node is None:
        raise CommonplaceError(
            "study_file.not_yaml", "The file is empty. Begin with “study: a_short_name”.", line=1
        )
    return nodes.Value(node)
