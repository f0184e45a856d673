"""A console page of a study, whichever room it belongs to."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy

from core.errors import CommonplaceError
from studies import selectors
from studies.models import Study

STUDIES = ("Studies", reverse_lazy("studies:list"))
TO_PUT_RIGHT = 422  # a form with faults


def page(
    request: HttpRequest,
    template: str,
    study: Study,
    context: dict[str, Any],
    here: str = "",
    above: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    """Render a template (its whole name) with `study`, `may` {capability: True} and `crumbs`
    beside the context; `here` ends the crumbs, `above` are the pages between it and the study:
    (title, name of a URL that takes the study). A bound `form` with faults answers 422."""
    address = reverse("studies:detail", args=(study.slug,))
    between = [(title, reverse(name, args=(study.slug,))) for title, name in above]
    crumbs = [STUDIES, (study.name, address if here else ""), *between]
    common = {
        "study": study,
        "may": {each.value: True for each in selectors.capabilities(request.user, study)},
        "crumbs": [*crumbs, (here, "")] if here else crumbs,
    }
    return render(request, template, common | context, status=status(context.get("form")))


def saved(
    request: HttpRequest, form: Form, save: Callable[[], str], said: str | Callable[[], str]
) -> HttpResponse | None:
    """Do what a valid form asks for and go on; None while there is something to put right."""
    if request.method != "POST" or not form.is_valid():
        return None
    try:
        address = save()
    except CommonplaceError as error:
        form.add_error(None, error.message)
        return None
    messages.success(request, said if isinstance(said, str) else said())
    return redirect(address)


def status(form: Form | None) -> int:
    return TO_PUT_RIGHT if form is not None and form.is_bound and form.errors else 200
