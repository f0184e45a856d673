"""What the simulated people of the demonstration keep to, and what somebody makes of their words.

`answers.yaml` holds the practices of every question; nothing here knows a participant.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from core.text import fold

FOLDER = Path(__file__).parent
STUDY_FILE = FOLDER / "study.yaml"
LIKENESS = 0.5  # a text less like every way to say something is not understood


@dataclass(frozen=True)
class Practice:
    """`text` is how an annotator writes it down, empty where people say that they do not know;
    `near` another practice it is easily taken for; `said` ways to say it by language, empty where
    `value`, of a choice or a number, stands for it."""

    name: str
    text: str
    near: str
    value: str
    said: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Custom:
    """What is kept in a question: its practices by name, and by region that of each of five."""

    key: str
    practices: Mapping[str, Practice]
    regions: Mapping[str, Sequence[str]]

    def kept_by(self, region: str, seat: int) -> Practice:
        """The practice of the person at a seat, 0 to 4; who keeps which is drawn per question."""
        seats = list(self.regions[region])
        Random(f"{self.key} in {region}").shuffle(seats)  # noqa: S311  (a simulation)
        return self.practices[seats[seat]]

    def written(self, text: str) -> Practice:
        """The practice that an annotator wrote down so."""
        return next(each for each in self.practices.values() if each.text == text)


@cache
def understood(key: str, said: str) -> Practice | None:
    """The practice that somebody means who says this to a question, whatever the spelling."""
    best, likeness = None, LIKENESS
    for practice in customs()[key].practices.values():
        for wording in _wordings(practice):
            alike = difflib.SequenceMatcher(None, fold(said), wording).ratio()
            if alike > likeness:
                best, likeness = practice, alike
    return best


@cache
def customs() -> dict[str, Custom]:
    """Every question's, by its key."""
    document: dict[str, dict[str, Any]] = yaml.safe_load(
        (FOLDER / "answers.yaml").read_text("utf-8")
    )
    return {key: _custom(key, dict(given)) for key, given in document.items()}


def _custom(key: str, given: dict[str, Any]) -> Custom:
    regions = given.pop("regions")
    return Custom(
        key,
        {name: _practice(name, dict(practice)) for name, practice in given.items()},
        {
            region: [name for name, people in kept.items() for _person in range(people)]
            for region, kept in regions.items()
        },
    )


def _practice(name: str, given: dict[str, Any]) -> Practice:
    text, near, value = (given.pop(key, "") for key in ("text", "near", "value"))
    return Practice(name, text, near, value, given)


def _wordings(practice: Practice) -> list[str]:
    said = [text for texts in practice.said.values() for text in texts]
    return [fold(text) for text in said or [practice.value]]
