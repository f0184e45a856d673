"""People who sign in, and the tokens of their programs. Participants never do either: they are
codes in `studies`."""

import secrets
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models

from core.text import fold


class UserManager(BaseUserManager["User"]):
    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=fold(username or ""))

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A user whose address is stored folded; without a password nobody can sign in yet."""
        user = self.model(email=fold(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    is_active = models.BooleanField(default=True)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"

    def __str__(self) -> str:
        return self.name or self.email


def new_nonce() -> str:
    return secrets.token_urlsafe(24)


class ApiToken(models.Model):
    """Lets a program act as its user, within scopes and perhaps a few studies, until it ends."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=120)
    hash = models.CharField(max_length=64, unique=True)  # SHA-256 of the secret, kept nowhere
    prefix = models.CharField(max_length=12)  # how the secret begins
    scopes = models.JSONField()  # [tokens.Scope]
    studies = models.JSONField(default=list)  # slugs; empty: all its user can see
    created = models.DateTimeField()
    expires = models.DateTimeField()
    last_used = models.DateTimeField(null=True)  # to the minute
    revoked = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "API token"
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.prefix}… of {self.user_id}"


class IdempotentRequest(models.Model):
    """A request under an `Idempotency-Key`, and its answer once there is one."""

    user = models.ForeignKey(User, on_delete=models.CASCADE)
    key = models.CharField(max_length=200)
    asked = models.CharField(max_length=64)  # SHA-256 of method, path and body
    nonce = models.CharField(max_length=40, default=new_nonce)  # for services that take one
    claimed = models.DateTimeField()  # by whoever works on it
    created = models.DateTimeField(db_index=True)
    status = models.PositiveSmallIntegerField(null=True)  # HTTP; None while it is worked on
    response = models.JSONField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["user", "key"], name="one_request_per_user_and_idempotency_key"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user_id} {self.status}"
