"""A participant's command in their game, with all that follows from it."""

from core.catalogue import gettext_noop as _
from core.errors import CommonplaceError
from games.machine import player
from games.machine.commands import Command
from games.selectors import places, rows
from games.services import endings, recorded
from games.services.playing import Played, play, replay
from studies.models import Participation


def move(participation: Participation, command: Command, nonce: str = "") -> Played:
    """Follow the command at the participant's seat, let a recorded partner answer, and do what an
    ending means. Repeating a nonce is answered as the first time, also when the game is over.

    Raises what `playing.play` raises, and `game.none` for who plays no game.
    """
    seat = places.newest_seat(participation.pk)
    if seat is None or not seat.open:
        if seat and nonce and rows.followed(seat.game_id, seat.number, nonce):
            return replay(seat.game_id)
        raise CommonplaceError(
            "game.none", _("You are in no game now. Go back to your page."), http_status=409
        )
    played = play(seat.game, player(seat.number), command, nonce=nonce)
    played = recorded.drive(seat.game_id, played)
    endings.settle(seat.game_id, played.state)
    return played
