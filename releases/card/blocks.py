"""What a card is made of. A page and a Markdown file show the same blocks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.charts import Table
from core.templatetags.commonplace import interval, reason, statistic
from releases.models import Release


@dataclass(frozen=True)
class File:
    """A file of an export: its rows and the hash of its bytes; `erased` is when they went."""

    name: str
    rows: int
    sha256: str
    erased: datetime | None = None


@dataclass(frozen=True)
class Block:
    """One of: a paragraph, a heading below the section's, a list, a table, or text to be copied
    as it is."""

    text: str = ""
    heading: str = ""
    listed: Sequence[str] = ()
    table: Table | None = None
    exact: str = ""


@dataclass(frozen=True)
class Section:
    title: str
    blocks: Sequence[Block]

    def named(self) -> Iterator[tuple[Block, str]]:
        """Blocks with the heading they stand under, by which a reader of the screen hears them."""
        name = self.title
        for block in self.blocks:
            if block.heading:
                name = f"{self.title}: {block.heading}"
            yield block, name


@dataclass(frozen=True)
class Card:
    """`notices` come before everything else: (what is so, what follows from it)."""

    title: str
    notices: Sequence[tuple[str, str]]
    sections: Sequence[Section]


@dataclass(frozen=True)
class Facts:
    """What a card is written from: `described` as `selectors.describe`, `rows` of the items."""

    release: Release
    described: dict[str, Any]
    rows: Sequence[dict[str, Any]]
    files: Sequence[File]

    @property
    def about(self) -> dict[str, Any]:
        return self.release.about

    @property
    def study(self) -> dict[str, Any] | None:
        """What the manifest says of the study; None where there is none."""
        return self.about.get("study")

    @property
    def of_questions(self) -> bool:
        return "coverage" in self.described

    @property
    def of_artifacts(self) -> bool:
        return "artifacts" in self.described

    @property
    def regions(self) -> list[dict[str, Any]]:
        return self.about["regions"]


def told(value: Any, form: str = "number") -> str:
    """A statistic with its interval, or with the reason why it has none."""
    said = statistic(value, form)
    plain = value if isinstance(value, dict) else value.as_dict()
    if plain["value"] is None or interval(plain, form):
        return said
    return f"{said} ({reason(plain.get('reason'))})"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Block:
    return Block(table=Table(columns, list(rows)))


def day(moment: datetime | None) -> str:
    """`30 Nov 2026` in UTC; empty for none."""
    if moment is None:
        return ""
    moment = moment.astimezone(UTC)
    return f"{moment.day} {moment:%b %Y}"


def many(count: int, thing: str, things: str = "") -> str:
    """`1 region`, `4 regions`."""
    return f"{count:,} {thing if count == 1 else things or f'{thing}s'}"


def joined(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
