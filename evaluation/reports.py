"""A run's report: the measures, and the same numbers as tables and in words.

Everything is computed from stored rows; the shape of `report` is public (cli.md "Runs").
"""

from collections.abc import Sequence
from typing import Any

from core.tables import Table
from evaluation import benchmarks, selectors
from evaluation.models import Run


def report(run: Run) -> dict[str, Any]:
    """The whole report of one run as JSON values; a figure that does not exist is null or
    carries its reason."""
    outcomes = selectors.outcomes(run)
    return {
        "run": run.pk,
        "benchmark": run.benchmark,
        "release": run.release.label,
        "asked_release": run.asked_release,
        "model": run.model_label,
        "status": run.status,
        "simulated": run.simulated,
        "planned": run.samples_planned,
        "answered": outcomes["ok"],
        "unusable": sum(outcomes.values()) - outcomes["ok"],
        "outcomes": outcomes,
        "calls": selectors.calls(run),
        "cost": selectors.spent(run) if selectors.is_priced(run) else None,
        **benchmarks.find(run.benchmark).measure(run),
    }


def compare(reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Runs side by side: each region's ratio and interval per run, and the runs' tests.

    `same_items` says whether the runs answered the same release; where they did not, their
    figures stand beside each other but are not comparable.
    """
    regions = list(dict.fromkeys(region for one in reports for region in one["ratio"]))
    return {
        "runs": [{"run": one["run"], "model": one["model"]} for one in reports],
        "same_items": len({one["release"] for one in reports}) == 1,
        "ratio": {
            region: {str(one["run"]): one["ratio"].get(region) for one in reports}
            for region in regions
        },
        "intervals": {
            region: {str(one["run"]): one["intervals"].get(region) for one in reports}
            for region in regions
        },
        "tests": {
            str(one["run"]): {key: one[key] for key in ("chi2", "df", "p", "clustered")}
            for one in reports
        },
    }


REGION_COLUMNS = (
    "run",
    "model",
    "simulated",
    "region",
    "observed",
    "expected",
    "ratio",
    "ratio_low",
    "ratio_high",
    "share",
    "share_low",
    "share_high",
    "rate_when_available",
    "rate_low",
    "rate_high",
    "available",
    "residual",
)


def region_table(reports: Sequence[dict[str, Any]]) -> Table:
    """One row a run and region: the numbers behind every figure of the report."""
    rows = []
    for one in reports:
        for region in one["observed"]:
            rows.append(
                (
                    one["run"],
                    one["model"],
                    one["simulated"],
                    region,
                    one["observed"][region],
                    one["expected"][region],
                    *_with_interval(one, "ratio", region),
                    *_with_interval(one, "share", region),
                    *_with_interval(one, "rate_when_available", region),
                    one["available"][region],
                    figure(one["residual"][region]),
                )
            )
    return Table("regions", REGION_COLUMNS, rows)


def _with_interval(one: dict[str, Any], name: str, region: str) -> tuple[Any, Any, Any]:
    low, high = one["intervals"][region][name] or (None, None)
    return figure(one[name][region]), low, high


def rounded(table: Table) -> Table:
    """The table for reading: numbers to four digits."""
    rows = [
        [float(f"{cell:.4g}") if isinstance(cell, float) else cell for cell in row]
        for row in table.rows
    ]
    return Table(table.name, table.columns, rows)


def outcome_table(reports: Sequence[dict[str, Any]]) -> Table:
    """One row a run: its samples by outcome."""
    names = list(reports[0]["outcomes"]) if reports else []
    return Table(
        "outcomes",
        ("run", "model", "simulated", "samples", *names),
        [
            (
                one["run"],
                one["model"],
                one["simulated"],
                sum(one["outcomes"].values()),
                *one["outcomes"].values(),
            )
            for one in reports
        ],
    )


def sample_table(run: Run, **narrowed: str) -> Table:
    """Every sample with its reply as it came, streamed: the raw material of the report."""

    def rows() -> Any:
        for sample in selectors.samples(run, **narrowed).iterator(chunk_size=2000):
            reply, options = sample.reply, sample.item.payload.get("options", [])
            yield (
                run.pk,
                run.model_label,
                run.simulated,
                sample.item.key,
                sample.repeat,
                " ".join(map(str, sample.shown)) if sample.shown else None,
                reply.outcome if reply else "failed",
                sample.choice,
                ", ".join(options[sample.choice]["regions"]) if sample.choice is not None else None,
                reply.text if reply else None,
                reply.finish if reply else None,
            )

    columns = ("run", "model", "simulated", "item", "repeat", "shown", "outcome", "choice")
    return Table(f"run-{run.pk}-samples", (*columns, "regions", "reply", "finish"), rows())


def figure(value: Any) -> float | None:
    """The number of a report's entry, or None where it only has a reason."""
    return None if isinstance(value, dict) else value


def in_words(one: dict[str, Any]) -> str:
    """The head of a printed report: what ran, what came of it, and the two tests."""
    mark = " (simulated)" if one["simulated"] else ""
    model = repr(one["model"])[1:-1]  # a name may hold anything, and this is one line
    lines = [
        f"Run {one['run']}{mark}: {one['benchmark']} on {one['release']} by {model}.",
        f"{finding(one)}; the 95 % intervals are in the table.",
        f"{one['answered']} samples answered, {one['unusable']} unusable; "
        f"{one['questions']} questions.",
        _test("Chi-square, samples taken as independent", one["chi2"], one["df"], one["p"]),
    ]
    clustered = one["clustered"]
    if "reason" in clustered:
        lines.append(f"Clustered by question: no test ({clustered['reason']}).")
    else:
        lines.append(
            _test(
                "Clustered by question, Hotelling's T-squared",
                clustered["statistic"],
                clustered["df"],
                clustered["p"],
            )
        )
    return "\n".join(lines) + "\n"


def _test(name: str, statistic: Any, df: Any, p: Any) -> str:
    if figure(statistic) is None:
        return f"{name}: no test ({statistic['reason']})."
    degrees = ", ".join(map(str, df)) if isinstance(df, list | tuple) else df
    return f"{name}: {statistic:.4f}, df {degrees}, p {p:.3g}."


def finding(one: dict[str, Any]) -> str:
    """The report in one sentence: the region furthest from chance whose interval excludes it,
    those above before those below."""
    clear = {
        region: one["ratio"][region]
        for region, intervals in one["intervals"].items()
        if (interval := intervals.get("ratio")) and not interval[0] <= 1 <= interval[1]
    }
    if clear:
        above = [region for region, ratio in clear.items() if ratio > 1]
        region = max(above, key=clear.__getitem__) if above else min(clear, key=clear.__getitem__)
        return f"{region} is chosen {clear[region]:.2f} times as often as chance"
    if not one["answered"]:
        return "No reply could be read yet"
    if any(intervals.get("ratio") for intervals in one["intervals"].values()):
        return "No region is chosen clearly more or less often than chance"
    return "Too few questions answered to tell the regions apart"
