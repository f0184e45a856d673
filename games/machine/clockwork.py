"""What the clock does when a deadline has passed."""

from collections.abc import Callable, Mapping

from games.machine import absence
from games.machine.commands import Meant, Tick
from games.machine.play import Play
from games.machine.state import TURNING, Away, Outcome, Phase

LET_PASS = 2  # deadlines in a row after which somebody counts as absent


def tick(play: Play, _seat: int, _command: Tick) -> None:
    state, now = play.state, play.table.now
    if state.due is None or now < state.due:
        return
    if state.phase not in TURNING:
        _DUE[state.phase](play)
    elif state.over is not None and now >= state.over:
        play.cut_turn(Outcome.TIME_UP)
        play.end_play()
    else:
        _let_pass(play)


def _let_pass(play: Play) -> None:
    """A player has not done what the phase is for, and the game goes on without it. Who lets
    deadlines pass again and again is not there, whatever their device says."""
    turn, phase = play.turn, play.state.phase
    seat = turn.giver if phase in (Phase.CLUE, Phase.CONFIRM) else turn.guesser
    counts = play.human(seat)
    if counts:
        play.do("let_pass", seat)
    _DUE[phase](play)
    if counts and play.state.idle[seat] >= LET_PASS and play.state.phase in TURNING:
        absence.miss(play, seat, Away.IDLE)


def _gathering(play: Play) -> None:
    play.end("not_ready")


def _clue(play: Play) -> None:
    if play.turn.spent:
        play.do("clues_closed", deadline=play.later(play.table.pace.guess))
    else:
        play.end_turn(Outcome.NO_CLUE)


def _guess(play: Play) -> None:
    if play.clues_left:
        play.do("next_asked", deadline=play.later(play.table.pace.clue))
    else:
        play.end_turn(Outcome.PASSED)


def _confirm(play: Play) -> None:
    play.confirm(None, Meant.UNSURE)


def _rate(play: Play) -> None:
    play.go_on()


def _paused(play: Play) -> None:
    if play.state.halted:
        absence.lift(play)
    else:
        absence.give_up_waiting(play)


def _after(play: Play) -> None:
    play.end("played")


_DUE: Mapping[Phase, Callable[[Play], None]] = {
    Phase.GATHERING: _gathering,
    Phase.CLUE: _clue,
    Phase.GUESS: _guess,
    Phase.CONFIRM: _confirm,
    Phase.RATE: _rate,
    Phase.PAUSED: _paused,
    Phase.AFTER: _after,
}
