"""Pages of exports: ask for a file of answers, see how far it is, fetch it."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from collection.exporting import FORMATS, Choice, Layout
from collection.models import Export
from collection.selectors import exporting as selectors
from collection.services import exporting as services
from core import downloads, jobs
from core.errors import CommonplaceError
from studies.models import Study
from studies.pages import page
from studies.permissions import Capability
from studies.selectors import access_study

SHOWN = 50  # the newest exports
LAYOUTS = {
    Layout.LONG: "One row an answer (long)",
    Layout.WIDE: "One row a person, one column a question (wide)",
}
_ENDINGS = {format: ending for ending, (format, _) in downloads.ENDINGS.items()}
_NAMES = dict(downloads.ENDINGS.values())


class ExportForm(forms.Form):
    layout = forms.ChoiceField(choices=[(each.value, text) for each, text in LAYOUTS.items()])
    format = forms.ChoiceField(choices=[(each, _NAMES[each]) for each in FORMATS])
    drafts = forms.BooleanField(label="Also forms that people are still writing", required=False)

    def choice(self) -> Choice:
        given = self.cleaned_data
        return Choice(Layout(given["layout"]), given["format"], given["drafts"])


@require_http_methods(["GET", "HEAD", "POST"])
def answers(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    form = ExportForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            services.order(found, form.choice(), cast(User, request.user).email)
        except CommonplaceError as error:
            if error.code != "job.active":
                raise
            messages.info(request, "Such a file is being made already; it is in the list.")
        return redirect("collection:export", study)
    context = {"form": form, "summary": selectors.summary(found), **_list(found)}
    return page(request, "collection/export.html", found, context, here="Answers")


@require_safe
def progress(request: HttpRequest, study: str) -> HttpResponse:
    """The part of the page that refreshes; once nothing is being made, the whole page."""
    found = _access(request, study)
    context = _list(found)
    if not context["working"]:
        response = HttpResponse()
        response["HX-Refresh"] = "true"
        return response
    return render(request, "collection/_export_progress.html", {"study": found, **context})


@require_safe
def file(request: HttpRequest, study: str, export: int) -> StreamingHttpResponse:
    found = selectors.access_export(_access(request, study), export)
    name = f"{_name(found)}.{_ENDINGS[found.format]}"
    response = downloads.file(request, services.read(found), downloads.TYPES[found.format], name)
    response["Content-Length"] = str(found.bytes)
    return response


@require_safe
def manifest(request: HttpRequest, study: str, export: int) -> JsonResponse:
    """Stays readable when the file is gone: it holds no answers."""
    found = selectors.access_export(_access(request, study), export)
    selectors.refuse_unless_made(found)
    response = JsonResponse(found.manifest, json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = content_disposition_header(
        as_attachment=True, filename=f"{_name(found)}.manifest.json"
    )
    return response


def _access(request: HttpRequest, study: str) -> Study:
    return access_study(request.user, study, Capability.EXPORT)


def _list(study: Study) -> dict[str, Any]:
    lines = selectors.exports(study, SHOWN)
    return {
        "lines": [(line, _what(line.export)) for line in lines if not line.working],
        "working": [(line, _what(line.export)) for line in lines if line.working],
        "worker": jobs.worker_is_alive(),
    }


def _what(export: Export) -> str:
    """What the file holds, in the words it was asked for with."""
    layout, format = LAYOUTS[Layout(export.layout)], _NAMES[export.format]
    return f"{layout}, {format}{', with drafts' if export.drafts else ''}"


def _name(export: Export) -> str:
    return f"{export.study.slug}-answers-{export.layout}-{export.pk}"
