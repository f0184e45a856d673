"""Pages of runs: list, start, progress and report, samples and the evidence behind them."""

import re
from typing import cast

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from core import downloads
from core.errors import CommonplaceError, NotFound
from evaluation import benchmarks, evidence, figures, reports, selectors, services
from evaluation.forms import NewRun, new_nonce
from evaluation.models import Outcome, Run
from evaluation.ra_mcq.simulation import SIMULATED
from releases.selectors import visible_releases

PAGE = 50
MOST_COMPARED = 12


def _user(request: HttpRequest) -> User:
    return cast(User, request.user)


@require_safe
def run_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(selectors.visible_runs(_user(request)), PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "may_run": selectors.may_run(_user(request)),
        "crumbs": [(_("Runs"), None)],
    }
    return render(request, "evaluation/list.html", context)


def new_run(request: HttpRequest) -> HttpResponse:
    """Fill in, see the estimate, confirm: the confirming POST carries the same fields."""
    selectors.refuse_unless_may_run(_user(request))
    releases = visible_releases(_user(request)).filter(superseded_by=None)
    form = NewRun(request.POST or None, initial=request.GET.dict(), releases=releases)
    context = {"form": form, "crumbs": [(_("Runs"), reverse("evaluation:list")), (_("New"), None)]}
    if request.method == "POST" and form.is_valid():
        try:
            if "confirm" in request.POST:
                run = services.start_run(form.order(), str(_user(request).email))
                return redirect("evaluation:detail", run.pk)
            prepared = services.prepare(form.order(), str(_user(request).email))
            context |= {"prepared": prepared, "estimate": selectors.estimate(prepared)}
        except CommonplaceError as error:
            form.add_error(None, error.message)
    elif request.method != "POST":
        form.initial.setdefault("nonce", new_nonce())
    status = 422 if form.errors else 200
    return render(request, "evaluation/new.html", context, status=status)


@require_safe
def run_detail(request: HttpRequest, run: int) -> HttpResponse:
    found = selectors.access_run(_user(request), run)
    context = {
        "run": found,
        "may_run": selectors.may_run(_user(request)),
        "progress": selectors.progress(found),
        "crumbs": [(_("Runs"), reverse("evaluation:list")), (_("Run %d") % found.pk, None)],
    }
    if found.status not in Run.ACTIVE and found.samples.exists():
        report = reports.report(found)
        main = reports.tables([report])[0].name
        links = downloads.links(lambda ending: _download(found, main, ending))
        context |= {
            "report": report,
            "finding": reports.finding(report),
            "presentation": benchmarks.find(found.benchmark).presentation,
            "simulation": SIMULATED,
            "figures": figures.of_report(report, lambda r: _samples_of(found, r), links),
        }
    return render(request, "evaluation/detail.html", context)


@require_safe
def run_progress(request: HttpRequest, run: int) -> HttpResponse:
    """The part of the run's page that refreshes; once the run has ended, the whole page."""
    found = selectors.access_run(_user(request), run)
    if found.status not in Run.ACTIVE:
        response = HttpResponse()
        response["HX-Refresh"] = "true"
        return response
    progress = selectors.progress(found)
    return render(
        request,
        "evaluation/_progress.html",
        {"run": found, "progress": progress, "refreshed": True},
    )


@require_POST
def resume(request: HttpRequest, run: int) -> HttpResponseRedirect:
    selectors.refuse_unless_may_run(_user(request))
    services.resume_run(selectors.access_run(_user(request), run), _user(request).email)
    return redirect("evaluation:detail", run)


@require_POST
def cancel(request: HttpRequest, run: int) -> HttpResponseRedirect:
    selectors.refuse_unless_may_run(_user(request))
    services.cancel_run(selectors.access_run(_user(request), run), _user(request).email)
    return redirect("evaluation:detail", run)


@require_safe
def sample_list(request: HttpRequest, run: int) -> HttpResponse:
    found = selectors.access_run(_user(request), run)
    narrowed = {key: request.GET.get(key, "") for key in ("outcome", "region", "item")}
    page = Paginator(selectors.samples(found, **narrowed), PAGE).get_page(request.GET.get("page"))
    context = {
        "run": found,
        "page": page,
        "rows": [evidence.in_short(sample) for sample in page],
        "narrowed": narrowed,
        "outcomes": [(name, figures.OUTCOMES[name]) for name in Outcome.values],
        "crumbs": _crumbs(found, (_("Samples"), None)),
    }
    return render(request, "evaluation/samples.html", context)


@require_safe
def sample_detail(request: HttpRequest, run: int, sample: int) -> HttpResponse:
    found = selectors.access_run(_user(request), run)
    one = found.samples.select_related("item", "reply", "call").filter(pk=sample).first()
    if one is None:
        raise NotFound("sample.unknown", "This run has no such sample. Choose one from its list.")
    context = {
        "run": found,
        **evidence.of_sample(found, one),
        "crumbs": _crumbs(
            found,
            (_("Samples"), reverse("evaluation:samples", args=[found.pk])),
            (f"{one.item.key}, {_('repeat')} {one.repeat}", None),
        ),
    }
    return render(request, "evaluation/sample.html", context)


@require_safe
def compare(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Runs beside each other, ?run=1&run=2; as a file with &format=csv."""
    given = dict.fromkeys(request.GET.getlist("run"))
    numbers = [int(each) for each in given if re.fullmatch("[0-9]{1,18}", each)]
    runs = [selectors.access_run(_user(request), run) for run in numbers[:MOST_COMPARED]]
    context = {
        "runs": runs,
        "crumbs": [(_("Runs"), reverse("evaluation:list")), (_("Comparison"), None)],
    }
    if len(runs) > 1:
        reports.refuse_unless_alike(runs)
        made = [reports.report(run) for run in runs]
        if format := request.GET.get("format"):
            return downloads.table(request, reports.tables(made)[0], "runs-compared", format)
        query = urlencode({"run": [run.pk for run in runs]}, doseq=True)
        links = downloads.links(lambda ending: f"?{query}&format={ending}")
        comparison = reports.compare(runs, made)
        context |= {
            "comparison": comparison,
            "figures": figures.compared(made, comparison, links),
            "tables": figures.compared_tables(made, comparison),
        }
    return render(request, "evaluation/compare.html", context)


@require_safe
def download(request: HttpRequest, run: int, table: str, format: str) -> StreamingHttpResponse:
    found = selectors.access_run(_user(request), run)
    if table == "samples":
        made = [reports.sample_table(found)]
    else:
        made = [one for one in reports.tables([reports.report(found)]) if one.name == table]
    if not made:
        raise NotFound("download.unknown", "There is no such download. The run's page lists them.")
    return downloads.table(request, made[0], f"run-{found.pk}-{table}", format)


def _download(run: Run, table: str, format: str) -> str:
    return reverse("evaluation:download", args=[run.pk, table, format])


def _samples_of(run: Run, region: str) -> str:
    return reverse("evaluation:samples", args=[run.pk]) + "?" + urlencode({"region": region})


def _crumbs(run: Run, *more: tuple[str, str | None]) -> list[tuple[str, str | None]]:
    here = (_("Run %d") % run.pk, reverse("evaluation:detail", args=[run.pk]))
    return [(_("Runs"), reverse("evaluation:list")), here, *more]
