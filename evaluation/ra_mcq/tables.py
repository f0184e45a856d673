"""The numbers of RA-MCQ reports as tables."""

from collections.abc import Sequence
from typing import Any

from core.tables import Table
from evaluation import entries
from evaluation.benchmarks import Report

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


def tables(reports: Sequence[Report]) -> list[Table]:
    return [regions(reports)]


def regions(reports: Sequence[Report]) -> Table:
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
                    entries.value(one["residual"][region]),
                )
            )
    return Table("regions", REGION_COLUMNS, rows)


def _with_interval(one: Report, name: str, region: str) -> tuple[Any, Any, Any]:
    low, high = one["intervals"][region][name] or (None, None)
    return entries.value(one[name][region]), low, high
