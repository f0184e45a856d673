"""Messages of the recruiter Prolific: is one genuine, and what does it say.

As Prolific documents it (docs.prolific.com, API reference, Webhooks, "Verifying" and
"Receiving"): the signature is the base64 of an HMAC-SHA256, under the secret of the workspace, of
the timestamp header followed by the body. A message may come twice, late and out of order, so an
old one is as good as a new one, and what follows from it has to be repeatable.
"""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass

from core.errors import CommonplaceError
from core.text import clean

LONGEST = 64 * 1024  # bytes of a body
LONGEST_ID = 100  # characters
STATUS_CHANGED = "submission.status.change"
APPROVED, RETURNED, TIMED_OUT = "APPROVED", "RETURNED", "TIMED-OUT"


@dataclass(frozen=True, slots=True)
class Event:
    """`session` is Prolific's id of the submission, `status` what it is now."""

    kind: str
    session: str
    status: str


def signature(body: bytes, timestamp: str, secret: str) -> str:
    signed = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256)
    return base64.b64encode(signed.digest()).decode()


def verify(body: bytes, timestamp: str, given: str, secret: str) -> None:
    """Raises `webhook.signature` (401)."""
    expected = signature(body, timestamp, secret)
    if not timestamp or not hmac.compare_digest(expected.encode(), given.encode()):
        raise CommonplaceError(
            "webhook.signature",
            "The signature does not belong to this message. Check that the secret set here is the "
            "one of the recruiter's workspace.",
            http_status=401,
        )


def read(body: bytes) -> Event:
    """Raises `webhook.unreadable`, and `text.not_storable` for text no database keeps."""
    try:
        given = json.loads(body)
        kind = given["event_type"]
        session, status = given.get("resource_id", ""), given.get("status", "")
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        raise _unreadable("It is no JSON object with an `event_type`.") from None
    for value in (kind, session, status):
        if not isinstance(value, str) or len(value) > LONGEST_ID:
            raise _unreadable(f"Its values are texts of at most {LONGEST_ID} characters.")
        clean(value)
    return Event(kind, session, status)


def _unreadable(fault: str) -> CommonplaceError:
    return CommonplaceError(
        "webhook.unreadable",
        f"This message cannot be read. {fault} Send it as the recruiter's documentation says.",
    )
