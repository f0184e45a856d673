"""How much work a rule does, and texts that make it do much."""

import sys
from collections.abc import Callable

SIXTY = tuple(f"{first}a{last}ali night" for first in "bdgkm" for last in "bcdfghjklmnp")

LONG = {
    "letters": "q " * 150,
    "one letter": "a " * 150,
    "joined letters": "b-" * 150,
    "addresses": "a@" * 150,
    "letters and numbers": "c1" * 150,
    "letters of another script": "р " * 150,
    "pieces": "di wa " * 50,
    "one word": "wali" * 75,
    "disguises": "d1w4 " * 60,
    "accents": "dìwa " * 60,
    "clusters": "क्षि" * 75,
    "Han": "春节" * 150,
    "letters that are four": "㍿" * 150,
    "hyphens": "di-wa" * 60,
}


def calls(rule: Callable[[], object]) -> int:
    """How many functions a rule calls: unlike its time, the same on every machine."""
    counted = 0

    def count(_frame: object, event: str, _what: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        rule()
    finally:
        sys.setprofile(before)
    return counted
