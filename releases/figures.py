"""Figures and tables of a release: each rate with its n and interval, or the reason why not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core import charts, stats
from core.charts import Dot, Figure
from core.stats import Statistic
from core.templatetags.commonplace import percent, reason
from releases.models import Release
from releases.presenting import COLOURS, names
from releases.shapes import ORIGINS
from releases.statistics import SAMPLES_EXPECTED

STATISTICS_COLUMNS = ("statistic", "of", "count", "n", "share", "low", "high", "reason")

Downloads = Sequence[tuple[str, str]]  # label and address


def asked(described: Mapping[str, Any]) -> int:
    """How many of the items are questions."""
    return int(described.get("questions", described["items"]))


def coverage(described: Mapping[str, Any], release: Release, downloads: Downloads) -> Figure:
    """How many questions each region has a gold answer for."""
    known = names(release)
    rates = {
        region: stats.rate(count["answered"], count["of"])
        for region, count in described["coverage"].items()
    }
    dots = [_dot(known[r], rate, series=i) for i, (r, rate) in enumerate(rates.items(), start=1)]
    best = _highest({known[r]: rate for r, rate in rates.items()})
    title = f"{best} has an answer most often" if best else "How often each region has an answer"
    return Figure(
        title=title,
        chart=charts.dot_intervals(dots, finding=title, unit="percent", domain=(0, 1)),
        caption=f"Share of the {asked(described)} questions with a gold answer, and its 95 % "
        "interval (Wilson).",
        table=charts.Table(
            ("Region", "Answered", "Of", "Share", "95 % interval"),
            [
                (known[r], c["answered"], c["of"], *_share(rates[r]))
                for r, c in described["coverage"].items()
            ],
        ),
        downloads=downloads,
        simulated=release.simulated,
    )


def pairwise(described: Mapping[str, Any], release: Release, downloads: Downloads) -> Figure | None:
    """How often two regions agree; None with fewer than two regions."""
    known, regions = names(release), release.regions
    if not described["pairwise"]:
        return None
    rates = {
        (pair["a"], pair["b"]): stats.rate(pair["agree"], pair["both"])
        for pair in described["pairwise"]
    }
    named = {f"{known[a]} and {known[b]}": rate for (a, b), rate in rates.items()}
    most = _highest(named)
    title = f"{most} agree most often" if most else "How often two regions agree"
    cells = {frozenset(pair): rate.value for pair, rate in rates.items()}
    values = [[cells.get(frozenset((a, b))) for b in regions] for a in regions]
    labels = [known[region] for region in regions]
    return Figure(
        title=title,
        chart=charts.grid(labels, labels, values, finding=title, unit="percent"),
        caption="Agreement in per cent of the questions both regions answered; how many those "
        "are, and the 95 % interval (Wilson), stands in the table.",
        table=charts.Table(
            ("Regions", "Agree", "Both answered", "Share", "95 % interval"),
            [
                (name, pair["agree"], pair["both"], *_share(rate))
                for pair, (name, rate) in zip(described["pairwise"], named.items(), strict=True)
            ],
        ),
        downloads=downloads,
        simulated=release.simulated,
    )


def universal(described: Mapping[str, Any]) -> dict[str, Statistic]:
    """The universal rate over each of its two denominators."""
    agree, all_valid = described["universal"]["agree"], described["universal"]["all_valid"]
    return {
        "all_valid": _rate(agree, all_valid),
        "questions": _rate(agree, asked(described)),
    }


def by_domain(described: Mapping[str, Any]) -> charts.Table:
    """Questions and universal rates by domain, over all questions and over all-valid ones."""
    rows = []
    for row in described["domains"]:
        of_all = _rate(row["universal"], row["questions"])
        of_valid = _rate(row["universal"], row["all_valid"])
        rows.append(
            (
                row["domain"],
                row["questions"],
                row["items"],
                row["universal"],
                " ".join(_share(of_all)),
                row["all_valid"],
                " ".join(_share(of_valid)),
            )
        )
    columns = (
        "Domain",
        "Questions",
        "Gold answers",
        "Universal",
        "Of all questions",
        "Answered by all",
        "Of those",
    )
    return charts.Table(columns, rows)


def by_region(described: Mapping[str, Any], release: Release) -> charts.Table:
    """Artifacts and their clues by region, and all of them."""
    known, clues = names(release), described["clues"]
    rows = [
        (known[each["region"]], each["original"], each["expanded"], clues[each["region"]])
        for each in described["artifacts"]
    ]
    total = {origin: sum(each[origin] for each in described["artifacts"]) for origin in ORIGINS}
    rows.append(("All regions", *total.values(), sum(clues.values())))
    return charts.Table(("Region", "Original", "Expanded", "Clues"), rows)


def by_options(described: Mapping[str, Any], release: Release) -> dict[str, charts.Table]:
    """What a release of multiple-choice items holds."""
    known = names(release)
    return {
        "options": charts.Table(
            ("Options", "Items"), [(int(n), k) for n, k in described["by_options"].items()]
        ),
        "domains": charts.Table(("Domain", "Items"), list(described["by_domain"].items())),
        "expected": charts.Table(
            ("Region", "Selections"),
            [(known[region], count) for region, count in described["expected"].items()],
        ),
    }


def statistics_rows(described: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Rows of STATISTICS_COLUMNS; every share names its denominator. What was put into built
    items, and how artifacts are divided, are counts without an interval."""
    for origin, region, count, n in _artifact_counts(described):
        share = count / n if n else None
        yield f"artifacts, {origin}", region, count, n, share, None, None, "by_design"
    if "coverage" in described:
        for statistic, of, count, n in _question_counts(described):
            rate = _rate(count, n)
            yield statistic, of, count, n, rate.value, rate.low, rate.high, rate.reason
    if "by_options" in described:
        for statistic, of, amount, n in _choice_counts(described):
            yield statistic, of, amount, n, amount / n, None, None, "by_design"


