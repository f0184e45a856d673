"""The numbers of RASA reports as tables: a row says by which judge."""

from collections.abc import Iterator, Sequence
from typing import Any

from core.tables import Table
from evaluation import entries
from evaluation.benchmarks import Report
from evaluation.rasa.comparison import FIGURES

WHOSE = ("run", "model", "simulated", "judge", "same_family")
LEVELS = tuple(f"{name}{end}" for name in ("raw", "kappa") for end in ("", "_low", "_high"))
Row = tuple[Any, ...]


def tables(reports: Sequence[Report]) -> list[Table]:
    found = [scores(reports), sensitivity(reports), verdicts(reports), agreement(reports)]
    drawn = any(judged["people"]["drawn"] for _, judged in _judged(reports))
    return [*found, people(reports)] if drawn else found


def scores(reports: Sequence[Report]) -> Table:
    """One row a run, judge and part: all of it, a region, or a domain."""
    figures = [name for each in FIGURES for name in (each, f"{each}_low", f"{each}_high")]
    rows = [
        (*whose, part, name, *_figures(entry), entry["n"], entry["questions"])
        for whose, judged in _judged(reports)
        for part, name, entry in _parts(judged)
    ]
    return Table("scores", (*WHOSE, "part", "name", *figures, "samples", "questions"), rows)


def sensitivity(reports: Sequence[Report]) -> Table:
    """One row a run, judge and weight of a partially correct answer."""
    rows = [
        (*whose, float(weight), entries.value(overall))
        for whose, judged in _judged(reports)
        for weight, overall in judged["sensitivity"].items()
    ]
    return Table("sensitivity", (*WHOSE, "weight", "overall"), rows)


def verdicts(reports: Sequence[Report]) -> Table:
    """One row a run and judge: answered samples by what came of asking the judge."""
    rows = [
        (*whose, *judged["outcomes"].values(), judged["waiting"])
        for whose, judged in _judged(reports)
    ]
    return Table("verdicts", (*WHOSE, "ok", "unparsed", "failed", "waiting"), rows)


def agreement(reports: Sequence[Report]) -> Table:
    """One row a run and two of its judges: agreement on the distinct replies both judged."""
    columns = ("run", "model", "simulated", "a", "a_kind", "b", "b_kind", "replies", "questions")
    rows = [
        (*(one[key] for key in columns[:3]), *(each[key] for key in columns[3:]), *_levels(each))
        for one in reports
        for each in one["agreement"]
    ]
    return Table("agreement", (*columns, *LEVELS), rows)


def people(reports: Sequence[Report]) -> Table:
    """One row a run and judge: how far it says what people say of the replies drawn for them, as
    estimates for all judged replies of the run."""
    counts = ("drawn", "decided", "replies", "questions")
    rows = [
        (*whose, *(judged["people"][name] for name in counts), *_levels(judged["people"]))
        for whose, judged in _judged(reports)
    ]
    return Table("people", (*WHOSE, *counts, *LEVELS), rows)


def _levels(entry: dict[str, Any]) -> Row:
    names, ends = ("raw", "kappa"), ("value", "low", "high")
    return tuple(entry[name].get(end) for name in names for end in ends)


def _judged(reports: Sequence[Report]) -> Iterator[tuple[Row, dict[str, Any]]]:
    for one in reports:
        for judge, judged in one["judges"].items():
            run = (one["run"], one["model"], one["simulated"])
            yield (*run, judge, judged["same_family"]), judged


def _parts(judged: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    yield "all", "", judged
    for part in ("region", "domain"):
        for name, entry in judged[f"by_{part}"].items():
            yield part, name, entry


def _figures(entry: dict[str, Any]) -> Row:
    found: list[float | None] = []
    for name in FIGURES:
        low, high = entry["intervals"][name] or (None, None)
        found += [entries.value(entry[name]), low, high]
    return tuple(found)
