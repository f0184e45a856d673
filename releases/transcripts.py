"""The part `transcripts`: whole games, a row each, as they were played under pseudonyms.

A row is {"game": its code, "region", "language", "players": [pseudonym or null, …] by seat,
"ended": a code, "guesses": a turn by the rules, "turns": [{"number", "giver": seat, "artifact":
key, "outcome", "accuracy", "quality"}], "events": [{"seq", "seat", "kind", "data", "ms": since the
game was made}],
"words": [{"turn", "kind", "number", "seat", "player": pseudonym or null, "artifact", "text",
"about", "verdict", "reason", "decided_by", "repeats": null or {"game", "turn", "number"},
"left_out": null or a LeftOut}]}.

Words are in the order they were written, events likewise; the player of a word wrote it first or,
of a warning, was warned. A player who did not agree to
publication, or has withdrawn, is null, and their words are empty; that they were said stays.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from games.selectors.gathered import LeftOut

NAME = "transcripts"  # of the part
WORD_COLUMNS = (
    *("game", "turn", "kind", "number", "seat", "player", "artifact", "text", "about"),
    *("verdict", "reason", "decided_by", "left_out"),
)

Row = dict[str, Any]


def without(rows: Iterable[Mapping[str, Any]], gone: Collection[str]) -> list[Row]:
    """Games without the words of those who are gone, wherever they were repeated; their partners'
    stay. A game nobody is left of goes as a whole."""
    left = [_without(row, gone) for row in rows]
    return [row for row in left if any(row["players"])]


def _without(row: Mapping[str, Any], gone: Collection[str]) -> Row:
    players = [None if player in gone else player for player in row["players"]]
    words = [_emptied(each) if each["player"] in gone else each for each in row["words"]]
    return {**row, "players": players, "words": words}


def _emptied(said: Mapping[str, Any]) -> Row:
    return {**said, "player": None, "text": "", "about": "", "left_out": LeftOut.REMOVED.value}


def words(rows: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """What was said, one after the other, each with its game."""
    for row in rows:
        for said in row["words"]:
            yield {"game": row["game"], **said}
