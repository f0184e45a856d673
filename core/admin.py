"""The rows as they are, for administrators: everything can be read, nothing changed.

Each room registers its own rows with `site`; whoever changes something does it on a page or by
a command, where rules and audit are.
"""

from typing import Any

from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import method_decorator

from core.models import AuditEntry, Job, Tick, Worker


class Site(admin.AdminSite):
    site_header = site_title = "Commonplace"
    index_title = "All rows, to read"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Our own sign-in page; who is signed in already and may not read is told so."""
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))

    # Our own page, which records it; Django's stubs ask for a TemplateResponse.
    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: Any = None
    ) -> HttpResponse:
        return redirect("accounts:password_change")


site = Site()


class ReadOnlyAdmin(admin.ModelAdmin):
    actions = None
    list_per_page = 50
    show_full_result_count = False

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        """Every column but those a subclass keeps back."""
        columns = [*self.model._meta.fields, *self.model._meta.many_to_many]
        return [each.name for each in columns if each.name not in (self.exclude or ())]

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return site.has_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(AuditEntry, site=site)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor", "action", "study", "object_kind", "object_id")
    search_fields = ("actor", "action", "study", "object_id")


@admin.register(Job, site=site)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("key", "kind", "status", "attempts", "created", "finished")
    list_filter = ("status",)
    ordering = ("-pk",)


@admin.register(Worker, site=site)
class WorkerAdmin(ReadOnlyAdmin):
    list_display = ("name", "last_seen")


@admin.register(Tick, site=site)
class TickAdmin(ReadOnlyAdmin):
    list_display = ("name", "due")
