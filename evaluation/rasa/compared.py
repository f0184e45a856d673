"""RASA runs beside each other, as figures and tables: once for each judge they share."""

from collections.abc import Mapping, Sequence
from typing import Any

from core import charts
from core.charts import Dot, Figure, Table
from core.templatetags.commonplace import number, percent, reason
from evaluation import entries
from evaluation.benchmarks import Report
from evaluation.rasa import words

Comparison = dict[str, Any]  # of `comparison.compare`

COLUMNS = {
    "full": "Fully correct",
    "partial": "Partially correct",
    "incorrect": "Incorrect",
    "overall": "Overall",
}
TERCILES = {1: "upper third", 2: "middle third", 3: "lower third"}
FEWEST_FOR_THIRDS = 3
OTHER_CELLS = " The runs did not answer the same questions for the same regions."


def figures(reports: Sequence[Report], comparison: Comparison) -> list[Figure]:
    made = []
    for judge, under in comparison["judges"].items():
        made.append(scores(reports, judge, under))
        made.append(differences(reports, judge, under))
    return made


def tables(reports: Sequence[Report], comparison: Comparison) -> list[Table]:
    if not comparison["judges"]:
        return [unshared(reports)]
    return [
        made
        for judge, under in comparison["judges"].items()
        for made in (
            standings(reports, judge, under),
            standings_by_region(reports, judge, under),
            stability(reports, judge, under),
            weights(judge, under),
        )
    ]


def scores(reports: Sequence[Report], judge: str, under: Comparison) -> Figure:
    """Each run's overall score."""
    rows, table = [], []
    for one in reports:
        entry = one["judges"][judge]
        name, score = words.model_name(one, judge), entries.value(entry["overall"])
        low, high = entry["intervals"]["overall"] or (None, None)
        why = entries.why(entry["overall"])
        rows.append(Dot(name, score, low, high, entry["n"], 8, None, why))
        table.append((name, percent(score), words.between(entry, "overall"), entry["n"]))
    title = _leader(reports, judge, under)
    chart = charts.dot_intervals(
        rows, finding=title, axis_label="Overall score", unit="percent", domain=(0.0, 1.0)
    )
    caption = (
        f"Overall score by {judge}; n: judged samples. Intervals: 95 %, clustered by question."
        + ("" if under["same_cells"] else OTHER_CELLS)
    )
    columns = ("Run", "Overall", "95 % interval", "Samples judged")
    return Figure(title, chart, caption, Table(columns, table), (), _simulated(reports))


def differences(reports: Sequence[Report], judge: str, under: Comparison) -> Figure:
    """The best run less each other one; every pair is in the table."""
    names = _names(reports, judge)
    best = next(iter(under["columns"]["overall"]["best"]), "")
    rows, table = [], []
    for each in under["differences"]:
        value, ends = each["value"], each["interval"] or (None, None)
        between = _points(ends) or reason(each.get("reason"))
        pair = (names[each["a"]], names[each["b"]])
        table.append((*pair, None if value is None else _signed(value), between, each["cells"]))
        if best in (each["a"], each["b"]):
            rows.append(_less(best, each, names))
    title = _apart(under["differences"])
    chart = charts.dot_intervals(
        rows,
        finding=f"{title}, by {judge}",
        chance=0.0,
        chance_label="no difference",
        axis_label="Difference in overall score, percentage points",
        unit="percent",
    )
    caption = (
        f"{names.get(best, 'The best run')} less each other run, question by question "
        "and region by region where both answered, so that what is hard for both does not widen "
        "the interval; n counts these. Intervals: 95 %, clustered by question. They are not "
        "corrected for the number of pairs: of twenty equal pairs, about one excludes zero."
    )
    columns = ("Run", "Less", "Points", "95 % interval", "Questions by region")
    name = f"{title}, by {judge}"
    return Figure(name, chart, caption, Table(columns, table), (), _simulated(reports))


def standings(reports: Sequence[Report], judge: str, under: Comparison) -> Table:
    """Runs by figure; in each column the best one and the thirds are named."""
    columns = {head: under["columns"][name] for name, head in COLUMNS.items()}
    return _standings(reports, judge, columns, f"What the runs know, by {judge}.")


def standings_by_region(reports: Sequence[Report], judge: str, under: Comparison) -> Table:
    """Runs by region, marked like the others."""
    columns = {name: each for name, each in under["columns"].items() if name not in COLUMNS}
    return _standings(reports, judge, columns, f"Overall score by region, by {judge}.")


def _standings(
    reports: Sequence[Report], judge: str, columns: Mapping[str, Any], caption: str
) -> Table:
    rows = [
        (
            words.model_name(one, judge),
            *(_placed(name, column, str(one["run"])) for name, column in columns.items()),
        )
        for one in reports
    ]
    return Table(("Run", *columns), rows, caption)


