"""What goes over a player's socket: the form of its messages, how many, and why it is closed.

docs/live-play.md describes it for those who write another client.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from core.catalogue import gettext_noop as _
from core.errors import CommonplaceError
from core.text import clean

NONCE = re.compile(r"[\w-]{0,40}", re.ASCII)
MALFORMED = _("This page sent something that cannot be read. Load it again, then try again.")
BURST, A_SECOND = 60, 20  # messages at once, and in the long run; people send one in four seconds
BREATH = 0.05  # real seconds in which a socket is not read, after what it should not have sent

Fields = Mapping[str, str]


class Closing(IntEnum):
    """Why the server closes a socket; a page reads no more than this number."""

    NOT_TEXT = 4400  # a binary message
    FOREIGN = 4403  # the page that opened it is not of this installation
    UNKNOWN = 4404  # no such address, or a link that is not ours
    TAKEN = 4409  # a newer page of the same person plays
    ELSEWHERE = 4410  # nothing is played at this link now; `go` has said where to


def read(text: str, longest: int) -> Fields:
    """The fields of a message, all strings; a `version` is left out.

    Raises `game.oversized` (413) beyond `longest` bytes, and `game.malformed` (400) for what is no
    object of storable strings with a `do`.
    """
    if len(text) > longest or len(text.encode(errors="replace")) > longest:
        raise CommonplaceError(
            "game.oversized",
            _("This is more than can be sent at once. Make it shorter, then send it again."),
            http_status=413,
        )
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise _malformed() from None
    if not isinstance(found, dict):
        raise _malformed()
    found.pop("version", None)  # of what the page shows: for people who read the traffic
    if not all(isinstance(value, str) and _storable(value) for value in found.values()):
        raise _malformed()
    if "do" not in found:
        raise _malformed()
    nonce(found)
    return found


def nonce(fields: Fields) -> str:
    """A player's own number of what they send; empty where they gave none. Raises
    `game.malformed`."""
    given = fields.get("nonce", "")
    if not NONCE.fullmatch(given):
        raise _malformed()
    return given


def _storable(text: str) -> bool:
    try:
        clean(text)
    except CommonplaceError:
        return False
    return True


def _malformed() -> CommonplaceError:
    return CommonplaceError("game.malformed", MALFORMED)


@dataclass(slots=True)
class Pace:
    """How fast one socket may speak: a bucket that fills with time and holds `BURST`."""

    at: float  # seconds, monotonic
    left: float = BURST

    def allow(self, now: float) -> None:
        """Take one out. Raises `game.too_fast` (429) where none is left."""
        self.left = min(BURST, self.left + (now - self.at) * A_SECOND)
        self.at = now
        if self.left < 1:
            raise CommonplaceError(
                "game.too_fast",
                _("That was too much at once. Wait a moment, then send it again."),
                http_status=429,
            )
        self.left -= 1
