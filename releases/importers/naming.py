"""What may name a region or an item of a published data set, and how a fault of one is told."""

import regex

from core.errors import CommonplaceError
from core.text import fold, storable

LONGEST_KEY = 120
_CONTROL = regex.compile(r"[\p{Cc}\p{Zl}\p{Zp}]")


def fault(code: str, reason: str) -> CommonplaceError:
    """`reason` may quote what the source holds, even what no terminal or page can show."""
    return CommonplaceError(f"import.{code}", storable(reason)[0])


def readable(text: str) -> bool:
    """Whether something shows, no blank surrounds it, and it stays on its line."""
    return bool(fold(text)) and text == text.strip() and not _CONTROL.search(text)


def unfit_region(region: str) -> CommonplaceError:
    return fault(
        "region_name",
        f"{region!r} cannot name a region: a name has letters, no blanks around it and no "
        "control characters. Rename it and try again.",
    )