def _question_counts(described: Mapping[str, Any]) -> Iterator[tuple[str, str, int, int]]:
    """(statistic, of what, count, out of)."""
    for region, count in described["coverage"].items():
        yield "answered, of all questions", region, count["answered"], count["of"]
    for pair in described["pairwise"]:
        yield "agree, of both answered", f"{pair['a']}, {pair['b']}", pair["agree"], pair["both"]
    everything = {
        "domain": "all",
        "questions": asked(described),
        "universal": described["universal"]["agree"],
        "all_valid": described["universal"]["all_valid"],
    }
    for row in [everything, *described["domains"]]:
        name, agree = row["domain"], row["universal"]
        yield "universal, of all questions", name, agree, row["questions"]
        yield "universal, of answered by all", name, agree, row["all_valid"]


def _artifact_counts(described: Mapping[str, Any]) -> Iterator[tuple[str, str, int, int]]:
    """(origin, region, artifacts, all of that origin)."""
    rows = described.get("artifacts", ())
    for origin in ORIGINS if rows else ():
        total = sum(row[origin] for row in rows)
        for row in rows:
            yield origin, row["region"], row[origin], total


def _choice_counts(described: Mapping[str, Any]) -> Iterator[tuple[str, str, float, int]]:
    """(statistic, of what, count, out of); a release without an item is never built."""
    for options, count in described["by_options"].items():
        yield "items, by number of options", options, count, described["items"]
    for domain, count in described["by_domain"].items():
        yield "items, by domain", domain, count, described["items"]
    samples = SAMPLES_EXPECTED * described["items"]
    for region, count in described["expected"].items():
        yield f"expected by chance, {SAMPLES_EXPECTED} samples of each item", region, count, samples


def _rate(successes: int, n: int) -> Statistic:
    """A universal flag can stand on a question that not every region answered: then the share
    of those does not exist."""
    if successes > n > 0:
        return Statistic(None, n, "flagged beyond the questions all regions answered")
    return stats.rate(successes if n else 0, n)


def _share(rate: Statistic) -> tuple[str, str]:
    """Share and interval as text, either with the reason where there is none."""
    if rate.value is None:
        return reason(rate.reason), ""
    if rate.low is None or rate.high is None:
        return percent(rate.value), f"({reason(rate.reason)})"
    return percent(rate.value), f"({percent(rate.low)} to {percent(rate.high)})"


def _dot(label: str, rate: Statistic, series: int) -> Dot:
    return Dot(
        label,
        rate.value,
        rate.low,
        rate.high,
        rate.n,
        series=(series - 1) % COLOURS + 1,
        reason=reason(rate.reason) if rate.value is None else "",
    )


def _highest(rates: Mapping[str, Statistic]) -> str:
    """The name with the highest rate; empty where there is none or a tie."""
    values = {name: rate.value for name, rate in rates.items() if rate.value is not None}
    if not values:
        return ""
    best = max(values.values())
    named = [name for name, value in values.items() if value == best]
    return named[0] if len(named) == 1 else ""
