"""The page that says how far judges of a run agree with people, and has people judge."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.models import User
from core.errors import CommonplaceError
from evaluation import benchmarks, selectors
from evaluation.models import Run
from evaluation.reading.verdicts import LABELS
from evaluation.services import validating
from evaluation.validation import draws
from evaluation.validation.forms import ValidationForm
from evaluation.views import access
from studies.permissions import Capability
from studies.selectors import capabilities


@require_http_methods(["GET", "HEAD", "POST"])
def validation(request: HttpRequest, run: int) -> HttpResponse:
    posted, user = request.method == "POST", access.user(request)
    found = (access.run_led if posted else access.run_seen)(request, run)
    form = ValidationForm(request.POST if posted else None, studies=draws.homes(found, user))
    if posted and form.is_valid() and _draw(form, found, user):
        messages.success(request, _("Drawn. Whoever annotates in the study can begin."))
        return redirect("evaluation:validation", run)
    return _page(request, found, form)


def _draw(form: ValidationForm, run: Run, user: User) -> bool:
    """Whether it is done; if not the form says why."""
    given = form.cleaned_data
    try:
        runs = [run, *(selectors.access_run(user, other) for other in given["others"])]
        validating.validate(
            runs, user.email, size=given["size"], seed=given["seed"], study=form.study()
        )
    except CommonplaceError as error:
        form.add_error(None, error.message)
        return False
    return True


def _page(request: HttpRequest, run: Run, form: ValidationForm) -> HttpResponse:
    made, user = draws.of_run(run), access.user(request)
    judged = draws.by_judge(run, selectors.judges_by_name(run))
    context = {
        "run": run,
        "judged": benchmarks.find(run.benchmark).judging is not None,
        "form": form,
        "may_run": selectors.may_run(user),
        "validation": made,
        "judges": {
            name: found | {each: _in_words(found[each]) for each in ("table", "shares")}
            for name, found in judged.items()
        },
        "begun": any(
            each["annotators"]["co_rated"] or each["decided"]
            for each in judged.values()
            if each["annotators"]
        ),
        "labels": [_word(label) for label in LABELS],
        "crumbs": access.crumbs(run, (_("People and judges"), None)),
    }
    if made is not None:
        study = made.project.study
        context |= {
            "study": study,
            "may_judge": Capability.ANNOTATE in capabilities(user, study),
            "strata": [each for each in draws.strata(made) if each["run"] == run.pk],
        }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "evaluation/validation.html", context, status=status)


def _in_words(table: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {_word(a): {_word(b): n for b, n in row.items()} for a, row in table.items()}


def _word(label: str) -> str:
    return label.replace("_", " ").lower()
