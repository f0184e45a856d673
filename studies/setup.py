"""What a study is set up with, as plain values; pages and study files both end in these."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from core.errors import CommonplaceError
from core.text import fold
from studies.languages import Texts

DAYS = 14  # from entry until the time for an activity is up
LONGEST_NAME = 120  # characters of a place or a country
# What may still change while answers are collected, by what it belongs to.
LATER = {
    "study": ("ethics_number",),
    "region": ("target",),
    "activity": ("recruiter", "recruiter_study_id"),
}
_SLUG = re.compile(r"(?!new$)[a-z][a-z0-9_-]{0,59}")


class ActivityKind(StrEnum):
    SURVEY = "survey"
    GAME = "game"


class Phase(StrEnum):
    PILOT = "pilot"
    MAIN = "main"


class RewardKind(StrEnum):
    HOURLY = "hourly"
    FLAT = "flat"


class Purpose(StrEnum):
    """What a participant may agree to; without `take_part` nobody takes part."""

    TAKE_PART = "take_part"
    PUBLISH = "publish"
    AUDIO = "audio"
    OUTSIDE_MODEL = "outside_model"


@dataclass(frozen=True, kw_only=True)
class StudyFacts:
    """`residency_percent` is the share of life that makes a region somebody's (50 to 99);
    `retention_days` is how long recruiters' ids are kept after payment has closed."""

    slug: str
    names: Texts
    languages: list[str]
    country: str
    timezone: str
    currency: str
    residency_percent: int = 50
    ethics_number: str = ""
    retention_days: int = 90


@dataclass(frozen=True)
class PlaceFacts:
    """`name` is what values and files know a place by; `names` is what people call it, in the
    study's first language at least."""

    name: str
    names: Texts

    @property
    def called(self) -> tuple[str, ...]:
        return (self.name, *self.names.values())

    @property
    def folded(self) -> set[str]:
        """All it is called, under `core.text.fold`."""
        return {fold(name) for name in self.called}


@dataclass(frozen=True, kw_only=True)
class RegionFacts:
    """`phrases` say where ("on the coast"); `target` is the number of participants wanted."""

    slug: str
    names: Texts
    phrases: Texts
    aliases: list[str]
    places: list[PlaceFacts]
    language: str
    target: int
    position: int


@dataclass(frozen=True, kw_only=True)
class ActivityFacts:
    """`amount_minor` is minor units of the study's currency, per hour where the reward is hourly;
    `minutes` is how long the activity is expected to take, `days` how long a place is kept."""

    slug: str
    names: Texts
    kind: ActivityKind
    phase: Phase
    reward: RewardKind
    amount_minor: int
    minutes: int
    position: int
    days: int = DAYS
    recruiter: str = ""
    recruiter_study_id: str = ""


@dataclass(frozen=True, kw_only=True)
class ConsentFacts:
    """The document, and the purposes asked for with their sentences."""

    texts: Texts
    purposes: dict[str, Texts]


@dataclass(frozen=True, kw_only=True)
class Setup:
    facts: StudyFacts
    simulated: bool
    regions: list[RegionFacts]
    activities: list[ActivityFacts]
    consent: ConsentFacts
    sections: dict[str, Any] = field(default_factory=dict)  # of the rooms above, by name


def slug(text: str) -> str:
    """A short name for addresses and files. Raises `study.slug`."""
    if not _SLUG.fullmatch(text):
        raise CommonplaceError(
            "study.slug",
            f"“{text}” cannot be a short name. Write up to 60 small letters, digits, “_” or “-”, "
            "beginning with a letter; “new” is taken by the page that adds one.",
            value=text,
        )
    return text


@cache
def timezones() -> list[str]:
    """Every zone this machine knows, in order; finding them walks a folder, so it is done once."""
    return sorted(available_timezones())


def timezone(text: str) -> str:
    """The name of a time zone this machine knows. Raises `study.timezone`."""
    if text not in timezones():
        raise CommonplaceError(
            "study.timezone",
            f"“{text}” is not a time zone. Write its name as in Europe/Lisbon.",
            value=text,
        )
    return text


def distinct_places(places: Iterable[PlaceFacts]) -> list[PlaceFacts]:
    """Places in order, of which no two are called alike in whichever languages, under
    `core.text.fold`. Raises `place.twice`, `place.empty`, `place.too_long` and `place.bar`, with
    the `position` of the place, from 1."""
    seen: set[str] = set()
    found = []
    for position, place in enumerate(places, start=1):
        for name in place.called:
            _refuse_place_name(name, position)
        if taken := seen & place.folded:
            name = next(name for name in place.called if fold(name) in taken)
            raise CommonplaceError(
                "place.twice",
                f"The place “{name}” is listed twice. Keep it once.",
                value=name,
                position=position,
            )
        seen |= place.folded
        found.append(place)
    return found


def _refuse_place_name(name: str, position: int) -> None:
    where: dict[str, Any] = {"value": name, "position": position}
    if not fold(name):
        raise CommonplaceError(
            "place.empty", "A place has no name. Write one or remove it.", **where
        )
    if len(name) > LONGEST_NAME:
        raise CommonplaceError(
            "place.too_long",
            f"“{name[:40]}…” is longer than {LONGEST_NAME} characters. Shorten it.",
            **where,
        )
    if "|" in name:
        raise CommonplaceError(
            "place.bar",
            f"The name “{name}” has a “|” in it, which parts the languages of a place. Write it "
            "without.",
            **where,
        )
