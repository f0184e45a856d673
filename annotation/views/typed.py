"""What somebody has typed, to be shown again with what stands against it."""

from dataclasses import dataclass, field

from annotation.kinds import Value
from core.errors import CommonplaceError
from studies import pages

FIELDS = {"flag.no_note": "note", "decision.no_reason": "reason"}  # where an error is said


@dataclass(frozen=True)
class Typed:
    """`words` are the note or the reason beside the value; `faults` stand at their fields,
    a `refusal` above the form."""

    value: Value
    words: str
    faults: dict[str, str] = field(default_factory=dict)
    refusal: str = ""
    status: int = pages.TO_PUT_RIGHT


def refused(value: Value, words: str, error: CommonplaceError) -> Typed:
    if error.code in FIELDS:
        faults = {FIELDS[error.code]: error.message}
        return Typed(value, words, faults, status=error.http_status)
    return Typed(value, words, refusal=error.message, status=error.http_status)
