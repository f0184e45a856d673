"""What there is to annotate, and opening it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from annotation import kinds, regional
from annotation.forms import OpenForm, ShareForm
from annotation.selectors import projects as selectors
from annotation.selectors import queue
from annotation.selectors.crowds import crowds
from annotation.selectors.projects import Line
from annotation.services import projects as services
from annotation.views.access import user_of
from studies import pages
from studies.models import Study
from studies.permissions import Capability
from studies.selectors import access_study, capabilities


@require_safe
def projects(request: HttpRequest, study: str) -> HttpResponse:
    found = access_study(request.user, study, Capability.ANNOTATE)
    return _page(request, found, OpenForm())


@require_POST
def open_kind(request: HttpRequest, study: str, kind: str) -> HttpResponse:
    found = access_study(request.user, study, Capability.ADJUDICATE)
    wanted, form = kinds.of(kind), OpenForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form, kind)
    services.open_project(found, kind, user_of(request).email, **form.cleaned_data)
    messages.success(request, f"“{wanted.title}” is open. Whoever annotates can begin.")
    return redirect("annotation:projects", study)


@require_POST
def share(request: HttpRequest, study: str) -> HttpResponse:
    """Of answers that have to agree, in the one kind that counts them."""
    found = access_study(request.user, study, Capability.ADJUDICATE)
    project = selectors.access_project(found, regional.NAME)
    form = ShareForm(request.POST)
    if not form.is_valid():
        return _page(request, found, OpenForm(), sharing=form)
    services.set_share(project, form.as_part, user_of(request).email)
    messages.success(request, "Saved. Tasks it changes something for are brought up to date.")
    return redirect("annotation:projects", study)


def _page(
    request: HttpRequest,
    study: Study,
    form: OpenForm,
    asked: str = "",
    sharing: ShareForm | None = None,
) -> HttpResponse:
    user = user_of(request)
    lines = selectors.lines(study, user)
    after, kind = request.GET.get("after", ""), request.GET.get("kind", "")
    left = next((each.project for each in lines if each.project and each.kind.name == kind), None)
    last = queue.last(left, user, after) if left else None
    context = {
        "lines": lines,
        "form": form,
        "asked": asked,  # the kind whose form has faults
        "last": last,
        "last_kind": kind,
        "can_be_taken_back": last is not None and queue.can_be_taken_back(last),
        **_sharing(study, user, lines, sharing),
    }
    response = pages.page(request, "annotation/projects.html", study, context, here="Annotation")
    if sharing is not None:
        response.status_code = pages.TO_PUT_RIGHT
    return response


def _sharing(
    study: Study, user: User, lines: list[Line], form: ShareForm | None
) -> dict[str, object]:
    """What the form of the share needs, for who may set it once the kind is open."""
    project = next((each.project for each in lines if each.kind.name == regional.NAME), None)
    if project is None or Capability.ADJUDICATE not in capabilities(user, study):
        return {}
    return {
        "shared_kind": regional.NAME,
        "sharing": form or ShareForm.of(project),
        "crowds": crowds(project),
    }
