"""The things that the simulated people of each region know, and what they say of them in a game.

`games.yaml` holds them all; nothing here knows a participant.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

from console.demo.content import FOLDER


@dataclass(frozen=True)
class Clue:
    """`appeals` where its giver asks a moderator for it, after the rules have kept it back."""

    text: str
    blocked: bool = False
    appeals: bool = False


@dataclass(frozen=True)
class Guess:
    """Made when the partner has read `after` clues; `meant` is what the giver says if it comes
    near."""

    text: str
    after: int
    meant: str = "unsure"


@dataclass(frozen=True)
class Script:
    """What both say in one turn; whoever has nothing left to say asks for the end of it."""

    clues: Sequence[Clue] = ()
    guesses: Sequence[Guess] = ()


@dataclass(frozen=True)
class Proposed:
    """After which game of the region somebody proposes a thing, and how they describe it."""

    game: int
    about: str
    accepted: bool


@dataclass(frozen=True)
class Thing:
    """`names` by language; `proposed` where it is not on the list from the beginning; `scripts`
    by number of the region's game."""

    region: str
    names: Mapping[str, Sequence[str]]
    forbidden: Sequence[str]
    shared: str
    proposed: Proposed | None
    said: Sequence[str]
    scripts: Sequence[Script]

    def called(self, name: str) -> bool:
        return any(name in names for names in self.names.values())


def surveyed(region: str) -> list[Thing]:
    """What people of a region name when they are asked which things everybody there knows."""
    return [each for each in of_region(region) if each.proposed is None]


def proposed(region: str, game: int) -> Thing | None:
    """What somebody proposes after a game."""
    found = (each for each in of_region(region) if each.proposed and each.proposed.game == game)
    return next(found, None)


def named(region: str, name: str) -> Thing:
    return next(each for each in of_region(region) if each.called(name))


def understood(region: str, clue: str) -> Thing:
    """What somebody of the region thinks of who hears this clue."""
    return next(each for each in of_region(region) if clue in each.said)


def of_region(region: str) -> list[Thing]:
    return [each for each in things() if each.region == region]


@cache
def things() -> list[Thing]:
    document: dict[str, dict[str, Any]] = yaml.safe_load((FOLDER / "games.yaml").read_text("utf-8"))
    return [_thing(region, given) for region, each in document.items() for given in each.values()]


def _thing(region: str, given: Mapping[str, Any]) -> Thing:
    scripts = [_script(given["clues"], moves) for moves in given["games"]]
    return Thing(
        region,
        {language: given[language] for language in ("en", "hi")},
        given.get("forbidden", ()),
        given.get("shared", "ours"),
        Proposed(**{"accepted": True, **given["proposed"]}) if "proposed" in given else None,
        [clue.text for script in scripts for clue in script.clues],
        scripts,
    )


def _script(texts: Mapping[str, str], moves: Sequence[Any]) -> Script:
    clues: list[Clue] = []
    guesses: list[Guess] = []
    for move in moves:
        if isinstance(move, str):
            clues.append(Clue(texts[move]))
        elif "guess" in move:
            read = sum(not clue.blocked or clue.appeals for clue in clues)
            guesses.append(Guess(move["guess"], read, move.get("meant", "unsure")))
        else:
            ((kind, text),) = move.items()
            clues.append(Clue(text, blocked=True, appeals=kind == "appeal"))
    return Script(clues, guesses)
