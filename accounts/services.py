"""Every write to accounts."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts.models import User
from core import audit
from core.errors import CommonplaceError
from core.text import fold

FIRST_ADMIN = "admin@localhost.localdomain"


def first_admin_link() -> str | None:
    """The path where the first administrator sets a password; None once somebody has.

    Creates that administrator when there is no superuser yet. The link dies with its first use.
    """
    with transaction.atomic():
        admin = User.objects.filter(is_superuser=True).order_by("pk").first()
        if admin is None:
            admin = User.objects.create_superuser(FIRST_ADMIN, name="Administrator")
            audit.record(audit.SYSTEM, "account.created", "user", admin.email)
    return None if admin.has_usable_password() else one_time_path(admin)


def one_time_path(user: User) -> str:
    """Where a user sets a password; good once, for `PASSWORD_RESET_TIMEOUT`."""
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("accounts:welcome", args=[uid, default_token_generator.make_token(user)])


def create_account(email: str, *, superuser: bool, actor: str) -> User:
    """An account nobody can sign in to before its one-time link is used.

    Raises `account.email_invalid` and `account.exists`.
    """
    try:
        validate_email(email.strip())
    except ValidationError as error:
        raise CommonplaceError(
            "account.email_invalid", f"{email!r} is not an e-mail address. Write it as name@host."
        ) from error
    try:
        with transaction.atomic():
            user = User.objects.create_user(email, is_superuser=superuser)
            audit.record(actor, "account.created", "user", user.email, superuser=superuser)
    except IntegrityError as error:
        raise CommonplaceError(
            "account.exists", f"There is an account of {email} already. Leave out --new."
        ) from error
    return user


def changed_password(user: User) -> None:
    audit.record(user.email, "account.password_changed", "user", user.email)


def name_given(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """The address somebody tried to sign in with, folded: other spellings are the same attempt."""
    given = credentials if credentials is not None else request.POST
    return fold(str(given.get("username") or given.get("email") or ""))
