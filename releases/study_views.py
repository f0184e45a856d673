"""The page where a study is frozen: what would be in the release, and what stands in its way."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.models import User
from core.errors import CommonplaceError
from releases import before_freezing, consistency, gathering, services, standing
from releases.forms import FreezeForm
from studies import pages, selectors
from studies.models import Study
from studies.permissions import Capability

OPEN = "release.findings_open"


@require_http_methods(["GET", "HEAD", "POST"])
def freeze(request: HttpRequest, study: str) -> HttpResponse:
    found = selectors.access_study(request.user, study, Capability.FREEZE)
    newest = standing.newest_release(found)
    given = {"name": newest.name, "licence": newest.licence} if newest else {"name": found.slug}
    form = FreezeForm(request.POST or None, initial=given)
    if request.method == "POST" and form.is_valid() and (done := _frozen(request, found, form)):
        return done
    gathered = gathering.gather(found)
    groups = before_freezing.groups(found, gathered.findings, cast(User, request.user))
    context = {
        "form": form,
        "gathered": gathered,
        "counts": before_freezing.counts(found, gathered),
        "groups": [group for group in groups if not group.note],
        "notes": [group for group in groups if group.note],
        "open": len(consistency.to_accept(gathered.findings)),
        "ways_out": before_freezing.ways_out(gathered.flow),
        "newest": newest,
        "since": standing.decided_since(newest) if newest else 0,
        "frozen": before_freezing.frozen(found),
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
            seen=request.POST.get("seen"),
        )
    except CommonplaceError as error:
        form.add_error("reason" if error.code == OPEN else None, error.message)
        return None
    messages.success(request, _said(release.label) if created else _same(release.label))
    return redirect("releases:detail", release.name, release.version)


def _said(label: str) -> str:
    return (
        f"Frozen as {label}: it can no longer change. Read it here, take its files, or benchmark "
        "a model with it. What is decided from now on goes into the next version."
    )


def _same(label: str) -> str:
    return f"Nothing has changed since {label} was frozen, so no further version was made."
