"""What games have told so far: parse, one call, render."""

from dataclasses import fields

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from core import downloads
from games import exporting, figures, in_words
from games.selectors import results as selected
from games.selectors import transcripts as read
from games.selectors import watching
from studies import pages, selectors
from studies.models import Study
from studies.permissions import Capability

PAGE = 50
ABOVE = [("Game results", "games:results")]
WATCHED = [("Games", "games:watch")]


@require_safe
def results(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.MONITOR)
    phase = _phase(request)
    told = selected.results(found, phase)
    drawn = [figures.overall(found, told, phase, origin) for origin in figures.ORIGINS]
    context = {
        "phase": phase,
        "told": told,
        "figures": [figure for figure in drawn if figure],
        "accuracy": figures.accuracy(told.cells),
        "outcomes": figures.outcomes(told.cells),
        "recorded": figures.accuracy(told.recorded) if told.some_recorded else None,
        "recorded_outcomes": figures.outcomes(told.recorded),
        "known": figures.known(found, told, phase),
        "files": _files(found, phase),
    }
    return pages.page(request, "games/results.html", found, context, here="Game results")


@require_safe
def artifacts(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.MONITOR)
    phase = _phase(request)
    regions = selected.described(found, phase)
    every = [each for rows in regions.values() for each in rows]
    context = {
        "phase": phase,
        "regions": [(name, figures.artifacts(rows), rows) for name, rows in regions.items()],
        "short": sum(each.short for each in every),
        "total": len(every),
        "simulated": selected.simulated(found, phase),
        "files": figures.links(found, "described", phase),
    }
    return pages.page(
        request, "games/results_artifacts.html", found, context, "Artifacts described", ABOVE
    )


@require_safe
def transcripts(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.MODERATE)
    names = [each.name for each in fields(read.Filters)]
    filters = read.Filters(**{name: request.GET[name] for name in names if name in request.GET})
    page = Paginator(read.ended(found, filters), PAGE).get_page(request.GET.get("page"))
    regions = watching.names(found)
    context = {
        "page": page,
        "lines": [
            (game, regions[game.region_id], in_words.of(in_words.ENDINGS, game.ended_reason))
            for game in page
        ],
        "filters": filters,
        "activities": found.activities.filter(kind="game"),
        "regions": [(region.slug, regions[region.pk]) for region in found.regions.all()],
        "reasons": read.reasons(found),
        "files": _files(found, ""),
    }
    return pages.page(
        request, "games/results_transcripts.html", found, context, "Transcripts", WATCHED
    )


@require_safe
def file(request: HttpRequest, study: str, table: str, format: str) -> StreamingHttpResponse:
    """A table of numbers for who may see the results; one of words for who may export."""
    if table in figures.FILES:
        found = _access(request, study, Capability.MONITOR)
        rows = figures.table(found, table, _phase(request))
    else:
        found = _access(request, study, Capability.EXPORT)
        rows = exporting.table(found, table)
    return downloads.table(request, rows, f"{study}-{table}", format)


def _access(request: HttpRequest, study: str, capability: Capability) -> Study:
    return selectors.access_study(request.user, study, capability)


def _phase(request: HttpRequest) -> str:
    given = request.GET.get("phase", "")
    return given if given in selected.PHASES else "main"


def _files(study: Study, phase: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """(title, links) of the numbers of a phase, or without one of everything that was said."""
    if phase:
        return [(title, figures.links(study, name, phase)) for name, title in figures.FILES.items()]
    return [(title, _links(study, name)) for name, title in exporting.TITLES.items()]


def _links(study: Study, table: str) -> list[tuple[str, str]]:
    return downloads.links(
        lambda ending: reverse("games:results_file", args=(study.slug, table, ending))
    )
