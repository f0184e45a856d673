from django.apps import AppConfig
from django.conf import settings


class CollectionConfig(AppConfig):
    name = "collection"

    def ready(self) -> None:
        from collection import questions_file
        from collection.selectors import naming, reviewing
        from collection.services import exporting, forget, forget_named, loading
        from collection.survey import SURVEY
        from core import jobs
        from studies import kinds, steps, study_file, withdrawal
        from studies.permissions import Capability
        from studies.setup import ActivityKind

        kinds.register(ActivityKind.SURVEY, SURVEY)
        study_file.register_section("survey", questions_file.parse, loading.load_survey)

        jobs.register(exporting.KIND, exporting.make)
        jobs.register_duty(
            "collection.remove_exports", settings.RETENTION_EVERY, exporting.remove_expired
        )
        withdrawal.register("answers", forget)
        withdrawal.register("exports", exporting.remove_of_study)
        withdrawal.register("artifacts", forget_named)
        steps.register("collect", "Answers", "collection:export", Capability.EXPORT)
        waits = steps.Waits(lambda studies, _user: reviewing.waiting(studies), "review")
        steps.register("collect", "Review", "collection:review", Capability.REVIEW, waits)
        unseen = steps.Waits(
            lambda studies, _user: naming.unseen(studies), "a first look", thing="artifact"
        )
        steps.register("collect", "Artifacts", "collection:artifacts", Capability.REVIEW, unseen)
        steps.register_next(Capability.REVIEW, naming.next_step)
        steps.register("collect", "Monitor", "collection:monitor", Capability.MONITOR)
