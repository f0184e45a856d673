"""A participant's command in their game, with all that follows from it."""

from dataclasses import dataclass, replace

from core.catalogue import gettext_noop as _
from core.errors import CommonplaceError
from games.machine import player
from games.machine.commands import Command
from games.selectors import rows, sittings, snapshots
from games.selectors.sittings import Sitting
from games.services import endings, recorded
from games.services.playing import Played, play, replay
from studies.models import Participation


@dataclass(frozen=True, slots=True)
class Moved:
    """What was done, and who sits there; None where the game is over for somebody by it, so that
    more may have changed than the game."""

    played: Played
    sitting: Sitting | None


def move(participation: Participation, command: Command, nonce: str = "") -> Moved:
    """Follow the command at the participant's seat, let a recorded partner answer, and do what an
    ending means. Repeating a nonce is answered as the first time, also when the game is over.

    Raises what `playing.play` raises, and `game.none` for who plays no game.
    """
    return move_at(sittings.newest(participation.pk), participation.pk, command, nonce)


def move_at(sitting: Sitting | None, participation: int, command: Command, nonce: str) -> Moved:
    """As `move`, at the last table of a participation, as it has just been read."""
    seat = sitting.person(participation) if sitting else None
    if sitting is None or seat is None or not seat.takes_part:
        if sitting and seat and nonce and rows.followed(sitting.game, seat.number, nonce):
            return Moved(replay(sitting.game), None)
        raise CommonplaceError(
            "game.none", _("You are in no game now. Go back to your page."), http_status=409
        )
    before = snapshots.at(sitting.game, sitting.version)
    played = play(before, player(seat.number), command, nonce=nonce)
    played = recorded.drive(sitting.game, played)
    if endings.concerns(played.state):
        endings.settle(sitting.game)
        return Moved(played, None)
    return Moved(played, replace(sitting, version=played.version))
