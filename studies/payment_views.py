"""Pages about paying participants, and about who has withdrawn."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core import downloads
from core.errors import CommonplaceError
from studies import codes, money, pages, payments, selectors, services, withdrawn
from studies.models import Participant, Study
from studies.payment_forms import BonusForm, PaidForm, WithdrawForm, new_order
from studies.permissions import Capability

PAGE = 100
WITHDRAWN_A_PAGE = 50


@require_safe
def ledger(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.REVIEW)
    return _ledger(request, found, BonusForm(study=found))


@require_POST
def pay(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.REVIEW)
    form = PaidForm(request.POST)
    if not form.is_valid():
        faults = [str(fault) for fault in form.non_field_errors()]
        messages.error(request, " ".join(faults) or "Load the list again, and choose once more.")
        return redirect("studies:payments", study)
    amounts = form.amounts()
    left = services.mark_paid(found, amounts, form.cleaned_data["order"], _actor(request))
    if done := len(amounts) - len(left):
        messages.success(request, f"{done} payment{' is' if done == 1 else 's are'} entered.")
    if left:
        messages.warning(
            request,
            f"Not entered, since another amount is open by now: {', '.join(left)}. Look at them "
            "again before you pay.",
        )
    return redirect("studies:payments", study)


@require_POST
def bonus(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.REVIEW)
    form = BonusForm(request.POST, study=found)
    if form.is_valid():
        given = form.cleaned_data
        try:
            row = payments.access_account(found, codes.typed(given["code"]))
            services.add_bonus(row, given["amount"], given["why"], given["order"], _actor(request))
        except CommonplaceError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, f"The bonus for {row.participant.code} is entered.")
            return redirect("studies:payments", study)
    return _ledger(request, found, form)


@require_safe
def payment_list(request: HttpRequest, study: str, format: str) -> StreamingHttpResponse:
    """Who is to be paid, as a table, or as the lines a recruiter's bulk payment takes (`txt`)."""
    found = _access(request, study, Capability.RECRUIT)
    activity, name = request.GET.get("activity", ""), f"{study}-payments"
    if format == "txt":
        lines = payments.bulk_lines(found, activity)
        return downloads.file(request, lines, "text/plain; charset=utf-8", f"{name}.txt")
    return downloads.table(request, payments.payment_list(found, activity), name, format)


@require_http_methods(["GET", "HEAD", "POST"])
def withdrawals(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.RECRUIT)
    form = WithdrawForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and _withdrew(request, found, form):
        return redirect("studies:withdrawals", study)
    shown = Paginator(withdrawn.participants(found), WITHDRAWN_A_PAGE)
    page = shown.get_page(request.GET.get("page"))
    context = {"form": form, "page": page, "withdrawn": withdrawn.described(page)}
    return pages.page(request, "studies/withdrawals.html", found, context, here="Withdrawals")


def _withdrew(request: HttpRequest, study: Study, form: WithdrawForm) -> bool:
    try:
        participant = withdrawn.find_participant(form.cleaned_data["code"], study)
    except CommonplaceError as error:
        form.add_error("code", error.message)
        return False
    already = participant.status == Participant.Status.WITHDRAWN
    services.withdraw(participant, _actor(request))
    said = "had withdrawn already" if already else "has withdrawn"
    messages.success(request, f"{participant.code} {said}.")
    return True


def _ledger(request: HttpRequest, study: Study, form: BonusForm) -> HttpResponse:
    activity = request.GET.get("activity", "")
    everybody = request.GET.get("show") == "all"
    accounts = (payments.accounts if everybody else payments.unpaid)(study, activity)
    page = Paginator(accounts, PAGE).get_page(request.GET.get("page"))
    lines = [payments.line(row, study) for row in page]
    context = {
        "form": form,
        "order": new_order(),
        "page": page,
        "lines": lines,
        "payable": any(line.open_minor > 0 for line in lines),
        "totals": _totals(study, activity),
        "activities": study.activities.all(),
        "activity": activity,
        "everybody": everybody,
        "chosen": request.GET.get("choose") == "all",
        "lists": _lists(study, activity),
    }
    return pages.page(request, "studies/payments.html", study, context, here="Payments")


def _totals(study: Study, activity: str) -> list[tuple[str, str, int]]:
    """(what, the sum with its currency, of how many participations)."""
    sums = payments.totals(study, activity)
    named = (("Earned", sums.earned), ("Paid", sums.paid), ("Open", sums.open))
    return [
        (name, f"{money.plain(amount.minor, study.currency)} {study.currency}", amount.of)
        for name, amount in named
    ]


def _lists(study: Study, activity: str) -> list[tuple[str, str]]:
    query = {"activity": activity} if activity else None

    def address(ending: str) -> str:
        return reverse("studies:payment_list", args=(study.slug, ending), query=query)

    return [*downloads.links(address), ("Lines for bulk payment", address("txt"))]


def _access(request: HttpRequest, study: str, capability: Capability) -> Study:
    return selectors.access_study(request.user, study, capability)


def _actor(request: HttpRequest) -> str:
    return request.user.get_username()
