"""Readers of published formats: bytes in, normalised items and refused rows out."""

from collections.abc import Callable

from core.errors import CommonplaceError
from releases.importers import indica
from releases.importers.parsed import Parsed

FORMATS: dict[str, Callable[[bytes], Parsed]] = {"indica": indica.parse}


def parse(format: str, data: bytes) -> Parsed:
    """Read a source. Raises `import.unknown_format` and whatever the format refuses whole."""
    if format not in FORMATS:
        raise CommonplaceError(
            "import.unknown_format",
            f"There is no format “{format}”. Use one of: {', '.join(sorted(FORMATS))}.",
            format=format,
            known=sorted(FORMATS),
        )
    return FORMATS[format](data)
