"""Figures of RA-MCQ: each with its finding, its n and its table."""

from collections.abc import Sequence
from typing import Any

from core import charts
from core.charts import Bar, Dot, Figure, Table
from core.templatetags.commonplace import interval, number, percent, reason
from evaluation import entries
from evaluation.benchmarks import Link, Report
from evaluation.figures import address, cell, colour
from evaluation.ra_mcq.words import finding


def figures(one: Report, link: Link | None) -> list[Figure]:
    return [ratios(one, link), shares(one, link), residuals(one, link)]


def ratios(one: Report, link: Link | None) -> Figure:
    rows, table = [], []
    for series, region in enumerate(one["ratio"], 1):
        value = entries.value(one["ratio"][region])
        low, high = one["intervals"][region]["ratio"] or (None, None)
        n = one["available"][region]
        why = "" if low is not None else reason(one["intervals"][region].get("reason"))
        rows.append(Dot(region, value, low, high, n, colour(series), address(link, region), why))
        table.append(
            (
                cell(link, region),
                number(one["observed"][region], 1),
                number(one["expected"][region], 1),
                number(value),
                interval((low, high)) or why,
                n,
            )
        )
    title = finding(one)
    chart = charts.dot_intervals(
        rows,
        finding=title,
        chance=1.0,
        chance_label="chance",
        axis_label="Times as often as chance",
        unit="times",
        log=all(row.value for row in rows),
    )
    caption = (
        f"Selections observed over selections expected by chance, n = {one['instances']:,} "
        f"answered samples of {one['questions']} questions; n beside a region: those that "
        "offered it. Intervals: 95 %, clustered by question."
    )
    columns = ("Region", "Observed", "Expected", "Ratio", "95 % interval", "Samples offering it")
    return Figure(title, chart, caption, Table(columns, table), (), one["simulated"])


def shares(one: Report, link: Link | None) -> Figure:
    total = sum(one["observed"].values())
    rows, table = [], []
    for series, region in enumerate(one["share"], 1):
        share, rate = (
            entries.value(one["share"][region]),
            entries.value(one["rate_when_available"][region]),
        )
        n, intervals = one["available"][region], one["intervals"][region]
        low, high = intervals["share"] or (None, None)
        rows.append(
            Bar(
                region,
                share,
                low,
                high,
                n=round(total),
                series=colour(series),
                href=address(link, region),
                reason=entries.why(one["share"][region]),
            )
        )
        between = [
            interval(intervals[name] or (None, None), "percent") or reason(intervals.get("reason"))
            for name in ("share", "rate_when_available")
        ]
        table.append((cell(link, region), percent(share), between[0], percent(rate), between[1], n))
    named = [(row.value, row.label) for row in rows if row.value is not None]
    top = max(named)
    title = f"{top[1]} has {percent(top[0])} of all selections"
    chart = charts.bars(rows, finding=title, axis_label="Share of all selections", unit="percent")
    caption = (
        f"Shares are of all {total:,.0f} selections and add up to 100 %. The rate when available, "
        "in the table, is chosen over offered and does not add up; regions that are offered less "
        "often can only have a smaller share. Intervals: 95 %, clustered by question."
    )
    columns = (
        "Region",
        "Share of all selections",
        "95 % interval",
        "Rate when available",
        "95 % interval of the rate",
        "Samples offering it",
    )
    return Figure(title, chart, caption, Table(columns, table), (), one["simulated"])


