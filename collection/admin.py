"""The rows of surveys, to read. Lists show no answer; the page of one answer does."""

from django.contrib import admin

from collection.models import (
    Answer,
    Export,
    FormVersion,
    QualityFlag,
    Question,
    QuestionText,
    Submission,
    SurveyPlan,
    Topic,
)
from core.admin import ReadOnlyAdmin, site


@admin.register(Topic, site=site)
class TopicAdmin(ReadOnlyAdmin):
    list_display = ("code", "study", "parent")
    list_select_related = ("study", "parent")


@admin.register(Question, site=site)
class QuestionAdmin(ReadOnlyAdmin):
    list_display = ("key", "study", "kind", "status")
    list_select_related = ("study",)
    search_fields = ("key",)


@admin.register(QuestionText, site=site)
class QuestionTextAdmin(ReadOnlyAdmin):
    list_display = ("question", "language", "text")
    list_select_related = ("question",)


@admin.register(SurveyPlan, site=site)
class SurveyPlanAdmin(ReadOnlyAdmin):
    list_display = ("activity", "per_form")
    list_select_related = ("activity",)


@admin.register(FormVersion, site=site)
class FormVersionAdmin(ReadOnlyAdmin):
    list_display = ("activity", "number", "version", "sha256", "published")
    list_select_related = ("activity",)


@admin.register(Submission, site=site)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ("participant", "number", "status", "language", "submitted")
    list_select_related = ("participation__participant",)
    list_filter = ("status",)
    search_fields = ("participation__participant__code__exact",)
    ordering = ("-pk",)

    @admin.display(description="participant")
    def participant(self, submission: Submission) -> str:
        return submission.participation.participant.code


@admin.register(Answer, site=site)
class AnswerAdmin(ReadOnlyAdmin):
    list_display = ("submission", "question", "skipped", "revision", "removed")
    list_select_related = ("submission", "question")
    ordering = ("-pk",)


@admin.register(QualityFlag, site=site)
class QualityFlagAdmin(ReadOnlyAdmin):
    list_display = ("submission", "check_name", "decision")
    list_select_related = ("submission",)
    ordering = ("-pk",)


@admin.register(Export, site=site)
class ExportAdmin(ReadOnlyAdmin):
    list_display = ("study", "layout", "format", "asked", "asked_by", "made", "rows")
    list_select_related = ("study",)
