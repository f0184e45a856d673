"""People who sign in. Participants never do: they are codes in `studies`."""

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
