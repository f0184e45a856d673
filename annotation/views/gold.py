"""Gold in a table, and the trail behind each of it."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation import kinds
from annotation.selectors import gold as selectors
from annotation.selectors import headings, projects
from annotation.selectors.gold import Filters
from annotation.views.access import ABOVE, access, user_of
from studies import pages
from studies.permissions import Capability

PAGE = 50


@require_safe
def gold(request: HttpRequest, study: str, kind: str) -> HttpResponse:
    project = access(request, study, kind, Capability.ADJUDICATE)
    filters = Filters(request.GET.get("region", ""), request.GET.get("state", ""))
    page = Paginator(selectors.tasks(project, filters), PAGE).get_page(request.GET.get("page"))
    context = {
        "kind": kinds.of(kind),
        "page": page,
        "lines": selectors.lines(project, page),
        "filters": filters,
        "states": selectors.states(project),
        "region_names": headings.region_names(project.study),
        "by_region": project.tasks.filter(region__isnull=False).exists(),
    }
    return pages.page(request, "annotation/gold.html", project.study, context, "Gold", ABOVE)


@require_safe
def trace(request: HttpRequest, study: str, kind: str, source_key: str) -> HttpResponse:
    project = access(request, study, kind, Capability.ADJUDICATE)
    task, about = projects.access_task(project, source_key), kinds.of(kind)
    found = selectors.trace(task, user_of(request))
    context = {
        **(about.shown(task, {}) if about.evidence else {}),
        "kind": about,
        "trace": found,
        "line": found.line,
        "heading": found.line.heading,
        "region_names": headings.region_names(project.study),
        "answers": [shown for shown, _ in found.answers],
    }
    return pages.page(request, "annotation/trace.html", project.study, context, "Trail", ABOVE)
