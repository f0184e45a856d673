"""Questions region by region, as pages show them: who answered what, and who agrees."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from releases import building, choices
from releases.models import Item, Release

COLOURS = 8


@dataclass(frozen=True)
class Cell:
    """One region's answers to a question; regions that agree share `letter` and `colour`."""

    region: str
    texts: Sequence[str]
    letter: str = ""
    colour: int = 0  # 1 to COLOURS, 0 for a region that stands alone
    others: Sequence[str] = ()


@dataclass(frozen=True)
class Line:
    """One question and its cells in region order.

    `incomplete` says that some regions of one letter agree only by way of another.
    """

    item: Item
    text: str
    cells: Sequence[Cell]
    universal: bool = False
    incomplete: bool = False


def names(release: Release) -> dict[str, str]:
    """{region: its name in the release's language, in English, or its slug}."""
    about = release.about
    return {
        region["slug"]: region["names"].get(about["language"])
        or region["names"].get("en")
        or region["slug"]
        for region in about["regions"]
    }


def lines(release: Release, items: Sequence[Item]) -> list[Line]:
    """Questions or multiple-choice items as region by region."""
    return [
        _choice_line(release, item) if item.kind == Item.Kind.CHOICE else _line(release, item)
        for item in items
    ]


def _line(release: Release, item: Item) -> Line:
    language, known = release.about["language"], names(release)
    row = {"key": item.key, "labels": item.labels, "payload": item.payload}
    question = building.question_of(row, release.regions, language)
    groups = choices.agreeing_groups(question)
    gold = item.payload["gold"]
    texts = {r: [a["text"][language] for a in gold[r] or ()] for r in release.regions}
    return Line(
        item=item,
        text=question.text,
        cells=_cells(known, texts, [group for group in groups if len(group) > 1]),
        universal=item.payload["relations"]["all"],
        incomplete=any(
            not question.agree(a, b)
            for group in groups
            for a, b in itertools.combinations(group, 2)
        ),
    )


def _choice_line(release: Release, item: Item) -> Line:
    language, known = release.about["language"], names(release)
    row = {"key": item.key, "labels": item.labels, "payload": item.payload}
    choice = building.choice_of(row, language)
    texts: dict[str, list[str]] = {region: [] for region in release.regions}
    for option in choice.options:
        texts |= {region: [option.text] for region in option.regions}
    shared = [option.regions for option in choice.options if len(option.regions) > 1]
    return Line(item=item, text=choice.text, cells=_cells(known, texts, shared))


def _cells(
    known: Mapping[str, str], texts: Mapping[str, Sequence[str]], groups: Sequence[Sequence[str]]
) -> list[Cell]:
    cells = []
    for region, given in texts.items():
        number = next((i for i, group in enumerate(groups) if region in group), None)
        if number is None:
            cells.append(Cell(known[region], given))
            continue
        others = [known[other] for other in groups[number] if other != region]
        letter, colour = chr(ord("A") + number), number % COLOURS + 1
        cells.append(Cell(known[region], given, letter, colour, others))
    return cells
