"""A new run: fill in, see the estimate, confirm. The confirming POST carries the same fields."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from core.errors import CommonplaceError
from evaluation import selectors, services
from evaluation.forms import NewRun
from evaluation.models import Run
from evaluation.viewing import live
from evaluation.views.access import email, user
from releases.selectors import visible_releases


def new_run(request: HttpRequest) -> HttpResponse:
    selectors.refuse_unless_may_run(user(request))
    releases = visible_releases(user(request)).filter(superseded_by=None)
    form = _form(request, releases)
    context: dict[str, Any] = {
        "form": form,
        "turned": request.method == "POST" and not form.is_bound,
        "crumbs": [(_("Runs"), reverse("evaluation:list")), (_("New"), None)],
    }
    if form.is_bound and form.is_valid():
        try:
            prepared = services.prepare(form.order(), email(request))
            if "confirm" in request.POST and form.is_as_estimated():
                run = services.start_run(form.order(), email(request))
                return redirect("evaluation:detail", run.pk)
            context |= _estimated(form, prepared, asked="confirm" in request.POST)
        except CommonplaceError as error:
            form.refuse(error)
    return render(request, "evaluation/new.html", context, status=422 if form.errors else 200)


def _form(request: HttpRequest, releases: Any) -> NewRun:
    if request.method != "POST":
        return NewRun(initial=request.GET.dict(), releases=releases)
    if NewRun.turns(request.POST):
        return NewRun(initial=NewRun.turned(request.POST.dict()), releases=releases)
    return NewRun(request.POST, request.FILES, releases=releases)


def _estimated(form: NewRun, prepared: Run, *, asked: bool) -> dict[str, Any]:
    """What the page shows of an order that can be met; `changed`: confirmed after a change."""
    form.keep_estimate()
    estimate = selectors.estimate(prepared)
    cap, cost = form.order().cap_micro, estimate["cost"]
    return {
        "prepared": prepared,
        "estimate": estimate,
        "lasts": live.duration(estimate["seconds"]),
        "changed": asked,
        "cap": cap,
        "beyond_cap": cap is not None and cost is not None and cap < cost,
        "judges": [
            (judge, selectors.is_kin(prepared, judge)) for judge in selectors.judges_of(prepared)
        ],
    }
