"""The researcher's monitor: parse, one call, render."""

import hashlib

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from collection import monitor_tables
from collection.selectors import monitoring, stuck
from core import downloads
from studies import links, pages, selectors
from studies.models import Study
from studies.permissions import Capability

MOST_STUCK = 100  # shown; the file has all of them


@require_safe
def monitor(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    may_recruit = Capability.RECRUIT in selectors.capabilities(request.user, found)
    parts, those_stuck = monitoring.figures(found), stuck.stuck(found)
    context = {
        "parts": [
            (part, monitor_tables.places(found, part), monitor_tables.forms(part)) for part in parts
        ],
        "groups": monitoring.GROUPS,
        "standings": [(part.activity, part.counts) for part in parts],
        "stuck": [
            (each, request.build_absolute_uri(links.personal(each.row)) if may_recruit else "")
            for each in those_stuck[:MOST_STUCK]
        ],
        "stuck_in_all": len(those_stuck),
        "files": monitor_tables.files(found),
    }
    return pages.page(request, "collection/monitor.html", found, context, here="Monitor")


@require_safe
def counts(request: HttpRequest, study: str) -> HttpResponseBase:
    """The part of the monitor that refreshes; its ETag says whether anything has changed."""
    found = _access(request, study)
    context = {
        "study": found,
        "groups": monitoring.GROUPS,
        "standings": monitoring.standings(found),
    }
    response = render(request, "collection/_monitor_counts.html", context)
    etag = quote_etag(hashlib.sha256(response.content).hexdigest())
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return get_conditional_response(request, etag=etag, response=response) or response


@require_safe
def file(request: HttpRequest, study: str, table: str, format: str) -> StreamingHttpResponse:
    found = _access(request, study)
    return downloads.table(request, monitor_tables.table(found, table), f"{study}-{table}", format)


def _access(request: HttpRequest, study: str) -> Study:
    return selectors.access_study(request.user, study, Capability.MONITOR)
