from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "releases"

    def ready(self) -> None:
        from releases import standing
        from releases.services import forget
        from studies import steps, withdrawal
        from studies.permissions import Capability

        withdrawal.register("releases", forget)
        steps.register("freeze", "Freeze", "study_freeze", Capability.FREEZE)
        steps.register_stand("freeze", standing.stand)
