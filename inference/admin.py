from django.contrib import admin

from core.admin import ReadOnlyAdmin, site
from inference.models import (
    Budget,
    Call,
    Completion,
    Endpoint,
    LanguageModel,
    Lease,
    Prompt,
)


@admin.register(Endpoint, site=site)
class EndpointAdmin(ReadOnlyAdmin):
    list_display = ("name", "base_url", "key_variable", "max_in_flight")


@admin.register(LanguageModel, site=site)
class LanguageModelAdmin(ReadOnlyAdmin):
    list_display = ("name", "endpoint", "simulated")
    list_select_related = ("endpoint",)


@admin.register(Prompt, site=site)
class PromptAdmin(ReadOnlyAdmin):
    list_display = ("name", "language", "pack", "sha256", "created")


@admin.register(Call, site=site)
class CallAdmin(ReadOnlyAdmin):
    list_display = ("purpose", "model", "at", "status", "ms", "cost_micro")
    list_select_related = ("model__endpoint",)
    ordering = ("-pk",)


@admin.register(Completion, site=site)
class CompletionAdmin(ReadOnlyAdmin):
    list_display = ("request_key", "repeat", "finish", "refusal")
    ordering = ("-pk",)


@admin.register(Budget, site=site)
class BudgetAdmin(ReadOnlyAdmin):
    list_display = ("pk", "cap", "spent", "reserved")


@admin.register(Lease, site=site)
class LeaseAdmin(ReadOnlyAdmin):
    list_display = ("purpose", "endpoint", "places", "reserved", "seen")
    list_select_related = ("endpoint",)
