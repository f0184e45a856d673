"""Reading the JSON objects out of what a model said."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_STRING = r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'"""
_STRINGS_AND_BRACES = re.compile(rf"(?s){_STRING}|[{{}}\"']")
_STRINGS = re.compile(rf"(?s){_STRING}")
_BEGINNING = re.compile(  # of an object, not of prose in braces: a name with its colon, or nothing
    r"""\{\s*+(?:["“][^"”\n]*+["”]\s*+:|['‘][^'’\n]*+['’]\s*+:|\w[\w -]*+:|["'][\w -]*+\Z|\})"""
)
_VALUE_NEXT = re.compile(r"""(?:["'”’]\s*+:|[\[,])\Z""")
LONGEST_LITERAL = 50_000  # characters: parsing Python takes long and much memory
MOST_PLACES = 20  # an object may begin at; what has more braces before it is prose about code
LONGEST_REPLY = 100_000  # characters that `read_objects` goes through
MOST_BRACES = 100  # that `read_objects` looks at; the rest is one unreadable object


class Object(dict[str, Any]):
    """An object as it stands: the last value of each name, and all `pairs` of name and value."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


_DECODER = json.JSONDecoder(object_pairs_hook=Object)
_LENIENT = json.JSONDecoder(object_pairs_hook=Object, strict=False)  # line breaks in strings


@dataclass(frozen=True)
class Found:
    """What stands in a reply where an object begins; None is one that cannot be read.

    It ends at `end`: after its last brace or, where it was cut off, at the end of the reply.
    """

    text: str
    value: Object | None
    end: int


def read_object(text: str) -> dict[str, Any] | None:
    """The longest object in a reply, None where there is none or it was cut off.

    Around it there may be prose or a code fence; in it a comma at the end of a list, or Python's
    True, None and quotes.
    """
    found = list(_objects(text))
    return max(found, key=lambda each: each[0])[1] if found else None


def read_objects(text: str) -> list[Found]:
    """Every object in a reply that is not within another, in the order they stand.

    Read as `read_object` does, and with line breaks in strings. An object that is broken or was
    cut off is listed without its value, since it may be the one that counts; objects within such
    a one are part of it. After MOST_BRACES the rest counts as one broken object, and so does the
    whole of a reply beyond LONGEST_REPLY.
    """
    if len(text) > LONGEST_REPLY:
        return [Found(text, None, len(text))]
    found: list[Found] = []
    torn: int | None = None  # where the last object begins that never ends
    start, places = text.find("{"), 0
    while start >= 0:
        places += 1
        if places > MOST_BRACES:
            return [*found, Found(text[start:], None, len(text))]
        following = start + 1
        within = torn is not None and _within(text[torn:start])
        if _BEGINNING.match(text, start) and not within:
            piece = _piece(text, start)
            if piece is None:
                torn = start
                found.append(Found(text[start:], None, len(text)))
            else:
                following = start + len(piece)
                found.append(Found(piece, _whole(piece), following))
        start = text.find("{", following)
    return found


def _piece(text: str, start: int) -> str | None:
    """From a brace to the one that closes it; braces in strings do not count."""
    depth = 0
    for match in _STRINGS_AND_BRACES.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return text[start : match.end()]
        if match[0] in "\"'":
            return None  # a string that never ends
    return None


def _within(text: str) -> bool:
    """Whether what follows this beginning of an object is in a string or a value of it."""
    rest = _STRINGS.sub("", text)
    return '"' in rest or "'" in rest or _VALUE_NEXT.search(text.rstrip()) is not None


def _whole(piece: str) -> Object | None:
    plain = _TRAILING_COMMA.sub("", piece)
    read = _json(piece, _LENIENT) or _json(plain, _LENIENT) or _python(piece)
    return read[1] if read else None


def _objects(text: str) -> Iterator[tuple[int, Object]]:
    """(length, object) of those that begin in the text and not within another."""
    start, places = text.find("{"), 0
    while start >= 0 and places < MOST_PLACES:
        places += 1
        rest = text[start:]
        read = _json(rest) or _json(_TRAILING_COMMA.sub("", rest)) or _python(rest)
        if read:
            yield read
        elif rest.count("{") > rest.count("}"):
            return  # cut off: what is whole in it is only a part
        start = text.find("{", start + (read[0] if read else 1))


def _json(text: str, decoder: json.JSONDecoder = _DECODER) -> tuple[int, Object] | None:
    try:
        value, end = decoder.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return (end, value) if isinstance(value, Object) else None


def _python(text: str) -> tuple[int, Object] | None:
    """As a literal of Python, up to the last brace."""
    end = text.rfind("}") + 1
    if end > LONGEST_LITERAL:
        return None
    try:
        tree = ast.parse(text[:end], mode="eval").body
        if not isinstance(tree, ast.Dict):
            return None
        value = ast.literal_eval(tree)
        json.dumps(value, allow_nan=False)
        pairs = [
            (ast.literal_eval(name), ast.literal_eval(given))
            for name, given in zip(tree.keys, tree.values, strict=True)
            if name is not None
        ]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return end, Object(pairs)
