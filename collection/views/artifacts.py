"""Pages of artifacts: parse, one call, render."""

from collections.abc import Mapping, Sized
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collection import services
from collection.artifact_forms import KINDS, STATUSES, ArtifactForm, NameForm, region_choices
from collection.selectors import proximity
from core.errors import CommonplaceError, NotFound
from studies import artifacts, pages, presenting, selectors
from studies import services as study_services
from studies.models import Region, Study
from studies.permissions import Capability

PAGE = 100
SUGGESTED = 50  # groups shown at once
ABOVE = [("Artifacts", "collection:artifacts")]
_form_page = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def listed(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    chosen = {name: request.GET.get(name, "") for name in ("region", "status", "words")}
    page = Paginator(artifacts.listed(found, **chosen), PAGE).get_page(request.GET.get("page"))
    regions = dict(region_choices(found))
    context = {
        "page": page,
        "lines": [
            (row, artifacts.called(row), artifacts.further(row), regions[row.region.slug])
            for row in page
        ],
        "chosen": chosen,
        "regions": regions.items(),
        "statuses": STATUSES.items(),
        "merges": artifacts.merges(found)[:SUGGESTED],
        "proximity": proximity.matrix(found),
    }
    return pages.page(request, "collection/artifacts.html", found, context, here="Artifacts")


@require_safe
def suggested(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    suggestions = artifacts.suggestions(found)
    region = _region(found, request.GET.get("region", ""), suggestions)
    context = {
        "region": region,
        "regions": [(slug, name, len(suggestions[slug])) for slug, name in region_choices(found)],
        "page": Paginator(suggestions.get(region, []), SUGGESTED).get_page(request.GET.get("page")),
    }
    return pages.page(
        request, "collection/artifacts_suggested.html", found, context, "Suggestions", ABOVE
    )


@_form_page
def new(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    form = ArtifactForm(request.POST or None, study=found)

    def save() -> str:
        given = (form.region(), form.cleaned_data["name"], _actor(request), form.further())
        return _address(found, study_services.list_artifact(found, *given).code)

    if saved := pages.saved(request, form, save, "The artifact is listed."):
        return saved
    return pages.page(
        request, "collection/artifact_new.html", found, {"form": form}, "New artifact", ABOVE
    )


@_form_page
def one(request: HttpRequest, study: str, code: str) -> HttpResponse:
    """One artifact and its names; sending the form adds a name."""
    found = _access(request, study)
    row = artifacts.access_artifact(found, code)
    form = NameForm(request.POST or None)

    def save() -> str:
        study_services.add_name(row, form.called(), _actor(request))
        return _address(found, code)

    if saved := pages.saved(request, form, save, "The name is saved."):
        return saved
    context = {
        "form": form,
        "row": row,
        "stands": artifacts.standing(row),
        "name": artifacts.called(row),
        "region": presenting.region_name(row.region, found),
        "names": [(KINDS[each.kind], each) for each in artifacts.in_order(row)],
        "sources": row.sources.select_related("participant"),
    }
    return pages.page(
        request, "collection/artifact.html", found, context, artifacts.called(row), ABOVE
    )


@require_POST
def name_remove(request: HttpRequest, study: str, code: str) -> HttpResponse:
    found = _access(request, study)
    row = artifacts.access_artifact(found, code)
    study_services.remove_name(row, _number(request, "name"), _actor(request))
    messages.success(request, "The name is removed.")
    return redirect(_address(found, code))


@require_POST
def gather(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    done = services.gather(found, _actor(request))
    said = selectors.counted(done.namings, "new naming")
    then = ""
    if done.made:
        then = " Look next at which may be one thing, then list what is to be played with."
    messages.success(request, f"{said}, {selectors.counted(done.made, 'new artifact')}.{then}")
    if done.unreadable:
        messages.warning(
            request,
            f"{selectors.counted(done.unreadable, 'naming')} could not be a name: empty, or longer "
            "than a name may be. The answers hold them still.",
        )
    return redirect("collection:artifacts", study)


@require_POST
def decide(request: HttpRequest, study: str) -> HttpResponse:
    """List, leave out, merge or keep apart those ticked."""
    found = _access(request, study)
    codes, actor = request.POST.getlist("artifact")[:PAGE], _actor(request)
    if len(codes) < 2 and request.POST.get("do") == "apart":
        codes = request.POST.getlist("among")[:PAGE]
    if not codes:
        messages.warning(request, "Nothing was chosen. Tick the artifacts first.")
    else:
        try:
            messages.success(request, _decided(found, request.POST, codes, actor))
        except CommonplaceError as error:
            messages.error(request, error.message)
    return redirect(_back(request, found))


@require_POST
def undo(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    try:
        study_services.undo_merge(found, _number(request, "merge"), _actor(request))
    except CommonplaceError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "The merge is undone.")
    return redirect("collection:artifacts", study)


def _decided(study: Study, given: Any, codes: list[str], actor: str) -> str:
    """What was done with those ticked, in a sentence."""
    match given.get("do"):
        case "list":
            count = study_services.list_again(study, codes, actor)
            return f"Listed: {selectors.counted(count, 'artifact')}."
        case "leave_out":
            count = study_services.leave_out(study, codes, actor)
            return f"Left out of later games: {selectors.counted(count, 'artifact')}."
        case "apart":
            study_services.keep_apart(study, codes, actor)
            return "Kept apart: they are not suggested together again."
        case "merge":
            shown = given.get("shown", "")
            into = shown if shown in codes else codes[0]
            row = study_services.merge(study, codes, into, actor)
            called = artifacts.called(row)
            return f"Merged into “{called}”. It can be undone below the list of artifacts."
    raise CommonplaceError("artifact.order", "Choose what becomes of those ticked.")


def _back(request: HttpRequest, study: Study) -> str:
    """The suggestions of the region they were decided on, else the list."""
    region = request.POST.get("region", "")
    if not region:
        return reverse("collection:artifacts", args=(study.slug,))
    address = reverse("collection:artifacts_suggested", args=(study.slug,))
    return f"{address}?region={_found(study, region).slug}"


def _region(study: Study, slug: str, waiting: Mapping[str, Sized]) -> str:
    """The region asked for, else the first where something waits, else the study's first."""
    if slug:
        return _found(study, slug).slug
    return next((each for each in waiting if waiting[each]), next(iter(waiting), ""))


def _found(study: Study, slug: str) -> Region:
    if (region := study.regions.filter(slug=slug).first()) is None:
        raise NotFound("region.unknown", f"There is no region “{slug}”. Choose one of the list.")
    return region


def _number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 15 else 0


def _address(study: Study, code: str) -> str:
    return reverse("collection:artifact", args=(study.slug, code))


def _access(request: HttpRequest, study: str) -> Study:
    return selectors.access_study(request.user, study, Capability.REVIEW)


def _actor(request: HttpRequest) -> str:
    return request.user.get_username()
