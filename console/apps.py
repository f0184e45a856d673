from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "console"

    def ready(self) -> None:
        from console import services
        from core import jobs

        jobs.register(services.DEMONSTRATION, services.make_demonstration)
