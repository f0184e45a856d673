"""Reads of accounts."""

from accounts.models import User
from core.errors import CommonplaceError
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
