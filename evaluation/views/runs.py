"""The list of runs and the page of one: how far it is, what it came to, what can be done."""

import hashlib

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag, urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from core import downloads
from core.errors import CommonplaceError
from evaluation import benchmarks, figures, reports, selectors, services
from evaluation.forms import Judges, NewCap
from evaluation.models import Run
from evaluation.ra_mcq.simulation import SIMULATED
from evaluation.running import manifest
from evaluation.viewing import ledger, listing, live
from evaluation.views.access import crumbs, email, run_led, run_seen, user

PAGE = 50


@require_safe
def run_list(request: HttpRequest) -> HttpResponse:
    visible, chosen = selectors.visible_runs(user(request)), listing.Chosen.read(request.GET)
    page = Paginator(listing.fitting(visible, chosen), PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": listing.lines(list(page)),
        "chosen": chosen,
        "choices": listing.choices(visible),
        "may_run": selectors.may_run(user(request)),
    }
    return render(request, "evaluation/list.html", context)


@require_safe
def run_detail(request: HttpRequest, run: int) -> HttpResponse:
    return _detail(request, run_seen(request, run))


def _detail(
    request: HttpRequest,
    found: Run,
    *,
    judges: Judges | None = None,
    cap: NewCap | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page of a run, with the forms that were refused as they came."""
    context = {
        "run": found,
        "may_run": selectors.may_run(user(request)),
        "live": live.of(found),
        "judging": benchmarks.find(found.benchmark).judging,
        "reread": live.reread(found),
        "judges_form": judges or Judges(),
        "cap_form": cap or NewCap(),
        "crumbs": [crumbs(found)[0], (_("Run %d") % found.pk, None)],
    }
    if found.status not in Run.ACTIVE and found.samples.exists():
        report = reports.report(found)
        main = reports.tables([report])[0].name
        links = downloads.links(
            lambda ending: reverse("evaluation:download", args=[found.pk, main, ending])
        )
        context |= {
            "report": report,
            "finding": reports.finding(report),
            "presentation": benchmarks.find(found.benchmark).presentation,
            "simulation": SIMULATED,
            "figures": figures.of_report(report, lambda r: _samples_of(found, r), links),
        }
    return render(request, "evaluation/detail.html", context, status=status)


def _samples_of(run: Run, region: str) -> str:
    return reverse("evaluation:samples", args=[run.pk]) + "?" + urlencode({"region": region})


@require_safe
def run_progress(request: HttpRequest, run: int) -> HttpResponseBase:
    """The part of the run's page that refreshes, with an ETag; once the run has ended, the whole
    page."""
    found = run_seen(request, run)
    if found.status not in Run.ACTIVE:
        response = HttpResponse()
        response["HX-Refresh"] = "true"
        return response
    context = {"run": found, "live": live.of(found), "refreshed": True}
    response = render(request, "evaluation/_progress.html", context)
    etag = quote_etag(hashlib.sha256(response.content).hexdigest())
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return get_conditional_response(request, etag=etag, response=response) or response


@require_safe
def spend(request: HttpRequest, run: int) -> HttpResponse:
    found = run_seen(request, run)
    lines, priced = ledger.by_stage(found), selectors.is_priced(found)
    context = {
        "run": found,
        "lines": lines,
        "priced": priced,
        "spent": selectors.spent(found),
        "unpriced": sum(line.unpriced for line in lines),
        "figure": ledger.figure(found, priced=priced),
        "crumbs": crumbs(found, (_("Spend"), None)),
    }
    return render(request, "evaluation/spend.html", context)


@require_safe
def manifest_file(request: HttpRequest, run: int) -> JsonResponse:
    """What the run was made of: as kept when it finished, else as it stands."""
    found = run_seen(request, run)
    response = JsonResponse(
        found.manifest or manifest.of(found),
        json_dumps_params={"indent": 2, "ensure_ascii": False},
    )
    response["Content-Disposition"] = f'attachment; filename="run-{found.pk}-manifest.json"'
    return response


# --- What can be done ---------------------------------------------------------------------------


@require_POST
def pause(request: HttpRequest, run: int) -> HttpResponseRedirect:
    services.pause_run(run_led(request, run), email(request))
    return redirect("evaluation:detail", run)


@require_POST
def cancel(request: HttpRequest, run: int) -> HttpResponseRedirect:
    services.cancel_run(run_led(request, run), email(request))
    return redirect("evaluation:detail", run)


@require_POST
def resume(request: HttpRequest, run: int) -> HttpResponse:
    found, form = run_led(request, run), NewCap(request.POST)
    try:
        if form.is_valid():
            services.resume_run(found, email(request), cap_micro=form.micro())
            return redirect("evaluation:detail", run)
    except CommonplaceError as error:
        if error.code not in NewCap.REFUSALS:
            raise
        form.add_error("max_cost", error.message)
    return _detail(request, found, cap=form, status=422)


@require_POST
def rejudge(request: HttpRequest, run: int) -> HttpResponse:
    found, form = run_led(request, run), Judges(request.POST)
    try:
        if form.is_valid():
            services.rejudge(found, form.cleaned_data["judges"], email(request))
            return redirect("evaluation:detail", run)
    except CommonplaceError as error:
        form.add_error("judges", error.message)
    return _detail(request, found, judges=form, status=422)


@require_POST
def reparse(request: HttpRequest, run: int) -> HttpResponseRedirect:
    services.read_again(run_led(request, run), email(request))
    messages.success(request, _("Every reply is being read again; this page says what came of it."))
    return redirect("evaluation:detail", run)
