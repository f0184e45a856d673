"""What moderators do: pause and end a game, warn, take words back, decide what the rules cannot."""

from games.machine import absence
from games.machine.commands import End, Halt, Judge, Meant, Resume, Rule, Strike, Warn
from games.machine.events import Words
from games.machine.play import Play
from games.machine.refusing import LONGEST_ABOUT, code, text, unknown
from games.machine.state import Outcome, Phase

GUESSING = (Phase.CLUE, Phase.GUESS, Phase.CONFIRM)  # the turn's outcome is open


def halt(play: Play, _seat: int, _command: Halt) -> None:
    if not play.state.halted:
        play.pause(play.table.pace.halt, halted=True)


def resume(play: Play, _seat: int, _command: Resume) -> None:
    if play.state.halted:
        absence.lift(play)


def end(play: Play, _seat: int, command: End) -> None:
    play.end(code(command.reason, usual="moderator"))


def warn(play: Play, seat: int, command: Warn) -> None:
    number, words = play.state.warnings + 1, text(command.text, LONGEST_ABOUT)
    play.write(Words(0, "warning", number, seat, words, "said"))
    play.do("warned", seat, number=number)


def strike(play: Play, _seat: int, command: Strike) -> None:
    if (command.kind, command.turn, command.number) not in play.table.written:
        raise unknown()
    play.do("struck", turn=command.turn, of=command.kind, number=command.number)
    state = play.state
    near = state.phase is Phase.CONFIRM and (state.turns, state.turn and state.turn.near)
    if command.kind == "guess" and near == (command.turn, command.number):
        play.confirm(None, Meant.NO)  # the giver is not asked about what they cannot read


def rule(play: Play, _seat: int, command: Rule) -> None:
    """A clue that may be said after all reaches the guesser while its turn has room for it."""
    if ("clue", command.turn, command.clue) not in play.table.pending:
        raise unknown()
    if command.allowed and _open(play, command.turn) and _room(play):
        deadline = play.later(play.table.pace.guess)
        play.do("clue_said", play.turn.giver, number=command.clue, deadline=deadline)
    else:
        play.do("appeal_decided", turn=command.turn, number=command.clue, allowed=command.allowed)


def judge(play: Play, _seat: int, command: Judge) -> None:
    """A guess that is right after all ends its turn while that is being played."""
    if ("guess", command.turn, command.guess) not in play.table.pending:
        raise unknown()
    play.do("judged", turn=command.turn, number=command.guess, right=command.right)
    if command.right and _open(play, command.turn):
        play.end_turn(Outcome.GUESSED)


def _open(play: Play, turn: int) -> bool:
    return play.state.turns == turn and play.state.doing in GUESSING


def _room(play: Play) -> bool:
    return play.turn.spent < play.table.rules.clues
