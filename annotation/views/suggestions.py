"""Suggestions of a kind: ordering them, and how often people decided otherwise."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from annotation import kinds
from annotation.forms import HideForm, SuggestForm
from annotation.models import Project
from annotation.selectors import suggestions as selectors
from annotation.selectors.suggestions import RULE
from annotation.services import suggesting
from annotation.views.access import ABOVE, access, user_of
from core.errors import CommonplaceError
from inference.selectors import menu
from studies import pages
from studies.permissions import Capability


@require_http_methods(["GET", "HEAD", "POST"])
def suggestions(request: HttpRequest, study: str, kind: str) -> HttpResponse:
    """Two forms: who shall make them, and how many places they are kept from."""
    project = access(request, study, kind, Capability.ADJUDICATE)
    order, hide = SuggestForm(menu()), HideForm.of(project.hidden_share)
    if request.method == "POST" and request.POST.get("action") == "hide":
        hide = HideForm(request.POST)
        if hide.is_valid():
            suggesting.hide(project, hide.share, user_of(request).email)
            messages.success(request, "Saved. It holds for tasks that are opened from now on.")
            return redirect("annotation:suggestions", study, kind)
    elif request.method == "POST":
        order = SuggestForm(menu(), request.POST)
        if order.is_valid() and _order(request, project, order):
            return redirect("annotation:suggestions", study, kind)
    return _page(request, project, order, hide)


def _order(request: HttpRequest, project: Project, form: SuggestForm) -> bool:
    """Whether it is done; if not the form says why."""
    by = form.cleaned_data["by"]
    try:
        suggesting.order(project, "" if by == RULE else by, user_of(request).email)
    except CommonplaceError as error:
        form.add_error(None, error.message)
        return False
    messages.success(request, "Ordered. Suggestions appear beside tasks as they are made.")
    return True


def _page(
    request: HttpRequest, project: Project, order: SuggestForm, hide: forms.Form
) -> HttpResponse:
    context = {
        "kind": kinds.of(project.kind),
        "order": order,
        "hide": hide,
        "job": selectors.order_of(project),
        "wanting": selectors.wanting(project).count(),
        "sources": selectors.sources(project),
        "arms": selectors.arms_of(project),
        "spent": selectors.spent(project),
    }
    template = "annotation/suggestions.html"
    response = pages.page(request, template, project.study, context, "Suggestions", ABOVE)
    if order.errors or hide.errors:
        response.status_code = pages.TO_PUT_RIGHT
    return response
