"""Reading the JSON object out of what a model said."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_DECODER = json.JSONDecoder()
LONGEST_LITERAL = 50_000  # characters: parsing Python takes long and much memory
MOST_PLACES = 20  # an object may begin at; what has more braces before it is prose about code


def read_object(text: str) -> dict[str, Any] | None:
    """The longest object in a reply, None where there is none or it was cut off.

    Around it there may be prose or a code fence; in it a comma at the end of a list, or Python's
    True, None and quotes.
    """
    found = list(_objects(text))
    return max(found, key=lambda each: each[0])[1] if found else None


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
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


def _json(text: str) -> tuple[int, dict[str, Any]] | None:
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return (end, value) if isinstance(value, dict) else None


def _python(text: str) -> tuple[int, dict[str, Any]] | None:
    """As a literal of Python, up to the last brace."""
    end = text.rfind("}") + 1
    if end > LONGEST_LITERAL:
        return None
    try:
        value = ast.literal_eval(text[:end])
        json.dumps(value, allow_nan=False)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return (end, value) if isinstance(value, dict) else None
