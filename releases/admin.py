from django.contrib import admin

from core.admin import ReadOnlyAdmin, site
from releases.models import Contribution, Finding, Item, Part, Release


@admin.register(Release, site=site)
class ReleaseAdmin(ReadOnlyAdmin):
    list_display = ("label", "status", "parent", "superseded_by", "simulated", "created")
    list_select_related = ("parent", "superseded_by")


@admin.register(Part, site=site)
class PartAdmin(ReadOnlyAdmin):
    list_display = ("name", "release", "rows", "size", "purged_at")
    list_select_related = ("release",)


@admin.register(Item, site=site)
class ItemAdmin(ReadOnlyAdmin):
    list_display = ("key", "release", "kind", "position")
    list_select_related = ("release",)
    search_fields = ("key",)


@admin.register(Finding, site=site)
class FindingAdmin(ReadOnlyAdmin):
    list_display = ("code", "item", "release", "accepted_by")
    list_select_related = ("release",)


@admin.register(Contribution, site=site)
class ContributionAdmin(ReadOnlyAdmin):
    list_display = ("release", "participant")
    list_select_related = ("release", "participant")