def stability(reports: Sequence[Report], judge: str, under: Comparison) -> Table:
    """Each run's score and rank, were a partially correct answer worth more or less."""
    by_weight = under["sensitivity"]
    rows = []
    for run, name in _names(reports, judge).items():
        cells: list[str | None] = []
        for at in by_weight.values():
            known = run in at["rank"]
            cells += [percent(at["overall"][run]), _rank(at, run)] if known else [None, None]
        rows.append((name, *cells))
    heads = [head for w in by_weight for head in (f"Overall at {w}", f"Rank at {w}")]
    caption = (
        f"Would the order be another, by {judge}? A partially correct answer is worth 0.3, 0.5 or "
        "0.7. In brackets: the ranks in 95 % of redraws of the questions, and how many keep the "
        "rank."
    )
    return Table(("Run", *heads), rows, caption)


def weights(judge: str, under: Comparison) -> Table:
    """By weight: how far apart the runs lie, and whether their order is the usual one."""
    rows = [
        (
            f"Worth {weight}",
            None if at["spread"] is None else number(at["spread"], 1),
            entries.why(at["tau"]) or number(entries.value(at["tau"])),
        )
        for weight, at in under["sensitivity"].items()
    ]
    columns = ("A partial answer", "Points from best to worst", "Kendall's tau with 0.5")
    caption = (
        f"Spread and order of the runs by what a partially correct answer is worth, by {judge}."
    )
    return Table(columns, rows, caption)


def unshared(reports: Sequence[Report]) -> Table:
    rows = [(words.model_name(one), ", ".join(one["judges"]) or None) for one in reports]
    caption = (
        "No judge has judged all of these runs, so nothing can be set side by side. Have one judge "
        "them all: rejudge ID --judge J."
    )
    return Table(("Run", "Judges"), rows, caption)


def _placed(name: str, column: Mapping[str, Any], run: str) -> str | None:
    """A figure with its place among the runs, if they differ at all."""
    value, tercile = column["values"][run], column["terciles"][run]
    if value is None:
        return None
    if len({each for each in column["values"].values() if each is not None}) < 2:
        return percent(value)
    if run in column["best"]:
        # many partial answers are no merit
        first = "highest" if name == COLUMNS["partial"] else "best"
        return f"{percent(value)} ({first})"
    thirds = len(column["values"]) >= FEWEST_FOR_THIRDS
    return f"{percent(value)} ({TERCILES[tercile]})" if thirds else percent(value)


def _rank(at: Mapping[str, Any], run: str) -> str:
    """`2 (1 to 3, kept in 81 %)`"""
    rank, kept, ranks = at["rank"][run], at["kept"][run], at["range"][run]
    if kept is None:
        return f"{rank}"
    return f"{rank} ({ranks[0]} to {ranks[1]}, kept in {percent(kept, 0)})"


def _leader(reports: Sequence[Report], judge: str, under: Comparison) -> str:
    column = under["columns"]["overall"]
    known = {run: value for run, value in column["values"].items() if value is not None}
    if len(known) < 2:
        return f"Too little judged to compare, by {judge}"
    names = _names(reports, judge)
    best = " and ".join(names[run] for run in column["best"])
    return f"{best} scores best, {percent(max(known.values()))}, by {judge}"


def _apart(pairs: Sequence[Mapping[str, Any]]) -> str:
    clear = [each for each in pairs if each["interval"] and not _holds_zero(each["interval"])]
    if not clear:
        return "No two runs lie clearly apart"
    if len(clear) == len(pairs):
        return "Every two runs lie clearly apart" if len(pairs) > 1 else "The two lie clearly apart"
    return f"{len(clear)} of {len(pairs)} pairs of runs lie clearly apart"


def _holds_zero(ends: Sequence[float]) -> bool:
    return ends[0] <= 0 <= ends[1]


def _less(best: str, each: Mapping[str, Any], names: Mapping[str, str]) -> Dot:
    """The best run less the other of a pair."""
    other, sign = (each["b"], 1) if best == each["a"] else (each["a"], -1)
    value = None if each["value"] is None else sign * each["value"]
    low, high = sorted(sign * end for end in each["interval"]) if each["interval"] else (None, None)
    why = reason(each.get("reason")) if value is None else ""
    return Dot(f"Less {names[other]}", value, low, high, each["cells"], 8, None, why)


def _names(reports: Sequence[Report], judge: str) -> dict[str, str]:
    return {str(one["run"]): words.model_name(one, judge) for one in reports}


def _signed(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def _points(ends: Sequence[float | None]) -> str:
    low, high = ends
    return "" if low is None or high is None else f"{_signed(low)} to {_signed(high)}"


def _simulated(reports: Sequence[Report]) -> bool:
    return any(one["simulated"] for one in reports)
