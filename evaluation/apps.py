from django.apps import AppConfig

LOOK_EVERY = 10  # seconds of the product


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from annotation import kinds
        from core import jobs
        from evaluation import services, standing
        from evaluation.ra_mcq import benchmark as ra_mcq  # noqa: F401  (registers itself)
        from evaluation.rasa import benchmark as rasa  # noqa: F401
        from evaluation.running import runner
        from evaluation.services import rereading
        from evaluation.validation import people
        from inference import client
        from studies import steps

        jobs.register(
            services.JOB_KIND, runner.execute, failed=services.mark_failed, warm=client.load
        )
        jobs.register(services.REREADING, rereading.execute)
        jobs.register_duty("evaluation.runs", LOOK_EVERY, services.look_after)
        kinds.register(people.KIND)
        steps.register_stand("benchmark", standing.stand)
