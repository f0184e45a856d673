from django.apps import AppConfig
from django.conf import settings


class StudiesConfig(AppConfig):
    name = "studies"

    def ready(self) -> None:
        from accounts import reach
        from core import jobs
        from studies import selectors, services, steps
        from studies.permissions import Capability
        from studies.services import withdrawing

        reach.register(selectors.visible_slugs)
        jobs.register(withdrawing.JOB_KIND, withdrawing.remove_words)
        jobs.register_duty("studies.time_out", settings.TIME_OUT_EVERY, services.time_out_overdue)
        jobs.register_duty(
            "studies.forget_recruiters", settings.RETENTION_EVERY, services.forget_recruiters
        )
        steps.register_next(Capability.RECRUIT, selectors.next_invited)
        steps.register("collect", "Invitations", "studies:links", Capability.RECRUIT)
        steps.register("collect", "Payments", "studies:payments", Capability.REVIEW)
        steps.register("collect", "Withdrawals", "studies:withdrawals", Capability.RECRUIT)
