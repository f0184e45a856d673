"""Reads of accounts."""

from accounts import tokens
from accounts.models import ApiToken, User
from accounts.tokens import Scope
from core import clock
from core.errors import CommonplaceError, NotFound
from core.text import fold


def find_account(email: str) -> User:
    """The active account of an address, however it is spelt. Raises `account.unknown`."""
    user = User.objects.filter(email=fold(email), is_active=True).first()
    if user is None:
        raise CommonplaceError(
            "account.unknown",
            f"Nobody here signs in as “{email}”. Check the address, or have an administrator "
            "make the account with `sign_in_link EMAIL --new`.",
            value=email,
        )
    return user


def find_token(secret: str) -> ApiToken:
    """The token of a secret that may be used now, its user read along.

    Raises `token.unknown`, `token.revoked`, `token.expired` (401).
    """
    token = ApiToken.objects.select_related("user").filter(hash=tokens.digest(secret)).first()
    if token is None or not token.user.is_active:
        raise _refused("unknown", "This token is not known here. Check that all of it was copied.")
    if token.revoked is not None:
        raise _refused("revoked", "This token was revoked. Make a new one under “API tokens”.")
    if token.expires <= clock.now():
        raise _refused("expired", "This token has expired. Make a new one under “API tokens”.")
    return token


def _refused(why: str, message: str) -> CommonplaceError:
    return CommonplaceError(f"token.{why}", message, http_status=401)


def token_lines(user: User) -> list[tuple[ApiToken, list[str], str]]:
    """The user's tokens, the newest first: what each may do in words, and whether it is `good`,
    `expired` or `revoked`."""
    now = clock.now()
    return [
        (
            token,
            [tokens.MEANINGS[Scope(scope)] for scope in token.scopes],
            "revoked" if token.revoked else "good" if token.expires > now else "expired",
        )
        for token in user.api_tokens.all()
    ]


def access_token(user: User, pk: int) -> ApiToken:
    """A token of the user's own; raises `token.unknown` (404)."""
    token = user.api_tokens.filter(pk=pk).first()
    if token is None:
        raise NotFound("token.unknown", "You have no such token. Your list shows those you have.")
    return token
