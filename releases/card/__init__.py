"""The card of a release: what a reader of the data has to know, written from its manifest and its
index, so that nobody has to write it and it cannot say anything else than the data do.

A section that has no source (the collection of a data set that was imported) says so.
"""

from collections.abc import Callable, Sequence

from releases import selectors
from releases.card import holding, making, markdown, playing, using
from releases.card.blocks import Card, Facts, File, Section
from releases.models import Release

__all__ = ["Card", "File", "of", "readme"]

SECTIONS: Sequence[Callable[[Facts], Section | None]] = (
    holding.what,
    holding.regions,
    holding.counts,
    making.collected,
    making.annotated,
    playing.guessed,
    holding.findings,
    using.files,
    using.versions,
    using.licence,
    using.citing,
    using.limits,
)


def of(release: Release, files: Sequence[File]) -> Card:
    """The card of a release beside these files, as a page shows it."""
    return _card(_facts(release, files))


def readme(release: Release, files: Sequence[File]) -> bytes:
    """The same as `README.md`. Equal releases and files give equal bytes."""
    facts = _facts(release, files)
    return markdown.written(_card(facts), facts)


def _facts(release: Release, files: Sequence[File]) -> Facts:
    return Facts(release, selectors.describe(release), selectors.rows(release), files)


def _card(facts: Facts) -> Card:
    return Card(
        title=facts.release.title or facts.release.name,
        notices=using.notices(facts.release),
        sections=[told for section in SECTIONS if (told := section(facts)) is not None],
    )
