"""A report of RA-MCQ in words."""

from typing import Any

from evaluation import entries
from evaluation.benchmarks import Report


def finding(one: Report) -> str:
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


def in_words(one: Report) -> list[str]:
    """The two tests, below the head."""
    clustered = one["clustered"]
    if "reason" in clustered:
        by_question = f"Clustered by question: no test ({clustered['reason']})."
    else:
        by_question = _test("Clustered by question, Hotelling's T-squared", **clustered)
    return [
        f"{one['questions']} questions; the 95 % intervals are in the table.",
        _test("Chi-square, samples taken as independent", one["chi2"], one["df"], one["p"]),
        by_question,
    ]


def _test(name: str, statistic: Any, df: Any, p: Any) -> str:
    if entries.value(statistic) is None:
        return f"{name}: no test ({statistic['reason']})."
    degrees = ", ".join(map(str, df)) if isinstance(df, list | tuple) else df
    return f"{name}: {statistic:.4f}, df {degrees}, p {p:.3g}."
