"""The only clock of the product.

`now()` is an aware UTC instant. Every duration the product waits for is a setting, and every
wait goes through `scaled()`, so that `COMMONPLACE_TIME_SCALE=60` makes a minute last a second:
hour-long cases become tests of seconds.
"""

import time
from datetime import UTC, datetime, timedelta

from django.conf import settings


def now() -> datetime:
    return datetime.now(UTC)


def monotonic() -> float:
    """Seconds for measuring durations; never stored."""
    return time.monotonic()


def scaled(seconds: float) -> float:
    """A duration of the product (seconds) as the real seconds to wait."""
    return seconds / settings.TIME_SCALE


def ago(seconds: float) -> datetime:
    """The instant that lies `seconds` of product time before now."""
    return now() - timedelta(seconds=scaled(seconds))


def later(seconds: float) -> datetime:
    """The instant that lies `seconds` of product time after now."""
    return now() + timedelta(seconds=scaled(seconds))


def isoformat(instant: datetime) -> str:
    """ISO-8601 in UTC with an explicit offset, to the second: `2026-01-31T09:00:00+00:00`."""
    return instant.astimezone(UTC).isoformat(timespec="seconds")


def sleep(seconds: float) -> None:
    """Sleep for a duration of the product."""
    time.sleep(scaled(seconds))
