"""Elements of a drawing, and text that wraps to the narrowest screen.

Horizontal places are percentages of the drawing's width, vertical ones px. Everything printed is
escaped; nothing carries a style.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

import regex
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

NARROW = 280  # px: a card's inside on a 360 px screen; what labels wrap to
FONT, LINE = 14, 20  # px


def width(words: str) -> float:
    """The likely width in px at 14 px, on the large side; marks that sit on a letter have none."""
    return FONT * sum(map(_advance, words))


def _advance(letter: str) -> float:
    category = unicodedata.category(letter)
    if category in {"Mn", "Me", "Cf"}:
        return 0.0
    if letter.isascii():
        return 0.3 if letter in " .,:;'|!()[]iljtf" else 0.72 if letter.isupper() else 0.58
    if unicodedata.east_asian_width(letter) in {"W", "F"}:
        return 1.0
    return 0.45 if category == "Mc" else 0.7


def wrap(words: str, limit: float) -> list[str]:
    """Lines no wider than `limit` px, broken at spaces and after - / _, else between whole
    letters; a no-break space holds."""
    lines: list[str] = []
    for piece in regex.findall(r"[^ \-/_]*[\-/_]* *", words.strip()):
        if lines and width((lines[-1] + piece).rstrip()) <= limit:
            lines[-1] += piece
            continue
        lines.append("")
        for letter in regex.findall(r"\X", piece):
            if lines[-1] and width((lines[-1] + letter).rstrip()) > limit:
                lines.append("")
            lines[-1] += letter
    return [line.rstrip() for line in lines if line]


def label(lines: Sequence[str], y: float) -> list[SafeString]:
    return [text(0, y + (i + 1) * LINE - 5, line, "label") for i, line in enumerate(lines)]


def text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> SafeString:
    attributes = {"class": kind, "x": percent(x), "y": y, "text-anchor": anchor}
    return element("text", attributes, words)


def line(x1: float, x2: float, y1: float, y2: float, kind: str) -> SafeString:
    ends = {"x1": percent(x1), "x2": percent(x2), "y1": y1, "y2": y2}
    return element("line", {"class": kind, **ends})


def percent(value: float) -> str:
    return f"{value:.2f}%"


def svg(parts: Iterable[str], *, height: float, finding: str, links: bool, kind: str) -> SafeString:
    """A drawing with links is a group, because an image hides what is inside it from readers
    of the screen."""
    role = "group" if links else "img"
    size = {"width": "100%", "height": f"{height:.0f}"}
    attributes = {"class": f"chart {kind}", "role": role, "aria-label": finding, **size}
    return element("svg", attributes, *parts)


def element(name: str, attributes: Mapping[str, object], *children: str) -> SafeString:
    return format_html("<{}{}>{}</{}>", name, flatatt(dict(attributes)), together(children), name)


def together(parts: Iterable[str]) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))
