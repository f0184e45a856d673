"""How a recorded player moves: it repeats what somebody said in an earlier game, and guesses
nothing. No database."""

from games.machine import Phase, State
from games.machine.commands import Clue, Command, Next, NoMore, Ready

MOVES_IN = (Phase.GATHERING, Phase.CLUE, Phase.GUESS)


def to_move(state: State, seat: int) -> bool:
    """Whether it is for the recorded player at `seat` to do something."""
    if state.phase is Phase.GATHERING:
        return not state.ready[seat]
    gives = state.turn is not None and state.turn.giver == seat
    return state.phase in MOVES_IN and state.phase is (Phase.CLUE if gives else Phase.GUESS)


def move(state: State, seat: int, clues: list[str]) -> Command | None:
    """The next command of the recorded player at `seat`, whose turn's `clues` these are; None
    while it has nothing to do.

    It goes through the clues in their order, those that are refused by now as well. As the guesser
    it asks for the next clue until none is left, and rates nothing. Near misses of its clues the
    machine leaves to a moderator.
    """
    turn = state.turn
    if not to_move(state, seat):
        return None
    if turn is None:
        return Ready()
    if turn.giver != seat:
        return Next()
    if turn.written < len(clues):
        return Clue(clues[turn.written])
    return NoMore() if turn.spent else None  # else its time runs out without a clue
