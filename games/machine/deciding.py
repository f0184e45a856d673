"""What a command comes to: the events that follow from it, or why it is refused.

MOVES and ANYTIME are the whole of the rules' order; a command that neither names for the phase is
refused. Nothing here reads a clock, draws a lot or knows a database.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from games.machine import absence, afterwards, clockwork, moderating, turning
from games.machine.commands import (
    Appeal,
    Clue,
    Command,
    Confirm,
    Drop,
    End,
    Finish,
    Guess,
    Halt,
    Here,
    Judge,
    Leave,
    Next,
    NoMore,
    Propose,
    Rate,
    Ready,
    Resume,
    Rule,
    Strike,
    Tick,
    Verify,
    Vet,
    Warn,
    Who,
)
from games.machine.play import Play, Table
from games.machine.refusing import (
    LONGEST_ABOUT,
    LONGEST_TEXT,
    left,
    not_now,
    not_your_turn,
    not_yours,
    unknown,
)
from games.machine.state import OPEN, SEATS, TURNING, Phase, State


@dataclass(frozen=True, slots=True)
class By:
    """Who commands; `seat` is the player's, and of others whom it is about."""

    who: Who
    seat: int | None = None


CLOCK = By(Who.SYSTEM)
MODERATOR = By(Who.MODERATOR)


def player(seat: int) -> By:
    return By(Who.PLAYER, seat)


# --- who may do what, and when ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Move:
    """`by` is giver, guesser, player (either), moderator, system or anyone; `seated` where it is a
    seat's, or about one."""

    by: str
    do: Callable[[Play, int, Any], None]
    phases: Collection[Phase] = field(default=tuple(Phase))
    seated: bool = True


_appealing = Move("giver", turning.appeal)
MOVES: Mapping[Phase, Mapping[type, Move]] = {
    Phase.GATHERING: {Ready: Move("player", turning.ready)},
    Phase.CLUE: {
        Clue: Move("giver", turning.clue),
        NoMore: Move("giver", turning.no_more),
        Appeal: _appealing,
    },
    Phase.GUESS: {
        Guess: Move("guesser", turning.guess),
        Next: Move("guesser", turning.ask_next),
        Appeal: _appealing,
    },
    Phase.CONFIRM: {Confirm: Move("giver", turning.confirm), Appeal: _appealing},
    Phase.RATE: {Rate: Move("guesser", turning.rate)},
    Phase.PAUSED: {},
    Phase.AFTER: {
        Vet: Move("player", afterwards.vet),
        Propose: Move("player", afterwards.propose),
        Verify: Move("player", afterwards.verify),
        Finish: Move("player", afterwards.finish),
    },
    Phase.ENDED: {},
}
ANYTIME: Mapping[type, Move] = {
    Here: Move("player", absence.back, OPEN),
    Leave: Move("anyone", absence.leave, OPEN),
    Drop: Move("system", absence.drop, OPEN),
    Tick: Move("system", clockwork.tick, seated=False),
    Halt: Move("moderator", moderating.halt, (*TURNING, Phase.PAUSED), seated=False),
    Resume: Move("moderator", moderating.resume, (Phase.PAUSED,), seated=False),
    End: Move("moderator", moderating.end, OPEN, seated=False),
    Warn: Move("moderator", moderating.warn, OPEN),
    Strike: Move("moderator", moderating.strike, seated=False),
    Rule: Move("moderator", moderating.rule, seated=False),
    Judge: Move("moderator", moderating.judge, seated=False),
}


def decide(state: State, by: By, command: Command, table: Table) -> Play:
    """The play after the command: its events, the words beside them, the state they fold to.

    A command that is so already has no events. What the clock owes is settled by the caller first,
    with `Tick`. Raises `game.*`: `over`, `paused`, `not_now`, `not_your_turn`, `not_yours`,
    `no_clue_yet`, `proposals`, `empty`, `too_long`, `rating`, `unknown`, `left`; and
    `text.not_storable`.
    """
    move = ANYTIME.get(type(command))
    if move is None or state.phase not in move.phases:
        move = MOVES[state.phase].get(type(command))
    if move is None:
        raise not_now(state)
    _refuse_other(state, by, move)
    play = Play(state, table)
    seat = 0 if by.seat is None else by.seat
    if by.who is Who.PLAYER and state.missing(seat) and not isinstance(command, Leave):
        absence.back(play, seat, Here())  # whoever does something is there
    move.do(play, seat, command)
    return play


def _refuse_other(state: State, by: By, move: Move) -> None:
    if by.who not in _WHO.get(move.by, (Who.PLAYER,)):
        raise not_yours()
    if move.seated and by.seat not in SEATS:
        raise unknown()
    if by.who is not Who.PLAYER or by.seat is None:
        return
    if state.gone(by.seat) and move.by != "anyone":
        raise left()
    if state.turn and move.by in ("giver", "guesser") and by.seat != getattr(state.turn, move.by):
        raise not_your_turn()


_WHO: Mapping[str, Collection[Who]] = {
    "moderator": (Who.MODERATOR,),
    "system": (Who.SYSTEM,),
    "anyone": tuple(Who),
}

__all__ = [
    "ANYTIME",
    "CLOCK",
    "LONGEST_ABOUT",
    "LONGEST_TEXT",
    "MODERATOR",
    "MOVES",
    "By",
    "Move",
    "decide",
    "player",
]
