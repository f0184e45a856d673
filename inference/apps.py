from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class InferenceConfig(AppConfig):
    name = "inference"

    def ready(self) -> None:
        post_migrate.connect(_sync_prompts, sender=self)


def _sync_prompts(apps: Any = None, **_: Any) -> None:
    """After a migration the shipped prompts have rows, unless their table is not there (yet).

    A test database that was emptied sends the same signal without the state of migrations.
    """
    from inference.prompts import sync_prompts

    if apps is None or "prompt" in apps.all_models["inference"]:
        sync_prompts()
