"""The shape of an item's payload, per kind and schema version.

question 1
    {"text": {tag: text},
     "gold": {region: [{"text": {tag: text}}, …] or null},      every region of the release
     "relations": {"pairs": [{"a": region, "b": region, "agree": bool}], "all": bool or
                   null where nobody has said it of a question every region answered}}
choice 1
    {"question": {tag: text},
     "options": [{"text": {tag: text}, "regions": [region, …]}],        2–26, regions disjoint
     "source": key of the question}
artifact 1
    {"region": region,                                                     the one it is of
     "name": {tag: text},                                                  what it is called first
     "names": [{"text", "kind": "alias", "translation" or "forbidden" (must not be said, and is no
                right guess), "language": tag or "", "script": Unicode's name of it or ""}, …],
     "origin": "original" or "expanded",
     "clues": [{"text"} and of a game of ours {"language", "giver": pseudonym, "game": its code,
                "turn": 0 for what was written with a proposal, "number": in the turn}, …],
     "ratings": [{"game", "turn", "accuracy": 1 to 5 or null, "quality"}, …]}    the guessers'

Clues are in the order they were given in, games in the order they began; what was struck is not
there. A text of an artifact is as it was written, with the blanks around it.

A row of the part `items` is {"key", "kind", "labels": {name: text}, "payload"}. The names in
`pairs` are the source's: one that is no region of the release is a finding, not a fault.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from core.errors import CommonplaceError

SCHEMA_VERSION = 1
LONGEST_KEY = 120
MOST_OPTIONS = 26  # one letter each
ORIGINS = ("original", "expanded")
OTHER_NAMES = ("alias", "translation", "forbidden")


def check(row: dict[str, Any], regions: Collection[str], version: int = SCHEMA_VERSION) -> None:
    """Raise `item.shape` with the place of the first fault (`data["at"]`), as in `gold.North`."""
    key = row.get("key")
    _demand(isinstance(key, str) and 0 < len(key) <= LONGEST_KEY, row, "key")
    labels = row.get("labels")
    _demand(isinstance(labels, dict) and _all_text(labels.values()), row, "labels")
    checker = _CHECKERS.get((row.get("kind", ""), version))
    if checker is None:
        _demand(False, row, "kind")
    elif isinstance(row.get("payload"), dict):
        checker(row, row["payload"], regions)
    else:
        _demand(False, row, "payload")


def flags_of(row: Mapping[str, Any]) -> dict[tuple[str, str], bool]:
    """The pair flags of a question row under the names and order they have in it."""
    pairs = row["payload"]["relations"]["pairs"]
    return {(pair["a"], pair["b"]): pair["agree"] for pair in pairs}


def _question(row: dict[str, Any], payload: dict[str, Any], regions: Collection[str]) -> None:
    _demand(_texts(payload.get("text")), row, "text")
    gold = payload.get("gold")
    _demand(isinstance(gold, dict) and set(gold) == set(regions), row, "gold")
    for region, answers in payload["gold"].items():
        given = isinstance(answers, list) and answers and all(_answer(a) for a in answers)
        _demand(answers is None or bool(given), row, f"gold.{region}")
    relations = payload.get("relations")
    known = isinstance(relations, dict) and isinstance(relations.get("all", 0), bool | None)
    _demand(known, row, "all")
    pairs = payload["relations"].get("pairs")
    _demand(isinstance(pairs, list) and all(_pair(pair) for pair in pairs), row, "pairs")


def _choice(row: dict[str, Any], payload: dict[str, Any], regions: Collection[str]) -> None:
    _demand(_texts(payload.get("question")), row, "question")
    _demand(isinstance(payload.get("source"), str), row, "source")
    options = payload.get("options")
    enough = isinstance(options, list) and 2 <= len(options) <= MOST_OPTIONS
    _demand(enough and all(_answer(option) for option in payload["options"]), row, "options")
    held: list[Any] = []
    for option in payload["options"]:
        named = option.get("regions")
        _demand(isinstance(named, list) and bool(named), row, "options.regions")
        held += named
    _demand(len(held) == len(set(held)) and set(held) <= set(regions), row, "options.regions")


def _artifact(row: dict[str, Any], payload: dict[str, Any], regions: Collection[str]) -> None:
    _demand(payload.get("region") in regions, row, "region")
    _demand(_texts(payload.get("name")), row, "name")
    _demand(payload.get("origin") in ORIGINS, row, "origin")
    for field, holds in (("names", _other_name), ("clues", _clue), ("ratings", _rating)):
        listed = payload.get(field)
        _demand(isinstance(listed, list) and all(map(holds, listed)), row, field)


_CHECKERS: dict[tuple[str, int], Callable[[dict[str, Any], dict[str, Any], Collection[str]], None]]
_CHECKERS = {("question", 1): _question, ("choice", 1): _choice, ("artifact", 1): _artifact}


def _demand(holds: bool, row: dict[str, Any], at: str) -> None:
    if not holds:
        raise CommonplaceError(
            "item.shape",
            f"Item {row.get('key')!r} does not have the shape of its kind: look at “{at}”.",
            item=str(row.get("key")),
            at=at,
        )


def _all_text(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _texts(value: Any) -> bool:
    """A language map with at least one text, none of them empty."""
    return (
        isinstance(value, dict)
        and bool(value)
        and _all_text(value.values())
        and all(text.strip() for text in value.values())
    )


def _answer(value: Any) -> bool:
    return isinstance(value, dict) and _texts(value.get("text"))


def _pair(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and _all_text((value.get("a"), value.get("b")))
        and isinstance(value.get("agree"), bool)
    )


def _other_name(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("kind") in OTHER_NAMES
        and _all_text((value.get("text"), value.get("language"), value.get("script")))
        and bool(value["text"].strip())
    )


def _clue(value: Any) -> bool:
    """All that is known of who gave it and where, or nothing of it."""
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return False
    of_a_game = {"language": str, "giver": str, "game": str, "turn": int, "number": int}
    known = value.keys() - {"text"}
    return bool(value["text"].strip()) and (
        not known
        or (
            known == of_a_game.keys()
            and all(isinstance(value[name], type_) for name, type_ in of_a_game.items())
        )
    )


def _rating(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("game"), str)
        and isinstance(value.get("turn"), int)
        and all(value.get(mark, 0) in (None, 1, 2, 3, 4, 5) for mark in ("accuracy", "quality"))
    )
