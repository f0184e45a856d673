"""Template filters: numbers, money, instants and statistics as people read them.

A statistic is a `core.stats.Statistic` or its dictionary; without a value it prints the reason.
None prints as an en dash, so that an empty cell is seen to be empty.
"""

import numbers
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django import template
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html

register = template.Library()

NOTHING = "–"
REASONS = {
    "empty": "nothing was counted",
    "one_observation": "only one observation",
    "one_cluster": "only one question",
    "no_variation": "every value is the same",
    "too_sparse": "too few choices to judge the spread",
    "one_category": "only one category",
    "zero_expected": "an expected count is zero",
    "too_few_clusters": "too few questions",
    "singular": "the regions do not vary independently",
    "zero_bin": "an empty category on one side",
    "nothing_co_rated": "undefined: nothing co-rated",
    "single_category": "undefined: single category",
    "not_two_raters": "undefined: more than two people",
    "unequal_ratings": "undefined: tasks judged by unequally many",
    "one_unit": "only one task",
}
FIGURE = re.compile(  # or why there is none
    r"NA(, .*)?|[-−+±<≤]?\s?[$€£₹]?\d[\d.,]*( ?(%|×|\*+))?( (of|to) [-−]?\d[\d,.]*)?( \(.*\))?"
)


@register.filter
def reason(code: str | None) -> str:
    """The sentence part for a reason's code; words that are no code pass unchanged."""
    if not code:
        return "no figure"
    return REASONS.get(code, code.replace("_", " "))


@register.filter
def percent(value: Any, digits: int = 1) -> str:
    """A fraction as a percentage: 0.1234 is `12.3 %`."""
    return NOTHING if value in (None, "") else f"{_fixed(100 * value, digits)} %"


@register.filter
def number(value: Any, digits: int | None = None) -> str:
    """Thousands grouped; whole numbers without decimals, others with `digits` (default 2)."""
    if value in (None, ""):
        return NOTHING
    if digits is None:
        digits = 0 if isinstance(value, numbers.Integral) else 2
    return _fixed(value, digits)


@register.filter
def statistic(value: Any, form: str = "number") -> str:
    """Value and interval, or the reason in words; `form` is `number` or `percent`."""
    figure = _part(value, "value")
    if figure is None:
        return reason(_part(value, "reason"))
    between = interval(value, form)
    return f"{_as(figure, form)} ({between})" if between else _as(figure, form)


@register.filter
def interval(value: Any, form: str = "number") -> str:
    """`0.55 to 0.69`, of a statistic or a pair (low, high); empty where there is none."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        low, high = value
    else:
        low, high = _part(value, "low"), _part(value, "high")
    return "" if low is None or high is None else f"{_as(low, form)} to {_as(high, form)}"


@register.filter
def money(micro: int | None) -> str:
    """Micro-USD as dollars: 1200 is `$0.0012`; never rounded to nothing."""
    if micro is None:
        return NOTHING
    dollars = Decimal(abs(micro)) / 1_000_000
    places = 2 if dollars >= 1 else 4 if dollars >= Decimal("0.0001") else 6
    whole, _, decimals = f"{dollars:,.{places}f}".partition(".")
    sign = "−" if micro < 0 else ""
    return f"{sign}${whole}.{decimals.rstrip('0').ljust(2, '0')}"


@register.filter
def instant(value: datetime | str | None) -> str:
    """An instant, or its ISO-8601 text, as a `<time>` element in UTC."""
    moment = parse_datetime(value) if isinstance(value, str) else value
    if moment is None:
        return NOTHING
    moment = moment.astimezone(UTC)
    words = f"{moment.day} {moment:%b %Y, %H:%M} UTC"
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), words)


@register.filter
def unbroken(text: str) -> str:
    """Keeps a figure and its sign on one line: `1.4 ×`, `12 %`."""
    return re.sub(r"(?<=\d) (?=[%×])", "\u00a0", text)


@register.filter
def laid_out(table: Any) -> dict[str, Any]:
    """A table (`columns`, `rows`, perhaps `caption`) for `_table.html`: every cell as text,
    address, the head of its column and whether that holds figures, which stand at the end of
    their cell."""
    columns, rows = list(_part(table, "columns") or ()), list(_part(table, "rows") or ())
    cells = [[_cell(cell) for cell in row] for row in rows]
    figures = [_holds_figures(column) for column in zip(*cells, strict=True)]
    figures = figures or [False] * len(columns)
    for row in cells:
        for cell, head, figure in zip(row, columns, figures, strict=True):
            cell |= {"head": head, "figure": figure}
    heads = [
        {"text": text, "figure": figure} for text, figure in zip(columns, figures, strict=True)
    ]
    return {"columns": heads, "rows": cells, "caption": _part(table, "caption") or ""}


def _holds_figures(cells: Sequence[dict[str, Any]]) -> bool:
    """Most cells that say something are figures; the others may be reasons in words."""
    kinds = [cell["figure"] for cell in cells]
    return kinds.count(True) > kinds.count(False)


def _cell(value: Any) -> dict[str, Any]:
    """Text, address, and figure: True, False, or None where the cell says nothing of it."""
    text, href = value if isinstance(value, tuple) else (value, None)
    if text is None or text == "":
        return {"text": NOTHING, "href": None, "figure": None}
    if isinstance(text, numbers.Number) and not isinstance(text, bool):
        return {
            "text": number(text, None if isinstance(text, int) else 3),
            "href": href,
            "figure": True,
        }
    return {"text": text, "href": href, "figure": bool(FIGURE.fullmatch(str(text)))}


def _fixed(value: Any, digits: int) -> str:
    figure = f"{value:,.{digits}f}"
    if not figure.strip("-0."):
        return figure.removeprefix("-")  # nothing has no sign
    return figure.replace("-", "−")


def _as(value: float, form: str) -> str:
    return percent(value) if form == "percent" else number(float(value))


def _part(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
