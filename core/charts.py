"""Figures as SVG of our own: classes only, no inline style, so that the content security policy
holds, both themes work and the text can be selected.

Horizontal places are percentages and text keeps its size, so one drawing is readable at 360 px
and at 1280 px without being scaled. A row's label stands above its mark and wraps to the
narrowest screen: no label of any length or script overlaps or is cut. Intervals, zero lines and
named chance lines are always drawn; a missing value shows its reason in words.

The caller gives every chart its finding, one sentence, and puts the numbers in a table beside it.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from django.utils.html import format_html
from django.utils.safestring import SafeString

from core import drawing, scales
from core.drawing import LINE, NARROW
from core.scales import LEFT, RIGHT, Scale, Unit

WIDE = 576  # px: what a grid of more than six columns takes, scrolling inside its card
TRACK, GAP = 22, 6  # px
THRESHOLDS = ((1.96, "*", ".05"), (2.58, "**", ".01"), (3.29, "***", ".001"))  # two-sided p


@dataclass(frozen=True, slots=True)
class Dot:
    """One row: a value with its interval (both in the axis's unit; a percent axis takes 0–1),
    or no value and the reason in words. `series` 1–8 is the colour, the same for one region
    in every figure."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    series: int = 1
    href: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Bar(Dot):
    """A row drawn as a bar from zero; `text` replaces the printed value."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers of a figure. A cell is text, a number, None, or a pair (text, address)."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """What `_figure.html` shows: `title` is the finding, `caption` tells n and the interval.

    `under` is the heading it stands under with others; empty for that of its page."""

    title: str
    chart: SafeString
    caption: str
    table: Table
    downloads: Sequence[tuple[str, str]] = field(default=())
    simulated: bool = False
    under: str = ""


def dot_intervals(
    rows: Sequence[Dot],
    *,
    finding: str,
    chance: float | None = None,
    chance_label: str = "chance",
    axis_label: str = "",
    unit: Unit = "number",
    log: bool = False,
    domain: tuple[float, float] | None = None,
) -> SafeString:
    """Dots with their intervals, one row each; `log` is for ratios, where 2 × mirrors ½ ×."""
    scale = scales.fitted(
        _numbers(rows),
        unit=unit,
        log=log,
        domain=domain,
        within=() if chance is None else (chance,),
    )
    lines = [] if chance is None else [_Line(chance, f"{chance_label} {scale.words(chance)}")]
    return _plot(rows, scale, _dot, finding=finding, lines=lines, axis_label=axis_label)


def bars(
    rows: Sequence[Bar],
    *,
    finding: str,
    chance: float | None = None,
    chance_label: str = "chance",
    axis_label: str = "",
    unit: Unit = "number",
    domain: tuple[float, float] | None = None,
) -> SafeString:
    """Bars from zero, with an interval where there is one."""
    within = (0.0,) if chance is None else (0.0, chance)
    scale = scales.fitted(_numbers(rows), unit=unit, log=False, domain=domain, within=within)
    lines = [] if chance is None else [_Line(chance, f"{chance_label} {scale.words(chance)}")]
    return _plot(rows, scale, _bar, finding=finding, lines=lines, axis_label=axis_label)


def signed_bars(
    rows: Sequence[Bar], *, finding: str, axis_label: str = "Standardised residual"
) -> SafeString:
    """Residuals either side of zero, with dashed lines at ± 1.96, 2.58 and 3.29.

    Those are the two-sided 5, 1 and 0.1 per cent points of the standard normal distribution
    (Agresti, Categorical Data Analysis, 3.3); a row beyond one carries its stars.
    """
    marked = [_starred(row) for row in rows]
    reach = max([4.0, *(abs(row.value) for row in rows if row.value is not None)])
    scale = scales.fitted(
        _numbers(rows), unit="number", log=False, domain=None, within=(-reach, reach)
    )
    lines = [_Line(side * at) for side in (-1, 1) for at, _, _ in THRESHOLDS]
    marks = [f"±\u00a0{at}\u00a0({stars}\u00a0p\u00a0<\u00a0{p})" for at, stars, p in THRESHOLDS]
    key = f"Dashed: {', '.join(marks)}"
    return _plot(marked, scale, _bar, finding=finding, lines=lines, axis_label=axis_label, key=key)


def grid(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[float | None]],
    *,
    finding: str,
    unit: Unit = "number",
    low: float = 0.0,
    high: float = 1.0,
) -> SafeString:
    """A matrix, shape rows × columns, with its numbers printed; None is hatched.

    `low` to `high` is cut into six steps of one hue. Column names that do not fit become
    numbers: those of the rows where both are the same, else explained below.
    """
    wide = len(columns) > 6
    name_width, cell_height = (22.0, 34) if wide else (34.0, 34)
    room = WIDE if wide else NARROW
    step = (100.0 - name_width) / max(len(columns), 1)
    fits = all(drawing.width(name) < room * step / 100 - 4 for name in columns)
    heads = list(columns) if fits else [str(place) for place in range(1, len(columns) + 1)]
    same = list(rows) == list(columns)
    names = list(rows) if fits or not same else [f"{i} {name}" for i, name in enumerate(rows, 1)]
    hatch = "hatch-" + hashlib.sha256(f"{finding}{cells}".encode()).hexdigest()[:8]
    scale = Scale(low, high, unit, ticks=())
    parts = [_hatch(hatch)]
    parts += [
        drawing.text(name_width + (i + 0.5) * step, LINE - 5, head, "tick", "middle")
        for i, head in enumerate(heads)
    ]
    y = float(LINE + 2)
    for name, values in zip(names, cells, strict=True):
        label = drawing.wrap(name, room * name_width / 100 - 8)
        height = max(cell_height, len(label) * LINE + 6)
        parts += drawing.label(label, y + (height - len(label) * LINE) / 2)
        for i, value in enumerate(values):
            parts += _cell(value, name_width + i * step, y, step, height, scale, hatch)
        y += height
    notes = [f"More colour is higher, from {scale.words(low)} to {scale.words(high)}."]
    if any(value is None for values in cells for value in values):
        notes.append("Hatched: no figure.")
    if not fits and not same:
        notes += [f"{i} {name}" for i, name in enumerate(columns, 1)]
    for note in notes:
        for line in drawing.wrap(note, NARROW):
            y += LINE
            parts.append(drawing.text(0, y, line, "tick"))
    return drawing.svg(
        parts, height=y + GAP, finding=finding, links=False, kind="grid wide" if wide else "grid"
    )


# --- rows -----------------------------------------------------------------------------------


# What of a row's mark lies under the vertical lines, and what over them.
_Layers = tuple[list[SafeString], list[SafeString]]
_Draw = Callable[[Dot, float, Scale, float], _Layers]


@dataclass(frozen=True, slots=True)
class _Line:
    """A dashed line across all rows, and its name."""

    value: float
    name: str = ""


def _plot(
    rows: Sequence[Dot],
    scale: Scale,
    draw: _Draw,
    *,
    finding: str,
    lines: Sequence[_Line],
    axis_label: str,
    key: str = "",
) -> SafeString:
    readings = [_reading(row, scale) for row in rows]
    beside = all(
        drawing.width(row.label) + drawing.width("".join(reading)) + 16 < NARROW
        for row, reading in zip(rows, readings, strict=True)
    )
    parts: list[SafeString] = []
    y = float(GAP)
    for row, reading in zip(rows, readings, strict=True):
        block, height = _row(row, reading, y, beside=beside)
        if row.value is not None:
            bottom = y + height - GAP
            under, over = draw(row, row.value, scale, bottom - TRACK / 2)
            block += [*under, *_verticals(lines, scale, bottom - TRACK, bottom), *over]
        parts.append(
            drawing.element("a", {"href": row.href}, *block)
            if row.href
            else drawing.together(block)
        )
        y += height
    axis, height = _axis(scale, lines, y)
    parts += axis
    y += height
    for line in [*drawing.wrap(axis_label, NARROW), *drawing.wrap(key, NARROW)]:
        y += LINE
        parts.append(drawing.text(0, y - 5, line, "axis-label"))
    links = any(row.href for row in rows)
    return drawing.svg(parts, height=y + 2, finding=finding, links=links, kind="rows")


def _row(
    row: Dot, reading: tuple[str, str], y: float, *, beside: bool
) -> tuple[list[SafeString], float]:
    """The row's words and its height; where there is a value, room for its mark is left below."""
    label = drawing.wrap(row.label, NARROW) or [""]
    parts = drawing.label(label, y)
    bottom = y + len(label) * LINE
    value, rest = reading
    if row.value is not None:
        bottom += 0 if beside else LINE
        spans = format_html('<tspan class="value">{}</tspan>{}', value, rest)
        x, anchor = (100.0, "end") if beside else (0.0, "start")
        parts.append(drawing.text(x, bottom - 5, spans, "reading", anchor))
        bottom += TRACK
        middle = bottom - TRACK / 2
        parts.append(drawing.line(LEFT, RIGHT, middle, middle, "track"))
    else:
        for line in drawing.wrap(row.reason or "No figure, and no reason was recorded.", NARROW):
            bottom += LINE
            parts.append(drawing.text(0, bottom - 5, line, "reason"))
    height = bottom - y + GAP
    if row.href:
        hit = {"class": "hit", "x": 0, "y": y, "width": "100%", "height": height}
        parts.insert(0, drawing.element("rect", hit))
    return parts, height


def _numbers(rows: Sequence[Dot]) -> list[float]:
    ends = (end for row in rows for end in (row.value, row.low, row.high))
    return [end for end in ends if end is not None]


def _reading(row: Dot, scale: Scale) -> tuple[str, str]:
    """The printed value, and its interval with n; both empty where there is no value."""
    if row.value is None:
        return "", ""
    value = (row.text if isinstance(row, Bar) else "") or scale.reading(row.value)
    rest = ""
    if row.low is not None and row.high is not None:
        ends = (scale.reading(row.low, bare=True), scale.reading(row.high, bare=True))
        rest = " ({} to {})".format(*ends)
    if row.n is not None:
        rest += f", n {row.n:,}"
    return value.replace("-", "−"), rest.replace("-", "−")


def _starred(row: Bar) -> Bar:
    if row.value is None:
        return row
    beyond = [stars for at, stars, _ in THRESHOLDS if abs(row.value) > at]
    text = " ".join([row.text or f"{row.value:+.2f}", *beyond[-1:]])
    return Bar(
        row.label, row.value, row.low, row.high, row.n, row.series, row.href, row.reason, text
    )


def _dot(row: Dot, value: float, scale: Scale, y: float) -> _Layers:
    place = {"cx": drawing.percent(scale.at(value)), "cy": y, "r": 6}
    dot = drawing.element("circle", {"class": f"dot series-{row.series}", **place})
    return [], [*_interval(row, scale, y), dot]


def _bar(row: Dot, value: float, scale: Scale, y: float) -> _Layers:
    start, end = sorted((scale.at(0.0), scale.at(value)))
    across = {"x": drawing.percent(start), "width": drawing.percent(end - start)}
    shape = {"class": f"bar series-{row.series}", "y": y - 7, "height": 14, **across}
    return [drawing.element("rect", shape)], _interval(row, scale, y)


def _interval(row: Dot, scale: Scale, y: float) -> list[SafeString]:
    """The interval with a cap at each end; an end that lies outside the scale has none."""
    if row.low is None or row.high is None:
        return []
    ends = (row.low, row.high)
    low, high = (scale.at(end) for end in ends)
    caps = [end for end in ends if scale.low <= end <= scale.high]
    return [
        drawing.line(low, high, y, y, "interval"),
        *(drawing.line(scale.at(end), scale.at(end), y - 5, y + 5, "interval") for end in caps),
    ]


def _verticals(lines: Sequence[_Line], scale: Scale, top: float, bottom: float) -> list[SafeString]:
    """The zero line where zero lies inside, and the dashed lines, beside one row's mark: they
    stop at the words above it, so that no word is crossed."""
    parts = [
        drawing.line(scale.at(line.value), scale.at(line.value), top, bottom, "chance")
        for line in lines
    ]
    if not scale.log and scale.low <= 0 <= scale.high:
        parts.append(drawing.line(scale.at(0), scale.at(0), top, bottom, "zero"))
    return parts


def _axis(scale: Scale, lines: Sequence[_Line], y: float) -> tuple[list[SafeString], float]:
    """The axis and its height; a named line ends in its name, below the ticks, and replaces
    the tick of its own value."""
    parts = [drawing.line(LEFT, RIGHT, y, y, "axis")]
    named = [line for line in lines if line.name]
    for line in named:
        place = scale.at(line.value)
        anchor = _anchor(place, drawing.width(line.name) / 2 / NARROW * 100)
        parts.append(drawing.line(place, place, y, y + LINE + 4, "chance"))
        parts.append(drawing.text(place, y + 2 * LINE - 2, line.name, "chance-name", anchor))
    for tick in scale.ticks:
        place, words = scale.at(tick), scale.words(tick)
        parts.append(drawing.line(place, place, y, y + 4, "axis"))
        if not any(abs(place - scale.at(line.value)) < 1 for line in named):
            anchor = _anchor(place, drawing.width(words) / 2 / NARROW * 100)
            parts.append(drawing.text(place, y + LINE, words, "tick", anchor))
    return parts, LINE + GAP + (LINE if named else 0)


def _anchor(place: float, half: float) -> str:
    return "start" if place < half else "end" if place + half > 100 else "middle"


# --- cells ----------------------------------------------------------------------------------


def _cell(
    value: float | None, x: float, y: float, width: float, height: float, scale: Scale, hatch: str
) -> list[SafeString]:
    box = {"x": drawing.percent(x), "y": y, "width": drawing.percent(width), "height": height}
    if value is None:
        return [drawing.element("rect", {"class": "cell", "fill": f"url(#{hatch})", **box})]
    share = (value - scale.low) / (scale.high - scale.low)
    level = min(max(int(share * 6), 0), 5)
    number = f"{value * 100:.0f}" if scale.unit == "percent" else f"{value:.2f}"
    return [
        drawing.element("rect", {"class": f"cell level-{level}", **box}),
        drawing.text(
            x + width / 2, y + height / 2 + 5, number.replace("-", "−"), "cell-text", "middle"
        ),
    ]


def _hatch(name: str) -> SafeString:
    size = {"width": 6, "height": 6, "patternUnits": "userSpaceOnUse"}
    stroke = drawing.element("path", {"class": "hatch", "d": "M0 6 L6 0"})
    return drawing.element("defs", {}, drawing.element("pattern", {"id": name, **size}, stroke))
