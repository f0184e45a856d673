"""The page where a study is frozen: what would be in the release, and what stands open."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.models import User
from core.errors import CommonplaceError
from releases import consistency, gathering, services
from releases.forms import FreezeForm
from studies import pages, selectors
from studies.models import Study
from studies.permissions import Capability

SHOWN = 200  # findings listed
OPEN = "release.findings_open"


@require_http_methods(["GET", "HEAD", "POST"])
def freeze(request: HttpRequest, study: str) -> HttpResponse:
    found = selectors.access_study(request.user, study, Capability.FREEZE)
    form = FreezeForm(request.POST or None, initial={"name": found.slug})
    if request.method == "POST" and form.is_valid() and (done := _frozen(request, found, form)):
        return done
    gathered = gathering.gather(found)
    context = {
        "form": form,
        "gathered": gathered,
        "lines": [(consistency.sentence(each["code"]), each) for each in gathered.findings[:SHOWN]],
        "releases": found.releases.order_by("-created", "-pk"),
    }
    return pages.page(request, "releases/freeze.html", found, context, here="Freeze")


def _frozen(request: HttpRequest, study: Study, form: FreezeForm) -> HttpResponse | None:
    given = form.cleaned_data
    try:
        release, created = services.freeze_study(
            study,
            given["name"],
            actor=cast(User, request.user).email,
            licence=given["licence"],
            accepted=given["reason"],
        )
    except CommonplaceError as error:
        form.add_error("reason" if error.code == OPEN else None, error.message)
        return None
    said = f"Frozen as {release.label}." if created else f"Nothing has changed: {release.label}."
    messages.success(request, said)
    return redirect("releases:detail", release.name, release.version)
