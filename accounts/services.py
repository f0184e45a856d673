"""Every write to accounts."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts.models import User
from core import audit
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
    if admin.has_usable_password():
        return None
    uid = urlsafe_base64_encode(force_bytes(admin.pk))
    token = default_token_generator.make_token(admin)
    return reverse("accounts:welcome", args=[uid, token])


def changed_password(user: User) -> None:
    audit.record(user.email, "account.password_changed", "user", user.email)


def name_given(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """The address somebody tried to sign in with, folded: other spellings are the same attempt."""
    given = credentials if credentials is not None else request.POST
    return fold(str(given.get("username") or given.get("email") or ""))
