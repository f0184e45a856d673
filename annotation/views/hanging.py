"""What gold hangs on: one reviewer, one respondent, the threshold."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation import regional
from annotation.selectors import hanging as selectors
from annotation.selectors import headings
from annotation.views.access import ABOVE
from studies import pages
from studies.permissions import Capability
from studies.selectors import access_study

PAGE = 50


@require_safe
def hanging(request: HttpRequest, study: str) -> HttpResponse:
    found = access_study(request.user, study, Capability.ADJUDICATE)
    hangs = selectors.of_study(found)
    on = request.GET.get("on", "")
    page = Paginator(hangs.of(on), PAGE).get_page(request.GET.get("page"))
    context = {
        "hangs": hangs,
        "lines": selectors.lines(hangs, dict(headings.region_names(found))),
        "between": selectors.between(hangs),
        "reviewers": selectors.reviewers(hangs),
        "within": regional.NAME,
        "on": on,
        "page": page,
        "listed": selectors.listed(found, page),
    }
    return pages.page(
        request, "annotation/hanging.html", found, context, "What gold hangs on", ABOVE
    )
