"""Readers of published formats: bytes in, normalised items and refused rows out."""

from collections.abc import Callable

from core.errors import CommonplaceError
from releases.importers import indica
from releases.importers.parsed import Parsed

FORMATS: dict[str, Callable[[bytes], Parsed]] = {"indica": indica.parse}


def reader(format: str) -> Callable[[bytes], Parsed]:
    """What reads a format; raises `import.unknown_format`."""
    if format not in FORMATS:
        raise CommonplaceError(
            "import.unknown_format",
            f"There is no format “{format}”. Use one of: {', '.join(sorted(FORMATS))}.",
            format=format,
            known=sorted(FORMATS),
        )
    return FORMATS[format]


def parse(format: str, data: bytes) -> Parsed:
    """Read a source. Raises `import.unknown_format` and whatever the format refuses whole."""
    return reader(format)(data)
