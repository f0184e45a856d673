"""What the end of a game, or of one's part in it, means for who played: a table, no database."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from games.machine import Phase, State
from games.rules import OnDrop, Rules


class Outcome(StrEnum):
    SUBMIT = "submit"  # they have played, and a person of the study team looks at it next
    CUT_SHORT = "cut_short"  # it ended early through no fault of theirs: the time is paid
    GIVE_BACK = "give_back"  # they left of their own accord: the time is paid
    CHOOSE = "choose"  # they may wait for a partner again, play with recorded clues, or stop
    REQUEUE = "requeue"  # they wait for the next partner at their old place
    NOTHING = "nothing"  # their participation has ended before, by itself


@dataclass(frozen=True, slots=True)
class Meaning:
    outcome: Outcome
    reason: str


class Played(Protocol):
    """A game as it is."""

    @property
    def state(self) -> State: ...

    @property
    def rules(self) -> Rules: ...


class Sat(Protocol):
    """Who sat at a seat of it."""

    @property
    def number(self) -> int: ...

    @property
    def left_reason(self) -> str: ...


LOST = ("silent", "idle")
NOT_BEGUN = ("not_ready", "left_before", "both_left")


def of_seat(game: Played, seat: Sat) -> Meaning | None:
    """None while the game goes on for this seat."""
    state = game.state
    if seat.left_reason:
        return _of_leaver(seat.left_reason)
    if state.finished[seat.number] or (state.phase is Phase.ENDED and state.reason == "played"):
        return Meaning(Outcome.SUBMIT, "played")
    if state.phase is not Phase.ENDED:
        return None
    return _of_stayer(state, seat.number, game.rules)


def _of_leaver(reason: str) -> Meaning:
    if reason in LOST:
        return Meaning(Outcome.CHOOSE, reason)
    if reason == "left":
        return Meaning(Outcome.GIVE_BACK, reason)
    if reason == "removed":
        return Meaning(Outcome.CUT_SHORT, reason)
    return Meaning(Outcome.NOTHING, reason)


def _of_stayer(state: State, seat: int, rules: Rules) -> Meaning:
    reason = state.reason
    if reason == "not_ready" and not state.ready[seat]:
        return Meaning(Outcome.CHOOSE, "was_not_ready")
    if reason in NOT_BEGUN:
        return Meaning(Outcome.CHOOSE, reason)
    if reason == "partner_left":
        return Meaning(_AFTER_A_DROP[rules.on_drop], reason)
    return Meaning(Outcome.CUT_SHORT, reason)


_AFTER_A_DROP = {
    OnDrop.WAIT: Outcome.CHOOSE,
    OnDrop.REQUEUE: Outcome.REQUEUE,
    OnDrop.RECORDED: Outcome.CHOOSE,  # there were no clues of earlier games to go on with
    OnDrop.END: Outcome.CUT_SHORT,
}
