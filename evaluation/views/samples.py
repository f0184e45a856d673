"""The viewer of samples: the list, one sample with all that stands behind it, what went wrong."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from core.errors import NotFound
from evaluation import figures
from evaluation.models import Outcome
from evaluation.viewing import evidence, viewer
from evaluation.viewing.viewer import Filters
from evaluation.views.access import crumbs, samples_seen
from releases.presenting import names


@require_safe
def sample_list(request: HttpRequest, run: int) -> HttpResponse:
    found, filters = samples_seen(request, run), Filters.read(request.GET)
    marks = {name: request.GET.get(name, "") for name in ("after", "before", "total")}
    page, judges = viewer.page(found, filters, **marks), viewer.judges(found)
    context = {
        "run": found,
        "page": page,
        "rows": evidence.rows(found, page.rows, judges),
        "filters": filters,
        "query": urlencode(filters.query()),
        "judges": list(judges),
        "outcomes": [(name, figures.OUTCOMES[name]) for name in Outcome.values],
        "regions": names(found.release).items(),
        "domains": viewer.domains(found),
        "verdicts": viewer.verdict_choices(judges),
        "crumbs": crumbs(found, (_("Samples"), None)),
    }
    return render(request, "evaluation/samples.html", context)


@require_safe
def sample_detail(request: HttpRequest, run: int, sample: int) -> HttpResponse:
    found, filters = samples_seen(request, run), Filters.read(request.GET)
    chosen = found.samples.select_related("item__release__study", "reply", "call")
    one = chosen.filter(pk=sample).first()
    if one is None:
        raise NotFound("sample.unknown", "This run has no such sample. Choose one from its list.")
    query = urlencode(filters.query())
    back = reverse("evaluation:samples", args=[found.pk]) + (f"?{query}" if query else "")
    before, after = viewer.neighbours(found, filters, one)
    context = {
        "run": found,
        **evidence.of_sample(found, one),
        "before": before,
        "after": after,
        "query": query,
        "crumbs": crumbs(
            found, (_("Samples"), back), (f"{one.item.key}, {_('repeat')} {one.repeat}", None)
        ),
    }
    return render(request, "evaluation/sample.html", context)


@require_safe
def failures(request: HttpRequest, run: int) -> HttpResponse:
    found = samples_seen(request, run)
    kinds = [
        (kind, urlencode(kind.filters.query()), evidence.rows(found, kind.examples, {}))
        for kind in viewer.failures(found)
    ]
    context = {
        "run": found,
        "kinds": kinds,
        "crumbs": crumbs(found, (_("What went wrong"), None)),
    }
    return render(request, "evaluation/failures.html", context)
