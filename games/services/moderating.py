"""What a moderator does in a game: each thing is a command of the machine, done in their name.

The command is committed first (`services.playing`), with the moderator's address on its event; the
entry in the study's history, what it means for who played and what their screens show follow it.
Entries hold codes and numbers, never words. `actor` is the moderator's address.
"""

from core import audit
from core.errors import CommonplaceError
from games import telling
from games.machine import MODERATOR, By
from games.machine.commands import (
    Command,
    End,
    Halt,
    Judge,
    Leave,
    Resume,
    Rule,
    Strike,
    Warn,
    Who,
)
from games.models import Game, Utterance
from games.selectors import places
from games.services import endings, recorded
from games.services.playing import Played, play, replay

Verdict = Utterance.Verdict


def halt(game: Game, actor: str) -> Played:
    """Pause the game, at most as long as its rules say. Raises `game.not_now`, `game.over`."""
    return _follow(game, MODERATOR, Halt(), actor, "halted")


def resume(game: Game, actor: str) -> Played:
    """Let a paused game go on. Raises `game.not_now`, `game.over`."""
    return _follow(game, MODERATOR, Resume(), actor, "resumed")


def end(game: Game, actor: str) -> Played:
    """End the game for both, who are paid for the time. Raises `game.over`."""
    return _follow(game, MODERATOR, End(), actor, "ended")


def warn(game: Game, seat: int, text: str, actor: str, *, nonce: str = "") -> Played:
    """Tell the player of a seat something, which they alone read. `nonce` is the form's own number,
    so that a second click says nothing twice. Raises `game.empty`, `game.too_long`, `game.over`."""
    by = By(Who.MODERATOR, seat)
    return _follow(game, by, Warn(text), actor, "warned", nonce=nonce, seat=seat)


def strike(game: Game, kind: str, turn: int, number: int, actor: str) -> Played:
    """Take back a clue or a guess (`kind`) that offends: nobody but moderators reads it any more.
    Raises `game.unknown`."""
    if _stands(game, kind, turn, number, struck=True):
        return replay(game.pk)
    command = Strike(turn=turn, kind=kind, number=number)
    return _follow(game, MODERATOR, command, actor, "struck", kind=kind, turn=turn, number=number)


def rule(game: Game, turn: int, clue: int, allowed: bool, actor: str) -> Played:
    """Decide on a clue whose giver has appealed. One that is allowed while its turn is played
    reaches the guesser. Raises `game.unknown` where somebody has decided otherwise."""
    so_already = (Verdict.SAID, Verdict.ALLOWED) if allowed else (Verdict.REFUSED,)
    if _stands(game, "clue", turn, clue, verdict__in=so_already):
        return replay(game.pk)
    command = Rule(turn=turn, clue=clue, allowed=allowed)
    return _follow(game, MODERATOR, command, actor, "ruled", turn=turn, clue=clue, allowed=allowed)


def judge(game: Game, turn: int, guess: int, right: bool, actor: str) -> Played:
    """Decide on a guess that neither the rules nor the giver could. Raises `game.unknown` where
    somebody has decided otherwise."""
    so_already = Verdict.RIGHT if right else Verdict.WRONG
    if _stands(game, "guess", turn, guess, verdict=so_already):
        return replay(game.pk)
    command = Judge(turn=turn, guess=guess, right=right)
    return _follow(game, MODERATOR, command, actor, "judged", turn=turn, guess=guess, right=right)


def remove(game: Game, seat: int, actor: str) -> Played:
    """Take a player out of the game for good; the partner goes on as when somebody leaves.
    Raises `game.over`."""
    return _follow(game, By(Who.SYSTEM, seat), Leave("removed"), actor, "removed", seat=seat)


def _stands(game: Game, kind: str, turn: int, number: int, **so: object) -> bool:
    """Whether what was said has been decided on like this before."""
    said = Utterance.objects.filter(game=game, kind=kind, turn=turn, number=number)
    return said.filter(**so).exists()


def _follow(
    game: Game,
    by: By,
    command: Command,
    actor: str,
    action: str,
    *,
    nonce: str = "",
    **data: str | int | bool,
) -> Played:
    """Play the command, let a recorded partner answer it, and do what it means for who played. A
    crash in between leaves no word of it in the history; the event itself names the moderator, and
    endings left over are settled by the next round."""
    try:
        played = play(game.pk, by, command, nonce=nonce, actor=actor)
    except CommonplaceError as error:
        raise _to_moderators(error) from error
    if played.events:
        slug = game.activity.study.slug
        audit.record(actor, f"game.{action}", "game", game.code, study=slug, **data)
        played = recorded.drive(game.pk, played)
        if endings.concerns(played.state):
            endings.settle(game.pk)
        telling.tell(places.players(game))
    return played


_SAID = {
    "game.over": "The game has ended meanwhile. What was said in it can still be struck.",
    "game.not_now": "The game has moved on, and this cannot be done any more. Look at it again.",
    "game.unknown": "Somebody else has decided this meanwhile. Look at the game again.",
    "game.empty": "There is nothing in the field yet. Write what the player should read.",
}


def _to_moderators(error: CommonplaceError) -> CommonplaceError:
    """The machine's refusals are sentences for players."""
    message = _SAID.get(error.code, error.message)
    return CommonplaceError(error.code, message, http_status=error.http_status, **error.data)
