"""The signed link that a participant proves themselves with: `/p/<code>.<signature>/`.

The code is the participation's, the signature an HMAC under the installation's key; how long a
link is good for is the participation's own deadline.
"""

from django.core.signing import BadSignature, Signer
from django.urls import reverse
from django.utils.translation import gettext_noop

from core.errors import NotFound
from core.prepared import Prepared
from studies.models import Participation

_signer = Signer(salt="studies.participation", sep=".")
_by_code: Prepared[Participation] = Prepared(
    lambda code: Participation.objects.select_related("participant", "activity__study").filter(
        code=code
    ),
    str,
)

# What a message of a page that is open needs to know of who sent it, several times a minute.
_BRIEF = (
    *("code", "status", "ended_reason", "deadline", "last_seen", "participant__status"),
    *("participant__language", "activity__kind", "activity__study__timezone"),
)
_brief_by_code: Prepared[Participation] = Prepared(
    lambda code: (
        Participation.objects.select_related("participant", "activity__study")
        .filter(code=code)
        .only(*_BRIEF)
    ),
    str,
)


def token(participation: Participation) -> str:
    return token_of(participation.code)


def token_of(code: str) -> str:
    """The token of the participation with this code."""
    return _signer.sign(code)


def personal(participation: Participation) -> str:
    """The path of the personal link; pages put the origin of the request in front."""
    return reverse("taking_part:home", args=(token(participation),))


def code_of(token: str) -> str:
    """The code of the participation a token is of; empty where this installation did not sign
    it."""
    try:
        return _signer.unsign(token)
    except BadSignature:
        return ""


def participation_of(token: str, *, brief: bool = False) -> Participation:
    """The participation of a token, with participant, activity and study read along; `brief`: with
    few of their columns, the others are read where they are asked for.

    Raises `link.not_valid` (404) for a token this installation did not sign.
    """
    code = code_of(token)
    found = (_brief_by_code if brief else _by_code).first(code) if code else None
    if found is None:
        raise NotFound(
            "link.not_valid",
            gettext_noop(
                "This link is not complete or not ours. Open it again from the message it came in, "
                "without leaving out a character."
            ),
        )
    return found
