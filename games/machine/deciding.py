"""What a command comes to: the events that follow from it, or why it is refused.

MOVES and ANYTIME are the whole of the rules' order; a command that neither names for the phase is
refused. Nothing here reads a clock, draws a lot or knows a database.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.catalogue import gettext_noop as _
from core.errors import CommonplaceError
from games import clues, guesses
from games.cards import Card
from games.guesses import Found
from games.machine import absence, clockwork
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
    Meant,
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
from games.machine.events import Words
from games.machine.play import Play, Table
from games.machine.state import TURNING, Away, Outcome, Phase, State

LONGEST_TEXT = 300  # characters of a clue, a guess, a name
LONGEST_ABOUT = 1000  # of a description or a warning


@dataclass(frozen=True, slots=True)
class By:
    """Who commands; `seat` is the player's, and of the system whom it is about."""

    who: Who
    seat: int | None = None


CLOCK = By(Who.SYSTEM)
MODERATOR = By(Who.MODERATOR)


def player(seat: int) -> By:
    return By(Who.PLAYER, seat)


def decide(state: State, by: By, command: Command, table: Table) -> Play:
    """The play after the command: its events, the words beside them, the state they fold to.

    A command that is so already has no events. What the clock owes is settled by the caller first,
    with `Tick`. Raises `game.*`: `over`, `paused`, `not_now`, `not_your_turn`, `not_yours`,
    `empty`, `too_long`, `rating`, `unknown`, `left`.
    """
    play = Play(state, table)
    move = ANYTIME.get(type(command))
    if move is None or state.phase not in move.phases:
        move = MOVES[state.phase].get(type(command))
    if move is None:
        raise _not_now(state)
    _refuse_other(state, by, move)
    move.do(play, 0 if by.seat is None else by.seat, command)
    return play


# --- players, in their turn ---------------------------------------------------------------------


def _ready(play: Play, seat: int, _command: Ready) -> None:
    if not play.state.ready[seat]:
        play.do("ready", seat)
    if all(play.state.ready):
        play.do("begun", over=play.later(play.table.pace.play))
        play.go_on()


def _clue(play: Play, seat: int, command: Clue) -> None:
    turn = play.turn
    text = _text(command.text)
    card = play.table.cards[turn.artifact]
    number = turn.written + 1
    reason = clues.refusal(text, card, play.table.said)
    if reason:
        play.write(
            Words(turn.number, "clue", number, seat, text, "blocked", turn.artifact, reason=reason)
        )
        play.do("clue_blocked", seat, number=number, reason=reason)
        return
    play.write(Words(turn.number, "clue", number, seat, text, "said", turn.artifact))
    play.do("clue_said", seat, number=number, deadline=play.later(play.table.pace.guess))


def _no_more(play: Play, seat: int, _command: NoMore) -> None:
    if not play.turn.spent:
        raise CommonplaceError(
            "game.no_clue_yet",
            _("Give at least one clue first, so that your partner has something to guess from."),
            http_status=409,
        )
    play.do("clues_closed", seat, deadline=play.later(play.table.pace.guess))


def _appeal(play: Play, seat: int, command: Appeal) -> None:
    turn = play.turn
    if command.clue in turn.appealed:
        return
    if command.clue not in turn.blocked:
        raise _unknown()
    play.do("clue_appealed", seat, number=command.clue)


def _guess(play: Play, seat: int, command: Guess) -> None:
    turn = play.turn
    text = _text(command.text)
    number = turn.guesses + 1
    found = guesses.judge(text, play.table.cards[turn.artifact])
    play.write(Words(turn.number, "guess", number, seat, text, found.value, turn.artifact))
    wait = play.table.pace.confirm if found is Found.NEAR else play.table.pace.guess
    play.do("guessed", seat, number=number, verdict=found.value, deadline=play.later(wait))
    if found is Found.RIGHT:
        play.end_turn(Outcome.GUESSED)
    elif found is Found.WRONG and number >= play.table.rules.guesses:
        play.end_turn(Outcome.MISSED)


def _next(play: Play, seat: int, _command: Next) -> None:
    if play.clues_left:
        play.do("next_asked", seat, deadline=play.later(play.table.pace.clue))
    else:
        play.end_turn(Outcome.PASSED, by=seat)


