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


@dataclass(frozen=True, kw_only=True)
class RegionFacts:
    """`phrases` say where ("on the coast"); `target` is the number of participants wanted."""

    slug: str
    names: Texts
    phrases: Texts
    aliases: list[str]
    places: list[str]
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


def distinct_places(names: Iterable[str]) -> list[str]:
    """Names of places in order, none twice under `core.text.fold`. Raises `place.twice`,
    `place.empty` and `place.too_long`."""
    seen: set[str] = set()
    found = []
    for name in names:
        folded = fold(name)
        if not folded:
            raise CommonplaceError("place.empty", "A place has no name. Write one or remove it.")
        if len(name.strip()) > LONGEST_NAME:
            raise CommonplaceError(
                "place.too_long",
                f"“{name[:40]}…” is longer than {LONGEST_NAME} characters. Shorten it.",
                value=name,
            )
        if folded in seen:
            raise CommonplaceError(
                "place.twice", f"The place “{name}” is listed twice. Keep it once.", value=name
            )
        seen.add(folded)
        found.append(name.strip())
    return found
