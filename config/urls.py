"""The addresses of the product, one app a line."""

from django.urls import include, path

urlpatterns = [
    path("", include("console.urls")),
    path("accounts/", include("accounts.urls")),
    path("studies/", include("studies.urls")),
    path("releases/", include("releases.urls")),
    path("models/", include("inference.urls")),
    path("runs/", include("evaluation.urls")),
    path("", include("core.urls")),
]

handler400 = "core.views.bad_request"
handler403 = "core.views.forbidden"
handler404 = "core.views.not_found"
handler500 = "core.views.server_error"
