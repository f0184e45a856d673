"""A part of a screen that is drawn once for the same values: most of a screen stays as it was when
one player has acted, and drawing is the larger part of what an act costs (docs/performance.md)."""

from functools import lru_cache
from typing import Any

from django import template
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

register = template.Library()


@register.simple_tag
def drawn(name: str, **values: Any) -> SafeString:
    """`{% drawn "games/_part.html" some=value %}`: as `include … only`, remembered.

    The part knows its values and nothing else, so what it was drawn of for one player can hold
    nothing of another's. Values must not change, and be told apart by equality.
    """
    return _drawn(name, get_language(), tuple(values.items()))


@lru_cache(maxsize=4096)
def _drawn(name: str, _language: str, values: tuple[tuple[str, Any], ...]) -> SafeString:
    return mark_safe(get_template(name).render(dict(values)).strip())  # noqa: S308  (a template's)
