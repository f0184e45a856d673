"""A zone of a screen is drawn once for the same values: most of it stays as it was when one player
has acted, and drawing would be the larger part of what an act costs (docs/performance.md)."""

from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import Any

from django.template.loader import get_template
from django.utils.safestring import SafeString

MOST = 4096  # remembered
NOTHING: Mapping[str, str | int] = {}


def zone(
    name: str, language: str | None, own: Mapping[str, str | int] = NOTHING, **values: Any
) -> SafeString:
    """`games/zones/<name>.html` in the language, which is the one that is active.

    What was drawn for one player may be shown to another: a zone knows its values and nothing
    else. They must not change, and be told apart by equality. What is `own` differs for everybody
    or at every look, as people's words do: it is put in its place, and nothing can depend on it.
    """
    return _drawn(name, language, tuple(values.items()), tuple(own)).filled(own)


def passing(name: str, **values: Any) -> SafeString:
    """As `zone`, of what is another at every look: it is not remembered."""
    return SafeString(get_template(f"games/zones/{name}.html").render(values).strip())


class _Drawn:
    """A zone in pieces, with the names of what stands between them."""

    def __init__(self, html: str, own: tuple[str, ...]) -> None:
        marks = {_mark(name): name for name in own}
        self.pieces: list[str] = []  # fixed and own by turns
        while found := [(html.index(mark), mark) for mark in marks if mark in html]:
            place, mark = min(found)
            self.pieces += html[:place], marks[mark]
            html = html[place + len(mark) :]
        self.last = html

    def filled(self, own: Mapping[str, str | int]) -> SafeString:
        found = []
        for place, piece in enumerate(self.pieces):
            found.append(_escaped(own[piece]) if place % 2 else piece)
        return SafeString("".join(found) + self.last)


@lru_cache(maxsize=MOST)
def _drawn(
    name: str, _language: str | None, values: tuple[tuple[str, Any], ...], own: tuple[str, ...]
) -> _Drawn:
    return _Drawn(passing(name, **dict(values), **{each: _mark(each) for each in own}), own)


def _escaped(value: str | int) -> str:
    return value if isinstance(value, SafeString) else escape(str(value))


def _mark(name: str) -> str:
    """Nobody can write it: no text with such a character is taken."""
    return f"\0{name}\0"
