"""What players do in a turn, and how the first begins."""

from core.catalogue import gettext_noop as _
from core.errors import CommonplaceError
from games import clues, guesses
from games.guesses import Found
from games.machine import absence
from games.machine.commands import Appeal, Clue, Confirm, Guess, Meant, Next, NoMore, Rate, Ready
from games.machine.events import Words
from games.machine.play import Play
from games.machine.refusing import text, unknown
from games.machine.state import TURNING, Outcome, Player


def ready(play: Play, seat: int, _command: Ready) -> None:
    if not play.state.ready[seat]:
        play.do("ready", seat)
    if all(play.state.ready):
        play.do("begun", over=play.table.now + play.table.pace.play)
        play.go_on()
        if play.state.phase in TURNING and play.state.somebody_missing:
            absence.wait(play)


def clue(play: Play, seat: int, command: Clue) -> None:
    turn, line = play.turn, text(command.text)
    number = turn.written + 1
    reason = clues.refusal(command.text, play.table.cards[turn.artifact], play.table.said)
    verdict = "blocked" if reason else "said"
    play.write(
        Words(turn.number, "clue", number, seat, line, verdict, turn.artifact, reason=reason)
    )
    if reason:
        play.do("clue_blocked", seat, number=number, reason=reason)
    else:
        play.do("clue_said", seat, number=number, deadline=play.later(play.table.pace.guess))


def no_more(play: Play, seat: int, _command: NoMore) -> None:
    if not play.turn.spent:
        raise CommonplaceError(
            "game.no_clue_yet",
            _("Give at least one clue first, so that your partner has something to guess from."),
            http_status=409,
        )
    play.do("clues_closed", seat, deadline=play.later(play.table.pace.guess))


def appeal(play: Play, seat: int, command: Appeal) -> None:
    turn = play.turn
    if command.clue in turn.appealed:
        return
    if command.clue not in turn.blocked:
        raise unknown()
    play.do("clue_appealed", seat, number=command.clue)


def guess(play: Play, seat: int, command: Guess) -> None:
    turn, line = play.turn, text(command.text)
    number = turn.guesses + 1
    found = guesses.judge(line, play.table.cards[turn.artifact])
    play.write(Words(turn.number, "guess", number, seat, line, found.value, turn.artifact))
    wait = play.table.pace.confirm if found is Found.NEAR else play.table.pace.guess
    play.do("guessed", seat, number=number, verdict=found.value, deadline=play.later(wait))
    if found is Found.RIGHT:
        play.end_turn(Outcome.GUESSED)
    elif found is Found.WRONG and number >= play.table.rules.guesses:
        play.end_turn(Outcome.MISSED)
    elif found is Found.NEAR and play.state.players[turn.giver] is Player.RECORDED:
        play.confirm(None, Meant.UNSURE)  # nobody is there who knows what was meant


def ask_next(play: Play, seat: int, _command: Next) -> None:
    if play.clues_left:
        play.do("next_asked", seat, deadline=play.later(play.table.pace.clue))
    else:
        play.end_turn(Outcome.PASSED, by=seat)


def confirm(play: Play, seat: int, command: Confirm) -> None:
    play.confirm(seat, command.meant)


def rate(play: Play, seat: int, command: Rate) -> None:
    for given in (command.accuracy, command.quality):
        if given not in range(1, 6):
            raise CommonplaceError(
                "game.rating", _("Choose a number from 1 to 5 for both."), http_status=422
            )
    number, accuracy, quality = play.turn.number, command.accuracy, command.quality
    play.do("rated", seat, turn=number, accuracy=accuracy, quality=quality)
    play.go_on()
