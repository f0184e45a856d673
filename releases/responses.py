"""The answers a release of a study holds, of people who agreed to publication, to be read.

They are read from the frozen bytes and from nothing else, so that what was erased is gone here too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from releases import canonical, presenting, storing
from releases.models import Item, Part, Release
from studies import languages

NAME = "responses"  # of the part
NO_REGION = "no region of the study"

Row = dict[str, Any]


@dataclass(frozen=True)
class Filters:
    """A region's slug and an item's key, or empty."""

    region: str = ""
    question: str = ""


@dataclass(frozen=True)
class Answer:
    """Lines in one language; `participant` is a pseudonym."""

    participant: str
    region: str
    language: str
    direction: str
    lines: list[str]


@dataclass(frozen=True)
class Group:
    """A question, and answers to it that stand after each other."""

    item: Item
    text: str
    answers: list[Answer]


def rows(part: Part) -> list[Row]:
    """By question, then person. Raises `release.part_purged` and `release.bytes_changed`."""
    return canonical.rows(storing.read(part))


def narrowed(found: Iterable[Row], filters: Filters) -> list[Row]:
    return [
        row
        for row in found
        if filters.region in ("", row["region"]) and filters.question in ("", row["item"])
    ]


def questions(release: Release, found: Iterable[Row]) -> list[tuple[str, str]]:
    """(key, text) of what was answered, in the release's order."""
    answered = {row["item"] for row in found}
    items = release.items.filter(key__in=answered)
    return [(item.key, _text(release, item)) for item in items]


def groups(release: Release, some: Sequence[Row]) -> list[Group]:
    """Rows as they are shown, in their order."""
    items = {item.key: item for item in release.items.filter(key__in={row["item"] for row in some})}
    names = presenting.names(release)
    return [
        Group(items[key], _text(release, items[key]), [_answer(row, names) for row in given])
        for key, given in groupby(some, key=lambda row: row["item"])
    ]


def _answer(row: Row, names: dict[str, str]) -> Answer:
    """Releases frozen before the words of what was chosen were kept show its ids."""
    said = row.get("words") or row["text"] or canonical.dumps(row["value"]).decode()
    return Answer(
        participant=row["participant"],
        region=names.get(row["region"], NO_REGION),
        language=row["language"],
        direction=languages.direction(row["language"]),
        lines=said.splitlines(),
    )


def _text(release: Release, item: Item) -> str:
    return item.payload["text"][release.about["language"]]
