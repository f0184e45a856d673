from django.apps import AppConfig
from django.conf import settings


class ReleasesConfig(AppConfig):
    name = "releases"

    def ready(self) -> None:
        from core import jobs
        from releases import standing, storing
        from releases.services import forget
        from studies import steps, withdrawal
        from studies.permissions import Capability

        jobs.register_duty(
            "releases.remove_unused_parts", settings.RETENTION_EVERY, storing.remove_unused
        )
        withdrawal.register("releases", forget)
        steps.register("freeze", "Freeze", "study_freeze", Capability.FREEZE)
        steps.register_stand("freeze", standing.stand)
