"""Pages of the review: parse, one call, render."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from collection import fairness, quality
from collection.review_forms import AskAgainForm, RejectForm
from collection.selectors import reviewing, sheets
from collection.services import reviewing as services
from core.errors import CommonplaceError
from studies import pages, participation, payments, selectors
from studies.decision_forms import AcceptForm, PayForm
from studies.models import Participation, Study
from studies.participation import Pay, Status
from studies.permissions import Capability

PAGE = 50
FORMS = 5  # shown at once of one participation
ABOVE = [("Review", "collection:review")]
DECISIONS = ("accept", "ask_again", "reject", "pay", "include")


@require_safe
def queue(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    filters = reviewing.Filters(
        **{
            name: request.GET[name]
            for name in ("status", "region", "activity")
            if name in request.GET
        }
    )
    page = Paginator(reviewing.queue(found, filters), PAGE).get_page(request.GET.get("page"))
    lines = reviewing.lines(page)
    context = {
        "page": page,
        "lines": lines,
        "acceptable": any(line.acceptable for line in lines),
        "filters": filters,
        "counts": reviewing.status_counts(found),
        "regions": reviewing.region_choices(found),
        "activities": found.activities.all(),
        "least": quality.LEAST_COPIED,
    }
    return pages.page(request, "collection/review.html", found, context, here="Review")


@require_POST
def accept_many(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    rows = reviewing.chosen(found, request.POST.getlist("code")[:PAGE])
    accepted, left = services.accept_many(rows, _actor(request))
    if accepted:
        messages.success(request, f"Accepted: {', '.join(accepted)}.")
    if left:
        messages.warning(
            request,
            f"Left for you to look at: {', '.join(left)}. A failed check, or somebody else's "
            "decision, needs your eyes.",
        )
    if not rows:
        messages.warning(request, "Nobody was chosen. Tick those whose answers you accept.")
    return redirect("collection:review", study)


@require_safe
def one(request: HttpRequest, study: str, code: str) -> HttpResponse:
    found = _access(request, study)
    return _sheet(request, found, reviewing.access_participation(found, code))


@require_POST
def accept(request: HttpRequest, study: str, code: str) -> HttpResponse:
    def decide(row: Participation, form: AcceptForm) -> str:
        services.accept(row, _actor(request), included=form.answer())
        return "accepted"

    return _decided(request, study, code, "accept", decide)


@require_POST
def ask_again(request: HttpRequest, study: str, code: str) -> HttpResponse:
    def decide(row: Participation, form: AskAgainForm) -> str:
        given = form.cleaned_data
        services.ask_again(row, given["numbers"], given["text"], _actor(request))
        return "asked again"

    return _decided(request, study, code, "ask_again", decide)


@require_POST
def reject(request: HttpRequest, study: str, code: str) -> HttpResponse:
    def decide(row: Participation, form: RejectForm) -> str:
        given = form.cleaned_data
        rejection = services.Rejection(given["reason"], given["text"], given["pay"])
        services.reject(row, rejection, _actor(request))
        return "rejected"

    return _decided(request, study, code, "reject", decide)


@require_POST
def pay(request: HttpRequest, study: str, code: str) -> HttpResponse:
    def decide(row: Participation, form: PayForm) -> str:
        more = services.decide_pay(row, form.cleaned_data["pay"], _actor(request))
        return "to be paid" if more else ""

    return _decided(request, study, code, "pay", decide)


@require_POST
def include(request: HttpRequest, study: str, code: str) -> HttpResponse:
    found = _access(request, study)
    row = reviewing.access_participation(found, code)
    services.decide_inclusion(row, request.POST.get("included") == "yes", _actor(request))
    messages.success(
        request, f"{row.participant.code} is {'in' if row.included else 'left out of'} the results."
    )
    return redirect("collection:review_one", study, code)


@require_POST
def flag(request: HttpRequest, study: str, code: str) -> HttpResponse:
    found = _access(request, study)
    row = reviewing.access_participation(found, code)
    check, decision = request.POST.get("check", ""), request.POST.get("decision", "")
    services.decide_flag(row, check, decision, _actor(request))
    return redirect(f"{reverse('collection:review_one', args=(study, code))}#checks")


def _access(request: HttpRequest, study: str) -> Study:
    return selectors.access_study(request.user, study, Capability.REVIEW)


def _actor(request: HttpRequest) -> str:
    return request.user.get_username()


def _decided(
    request: HttpRequest,
    study: str,
    code: str,
    name: str,
    decide: Callable[[Participation, Any], str],
) -> HttpResponse:
    """Do what a valid form asks for and go to whoever waits next; else show what to put right, or
    what stands in the way. `decide` says what the participation is now, or nothing."""
    found = _access(request, study)
    row = reviewing.access_participation(found, code)
    form = _forms(row, name, request.POST)[name]
    if form.is_valid():
        try:
            said = decide(row, form)
        except CommonplaceError as error:
            form.add_error(None, error.message)
            response = _sheet(request, found, row, name, form)
            response.status_code = error.http_status
            return response
        else:
            _tell(request, row, said)
            return _next(study, reviewing.next_waiting(found, row))
    return _sheet(request, found, row, name, form)


def _tell(request: HttpRequest, row: Participation, said: str) -> None:
    who = row.participant.code
    if said:
        messages.success(request, f"{who} is {said}.")
    else:
        stands = payments.in_words(row) or "nothing to be paid"
        messages.info(request, f"Nothing changed for {who}: {stands}.")


def _next(study: str, row: Participation | None) -> HttpResponse:
    if row is None:
        return redirect("collection:review", study)
    return redirect("collection:review_one", study, row.code)


def _forms(row: Participation, name: str = "", data: Any = None) -> dict[str, Form]:
    """The forms of all decisions; that of `name` is filled with `data`. Pay that is owed already
    is not offered, and who asks for it all the same is told so."""
    amounts = payments.amounts(row)
    payable = amounts if name == "pay" else payments.payable(row)
    numbers = list(row.submissions.values_list("number", flat=True))

    def of(each: str) -> Any:
        return data if each == name else None

    return {
        "accept": AcceptForm(of("accept"), auto_id="accept_%s"),
        "ask_again": AskAgainForm(of("ask_again"), auto_id="ask_%s", numbers=numbers),
        "reject": RejectForm(
            of("reject"), auto_id="reject_%s", amounts=amounts, reasons=fairness.TITLES
        ),
        "pay": PayForm(of("pay"), auto_id="pay_%s", amounts=payable),
    }


def _sheet(
    request: HttpRequest,
    study: Study,
    row: Participation,
    name: str = "",
    form: Form | None = None,
) -> HttpResponse:
    sheet = sheets.sheet(row)
    status, payable = Status(row.status), payments.payable(row)
    places = {form.number: 1 + index // FORMS for index, form in enumerate(sheet.forms)}
    context = {
        "sheet": sheet,
        "alike": [(answer, places[answer.form]) for answer in sheet.alike],
        "row": row,
        "at": {
            name: reverse(f"collection:review_{name}", args=(study.slug, row.code))
            for name in DECISIONS
        },
        "moves": {action.value: True for action in participation.MOVES[status]},
        "payment": payments.in_words(row),
        "payable": payable and status in services.PAYABLE,
        "reward": payments.amounts(row)[Pay.REWARD],
        "owes_more": Pay.REWARD in payable,
        "page": Paginator(sheet.forms, FORMS).get_page(request.GET.get("page")),
        "forms": _forms(row) | ({name: form} if form else {}),
        "form": form,
        "least": quality.LEAST_COPIED,
    }
    return pages.page(
        request, "collection/review_one.html", study, context, row.participant.code, ABOVE
    )
