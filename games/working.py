"""Working time, as signs of life measure it."""

from datetime import datetime, timedelta


def since(last: datetime | None, at: datetime, longest: timedelta) -> int:
    """Milliseconds of work between two signs of life, at most so long; none before the first."""
    if last is None:
        return 0
    return max(0, min(at - last, longest) // timedelta(milliseconds=1))
