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
from annotation.services import deciding, flagging
from annotation.views.access import ABOVE, access, user_of
from annotation.views.typed import Typed, refused
from core.errors import CommonplaceError
from studies import pages
from studies.permissions import Capability

PAGE = 50


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
def read_flag(request: HttpRequest, study: str, kind: str, source_key: str) -> HttpResponse:
    project = access(request, study, kind, Capability.ADJUDICATE)
    task = selectors.access_waiting(project, user_of(request), source_key)
    flagging.read(task, user_of(request))
    return redirect("annotation:dispute", study, kind, source_key)


@require_POST
def put_back(request: HttpRequest, study: str, kind: str, source_key: str) -> HttpResponse:
    project = access(request, study, kind, Capability.ADJUDICATE)
    task = selectors.access_waiting(project, user_of(request), source_key)
    flagging.put_back(task, request.POST.get("word", ""), user_of(request))
    messages.success(request, "Put back into the queue, also for who had flagged it.")
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
    seen, known = sent.get("seen", ""), sent.get("decision", "")
    try:
        deciding.decide(task, read.value, reason, user_of(request), seen, known=known)
    except CommonplaceError as error:
        return refused(read.value, reason, error)
    return None


def _page(request: HttpRequest, task: Task, typed: Typed | None = None) -> HttpResponse:
    task = projects.access_task(task.project, task.source_key)
    kind, study, user = kinds.of(task.project.kind), task.project.study, user_of(request)
    passes, flags = selectors.passes(task), selectors.flags(task)
    start = next((each.value for each in passes if each.letter == request.GET.get("from")), {})
    value = typed.value if typed else start
    context = {
        **kind.shown(task, value),
        "kind": kind,
        "task": task,
        "heading": headings.of(study, [task])[0],
        "region_names": headings.region_names(study),
        "passes": passes,
        "flags": [(row, selectors.may_read(task, row, user)) for row in flags],
        "unread": not all(selectors.may_read(task, row, user) for row in flags),
        "wants_decision": selectors.wants_decision(task),
        "own": any(each.annotator == user for each in passes),
        "decision": task.decisions.filter(current=True).select_related("decided_by").first(),
        "value": value,
        "typed": typed,
        "faults": typed.faults if typed else {},
    }
    response = pages.page(request, "annotation/dispute.html", study, context, "Decide", ABOVE)
    response.status_code = typed.status if typed else response.status_code
    return response
