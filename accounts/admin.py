from typing import Any, cast

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from accounts import services
from accounts.models import ApiToken, User
from core.admin import ReadOnlyAdmin, site


@admin.register(User, site=site)
class UserAdmin(ReadOnlyAdmin):
    """The one thing to change here: whether an account is open."""

    list_display = ("email", "name", "is_superuser", "is_active", "last_login")
    search_fields = ("email", "name")
    readonly_fields = ("email", "name", "is_superuser", "last_login")
    ordering = ("email",)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        return [*self.readonly_fields, "is_active"]

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return site.has_permission(request)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        services.set_active(obj, obj.is_active, cast(User, request.user))


@admin.register(ApiToken, site=site)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ("prefix", "user", "name", "expires", "last_used", "revoked")
    list_select_related = ("user",)
    exclude = ("hash",)
