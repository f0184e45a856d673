"""What stands in a report: a number, or `{"value": None, "reason": code}` where there is none."""

from typing import Any

from core.templatetags.commonplace import reason


def value(entry: Any) -> float | None:
    """The number of an entry, or None where it only has a reason."""
    return entry.get("value") if isinstance(entry, dict) else entry


def why(entry: Any) -> str:
    """Why there is no number, in words; empty where there is one."""
    if not isinstance(entry, dict) or entry.get("value") is not None:
        return ""
    return reason(entry.get("reason"))
