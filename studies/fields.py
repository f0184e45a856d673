"""The one column type of short texts in several languages."""

from typing import Any

from django.db import models

from studies import languages


class LanguageMapField(models.JSONField):
    """A JSON map `{tag: text}`; a map that is not one is refused before it is stored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("default", dict)
        super().__init__(*args, **kwargs)

    def pre_save(self, instance: models.Model, add: bool) -> Any:
        value = languages.texts(super().pre_save(instance, add))
        setattr(instance, self.attname, value)
        return value
