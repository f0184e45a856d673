"""The addresses of the product, one app a line."""

from django.urls import include, path

from core.admin import site
from releases import study_views
from studies import hooks

urlpatterns = [
    path("", include("console.urls")),
    path("accounts/", include("accounts.urls")),
    path("studies/", include("studies.urls")),
    path("", include("studies.taking_part.urls")),
    path("", include("collection.urls")),
    path("", include("games.urls")),
    path("", include("annotation.urls")),
    path("studies/<slug:study>/freeze/", study_views.freeze, name="study_freeze"),
    path("releases/", include("releases.urls")),
    path("models/", include("inference.urls")),
    path("runs/", include("evaluation.urls")),
    path("hooks/prolific/", hooks.prolific, name="hook_prolific"),
    path("api/v1/", include("config.api")),
    path("admin/", site.urls),
    path("", include("core.urls")),
]

handler400 = "core.views.bad_request"
handler403 = "core.views.forbidden"
handler404 = "core.views.not_found"
handler500 = "core.views.server_error"
