"""A zone of a screen is drawn once for the same values: most of it stays as it was when one player
has acted, and drawing would be the larger part of what an act costs (docs/performance.md)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.template.loader import get_template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

MOST = 8192  # remembered
NOTHING: Mapping[str, str | int] = {}


def zone(name: str, own: Mapping[str, str | int] = NOTHING, **values: Any) -> SafeString:
    """`games/zones/<name>.html` in the language that is active.

    What was drawn for one player may be shown to another: a zone knows its values and nothing
    else. They must not change, and be told apart by equality. What is `own` differs for everybody
    or at every look; it is no more than put in its place.
    """
    html = _drawn(name, get_language(), (*values.items(), *((each, _mark(each)) for each in own)))
    for each, value in own.items():
        html = html.replace(_mark(each), conditional_escape(str(value)))
    return mark_safe(html)  # noqa: S308  (a template's, with what is escaped)


def passing(name: str, **values: Any) -> SafeString:
    """As `zone`, of what is another at every look: it is not remembered."""
    html = get_template(f"games/zones/{name}.html").render(values)
    return mark_safe(html.strip())  # noqa: S308  (a template's)


@lru_cache(maxsize=MOST)
def _drawn(name: str, _language: str, values: tuple[tuple[str, Any], ...]) -> str:
    return passing(name, **dict(values))


def _mark(name: str) -> str:
    """Nobody can write it: no text with such a character is taken."""
    return f"\0{name}\0"