def _confirm(play: Play, seat: int, command: Confirm) -> None:
    play.confirm(seat, Meant(command.meant))


def _rate(play: Play, seat: int, command: Rate) -> None:
    for given in (command.accuracy, command.quality):
        if given not in range(1, 6):
            raise CommonplaceError(
                "game.rating", _("Choose a number from 1 to 5 for both."), http_status=422
            )
    number, accuracy, quality = play.turn.number, command.accuracy, command.quality
    play.do("rated", seat, turn=number, accuracy=accuracy, quality=quality)
    play.go_on()


# --- players, after the game --------------------------------------------------------------------


def _vet(play: Play, seat: int, command: Vet) -> None:
    if command.artifact not in play.table.played:
        raise _unknown()
    play.do(
        "vetted", seat, artifact=command.artifact, known=command.known, shared=command.shared.value
    )


def _propose(play: Play, seat: int, command: Propose) -> None:
    name, about = _text(command.name), _text(command.about, LONGEST_ABOUT)
    number = 1 + sum(each.seat == seat for each in play.state.proposals)
    if number > MOST_PROPOSALS:
        raise CommonplaceError(
            "game.proposals",
            _("That is as many as one person can propose. Thank you for all of them."),
            http_status=409,
        )
    play.write(Words(0, "proposal", number, seat, name, "proposed", about=about))
    play.do("proposed", seat, number=number)


def _verify(play: Play, seat: int, command: Verify) -> None:
    of_partner = [each for each in play.state.proposals if each.seat != seat]
    if command.number not in [each.number for each in of_partner]:
        raise _unknown()
    play.do("verified", seat, number=command.number, belongs=command.belongs)


def _finish(play: Play, seat: int, _command: Finish) -> None:
    if not play.state.finished[seat]:
        play.do("finished", seat)
    play.end_if_finished()


# --- moderators ---------------------------------------------------------------------------------


def _halt(play: Play, _seat: int, _command: Halt) -> None:
    if not play.state.halted:
        play.pause(play.table.pace.halt, halted=True)


def _resume(play: Play, _seat: int, _command: Resume) -> None:
    if play.state.halted:
        absence.lift(play)


def _end(play: Play, _seat: int, command: End) -> None:
    play.end(command.reason)


def _warn(play: Play, seat: int, command: Warn) -> None:
    number, text = play.state.warnings + 1, _text(command.text, LONGEST_ABOUT)
    play.write(Words(0, "warning", number, seat, text, "said"))
    play.do("warned", seat, number=number)


def _strike(play: Play, _seat: int, command: Strike) -> None:
    if (command.kind, command.turn, command.number) not in play.table.written:
        raise _unknown()
    play.do("struck", turn=command.turn, of=command.kind, number=command.number)


def _rule(play: Play, _seat: int, command: Rule) -> None:
    """A clue that may be said after all reaches the guesser while its turn has room for it."""
    if ("clue", command.turn, command.clue) not in play.table.pending:
        raise _unknown()
    turn = play.state.turn
    live = turn is not None and turn.number == command.turn
    if not command.allowed or not live or play.state.phase not in (Phase.CLUE, Phase.GUESS):
        play.do("appeal_decided", turn=command.turn, number=command.clue, allowed=command.allowed)
    elif play.turn.spent < play.table.rules.clues and not play.turn.closed:
        deadline = play.later(play.table.pace.guess)
        play.do("clue_said", play.turn.giver, number=command.clue, deadline=deadline)
    else:
        play.do("appeal_decided", turn=command.turn, number=command.clue, allowed=True)


def _judge(play: Play, _seat: int, command: Judge) -> None:
    """A guess that is right after all ends its turn while that is being played."""
    if ("guess", command.turn, command.guess) not in play.table.pending:
        raise _unknown()
    play.do("judged", None, turn=command.turn, number=command.guess, right=command.right)
    live = play.state.phase in (Phase.CLUE, Phase.GUESS, Phase.CONFIRM)
    if command.right and live and play.turn.number == command.turn:
        play.end_turn(Outcome.GUESSED)


# --- who may do what, and when ------------------------------------------------------------------

MOST_PROPOSALS = 30


