"""Telling players that their screen has changed: each their own view, to a group that is theirs.

No group ever holds two people, so nothing of one can reach the other but by a wrong argument here.
"""

import logging
from collections.abc import Iterable
from typing import Any

from django.conf import settings

from core import clock, layers
from core.prepared import Prepared
from games import screens
from games.services.playing import milliseconds
from studies import links
from studies.models import Participation
from studies.participation import Status

logger = logging.getLogger(__name__)
_of: Prepared[Participation] = Prepared(
    lambda pk: Participation.objects.select_related("participant", "activity__study").filter(pk=pk),
    int,
)


def tell(participations: Iterable[int]) -> None:
    """Send each of them what they see now. To be called after the commit, from any thread; where
    the process serves no sockets, nothing is done.

    Whoever cannot be told is not: what happened stands, and their page asks with its next
    heartbeat.
    """
    if not layers.live():
        return
    messages = {}
    for pk in participations:
        try:
            row = _of.first(pk)
            if row is not None:
                messages[group(pk)] = {"type": "player.told", "message": view(row)}
        except Exception:
            logger.exception("Participation %d is not told", pk)
    layers.tell(messages)


def group(participation: int) -> str:
    """The group of the channel layer that holds the sockets of one participation."""
    return f"game.{participation}"


def view(row: Participation) -> dict[str, Any]:
    """The message with what the participant sees now, or with the address where they go on once
    there is nothing to play."""
    if not plays(row):
        return {"type": "go", "address": links.personal(row)}
    shown = screens.shown(row)
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
