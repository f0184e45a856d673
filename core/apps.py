from django.apps import AppConfig
from django.conf import settings


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        from core import jobs

        jobs.register_duty("core.forget_jobs", settings.RETENTION_EVERY, jobs.forget_finished)
