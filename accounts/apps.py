from django.apps import AppConfig
from django.conf import settings


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import services
        from core import jobs

        jobs.register_duty(
            "accounts.forget_requests", settings.IDEMPOTENCY_EVERY, services.forget_requests
        )
