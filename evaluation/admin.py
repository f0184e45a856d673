from django.contrib import admin

from core.admin import ReadOnlyAdmin, site
from evaluation.models import Reply, Run, Sample


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
