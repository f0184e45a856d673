from django.contrib import admin

from annotation.models import (
    Assignment,
    Decision,
    GoldAnswer,
    GoldRelation,
    GoldSupport,
    Guideline,
    Judgement,
    Project,
    Task,
)
from core.admin import ReadOnlyAdmin, site


@admin.register(Project, site=site)
class ProjectAdmin(ReadOnlyAdmin):
    list_display = ("kind", "study", "overlap", "share", "created")
    list_select_related = ("study",)


@admin.register(Guideline, site=site)
class GuidelineAdmin(ReadOnlyAdmin):
    list_display = ("project", "version", "created")
    list_select_related = ("project",)


@admin.register(Task, site=site)
class TaskAdmin(ReadOnlyAdmin):
    list_display = ("source_key", "project", "status", "stale")
    list_select_related = ("project",)
    search_fields = ("source_key",)


@admin.register(Assignment, site=site)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ("task", "slot", "annotator", "status", "lease_until")
    list_select_related = ("task", "annotator")


@admin.register(Judgement, site=site)
class JudgementAdmin(ReadOnlyAdmin):
    list_display = ("assignment", "phase", "ms", "at")
    list_select_related = ("assignment",)


@admin.register(Decision, site=site)
class DecisionAdmin(ReadOnlyAdmin):
    list_display = ("task", "by", "decided_by", "current", "at")
    list_select_related = ("task", "decided_by")


@admin.register(GoldAnswer, site=site)
class GoldAnswerAdmin(ReadOnlyAdmin):
    list_display = ("question", "region", "n", "threshold", "stale")
    list_select_related = ("question", "region")


@admin.register(GoldSupport, site=site)
class GoldSupportAdmin(ReadOnlyAdmin):
    list_display = ("gold", "concept", "answer")
    list_select_related = ("gold", "answer")


@admin.register(GoldRelation, site=site)
class GoldRelationAdmin(ReadOnlyAdmin):
    list_display = ("question", "level", "region_a", "region_b", "stale")
    list_select_related = ("question", "region_a", "region_b")
