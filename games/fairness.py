"""May what somebody did in games be rejected, and for what? The rules that protect players.

How well people guess, how long they take and that a partner left are no reasons. Both reasons there
are rest on somebody's judgement, so they are told in words and the time spent is always paid.
"""

from enum import StrEnum

from studies.participation import Pay, Rejection

LEAST_WORDS = 20  # characters a judgement is told in


class Reason(StrEnum):
    OFF_TOPIC = "off_topic"
    OTHER = "other"


TITLES: dict[str, str] = {
    Reason.OFF_TOPIC: "Clues or guesses that have nothing to do with the game",
    Reason.OTHER: "Something else",
}


def refusal(rejection: Rejection) -> str | None:
    """The sentence why one may not reject like this; None where one may."""
    if rejection.reason not in TITLES:
        return "This is none of the reasons a game can be rejected for."
    if len(rejection.text.strip()) < LEAST_WORDS:
        return f"Say to the participant what was wrong, in at least {LEAST_WORDS} characters."
    if rejection.pay is Pay.NOTHING:
        return "Whoever has played is paid at least for the time spent."
    return None
