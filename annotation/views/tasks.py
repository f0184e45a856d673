"""The queue as an annotator works through it."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from accounts.keeping import keeps_what_was_sent
from annotation import kinds
from annotation.kinds import Read
from annotation.models import Assignment, Project, Task
from annotation.selectors import ahead, headings, projects, queue, suggestions
from annotation.services import judging, queueing, suggesting
from annotation.views.access import ABOVE, access, user_of
from annotation.views.typed import Typed, refused
from core.errors import CommonplaceError
from studies import pages
from studies.permissions import Capability

JSON = "application/json"
LOST = 409


@require_POST
def take_next(request: HttpRequest, study: str, kind: str) -> HttpResponse:
    project = access(request, study, kind, Capability.ANNOTATE)
    return _go_on(request, project)


@keeps_what_was_sent
@require_http_methods(["GET", "HEAD", "POST"])
def task(request: HttpRequest, study: str, kind: str, source_key: str) -> HttpResponse:
    project = access(request, study, kind, Capability.ANNOTATE)
    found = projects.access_task(project, source_key)
    if request.method != "POST":
        return _page(request, queue.access_mine(found, user_of(request)))
    read = kinds.of(kind).read(found, request.POST.getlist)
    row = queue.find_mine(found, user_of(request))
    if row is None:
        return _taken_away(request, found, read)
    try:
        return _act(request, row, read)
    except CommonplaceError as error:
        return _refused(request, row, read, error)


def _act(request: HttpRequest, row: Assignment, read: Read) -> HttpResponse:
    """Anything but a known action keeps the draft."""
    action, note = request.POST.get("action"), request.POST.get("note", "")
    if action == "take_back":
        sent = row.status == Assignment.Status.SUBMITTED
        (judging.take_back if sent else queueing.undo)(row)
        return redirect(_address(row.task))
    if action == "unfold":
        judging.save_draft(row, read.value, note)
        suggesting.unfold(row)
        return redirect(f"{_address(row.task)}#suggestion")
    if action == "take_over":
        suggesting.take_over(row, note)
        return redirect(_address(row.task))
    if action == "skip":
        queueing.skip(row, note, read.value)
    elif action == "flag":
        queueing.flag(row, note, read.value)
    elif action == "send" and not read.faults:
        judging.submit(row, read.value, note, seen=request.POST.get("seen"))
    else:
        judging.save_draft(row, read.value, note)
        if action == "send":
            return _page(request, row, Typed(read.value, note, read.faults))
        return _kept(request, row, read, to_add=action == "more")
    return _go_on(request, row.task.project, row.task.source_key)


def _kept(request: HttpRequest, row: Assignment, read: Read, to_add: bool) -> HttpResponse:
    if _wants_json(request):
        return JsonResponse({"saved": True})
    end = f"#concept-{len(read.value.get('concepts', ()))}" if to_add else "?saved=1"
    return redirect(_address(row.task) + end)


def _refused(
    request: HttpRequest, row: Assignment, read: Read, error: CommonplaceError
) -> HttpResponse:
    if _wants_json(request):
        return JsonResponse(error.as_dict(), status=error.http_status)
    typed = refused(read.value, request.POST.get("note", ""), error)
    row = Assignment.objects.select_related("task__project__study").get(pk=row.pk)
    return _page(request, row, typed)


def _go_on(request: HttpRequest, project: Project, after: str = "") -> HttpResponse:
    """To the next task of this person, or where there is none to the list of what there is."""
    row = queueing.take(project, user_of(request))
    query = {"after": after} if after else {}
    if row is not None:
        address = _address(row.task)
    else:
        address = reverse("annotation:projects", args=(project.study.slug,))
        query["kind"] = project.kind
    return redirect(f"{address}?{urlencode(query)}" if query else address)


def _page(request: HttpRequest, row: Assignment, typed: Typed | None = None) -> HttpResponse:
    task, user = row.task, user_of(request)
    project, kind = task.project, kinds.of(task.project.kind)
    value = typed.value if typed else queue.said(row)
    last = queue.last(project, user, request.GET.get("after", ""))
    context = {
        **kind.shown(task, value),
        "kind": kind,
        "row": row,
        "value": value,
        "typed": typed,
        "faults": typed.faults if typed else {},
        "note": typed.words if typed else row.note,
        "writable": queue.is_writable(row),
        "mine_to_take_back": queue.can_be_taken_back(row),
        "heading": headings.of(project.study, [task])[0],
        "region_names": headings.region_names(project.study),
        "offer": suggestions.offer(row, task),
        "guideline": projects.newest_guideline(project),
        "left": ahead.left(project, user),
        "most_counted": ahead.SHOWN,
        "saved": "saved" in request.GET,
        "put_back": queue.put_back(row),
        "last": last,
        "last_kind": project.kind,
        "can_be_taken_back": last is not None and queue.can_be_taken_back(last),
    }
    response = pages.page(request, "annotation/task.html", project.study, context, "Task", ABOVE)
    response.status_code = typed.status if typed else response.status_code
    return response


def _taken_away(request: HttpRequest, task: Task, read: Read) -> HttpResponse:
    """The task has gone to somebody else: of it nothing is shown but what was typed."""
    error = queueing.lost()
    if _wants_json(request):
        return JsonResponse(error.as_dict(), status=error.http_status)
    context = {
        "kind": kinds.of(task.project.kind),
        "refusal": error.message,
        "value": read.value,
        "note": request.POST.get("note", ""),
        "region_names": headings.region_names(task.project.study),
    }
    study = task.project.study
    response = pages.page(request, "annotation/taken_away.html", study, context, "Task", ABOVE)
    response.status_code = LOST
    return response


def _address(task: Task) -> str:
    project = task.project
    arguments = (project.study.slug, project.kind, task.source_key)
    return reverse("annotation:task", args=arguments)


def _wants_json(request: HttpRequest) -> bool:
    return request.get_preferred_type(["text/html", JSON]) == JSON
