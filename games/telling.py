"""Telling players that their screen has changed: each their own view, to a group that is theirs.

No group ever holds two people, so nothing of one can reach the other but by a wrong argument here.
"""

import logging
from collections.abc import Iterable
from typing import Any

from django.conf import settings

from core import clock, layers
from games import screens
from games.screens import Shown
from games.selectors import sittings, snapshots
from games.selectors.sittings import Sitting
from games.services.playing import milliseconds
from studies import links
from studies.models import Participation
from studies.participation import Status

Message = dict[str, Any]
logger = logging.getLogger(__name__)
_READ = "participant", "activity__study"


def tell(
    participations: Iterable[int], asker: int | None = None, sitting: Sitting | None = None
) -> Message | None:
    """Send each of them what they see now, but the `asker`, who is answered on their own socket and
    whose message is returned. To be called after the commit, from any thread; where the process
    serves no sockets, nothing is sent. Of who is in a `sitting` that has just been read, it is not
    read again.

    Whoever cannot be told is not: what happened stands, and their page asks with its next
    heartbeat.
    """
    told = {}
    for pk in participations:
        if pk == asker or layers.live():
            try:
                if sitting is None or pk not in sitting.participations:
                    sitting = sittings.newest(pk)
                told[pk] = _seen(pk, sitting)
            except Exception:
                logger.exception("Participation %d is not told", pk)
    own = told.pop(asker, None) if asker else None
    layers.tell({group(pk): {"type": "player.told", "message": told[pk]} for pk in told})
    return own


def _seen(participation: int, sitting: Sitting | None) -> Message:
    """Of who plays, nothing else is read."""
    if sitting is not None:
        game, person = snapshots.at(sitting.game, sitting.version), sitting.person(participation)
        if screens.plays(game, person):
            return _message(screens.played(game, person))
    return view(Participation.objects.select_related(*_READ).get(pk=participation))


def group(participation: int) -> str:
    """The group of the channel layer that holds the sockets of one participation."""
    return f"game.{participation}"


def view(row: Participation) -> Message:
    """The message with what the participant sees now, or with the address where they go on once
    there is nothing to play."""
    if not plays(row):
        return {"type": "go", "address": links.personal(row)}
    return _message(screens.shown(row))


def _message(shown: Shown) -> Message:
    return {
        "type": "view",
        "version": shown.version,
        "tag": shown.tag,
        "html": shown.html,
        "now": milliseconds(clock.now()),
        "beat": round(clock.scaled(settings.GAME_HEARTBEAT) * 1000),
    }


def plays(row: Participation) -> bool:
    """Whether the status of the participation is one in which there is a game to be played."""
    return row.status == Status.ACTIVE and row.activity.kind == "game"
