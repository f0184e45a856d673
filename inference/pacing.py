"""How fast an endpoint may be asked: so many units (requests, tokens) a minute, evenly. Pure.

A leaky bucket used as a meter (ITU-T I.371, equal to the generic cell rate algorithm): what has
passed runs out at the rate allowed, and more passes while no more than a second's worth is left.
So a burst is at most one second's worth, and over any time the rate is kept. What is larger than
a second's worth passes when nothing is left of what came before it, however large it is.
"""

import math

BURST = 1.0  # seconds' worth that may pass at once


class Meter:
    """Units that passed at most `per_minute`; times are seconds of the product."""

    def __init__(self) -> None:
        self._per_minute: float | None = None  # None: no limit
        self._level = 0.0  # units that passed and have not run out yet
        self._at = 0.0

    def limit(self, per_minute: float | None, at: float) -> None:
        """From `at` on this rate holds; what has passed stays counted. At 0 nothing passes.

        Raises ValueError for a rate below 0.
        """
        if per_minute is not None and not per_minute >= 0:
            raise ValueError(f"a rate must be 0 or more, not {per_minute!r}")
        self._run_out(at)
        self._per_minute = per_minute

    def wait(self, units: float, at: float) -> float:
        """Seconds from `at` until that many units may pass; 0 if now, infinite at a rate of 0."""
        if self._per_minute is None or not units:
            return 0.0
        if not self._per_minute:
            return math.inf
        self._run_out(at)
        room = max(units, BURST * self._per_minute / 60)
        return max(0.0, (self._level + units - room) * 60 / self._per_minute)

    def count(self, units: float, at: float) -> None:
        """That many units pass at `at`."""
        if self._per_minute is not None:
            self._run_out(at)
            self._level += units

    def _run_out(self, at: float) -> None:
        if self._per_minute is None:
            self._level = 0.0
        else:
            self._level = max(0.0, self._level - (at - self._at) * self._per_minute / 60)
        self._at = at
