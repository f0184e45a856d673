from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from core import jobs
        from evaluation import runner, services, standing
        from evaluation.ra_mcq import benchmark  # noqa: F401  (registers itself)
        from inference import client
        from studies import steps

        jobs.register(
            services.JOB_KIND, runner.execute, failed=services.mark_failed, warm=client.load
        )
        steps.register_stand("benchmark", standing.stand)
