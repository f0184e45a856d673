"""The monitor's numbers as tables and figures: for its page in words, for its files as values."""

from collections.abc import Iterator, Sequence

from django.urls import reverse

from collection import quality
from collection.models import Submission
from collection.selectors import monitoring, stuck
from collection.selectors.monitoring import COLUMNS, Figures
from core import charts, downloads, tables
from core.charts import Bar, Figure
from core.errors import NotFound
from core.tables import Value
from studies.models import Study

TITLES = {
    "statuses": "Statuses by region",
    "regions": "Places by region",
    "forms": "Forms",
    "times": "Time and pay",
    "stuck": "Who is stuck",
}
FORM_STATUSES = {
    Submission.Status.DRAFT: "Being written",
    Submission.Status.SUBMITTED: "Sent",
    Submission.Status.REDO: "Asked again",
    Submission.Status.ACCEPTED: "Accepted",
    Submission.Status.REJECTED: "Rejected",
}
_SPREAD = ("n", "median", "lower_quartile", "upper_quartile")
_COLUMNS: dict[str, Sequence[str]] = {
    "statuses": ("activity", "region", *COLUMNS, "total"),
    "regions": ("activity", "region", "target", "held", "accepted", "free"),
    "forms": (
        *("activity", "form", *Submission.Status.values, "answered", "asked"),
        *(f"ms_{each}" for each in _SPREAD),
    ),
    "times": (
        *("activity", *(f"ms_{each}" for each in _SPREAD)),
        *("currency", *(f"hourly_minor_{each}" for each in _SPREAD), "no_hourly"),
    ),
    "stuck": ("activity", "participant", "region", "status", "why", "since", "next_step"),
}


def table(study: Study, name: str) -> tables.Table:
    """One of TITLES with plain values: times in ms, pay in minor units. Raises
    `download.unknown`."""
    if name not in TITLES:
        raise NotFound("download.unknown", "There is no such table. The monitor lists them.")
    rows = _stuck(study) if name == "stuck" else _rows(study, name)
    return tables.Table(TITLES[name], _COLUMNS[name], rows)


def places(study: Study, part: Figures) -> Figure:
    """How many of the places wanted are held and how many free, region by region."""
    free, wanted = sum(p.free for p in part.places), sum(p.target for p in part.places)
    accepted = sum(place.accepted for place in part.places)
    are = "is" if accepted == 1 else "are"
    title = f"{free} of {wanted} places are free, {accepted} {are} accepted"
    rows = [
        Bar(
            place.region,
            min(place.held / place.target, 1.0) if place.target else None,
            series=1 + position % 8,
            reason="No participants are wanted from here.",
            text=f"{place.held} of {place.target}",
        )
        for position, place in enumerate(part.places)
    ]
    chart = charts.bars(
        rows,
        finding=f"{title}.",
        unit="percent",
        axis_label="Places held, of those wanted",
        domain=(0.0, 1.0),
    )
    columns = ("Region", "Wanted", "Held", "Accepted", "Free")
    cells = [(p.region, p.target, p.held, p.accepted, p.free) for p in part.places]
    caption = "A place is held from entry on, and falls free when somebody leaves or is rejected."
    numbers = charts.Table(columns, cells)
    return Figure(title, chart, caption, numbers, _links(study, "regions"), study.simulated)


def forms(part: Figures) -> charts.Table:
    """Form by form, in words."""
    columns = ("Form", *FORM_STATUSES.values())
    rows = [
        (
            f"Form {line.number}",
            *(line.statuses[status] for status in FORM_STATUSES),
            _share(line.answered, line.asked),
            line.times.said(quality.span, "nobody has sent it yet"),
        )
        for line in part.forms
    ]
    return charts.Table((*columns, "Questions with an answer", "Time: median (quartiles, n)"), rows)


def files(study: Study) -> list[tuple[str, list[tuple[str, str]]]]:
    return [(title, _links(study, name)) for name, title in TITLES.items()]


def _links(study: Study, name: str) -> list[tuple[str, str]]:
    return downloads.links(
        lambda ending: reverse("collection:monitor_file", args=(study.slug, name, ending))
    )


def _share(part: int, of: int) -> str:
    return f"{100 * part / of:.1f} % of {of:,}" if of else "nobody has sent it yet"


def _rows(study: Study, name: str) -> Iterator[Sequence[Value]]:
    make = {"statuses": _statuses, "regions": _regions, "forms": _forms, "times": _times}[name]
    for part in monitoring.figures(study):
        for row in make(part):
            yield (part.activity.slug, *row)


def _statuses(part: Figures) -> Iterator[Sequence[Value]]:
    for row in part.counts:
        yield (row.region, *row.counts, row.total)


def _regions(part: Figures) -> Iterator[Sequence[Value]]:
    for place in part.places:
        yield (place.region, place.target, place.held, place.accepted, place.free)


def _forms(part: Figures) -> Iterator[Sequence[Value]]:
    for line in part.forms:
        counts = line.statuses.values()
        yield (line.number, *counts, line.answered, line.asked, *_spread(line.times))


def _times(part: Figures) -> Iterator[Sequence[Value]]:
    currency = part.activity.study.currency
    yield (*_spread(part.times), currency, *_spread(part.wage), part.no_wage)


def _spread(spread: quality.Spread) -> tuple[int | None, ...]:
    return spread.n, spread.median, spread.low, spread.high


def _stuck(study: Study) -> Iterator[Sequence[Value]]:
    for each in stuck.stuck(study):
        row, region = each.row, each.row.participant.region
        yield (
            *(row.activity.slug, row.participant.code, region.slug if region else None),
            *(row.status, each.why, each.since, each.next_step),
        )
