"""What a player's socket is answered. Synchronous, and run in a thread: each function reads the
participation anew, does one thing, and returns messages that may be sent once it has returned.

An acknowledgement is made after the commit and before anything else can fail.
"""

import logging
from typing import Any

from django.utils.translation import gettext as _

from core.catalogue import gettext_noop
from core.errors import CommonplaceError
from games import acting, screens, telling
from games.services import presence, tabs
from games.wire import Fields
from studies import links
from studies.models import Participation
from studies.taking_part.door import refuse_too_late, speaking

logger = logging.getLogger(__name__)

Messages = list[telling.Message]
TAKEN = {"type": "taken"}


def arrive(token: str, tab: str, came: float, *, again: bool) -> Messages:
    """A page has opened a socket, or opened it `again` after it broke: it has the seat unless a
    newer page took that meanwhile."""
    row = _row(token)
    if (again and not tabs.holds(row, tab)) or not tabs.take(row, tab, came):
        return [TAKEN]
    _tell_others(row, presence.seen(row))
    return [telling.view(row)]


def look(token: str) -> Messages:
    return [telling.view(_row(token))]


def beat(token: str, tab: str) -> Messages:
    """The page is there; by the tag of what it should show it sees whether it missed something."""
    row = _row(token)
    if not tabs.holds(row, tab):
        return [TAKEN]
    _tell_others(row, presence.seen(row))
    if not telling.plays(row):
        return [telling.view(row)]
    version, tag = screens.glance(row)
    return [{"type": "beat", "version": version, "tag": tag}]


def follow(token: str, fields: Fields) -> Messages:
    """Do what the page asks for: acknowledged or refused, with what its player sees now."""
    nonce, view = fields.get("nonce", ""), None
    try:
        done = acting.follow_seated(links.code_of(token), fields, nonce) or _follow(token, fields)
        answer = {"type": "ack", "nonce": nonce}
        view = telling.tell(done.changed, done.by, done.sitting)
    except CommonplaceError as error:
        answer = _refusal(_row(token), nonce, error)
    except Exception:
        logger.exception("A message of participation %s is not followed", links.code_of(token))
        answer = _refusal(_row(token), nonce, _failed())
    view = view or telling.view(_row(token))
    return [answer | {"version": view.get("version", 0), "view": view}]


def _follow(token: str, fields: Fields) -> acting.Followed:
    row = _row(token)
    refuse_too_late(row)
    return acting.follow(row, fields, fields.get("nonce", ""))


def refuse(token: str, nonce: str, error: CommonplaceError) -> Messages:
    """What could not even be read, or came too fast."""
    return [_refusal(_row(token), nonce, error)]


def _refusal(row: Participation, nonce: str, error: CommonplaceError) -> dict[str, Any]:
    with speaking(row.activity.study.timezone, row.participant.language):
        message = _(error.message)
    return {"type": "refused", "nonce": nonce, "code": error.code, "message": message}


def _row(token: str) -> Participation:
    """As it is now. Raises `link.not_valid`."""
    return links.participation_of(token, brief=True)


def _tell_others(row: Participation, changed: set[int]) -> None:
    """Who asks is answered on their own socket."""
    telling.tell(changed - {row.pk})


def _failed() -> CommonplaceError:
    return CommonplaceError(
        "game.failed",
        gettext_noop("This could not be done just now. What you wrote stays; send it again."),
        http_status=500,
    )
