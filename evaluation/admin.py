from django.contrib import admin

from core.admin import ReadOnlyAdmin, site
from evaluation.models import (
    DrawnReply,
    Judge,
    Reply,
    Run,
    RunJudge,
    Sample,
    Validation,
    Verdict,
)


@admin.register(Run, site=site)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("pk", "benchmark", "release", "model_label", "status", "created")
    list_select_related = ("release",)
    list_filter = ("status",)


@admin.register(Reply, site=site)
class ReplyAdmin(ReadOnlyAdmin):
    list_display = ("pk", "run", "item", "outcome", "finish")
    list_select_related = ("run", "item")
    ordering = ("-pk",)


@admin.register(Sample, site=site)
class SampleAdmin(ReadOnlyAdmin):
    list_display = ("pk", "run", "item", "repeat", "turn", "choice")
    list_select_related = ("run", "item")
    ordering = ("-pk",)


@admin.register(Judge, site=site)
class JudgeAdmin(ReadOnlyAdmin):
    list_display = ("label", "kind", "signal", "hash")


@admin.register(RunJudge, site=site)
class RunJudgeAdmin(ReadOnlyAdmin):
    list_display = ("run", "number", "judge")
    list_select_related = ("run", "judge")


@admin.register(Verdict, site=site)
class VerdictAdmin(ReadOnlyAdmin):
    list_display = ("pk", "judge", "reply_id", "outcome", "value")
    list_select_related = ("judge",)
    ordering = ("-pk",)


@admin.register(Validation, site=site)
class ValidationAdmin(ReadOnlyAdmin):
    list_display = ("pk", "project", "seed", "size")
    list_select_related = ("project",)


@admin.register(DrawnReply, site=site)
class DrawnReplyAdmin(ReadOnlyAdmin):
    list_display = ("pk", "validation_id", "reply_id", "stratum")
    ordering = ("-pk",)
