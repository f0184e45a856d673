"""How far annotators agree."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation import kinds
from annotation.selectors import agreeing
from annotation.views.access import ABOVE, access
from studies import pages
from studies.permissions import Capability


@require_safe
def reliability(request: HttpRequest, study: str, kind: str) -> HttpResponse:
    project = access(request, study, kind, Capability.ADJUDICATE)
    context = {
        "kind": kinds.of(kind),
        "lines": agreeing.annotators(project),
        "respondents": agreeing.respondents(project),
    }
    template = "annotation/reliability.html"
    return pages.page(request, template, project.study, context, "Reliability", ABOVE)
