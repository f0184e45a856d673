"""What the clock does when a deadline has passed."""

from collections.abc import Callable, Mapping

from games.machine import absence
from games.machine.commands import Meant, Tick
from games.machine.play import Play
from games.machine.state import TURNING, Away, Outcome, Phase, Player

LET_PASS = 2  # deadlines in a row after which somebody counts as absent


def tick(play: Play, _seat: int, _command: Tick) -> None:
    state, now = play.state, play.table.now
    if state.due is None or now < state.due:
        return
    if state.phase in TURNING and state.over is not None and now >= state.over:
        if state.phase is not Phase.RATE:
            play.do(
                "turn_ended",
                number=play.turn.number,
                outcome=Outcome.TIME_UP.value,
                deadline=now,
            )
        play.end_play()
        return
    _DUE[state.phase](play)


def _gathering(play: Play) -> None:
    play.end("not_ready")


def _clue(play: Play) -> None:
    turn = play.turn
    if turn.spent:
        play.do("clues_closed", None, deadline=play.later(play.table.pace.guess))
    else:
        play.end_turn(Outcome.NO_CLUE)
    _let_pass(play, turn.giver)


def _guess(play: Play) -> None:
    turn = play.turn
    if play.clues_left:
        play.do("next_asked", None, deadline=play.later(play.table.pace.clue))
    else:
        play.end_turn(Outcome.PASSED)
    _let_pass(play, turn.guesser)


def _confirm(play: Play) -> None:
    giver = play.turn.giver
    play.confirm(None, Meant.UNSURE)
    _let_pass(play, giver)


def _rate(play: Play) -> None:
    guesser = play.turn.guesser
    play.go_on()
    _let_pass(play, guesser)


def _paused(play: Play) -> None:
    if play.state.halted:
        absence.lift(play)
    else:
        absence.give_up_waiting(play)


def _after(play: Play) -> None:
    play.end("played")


def _let_pass(play: Play, seat: int) -> None:
    """Who lets deadlines pass again and again is not there, whatever their device says."""
    if play.state.players[seat] is not Player.HUMAN or play.state.away[seat]:
        return
    play.do("let_pass", seat)
    if play.state.idle[seat] >= LET_PASS and play.state.phase in TURNING:
        absence.miss(play, seat, Away.IDLE)


_DUE: Mapping[Phase, Callable[[Play], None]] = {
    Phase.GATHERING: _gathering,
    Phase.CLUE: _clue,
    Phase.GUESS: _guess,
    Phase.CONFIRM: _confirm,
    Phase.RATE: _rate,
    Phase.PAUSED: _paused,
    Phase.AFTER: _after,
}
