"""Axes: where a value stands across a figure, its round ticks, and how it is printed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Unit = Literal["number", "percent", "times"]

LEFT, RIGHT = 3.0, 97.0  # percent of the width: the plot, with room for half a dot


@dataclass(frozen=True, slots=True)
class Scale:
    """From a value to its place and its words; `ticks` are in the axis's unit."""

    low: float
    high: float
    unit: Unit
    ticks: tuple[float, ...]
    log: bool = False

    def at(self, value: float) -> float:
        """The place of a value, percent of the width; what lies outside stops at the edge."""
        low, high, value = (
            (math.log(self.low), math.log(self.high), math.log(max(value, self.low)))
            if self.log
            else (self.low, self.high, value)
        )
        share = min(max((value - low) / (high - low), 0.0), 1.0)
        return LEFT + share * (RIGHT - LEFT)

    def words(self, value: float) -> str:
        if self.unit == "percent":
            return f"{_trim(value * 100)} %"
        return f"{_trim(value)} ×" if self.unit == "times" else _trim(value)

    def reading(self, value: float, *, bare: bool = False) -> str:
        """A value as it is printed in a row, with fixed digits."""
        if self.unit == "percent":
            return f"{value * 100:.1f}" if bare else f"{value * 100:.1f} %"
        digits = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}"
        return digits if bare or self.unit == "number" else f"{digits} ×"


def _trim(value: float) -> str:
    text = f"{value:,.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text.replace("-", "−")


def fitted(
    numbers: Sequence[float],
    *,
    unit: Unit,
    log: bool,
    domain: tuple[float, float] | None,
    within: Sequence[float],
) -> Scale:
    """A scale over the numbers, the domain and what must lie within, widened to round ticks."""
    ends = [x for x in [*numbers, *within, *(domain or ())] if math.isfinite(x)]
    if log:
        ends = [x for x in ends if x > 0] or [1.0]
        first, last = math.floor(math.log2(min(ends))), math.ceil(math.log2(max(ends)))
        last = max(last, first + 1)
        every = math.ceil((last - first) / 5)
        last = first + every * math.ceil((last - first) / every)
        powers = tuple(2.0**i for i in range(first, last + 1, every))
        return Scale(powers[0], powers[-1], unit, powers, log=True)
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    if high == low:
        low, high = (low, low + 1) if low == 0 else (min(low, 0.0), max(high, 0.0))
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(step * i for i in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], unit, ticks)
