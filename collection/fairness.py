"""May these answers be rejected, and for what? The rules that protect participants.

A rejection needs one of five reasons and what that reason rests on. Failing a comprehension
check or the screening is none: whoever did not understand was not told well enough. Permission
decides nothing; a person rejects or does not. Pay may be withheld only for the reasons that rest
on evidence; for the others, which rest on somebody's judgement, the time spent is always paid.
"""

from dataclasses import dataclass
from enum import StrEnum

from collection.quality import LEAST_COPIED, Moments, span

SHORT_MINUTES = 5  # from here on a single failed check is not enough
LEAST_TIMES = 20  # whoever stands among fewer than 11 can never lie 3 deviations off
DEVIATIONS = 3
LEAST_WORDS = 20  # characters a reason that machines cannot judge is given in
LEAST_COPIES = 2  # answers of `quality.LEAST_COPIED` characters or more
LONG_COPY = 80  # characters from which one copied answer is enough


class Reason(StrEnum):
    ATTENTION = "attention"
    SPEED = "speed"
    COPIED = "copied"
    OFF_TOPIC = "off_topic"
    OTHER = "other"


TITLES: dict[str, str] = {
    Reason.ATTENTION: "Failed attention checks",
    Reason.SPEED: "Far too fast to have read the questions",
    Reason.COPIED: "Copied answers",
    Reason.OFF_TOPIC: "Answers that have nothing to do with the questions",
    Reason.OTHER: "Something else",
}
WITHHOLDING = (Reason.ATTENTION, Reason.SPEED, Reason.COPIED)  # reasons pay may be withheld for
_NEVER = {
    "comprehension": "Failing a comprehension check is never a reason to reject.",
    "screening": "Failing the screening is never a reason to reject.",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a rejection can rest on. `minutes` is how long the activity is expected to take;
    `counted` failed attention checks a person let count, on `undecided` ones nobody has decided;
    `times` (ms) are those of everybody who has finished the activity; `copied` are the lengths
    (folded characters) of answers that another participant had sent, word for word, before."""

    minutes: int
    counted: int
    undecided: int
    worked_ms: int
    times: Moments
    copied: tuple[int, ...]


def refusal(reason: str, evidence: Evidence, text: str) -> str | None:
    """The sentence why answers may not be rejected for this reason; None where they may.

    `text` is what the reviewer writes to the participant.
    """
    if reason == Reason.ATTENTION:
        return _of_attention(evidence)
    if reason == Reason.SPEED:
        return _of_speed(evidence)
    if reason == Reason.COPIED:
        return _of_copies(evidence) or _of_words(text)
    if reason in (Reason.OFF_TOPIC, Reason.OTHER):
        return _of_words(text)
    return _NEVER.get(reason, "This is none of the reasons answers can be rejected for.")


def withholding_refusal(reason: str) -> str | None:
    """The sentence why a rejection for this reason has to pay; None where pay may be withheld."""
    if reason in WITHHOLDING:
        return None
    return (
        "Pay can be withheld only for failed attention checks, speed or copied answers. Pay at "
        "least for the time spent."
    )


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


def _of_copies(evidence: Evidence) -> str | None:
    enough = [length for length in evidence.copied if length >= LEAST_COPIED]
    if len(enough) >= LEAST_COPIES or any(length >= LONG_COPY for length in enough):
        return None
    return (
        f"It takes two answers of {LEAST_COPIED} characters or more, or one of {LONG_COPY}, that "
        f"another participant had sent word for word before; here "
        f"{len(enough)} {'is' if len(enough) == 1 else 'are'}."
    )


def _of_words(text: str) -> str | None:
    if len(text.strip()) >= LEAST_WORDS:
        return None
    return f"Say to the participant what was wrong, in at least {LEAST_WORDS} characters."


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
