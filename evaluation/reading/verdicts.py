"""What a judge's reply says: one of three labels, or that it cannot be read. Pure.

A judge replies with one JSON object. It may quote another, planted in the answer it judges, before
it gives its own; so the last object that speaks of a verdict counts, and nothing before it. Where
that one is broken, cut off, without a label, with two, or followed by another label in prose, the
reply is `unparsed`: there is no default, and no verdict of an error page.
"""

import re
from typing import Any

from core.text import fold, storable
from evaluation.benchmarks import Judged
from evaluation.reading.visible import after_opening_reasoning, ends_reasoning, unusable
from inference.json_reply import Found, Object, read_objects

LABELS = ("CORRECT", "PARTIALLY_CORRECT", "INCORRECT")
LONGEST_REASONING, LONGEST_DISCREPANCY, MOST_DISCREPANCIES = 4000, 500, 20  # characters; entries
UNPARSED = Judged("unparsed")

_KEYS = {"label", "verdict"}
_SPEAKS = re.compile(r"label|verdict|correct", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:PARTIALLY[ _-]?CORRECT|INCORRECT|CORRECT)\b")
_PARTLY = re.compile(r"partially[ _-]*correct")
_AROUND = " \"'*`_.[]()<>"
_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)


def read_verdict(text: str, finish: str) -> Judged:
    """`ok` with one of LABELS as its value, or `unparsed`. Never raises on any reply.

    A reply that ended for want of room is unparsed, even if an object in it is whole: another
    might have followed.
    """
    visible = after_opening_reasoning(text)
    if visible is None or unusable(finish) or _PAGE.match(visible):
        return UNPARSED
    speaking = [found for found in read_objects(visible) if _SPEAKS.search(found.text)]
    label = _label(speaking[-1]) if speaking else None
    if label is None:
        return UNPARSED
    last = speaking[-1]
    rest = visible[last.end :]
    if ends_reasoning(rest) or {_spelt(said) for said in _NAMED.findall(rest)} - {label}:
        return UNPARSED
    named = {_name(key): value for key, value in (last.value or {}).items()}
    return Judged("ok", label, _reasoning(named), _discrepancies(named))


def _label(found: Found) -> str | None:
    """The one label an object gives, under any of the names for it and however often."""
    if not isinstance(found.value, Object):
        return None
    pairs = [(_name(key), value) for key, value in found.value.pairs]
    if any(key == "error" and value for key, value in pairs):
        return None
    labels = {_spelt(value) for key, value in pairs if key in _KEYS}
    return labels.pop() if len(labels) == 1 else None


def _spelt(value: Any) -> str | None:
    """The label a value is, in any case and with any mark between its words, None if none is."""
    if not isinstance(value, str):
        return None
    said = fold(value).strip(_AROUND)
    if _PARTLY.fullmatch(said):
        return "PARTIALLY_CORRECT"
    return {"correct": "CORRECT", "incorrect": "INCORRECT"}.get(said)


def _name(key: Any) -> str:
    return " ".join(re.split(r"[\s_-]+", fold(str(key)))).strip()


def _reasoning(named: dict[str, Any]) -> str:
    said = named.get("reasoning")
    return storable(said)[0][:LONGEST_REASONING] if isinstance(said, str) else ""


def _discrepancies(named: dict[str, Any]) -> tuple[str, ...]:
    said = named.get("key discrepancies", named.get("discrepancies"))
    each = [said] if isinstance(said, str) else said if isinstance(said, list) else []
    texts = [storable(one)[0][:LONGEST_DISCREPANCY] for one in each if isinstance(one, str)]
    return tuple(text for text in texts if text.strip())[:MOST_DISCREPANCIES]
