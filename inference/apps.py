from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class InferenceConfig(AppConfig):
    name = "inference"

    def ready(self) -> None:
        post_migrate.connect(_sync_prompts, sender=self)


def _sync_prompts(apps: Any, **_: Any) -> None:
    """After a migration the shipped prompts have rows, unless their table is not there (yet)."""
    from inference.prompts import sync_prompts

    if "prompt" in apps.all_models["inference"]:
        sync_prompts()
