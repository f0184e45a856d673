"""What waits for somebody's decision, and deciding it."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.keeping import keeps_what_was_sent
from annotation import kinds
from annotation.models import Task
from annotation.selectors import disputes as selectors
from annotation.selectors import headings, projects
from annotation.services import deciding, queueing
from annotation.views.access import ABOVE, access, user_of
from annotation.views.typed import Typed, refused
from core.errors import CommonplaceError
from studies import pages
from studies.permissions import Capability

PAGE = 50
DECIDED_SINCE = (
    "Somebody has decided this since you opened it. Look at what they decided; what you wrote is "
    "still below, and deciding again replaces theirs."
)


@require_safe
def disputes(request: HttpRequest, study: str, kind: str) -> HttpResponse:
    project = access(request, study, kind, Capability.ADJUDICATE)
    why = request.GET.get("why", "")
    waiting = selectors.waiting(project, user_of(request), why)
    page = Paginator(waiting, PAGE).get_page(request.GET.get("page"))
    context = {
        "kind": kinds.of(kind),
        "page": page,
        "lines": headings.of(project.study, page),
        "counts": selectors.counts(project, user_of(request)),
        "reasons": selectors.REASONS,
        "why": why,
    }
    template = "annotation/disputes.html"
    return pages.page(request, template, project.study, context, "Waiting for a decision", ABOVE)


@keeps_what_was_sent
@require_http_methods(["GET", "HEAD", "POST"])
def dispute(request: HttpRequest, study: str, kind: str, source_key: str) -> HttpResponse:
    project = access(request, study, kind, Capability.ADJUDICATE)
    task = selectors.access_waiting(project, user_of(request), source_key)
    if request.method != "POST":
        return _page(request, task)
    typed = _decide(request, task)
    if typed is not None:
        return _page(request, task, typed)
    messages.success(request, "Decided. The first passes stay as they were.")
    return redirect("annotation:disputes", study, kind)


@require_POST
def put_back(request: HttpRequest, study: str, kind: str, source_key: str) -> HttpResponse:
    project = access(request, study, kind, Capability.ADJUDICATE)
    task = selectors.access_waiting(project, user_of(request), source_key)
    for row in selectors.flags(task):
        queueing.unflag(row)
    messages.success(request, "Put back into the queue, for somebody who has not had it.")
    return redirect("annotation:disputes", study, kind)


def _decide(request: HttpRequest, task: Task) -> Typed | None:
    """None once it is decided, else what to show again."""
    sent = request.POST
    read = kinds.of(task.project.kind).read(task, sent.getlist)
    reason = sent.get("reason", "")
    if sent.get("action") != "decide":
        return Typed(read.value, reason, status=200)
    if read.faults:
        return Typed(read.value, reason, read.faults)
    if selectors.is_decided_since(task, sent.get("decision", "")):
        return Typed(read.value, reason, refusal=DECIDED_SINCE, status=409)
    try:
        deciding.decide(task, read.value, reason, user_of(request), sent.get("seen", ""))
    except CommonplaceError as error:
        return refused(read.value, reason, error)
    return None


def _page(request: HttpRequest, task: Task, typed: Typed | None = None) -> HttpResponse:
    task = projects.access_task(task.project, task.source_key)
    kind, study, user = kinds.of(task.project.kind), task.project.study, user_of(request)
    passes = selectors.passes(task)
    start = next((each.value for each in passes if each.letter == request.GET.get("from")), {})
    value = typed.value if typed else start
    context = {
        **kind.shown(task, value),
        "kind": kind,
        "task": task,
        "heading": headings.of(study, [task])[0],
        "region_names": headings.region_names(study),
        "passes": passes,
        "flags": selectors.flags(task),
        "own": any(each.annotator == user for each in passes),
        "decision": task.decisions.filter(current=True).select_related("decided_by").first(),
        "value": value,
        "typed": typed,
        "faults": typed.faults if typed else {},
    }
    response = pages.page(request, "annotation/dispute.html", study, context, "Decide", ABOVE)
    response.status_code = typed.status if typed else response.status_code
    return response
