"""Pages of the review of who has played: parse, one call, render."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from core.errors import CommonplaceError
from games import fairness
from games.selectors import plans, reviewing, watching
from studies import languages, pages, participation, payments, selectors
from studies.decision_forms import AcceptForm, PayForm, RejectForm
from studies.models import Participation, Study
from studies.participation import Pay, Rejection, Status
from studies.permissions import Capability
from studies.services import deciding

PAGE = 50
ABOVE = [("Review of games", "games:review")]
DECISIONS = ("accept", "reject", "pay", "include")
FILTERS = ("status", "region", "activity")


@require_safe
def queue(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    asked = {name: request.GET[name] for name in FILTERS if name in request.GET}
    filters = reviewing.Filters(**asked)
    page = Paginator(reviewing.queue(found, filters), PAGE).get_page(request.GET.get("page"))
    lines, called = reviewing.lines(page), watching.names(found)
    context = {
        "page": page,
        "lines": lines,
        "acceptable": any(line.acceptable for line in lines),
        "filters": filters,
        "counts": reviewing.status_counts(found),
        "regions": [(region.slug, called[region.pk]) for region in found.regions.all()],
        "activities": plans.games(found),
    }
    return pages.page(request, "games/review.html", found, context, here="Review of games")


@require_POST
def accept_many(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    rows = reviewing.chosen(found, request.POST.getlist("code")[:PAGE])
    accepted, left = deciding.accept_many(rows, _actor(request), but=reviewing.marked(rows))
    if accepted:
        messages.success(request, f"Accepted: {', '.join(accepted)}.")
    if left:
        messages.warning(
            request,
            f"Left for you to look at: {', '.join(left)}. A moderator had to act there, or "
            "somebody has decided already.",
        )
    if not rows:
        messages.warning(request, "Nobody was chosen. Tick those whose games you accept.")
    return redirect("games:review", study)


@require_safe
def one(request: HttpRequest, study: str, code: str) -> HttpResponse:
    found = _access(request, study)
    return _sheet(request, found, reviewing.access_participation(found, code))


@require_POST
def decide(request: HttpRequest, study: str, code: str, decision: str) -> HttpResponse:
    """Do what a valid form asks for and go to whoever waits next; else show what to put right, or
    what stands in the way."""
    found = _access(request, study)
    row = reviewing.access_participation(found, code)
    form = _forms(row, decision, request.POST)[decision]
    if not form.is_valid():
        return _sheet(request, found, row, decision, form)
    try:
        said = _decided(row, decision, form.cleaned_data, _actor(request))
    except CommonplaceError as error:
        form.add_error(None, error.message)
        response = _sheet(request, found, row, decision, form)
        response.status_code = error.http_status
        return response
    messages.success(request, f"{row.participant.code} is {said}.")
    return _next(study, reviewing.next_waiting(found, row))


@require_POST
def include(request: HttpRequest, study: str, code: str) -> HttpResponse:
    found = _access(request, study)
    row = reviewing.access_participation(found, code)
    deciding.decide_inclusion(row, request.POST.get("included") == "yes", _actor(request))
    stands = "in" if row.included else "left out of"
    messages.success(request, f"{row.participant.code} is {stands} the results.")
    return redirect("games:review_one", study, code)


def _access(request: HttpRequest, study: str) -> Study:
    return selectors.access_study(request.user, study, Capability.REVIEW)


def _actor(request: HttpRequest) -> str:
    return request.user.get_username()


def _decided(row: Participation, decision: str, given: dict[str, Any], actor: str) -> str:
    """Do it; what the participation is then, in words."""
    if decision == "accept":
        deciding.accept(row, actor, included=given["included"] != "no")
        return "accepted"
    if decision == "reject":
        rejection = Rejection(given["reason"], given["text"], given["pay"])
        deciding.reject(row, rejection, actor)
        return "rejected"
    more = deciding.decide_pay(row, given["pay"], actor)
    return "to be paid" if more else "as before: nothing more is to be paid"


def _next(study: str, row: Participation | None) -> HttpResponse:
    if row is None:
        return redirect("games:review", study)
    return redirect("games:review_one", study, row.code)


def _forms(row: Participation, name: str = "", data: Any = None) -> dict[str, Form]:
    """The forms of all decisions; that of `name` is filled with `data`."""
    amounts = payments.amounts(row)
    payable = amounts if name == "pay" else payments.payable(row)

    def of(each: str) -> Any:
        return data if each == name else None

    return {
        "accept": AcceptForm(of("accept"), auto_id="accept_%s"),
        "reject": RejectForm(
            of("reject"), auto_id="reject_%s", amounts=amounts, reasons=fairness.TITLES
        ),
        "pay": PayForm(of("pay"), auto_id="pay_%s", amounts=payable),
    }


def _sheet(
    request: HttpRequest, study: Study, row: Participation, name: str = "", form: Form | None = None
) -> HttpResponse:
    status, payable = Status(row.status), payments.payable(row)
    context = {
        "sheet": reviewing.sheet(row),
        "row": row,
        "reads": languages.in_english(row.participant.language),
        "moves": {action.value: True for action in participation.MOVES[status]},
        "payment": payments.in_words(row),
        "payable": payable and status in deciding.PAYABLE,
        "reward": payments.amounts(row)[Pay.REWARD],
        "owes_more": Pay.REWARD in payable,
        "forms": _forms(row) | ({name: form} if form else {}),
        "form": form,
        "at": {
            each: reverse(f"games:review_{each}", args=(study.slug, row.code)) for each in DECISIONS
        },
    }
    return pages.page(request, "games/review_one.html", study, context, row.participant.code, ABOVE)
