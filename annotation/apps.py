from django.apps import AppConfig
from django.conf import settings


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation import between, kinds, regional
        from annotation.selectors import disputes, standing
        from annotation.selectors.suggestions import JOB
        from annotation.services import asking, projects, queueing, suggesting
        from collection import changes
        from core import jobs
        from inference import client
        from studies import steps, withdrawal
        from studies.permissions import Capability

        for kind in (regional.KIND, between.KIND_PAIR, between.KIND_ALL):
            kinds.register(kind)
        changes.register(projects.inputs_changed)
        jobs.register(projects.REFRESH, lambda work: projects.refresh_study(work.args["study"]))
        jobs.register(JOB, asking.make, warm=client.load)
        withdrawal.register("suggestions", suggesting.forget)
        jobs.register_duty("annotation.lapse", settings.ANNOTATION_LAPSE_EVERY, queueing.lapse)
        waits = steps.Waits(disputes.waiting_in, "a decision", Capability.ADJUDICATE)
        steps.register("agree", "Annotation", "annotation:projects", Capability.ANNOTATE, waits)
        steps.register_stand("agree", standing.stand)
