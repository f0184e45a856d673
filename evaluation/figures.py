"""A report's figures: those of its benchmark, and the outcomes, which every benchmark has."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core import charts, tables
from core.charts import Bar, Figure, Table
from core.templatetags.commonplace import percent
from evaluation import benchmarks
from evaluation.benchmarks import Link, Report

Downloads = Sequence[tuple[str, str]]  # name for people, address

OUTCOMES = {
    "ok": "Answered",
    "unparsed": "Could not be read",
    "ambiguous": "Said more than one thing",
    "refused": "Refused",
    "truncated": "Empty or cut short",
    "failed": "No reply",
}


def of_report(one: Report, link: Link | None = None, downloads: Downloads = ()) -> list[Figure]:
    """The benchmark's figures and the outcomes; only those while nothing is answered."""
    made: list[Figure] = []
    if one["answered"]:
        made = benchmarks.find(one["benchmark"]).presentation.figures(one, link)
    under = made[-1].under if made else ""
    made = [*made, replace(outcomes(one), under=under)]
    return [replace(each, downloads=downloads) for each in made]


def compared(
    made: Sequence[Report], comparison: dict[str, Any], downloads: Downloads = ()
) -> list[Figure]:
    """The figures of runs beside each other; all of one benchmark."""
    presentation = benchmarks.find(made[0]["benchmark"]).presentation
    return [replace(each, downloads=downloads) for each in presentation.compared(made, comparison)]


def compared_tables(made: Sequence[Report], comparison: dict[str, Any]) -> list[Table]:
    """What figures cannot show of runs beside each other, as tables with captions."""
    return benchmarks.find(made[0]["benchmark"]).presentation.compared_tables(made, comparison)


def written(shown: Table) -> tables.Table:
    """A table of a page as one for a file: its cells as text, without their addresses."""
    texts = [[cell[0] if isinstance(cell, tuple) else cell for cell in row] for row in shown.rows]
    rows = [[None if text is None else str(text) for text in row] for row in texts]
    return tables.Table(shown.caption, shown.columns, rows)


def outcomes(one: Report) -> Figure:
    total = sum(one["outcomes"].values())
    rows = [
        Bar(
            OUTCOMES[name], count / total if total else None, n=total, series=8, reason="no samples"
        )
        for name, count in one["outcomes"].items()
    ]
    table = [
        (OUTCOMES[name], count, percent(count / total) if total else None)
        for name, count in one["outcomes"].items()
    ]
    title = f"{one['answered']:,} of {total:,} samples could be read"
    chart = charts.bars(rows, finding=title, axis_label="Share of samples", unit="percent")
    caption = (
        f"Of {_so_far(total, one['planned'])}. Only answered samples enter "
        "the other figures; what cannot be used is counted here and never taken for an answer. "
        "No interval: these are all the samples, not a draw from them."
    )
    columns = ("Outcome", "Samples", "Share")
    return Figure(title, chart, caption, Table(columns, table), (), one["simulated"])


def _so_far(total: int, planned: int) -> str:
    """`all 760 samples`, or `20 samples so far, 760 planned`."""
    if total == planned:
        return f"all {total:,} samples"
    return f"{total:,} samples so far, {planned:,} planned"


def colour(place: int) -> int:
    """The data colour of the region at this place, from 1."""
    return (place - 1) % 8 + 1


def address(link: Link | None, region: str) -> str | None:
    return link(region) if link else None


def cell(link: Link | None, region: str) -> Any:
    """A region's name in a table, as a link where there is one."""
    return (region, link(region)) if link else region
