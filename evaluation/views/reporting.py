"""What runs came to: comparison and downloads."""

import re

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from core import downloads
from core.errors import NotFound
from evaluation import figures, reports
from evaluation.views.access import run_seen, samples_seen

MOST_COMPARED = 12


@require_safe
def compare(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Runs beside each other, ?run=1&run=2; as a file with &format=csv."""
    given = dict.fromkeys(request.GET.getlist("run"))
    numbers = [int(each) for each in given if re.fullmatch("[0-9]{1,18}", each)]
    runs = [run_seen(request, run) for run in numbers[:MOST_COMPARED]]
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
            "simulated": any(run.simulated for run in runs),
            "figures": figures.compared(made, comparison, links),
            "tables": figures.compared_tables(made, comparison),
        }
    return render(request, "evaluation/compare.html", context)


@require_safe
def download(request: HttpRequest, run: int, table: str, format: str) -> StreamingHttpResponse:
    found = (samples_seen if table == "samples" else run_seen)(request, run)
    if table == "samples":
        made = [reports.sample_table(found)]
    else:
        made = [one for one in reports.tables([reports.report(found)]) if one.name == table]
    if not made:
        raise NotFound("download.unknown", "There is no such download. The run's page lists them.")
    return downloads.table(request, made[0], f"run-{found.pk}-{table}", format)
