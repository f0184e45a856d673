from django.apps import AppConfig
from django.conf import settings


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation import between, kinds, regional
        from annotation.services import projects, queueing
        from collection import changes
        from core import jobs
        from studies import steps
        from studies.permissions import Capability

        for kind in (regional.KIND, between.KIND_PAIR, between.KIND_ALL):
            kinds.register(kind)
        changes.register(projects.inputs_changed)
        jobs.register(projects.REFRESH, lambda work: projects.refresh_study(work.args["study"]))
        jobs.register_duty("annotation.lapse", settings.ANNOTATION_LAPSE_EVERY, queueing.lapse)
        steps.register("agree", "Annotation", "annotation:projects", Capability.ANNOTATE)