@dataclass(frozen=True, slots=True)
class Move:
    """`by` is giver, guesser, player (either), moderator or system."""

    by: str
    do: Callable[[Play, int, Any], None]
    phases: Collection[Phase] = field(default=tuple(Phase))


_appealing = Move("giver", _appeal)
MOVES: Mapping[Phase, Mapping[type, Move]] = {
    Phase.GATHERING: {Ready: Move("player", _ready)},
    Phase.CLUE: {
        Clue: Move("giver", _clue),
        NoMore: Move("giver", _no_more),
        Appeal: _appealing,
    },
    Phase.GUESS: {
        Guess: Move("guesser", _guess),
        Next: Move("guesser", _next),
        Appeal: _appealing,
    },
    Phase.CONFIRM: {Confirm: Move("giver", _confirm), Appeal: _appealing},
    Phase.RATE: {Rate: Move("guesser", _rate)},
    Phase.PAUSED: {},
    Phase.AFTER: {
        Vet: Move("player", _vet),
        Propose: Move("player", _propose),
        Verify: Move("player", _verify),
        Finish: Move("player", _finish),
    },
    Phase.ENDED: {},
}
_open = tuple(phase for phase in Phase if phase is not Phase.ENDED)
ANYTIME: Mapping[type, Move] = {
    Here: Move("player", absence.back, _open),
    Leave: Move("leaver", absence.leave, _open),
    Drop: Move("system", absence.drop, _open),
    Tick: Move("system", clockwork.tick),
    Halt: Move("moderator", _halt, (*TURNING, Phase.PAUSED)),
    Resume: Move("moderator", _resume, (Phase.PAUSED,)),
    End: Move("moderator", _end, _open),
    Warn: Move("moderator", _warn, _open),
    Strike: Move("moderator", _strike),
    Rule: Move("moderator", _rule),
    Judge: Move("moderator", _judge, tuple(each for each in Phase if each is not Phase.PAUSED)),
}


def _refuse_other(state: State, by: By, move: Move) -> None:
    allowed = {
        "moderator": by.who is Who.MODERATOR,
        "system": by.who is Who.SYSTEM,
        "leaver": by.who in (Who.PLAYER, Who.SYSTEM) and by.seat is not None,
    }.get(move.by, by.who is Who.PLAYER)
    if not allowed:
        raise CommonplaceError(
            "game.not_yours", _("This is not for you to do in this game."), http_status=403
        )
    if by.who is not Who.PLAYER or by.seat is None:
        return
    if state.gone(by.seat):
        raise CommonplaceError(
            "game.left", _("You have left this game. Go back to your page."), http_status=409
        )
    turn = state.turn
    if turn and move.by in ("giver", "guesser") and by.seat != getattr(turn, move.by):
        raise CommonplaceError(
            "game.not_your_turn", _("It is your partner's move. Wait a moment."), http_status=409
        )


def _not_now(state: State) -> CommonplaceError:
    if state.phase is Phase.ENDED:
        code, message = "game.over", _("This game has ended. Go back to your page.")
    elif state.phase is Phase.PAUSED:
        code, message = (
            "game.paused",
            _("The game is paused. What you wrote stays; send it once the game goes on."),
        )
    else:
        code, message = (
            "game.not_now",
            _("The game has moved on. Look at it again; what you wrote is still in its field."),
        )
    return CommonplaceError(code, message, http_status=409, phase=state.phase.value)


def _unknown() -> CommonplaceError:
    return CommonplaceError(
        "game.unknown", _("There is no such thing in this game. Load the page again."),
        http_status=404,
    )  # fmt: skip


def _text(text: str, longest: int = LONGEST_TEXT) -> str:
    """Without blanks around it; raises `game.empty` and `game.too_long`."""
    text = " ".join(text.split())
    if not text:
        raise CommonplaceError(
            "game.empty", _("There is nothing in the field yet. Write something, then send it."),
            http_status=422,
        )  # fmt: skip
    if len(text) > longest:
        raise CommonplaceError(
            "game.too_long",
            _("This is too long. Shorten it, then send it again."),
            http_status=422,
            longest=longest,
        )
    return text


__all__ = ["CLOCK", "MODERATOR", "Away", "By", "Card", "Table", "decide", "player"]