def residuals(one: Report, link: Link | None) -> Figure:
    rows, table = [], []
    for series, region in enumerate(one["residual"], 1):
        value = entries.value(one["residual"][region])
        rows.append(
            Bar(
                region,
                value,
                series=colour(series),
                href=address(link, region),
                reason=entries.why(one["residual"][region]),
            )
        )
        table.append((cell(link, region), number(value)))
    chi2, clustered = entries.value(one["chi2"]), one["clustered"]
    if "reason" in clustered:
        title = f"No clustered test: {reason(clustered['reason'])}"
    elif clustered["p"] < 0.05:
        title = "The regions differ more than chance allows"
    else:
        title = "No difference between the regions beyond chance was found"
    chart = charts.signed_bars(rows, finding=title)
    parts = []
    if "reason" not in clustered:
        k, rest = clustered["df"]
        parts.append(
            f"Clustered by question: Hotelling's T² = {clustered['statistic']:.2f}, "
            f"F({k}, {rest}), {p_value(clustered['p'])}; this is the test to quote."
        )
    if chi2 is not None:
        parts.append(
            f"As published, taking samples as independent: χ² = {chi2:.2f}, df {one['df']}, "
            f"{p_value(one['p'])}; it overstates certainty."
        )
    columns = ("Region", "Standardised residual")
    return Figure(title, chart, " ".join(parts), Table(columns, table), (), one["simulated"])


def compared(made: Sequence[Report], comparison: dict[str, Any]) -> list[Figure]:
    """The ratios of several runs, region by region, on one axis."""
    rows, table = [], []
    regions = list(dict.fromkeys(region for one in made for region in one["ratio"]))
    for series, region in enumerate(regions, 1):
        for one in made:
            if region not in one["ratio"]:
                continue
            entry = one["ratio"][region]
            low, high = one["intervals"][region]["ratio"] or (None, None)
            mark = ", simulated" if one["simulated"] else ""
            label = f"{region} · {one['model']} (run {one['run']}{mark})"
            n = one["available"][region]
            rows.append(
                Dot(
                    label,
                    entries.value(entry),
                    low,
                    high,
                    n,
                    colour(series),
                    None,
                    entries.why(entry),
                )
            )
            spread = interval((low, high)) or None
            table.append(
                (region, one["model"], one["run"], number(entries.value(entry)), spread, n)
            )
    title = _widest(made, regions)
    chart = charts.dot_intervals(
        rows,
        finding=title,
        chance=1.0,
        axis_label="Times as often as chance",
        unit="times",
        log=all(row.value for row in rows),
    )
    caption = (
        "Selections over chance with 95 % intervals clustered by question; n beside a region: "
        "the answered samples that offered it."
    )
    columns = ("Region", "Model", "Run", "Ratio", "95 % interval", "Samples offering it")
    simulated = any(one["simulated"] for one in made)
    return [Figure(title, chart, caption, Table(columns, table), (), simulated)]


def _widest(made: Sequence[Report], regions: Sequence[str]) -> str:
    """The comparison in one sentence: where the runs lie furthest apart."""
    if len({one["release"] for one in made}) > 1:
        return "These runs answered different items: read each, do not compare"
    spans = []
    for region in regions:
        known = [
            value for one in made if (value := entries.value(one["ratio"][region])) is not None
        ]
        if len(known) > 1:
            spans.append((max(known) - min(known), region, min(known), max(known)))
    if not spans:
        return "Too few answers to compare"
    _, region, low, high = max(spans)
    return f"The runs differ most over {region}: {low:.2f} to {high:.2f} times chance"


def compared_tables(made: Sequence[Report], comparison: dict[str, Any]) -> list[Table]:
    """Each run's release, answers and the two tests, a row each."""
    rows = []
    for one in made:
        clustered = one["clustered"]
        rows.append(
            (
                f"Run {one['run']}, {one['model']}",
                one["release"],
                f"{one['answered']:,} of {one['planned']:,}",
                reason(clustered["reason"]) if "reason" in clustered else p_value(clustered["p"]),
                entries.why(one["p"]) or p_value(one["p"]),
            )
        )
    columns = ("Run", "Items", "Answered", "Clustered test", "χ², as published")
    return [Table(columns, rows, "Run by run")]


def p_value(p: float) -> str:
    return "p < .001" if p < 0.001 else f"p = {p:.3f}"
