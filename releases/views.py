"""Pages of releases: parse, one call, render."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core import downloads, tables
from core.errors import CommonplaceError
from releases import card as cards
from releases import (
    consistency,
    exporting,
    figures,
    played,
    presenting,
    selectors,
    services,
    storing,
)
from releases import responses as reading
from releases import transcripts as whole_games
from releases.forms import BuildForm, FilterForm, GamesForm, ImportForm, ResponsesForm
from releases.models import Finding, Item, Part, Release
from releases.shapes import ORIGINS
from releases.statistics import SAMPLES_EXPECTED

PAGE = 25
RELEASES = ("Releases", reverse_lazy("releases:list"))


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    page = Paginator(selectors.visible_releases(request.user), PAGE).get_page(
        request.GET.get("page")
    )
    return render(request, "releases/list.html", {"page": page})


@require_safe
def detail(request: HttpRequest, name: str, version: int) -> HttpResponse:
    release = selectors.access_release(request.user, name, version)
    described = selectors.describe(release)
    files = downloads.links(lambda ending: _statistics_in(release, ending))
    context = {
        "described": described,
        "noun": presenting.noun(selectors.kinds(release)),
        "alone": selectors.of_artifacts_alone(release),
        "downloads": files,
        "found": _found(release),
        "why": _why_accepted(release),
        "parts": release.parts.order_by("pk"),
        "derivatives": release.derivatives.all(),
    }
    for held, shown in (
        ("coverage", _questions_in),
        ("artifacts", _artifacts_in),
        ("by_options", _choices_in),
    ):
        context |= shown(release, described, files) if held in described else {}
    return _page(request, "detail", release, context)


def _questions_in(
    release: Release, described: dict[str, Any], files: figures.Downloads
) -> dict[str, Any]:
    drawn = (
        figures.coverage(described, release, files),
        figures.pairwise(described, release, files),
    )
    name = f"{release.name}-ra_mcq-agreement"
    return {
        "asked": figures.asked(described),
        "answers": release.parts.filter(name=reading.NAME).first(),
        "figures": [figure for figure in drawn if figure],
        "universal": figures.universal(described),
        "domains": figures.by_domain(described),
        "build": BuildForm(initial={"release": release.label, "name": name}),
    }


def _artifacts_in(
    release: Release, described: dict[str, Any], _files: figures.Downloads
) -> dict[str, Any]:
    return {
        "artifacts": figures.by_region(described, release),
        "games": release.parts.filter(name=whole_games.NAME, rows__gt=0).first(),
        "origins": {
            origin: sum(row[origin] for row in described["artifacts"]) for origin in ORIGINS
        },
        "clues": sum(described["clues"].values()),
    }


def _choices_in(
    release: Release, described: dict[str, Any], _files: figures.Downloads
) -> dict[str, Any]:
    return {
        "tables": figures.by_options(described, release),
        "samples_expected": SAMPLES_EXPECTED,
    }


@require_safe
def questions(request: HttpRequest, name: str, version: int) -> HttpResponse:
    release = selectors.access_release(request.user, name, version)
    found = selectors.finding_counts(release)
    form = FilterForm(request.GET, release=release, found=found)
    items = selectors.questions(release, form.filters())
    page = Paginator(items, PAGE).get_page(request.GET.get("page"))
    context = {
        "form": form,
        "page": page,
        "lines": presenting.lines(release, list(page)),
        "narrowed": bool(form.changed_data),
        "noun": (noun := presenting.noun(selectors.kinds(release))),
    }
    return _page(request, "questions", release, context, here=f"{noun.title()}s")


@require_safe
def item(request: HttpRequest, name: str, version: int, key: str) -> HttpResponse:
    release = selectors.access_release(request.user, name, version)
    shown = selectors.access_item(release, key)
    before, after = selectors.neighbours(shown)
    names = presenting.names(release)
    context = {
        "item": shown,
        "line": presenting.lines(release, [shown])[0],
        "before": before,
        "after": after,
        "pairs": [
            (names.get(pair["a"], pair["a"]), names.get(pair["b"], pair["b"]), pair["agree"])
            for pair in shown.payload.get("relations", {}).get("pairs", ())
        ],
        "found": _in_words(selectors.findings_of(shown)),
        "source": _source(release, shown),
        "readable": release.parts.filter(name=whole_games.NAME, purged_at=None).exists(),
    }
    return _page(request, "item", release, context, here=shown.key)


@require_safe
def findings(request: HttpRequest, name: str, version: int) -> HttpResponse:
    release = selectors.access_release(request.user, name, version)
    found = release.findings.all()
    code = request.GET.get("code", "")
    if code:
        found = found.filter(code=code)
    page = Paginator(found, 2 * PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": _in_words(page),
        "code": code,
        "only": consistency.sentence(code),
        "found": _found(release),
        "why": _why_accepted(release),
    }
    return _page(request, "findings", release, context, here="Findings")


@require_safe
def responses(request: HttpRequest, name: str, version: int) -> HttpResponse:
    release = selectors.access_release(request.user, name, version)
    part = selectors.access_part(release, reading.NAME)
    if part.purged_at:
        return _erased(request, release, part, "answers")
    rows = reading.rows(part)
    form = ResponsesForm(request.GET, release=release, questions=reading.questions(release, rows))
    page = Paginator(reading.narrowed(rows, form.filters()), 2 * PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "form": form,
        "page": page,
        "groups": reading.groups(release, list(page)),
        "people": len({row["participant"] for row in rows}),
        "narrowed": bool(form.changed_data),
    }
    return _page(request, "responses", release, context, here="Answers")


@require_safe
def transcripts(request: HttpRequest, name: str, version: int) -> HttpResponse:
    release = selectors.access_release(request.user, name, version)
    part = selectors.access_part(release, whole_games.NAME)
    if part.purged_at:
        return _erased(request, release, part, "games")
    form = GamesForm(request.GET, release=release)
    rows = played.narrowed(played.rows(part), form.chosen())
    page = Paginator(rows, 2 * PAGE).get_page(request.GET.get("page"))
    context = {
        "form": form,
        "page": page,
        "games": played.listed(release, page),
        "narrowed": bool(form.changed_data),
    }
    return _page(request, "transcripts", release, context, here="Games")


@require_safe
def transcript(request: HttpRequest, name: str, version: int, code: str) -> HttpResponse:
    release = selectors.access_release(request.user, name, version)
    part = selectors.access_part(release, whole_games.NAME)
    if part.purged_at:
        return _erased(request, release, part, "games")
    row, before, after = played.access(played.rows(part), code)
    context = {"game": played.read(release, row), "before": before, "after": after}
    return _page(request, "transcript", release, context, here=code)


@require_safe
def card(request: HttpRequest, name: str, version: int) -> HttpResponse:
    release = selectors.access_release(request.user, name, version)
    context = {"card": cards.of(release, exporting.frozen(release))}
    return _page(request, "card", release, context, here="Card")


@require_safe
def readme(request: HttpRequest, name: str, version: int) -> HttpResponse:
    release = selectors.access_release(request.user, name, version)
    return HttpResponse(
        cards.readme(release, exporting.frozen(release)),
        content_type="text/markdown; charset=utf-8",
        headers={"Content-Disposition": _attachment(f"{release.label}-{exporting.CARD}")},
    )


@require_safe
def licence(request: HttpRequest, name: str, version: int) -> HttpResponse:
    release = selectors.access_release(request.user, name, version)
    return HttpResponse(
        selectors.licence_text(release),
        content_type="text/markdown; charset=utf-8",
        headers={"Content-Disposition": _attachment(f"{release.label}-{exporting.LICENCE}")},
    )


@require_safe
def statistics(request: HttpRequest, name: str, version: int, format: str) -> StreamingHttpResponse:
    release = selectors.access_release(request.user, name, version)
    rows = figures.statistics_rows(selectors.describe(release))
    table = tables.Table("statistics", figures.STATISTICS_COLUMNS, rows)
    return downloads.table(request, table, f"{release.label}-statistics", format)


@require_safe
def part(request: HttpRequest, name: str, version: int, part: str) -> HttpResponse:
    release = selectors.access_release(request.user, name, version)
    data = storing.read(selectors.access_part(release, part))
    return HttpResponse(
        data,
        content_type="application/jsonl; charset=utf-8",
        headers={"Content-Disposition": _attachment(f"{release.label}-{part}.jsonl")},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def import_file(request: HttpRequest) -> HttpResponse:
    _superusers_only(request)
    form = ImportForm(request.POST or None, request.FILES or None)
    result = None
    if request.method == "POST" and form.is_valid():
        file, given = form.cleaned_data["file"], form.cleaned_data
        try:
            result = services.import_bytes(
                file.read(services.LARGEST_FILE + 1),
                file.name,
                given["format"],
                given["name"] or None,
                actor=request.user.get_username(),
            )
        except CommonplaceError as error:
            form.add_error(None, error.message)
        else:
            if not result.refused:
                messages.success(request, _imported(result))
                return _to(result.release)
    context = {"form": form, "result": result, "crumbs": [RELEASES, ("Import", "")]}
    return render(request, "releases/import.html", context, status=_status(form))


@require_POST
def build(request: HttpRequest) -> HttpResponse:
    _superusers_only(request)
    form = BuildForm(request.POST)
    if not form.is_valid():
        raise CommonplaceError(
            "build.incomplete", "Choose a release, a name of at most 80 characters and a preset."
        )
    given = form.cleaned_data
    source = selectors.find_release(given["release"])
    built = services.build_items(
        "ra_mcq", source, given["name"], given["preset"], actor=request.user.get_username()
    )
    messages.success(request, f"{built.label} holds {built.items.count()} items.")
    return _to(built)


def _page(
    request: HttpRequest,
    page: str,
    release: Release,
    context: dict[str, Any],
    here: str = "",
    status: int = 200,
) -> HttpResponse:
    address = reverse("releases:detail", args=(release.name, release.version))
    trail = [RELEASES, (release.label, address if here else "")]
    crumbs = [*trail, (here, "")] if here else trail
    shown = {"release": release, "crumbs": crumbs, **context}
    return render(request, f"releases/{page}.html", shown, status=status)


def _erased(request: HttpRequest, release: Release, part: Part, things: str) -> HttpResponse:
    page = {"answers": "releases:responses", "games": "releases:transcripts"}[things]
    context = {"part": part, "things": things, "page": page}
    return _page(request, "erased", release, context, here=things.title(), status=410)


def _found(release: Release) -> list[tuple[str, str, int, bool]]:
    """(code, sentence, findings, whether it is only a note)."""
    return [
        (code, consistency.sentence(code), count, code in consistency.NOTES)
        for code, count in selectors.finding_counts(release).items()
    ]


def _why_accepted(release: Release) -> str:
    """The sentence that a study's findings were let stand with; empty where none had to be."""
    return release.findings.exclude(reason="").values_list("reason", flat=True).first() or ""


def _in_words(found: Iterable[Finding]) -> list[tuple[str, Finding]]:
    return [(consistency.sentence(finding.code), finding) for finding in found]


def _statistics_in(release: Release, format: str) -> str:
    return reverse("releases:statistics", args=(release.name, release.version, format))


def _source(release: Release, shown: Item) -> Item | None:
    """The question a choice was built from."""
    if release.parent is None or "source" not in shown.payload:
        return None
    question = release.parent.items.filter(key=shown.payload["source"])
    return question.select_related("release").first()


def _imported(result: services.ImportResult) -> str:
    if not result.created:
        return f"These bytes were imported before: this is {result.release.label}."
    return f"Imported {result.kept} of {result.read} rows as {result.release.label}."


def _to(release: Release) -> HttpResponse:
    return redirect("releases:detail", release.name, release.version)


def _attachment(name: str) -> str:
    return content_disposition_header(as_attachment=True, filename=name) or "attachment"


def _status(form: Any) -> int:
    return 422 if form.is_bound and form.errors else 200


def _superusers_only(request: HttpRequest) -> None:
    if not request.user.is_superuser:
        raise PermissionDenied
