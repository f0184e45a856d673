"""Artifacts of a release: what the part `clues` says, what contradicts itself, and what is left
when somebody withdraws.

| code               | of       | detail                 | what it says |
|--------------------|----------|------------------------|--------------|
| `in_both_sets`     | artifact | {name, region, items}  | original and expanded in one region |
| `in_two_regions`   | name     | {name, regions, items} | of several regions |
| `surrounding_space`| artifact | {name}                 | blanks around a name |
| `markup_like_name` | artifact | {name}                 | `<…>` in a name |
| `missing_file`     | region   | {region, file}         | its source lacks a table |

Names are the same when `core.text.fold` makes them so. `item` is the first artifact of `items`.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.text import fold
from studies import languages

KIND = "artifact"
CLUES = "clues"  # the part
OF_A_GAME = ("language", "giver", "game", "turn", "number")  # of a clue, where it is known
CODES = ("in_both_sets", "in_two_regions", "surrounding_space", "markup_like_name", "missing_file")
_MARKUP = re.compile(r"<[^<>]+>")

Row = dict[str, Any]


def of(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows that are artifacts."""
    return [row for row in rows if row["kind"] == KIND]


def clues(rows: Iterable[Mapping[str, Any]]) -> list[Row]:
    """The part `clues`: a row a clue, numbered within its artifact from 1. What is not known of
    the game it was given in is null."""
    found = []
    for row in of(rows):
        payload = row["payload"]
        for number, clue in enumerate(payload["clues"], start=1):
            named = {"artifact": row["key"], "region": payload["region"], "number": number}
            known = {name: clue.get(name) for name in ("language", "giver", "game", "turn")}
            found.append(named | {"text": clue["text"]} | known | {"in_turn": clue.get("number")})
    return found


def givers(rows: Iterable[Mapping[str, Any]]) -> set[str]:
    """The pseudonyms of those whose clues are in artifacts."""
    given = {clue.get("giver") for row in of(rows) for clue in row["payload"]["clues"]}
    return {giver for giver in given if giver}


def left(row: Row, gone: Collection[str]) -> Row:
    """A row, of an artifact without the clues of those who are gone. Its names are a region's and
    stay."""
    if row["kind"] != KIND:
        return row
    stay = [clue for clue in row["payload"]["clues"] if clue.get("giver") not in gone]
    return {**row, "payload": {**row["payload"], "clues": stay}}


def findings(rows: Sequence[Mapping[str, Any]], language: str) -> list[Row]:
    """Findings [{"code", "item", "detail"}] of artifact rows, by artifact, in the table's order."""
    held = of(rows)
    names = {row["key"]: _name(row, language) for row in held}
    alike: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in held:
        alike[fold(names[row["key"]])].append(row)
    found: dict[str, list[Row]] = defaultdict(list)
    for row in held:
        key = row["key"]
        for code, detail in (
            *_shared(row, names[key], alike[fold(names[key])]),
            *_spelt(names[key]),
        ):
            found[key].append({"code": code, "item": key, "detail": detail})
    return [finding for each in found.values() for finding in each]


def _name(row: Mapping[str, Any], language: str) -> str:
    return languages.choose(row["payload"]["name"], [language])[1]


def _shared(
    row: Mapping[str, Any], name: str, alike: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, Row]]:
    """What its name shares with others, told at the first of them."""
    region = row["payload"]["region"]
    here = [each for each in alike if each["payload"]["region"] == region]
    if row is here[0] and len({each["payload"]["origin"] for each in here}) > 1:
        yield "in_both_sets", {"name": name, "region": region, "items": _keys(here)}
    regions = list(dict.fromkeys(each["payload"]["region"] for each in alike))
    if row is alike[0] and len(regions) > 1:
        yield "in_two_regions", {"name": name, "regions": regions, "items": _keys(alike)}


def _keys(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return [row["key"] for row in rows]


def _spelt(name: str) -> Iterator[tuple[str, Row]]:
    if name != name.strip():
        yield "surrounding_space", {"name": name}
    if _MARKUP.search(name):
        yield "markup_like_name", {"name": name}
