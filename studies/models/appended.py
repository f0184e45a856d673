"""Rows that are written once."""

from typing import Any

from django.db import models

from core.errors import CommonplaceError


class Appended(models.Model):
    """A row that is written once; what changes is said by a further row."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise CommonplaceError(
                "row.append_only",
                "This record is never changed. Add a further one that says what is true now.",
            )
        super().save(*args, **kwargs)
