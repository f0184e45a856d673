"""Items as pages show them: questions region by region, who answered what and who agrees; and
artifacts with what they are called and how people describe them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from releases import building, choices
from releases.models import Item, Release
from studies import languages

COLOURS = 8


@dataclass(frozen=True)
class Cell:
    """One region's answers to a question; the regions of one group share `letter` and `colour`.

    `same` are those of the group this region agrees with, `grouped` the others, which it is
    joined to by those of `through`.
    """

    region: str
    texts: Sequence[str]
    letter: str = ""
    colour: int = 0  # 1 to COLOURS, 0 for a region that stands alone
    same: Sequence[str] = ()
    through: Sequence[str] = ()
    grouped: Sequence[str] = ()


@dataclass(frozen=True)
class Line:
    """One question and its cells in region order."""

    item: Item
    text: str
    cells: Sequence[Cell]
    universal: bool = False

    @property
    def incomplete(self) -> bool:
        """Whether some regions of one group agree only through another."""
        return any(cell.grouped for cell in self.cells)


@dataclass(frozen=True)
class Rated:
    """What guessers of one game gave the clues of an artifact, 1 to 5 or nothing."""

    game: str
    accuracy: int | None
    quality: int | None


@dataclass(frozen=True)
class Thing:
    """One artifact: the name it is shown by and its `language`. `called` are the other names by
    what they are, each in the words of a page; `clues` are as in its payload."""

    item: Item
    text: str
    language: str
    region: str
    origin: str
    called: Mapping[str, Sequence[str]]
    clues: Sequence[Mapping[str, Any]]
    ratings: Sequence[Rated]

    @property
    def games(self) -> int:
        """How many games its clues come from."""
        return len({clue["game"] for clue in self.clues if "game" in clue})


CALLED = {
    "alias": "Also called",
    "translation": "In other languages",
    "forbidden": "May not be said in a clue",
}


def names(release: Release) -> dict[str, str]:
    """{region: its name in the release's language, in English, or its slug}."""
    about = release.about
    return {
        region["slug"]: region["names"].get(about["language"])
        or region["names"].get("en")
        or region["slug"]
        for region in about["regions"]
    }


NOUNS = {"question": "question", "artifact": "artifact"}


def noun(kinds: Sequence[str]) -> str:
    """What one item of a release of these kinds is called."""
    return NOUNS.get(kinds[0], "item") if len(kinds) == 1 else "item"


def lines(release: Release, items: Sequence[Item]) -> list[Line | Thing]:
    """Questions and multiple-choice items region by region, artifacts as they are."""
    shown: Mapping[str, Callable[[Release, Item], Line | Thing]] = {
        Item.Kind.CHOICE: _choice_line,
        Item.Kind.ARTIFACT: _thing,
    }
    return [shown.get(item.kind, _line)(release, item) for item in items]


def _thing(release: Release, item: Item) -> Thing:
    payload = item.payload
    called: dict[str, list[str]] = {}
    for other in payload["names"]:
        called.setdefault(CALLED[other["kind"]], []).append(other["text"])
    language, text = name_of(payload, release.about["language"])
    return Thing(
        item=item,
        text=text,
        language=language,
        region=names(release)[payload["region"]],
        origin=payload["origin"],
        called=called,
        clues=payload["clues"],
        ratings=[
            Rated(each["game"], each["accuracy"], each["quality"]) for each in payload["ratings"]
        ],
    )


def name_of(payload: Mapping[str, Any], language: str) -> tuple[str, str]:
    """(tag, text) of what an artifact is called, in the release's language if it has a name in
    it."""
    return languages.choose(payload["name"], [language])


def _line(release: Release, item: Item) -> Line:
    language, gold = release.about["language"], item.payload["gold"]
    question = building.question_of(_row(item), release.regions, language)
    texts = {r: [a["text"][language] for a in gold[r] or ()] for r in release.regions}
    return Line(
        item=item,
        text=question.text,
        cells=_cells(names(release), texts, choices.agreeing_groups(question), question.agree),
        universal=item.payload["relations"]["all"] is True,
    )


def _choice_line(release: Release, item: Item) -> Line:
    """The regions of one option are a group in which each is the same as every other."""
    choice = building.choice_of(_row(item), release.about["language"])
    texts: dict[str, list[str]] = {region: [] for region in release.regions}
    for option in choice.options:
        texts |= {region: [option.text] for region in option.regions}
    groups = [option.regions for option in choice.options]
    cells = _cells(names(release), texts, groups, lambda a, b: True)
    return Line(item=item, text=choice.text, cells=cells)


def _row(item: Item) -> building.Row:
    return {"key": item.key, "labels": item.labels, "payload": item.payload}


def _cells(
    known: Mapping[str, str],
    texts: Mapping[str, Sequence[str]],
    groups: Sequence[Sequence[str]],
    agree: Callable[[str, str], bool],
) -> list[Cell]:
    shared = [group for group in groups if len(group) > 1]
    cells = []
    for region, given in texts.items():
        number = next((i for i, group in enumerate(shared) if region in group), None)
        if number is None:
            cells.append(Cell(known[region], given))
            continue
        others = [other for other in shared[number] if other != region]
        same = [other for other in others if agree(region, other)]
        grouped = [other for other in others if other not in same]
        through = [near for near in same if any(agree(near, far) for far in grouped)]
        cells.append(
            Cell(
                known[region],
                given,
                letter=chr(ord("A") + number),
                colour=number % COLOURS + 1,
                same=[known[other] for other in same],
                through=[known[other] for other in through],
                grouped=[known[other] for other in grouped],
            )
        )
    return cells
