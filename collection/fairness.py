"""May these answers be rejected, and for what? The rules that protect participants.

A rejection needs one of five reasons and what that reason rests on. Failing a comprehension
check or the screening is none: whoever did not understand was not told well enough. Permission
decides nothing; a person rejects or does not, and only where these rules allow it may pay be
withheld.
"""

from dataclasses import dataclass
from enum import StrEnum

from collection.quality import Moments, span

SHORT_MINUTES = 5  # from here on a single failed check is not enough
LEAST_TIMES = 20  # whoever stands among fewer than 11 can never lie 3 deviations off
DEVIATIONS = 3
LEAST_WORDS = 20  # characters a reason of one's own is given in


class Reason(StrEnum):
    ATTENTION = "attention"
    SPEED = "speed"
    COPIED = "copied"
    OFF_TOPIC = "off_topic"
    OTHER = "other"


TITLES = {
    Reason.ATTENTION: "Failed attention checks",
    Reason.SPEED: "Far too fast to have read the questions",
    Reason.COPIED: "Copied answers",
    Reason.OFF_TOPIC: "Answers that have nothing to do with the questions",
    Reason.OTHER: "Something else",
}
_NEVER = {
    "comprehension": "Failing a comprehension check is never a reason to reject.",
    "screening": "Failing the screening is never a reason to reject.",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a rejection can rest on. `minutes` is how long the activity is expected to take;
    `counted` failed attention checks a person let count, on `undecided` ones nobody has decided;
    `times` (ms) are those of everybody who has finished the activity; `copied` counts verbatim
    duplicates and examples given back."""

    minutes: int
    counted: int
    undecided: int
    worked_ms: int
    times: Moments
    copied: int


def refusal(reason: str, evidence: Evidence, text: str) -> str | None:
    """The sentence why answers may not be rejected for this reason; None where they may.

    `text` is what the reviewer writes to the participant.
    """
    if reason == Reason.ATTENTION:
        return _of_attention(evidence)
    if reason == Reason.SPEED:
        return _of_speed(evidence)
    if reason == Reason.COPIED:
        if evidence.copied:
            return None
        return "No answer is a verbatim duplicate, and none gives an example back."
    if reason in (Reason.OFF_TOPIC, Reason.OTHER):
        if len(text.strip()) >= LEAST_WORDS:
            return None
        return f"Say to the participant what was wrong, in at least {LEAST_WORDS} characters."
    return _NEVER.get(reason, "This is none of the reasons answers can be rejected for.")


def needed(minutes: int) -> int:
    """How many failed attention checks have to count before one may reject."""
    return 2 if minutes >= SHORT_MINUTES else 1


def too_fast(times: Moments) -> float | None:
    """The bound in ms below which a time is too fast, mean - 3 SD; None where there is none:
    below LEAST_TIMES values, or where the bound would not be a time."""
    if times.n < LEAST_TIMES or times.mean is None or times.deviation is None:
        return None
    bound = times.mean - DEVIATIONS * times.deviation
    return bound if bound > 0 else None


def _of_attention(evidence: Evidence) -> str | None:
    least = needed(evidence.minutes)
    if evidence.counted >= least:
        return None
    number = "one failed attention check" if least == 1 else "two failed attention checks"
    return (
        f"An activity of {evidence.minutes} minutes takes {number} that count; here "
        f"{evidence.counted} count{'s' if evidence.counted == 1 else ''}"
        + (f", and {evidence.undecided} you have not decided on." if evidence.undecided else ".")
    )


def _of_speed(evidence: Evidence) -> str | None:
    times, bound = evidence.times, too_fast(evidence.times)
    if times.n < LEAST_TIMES:
        return f"{times.n} people have finished; speed says something from {LEAST_TIMES} on."
    if bound is None:
        return "The times differ so much that nobody can be too fast (mean − 3 SD is not above 0)."
    if evidence.worked_ms < bound:
        return None
    return (
        f"{span(evidence.worked_ms)} is not below {span(round(bound))}, "
        f"which is mean − 3 SD of the {times.n} people who have finished."
    )
