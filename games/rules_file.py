"""The section `game` of a study file (docs/study-file.md). Pure: nodes in, plain values out."""

from dataclasses import fields
from enum import StrEnum
from typing import Any

from games.rules import BOUNDS, Rules
from studies import nodes
from studies.nodes import Map, Read, Value

GAME = tuple(each.name for each in fields(Rules))


def parse(value: Value, _tongues: list[str]) -> Rules:
    """What the section says. Refusals are `study_file.*` and name line and key."""
    section = Map(value, GAME)
    return Rules(
        **{
            each.name: section.read(each.name, _reader(each.name, each.default), each.default)
            for each in fields(Rules)
        }
    )


def _reader(name: str, usual: Any) -> Read[Any]:
    if isinstance(usual, bool):
        return nodes.yes_or_no
    if isinstance(usual, StrEnum):
        return nodes.one_of(type(usual))
    return nodes.whole(*BOUNDS[name])
