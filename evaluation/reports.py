"""A run's report: the measures, and the same numbers as tables and in words.

Everything is computed from stored rows; the shape of `report` is public (cli.md "Runs").
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from core.errors import CommonplaceError
from core.tables import Table
from evaluation import benchmarks, selectors
from evaluation.benchmarks import Presentation, Report
from evaluation.models import Judge, Run, Sample
from evaluation.validation import draws


def report(run: Run) -> Report:
    """The whole report of one run as JSON values; a figure that does not exist is null or
    carries its reason."""
    outcomes = selectors.outcomes(run)
    made = {
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
    for name, found in draws.by_judge(run, selectors.judges_by_name(run)).items():
        made["judges"][name]["people"] = found
    return made


def refuse_unless_alike(runs: Sequence[Run]) -> None:
    """Raises `report.benchmarks_differ`: figures of different benchmarks mean different things."""
    found = list(dict.fromkeys(run.benchmark for run in runs))
    if len(found) > 1:
        raise CommonplaceError(
            "report.benchmarks_differ",
            f"These runs belong to different benchmarks ({', '.join(found)}), whose figures cannot "
            "be set side by side. Choose runs of one of them.",
            benchmarks={str(run.pk): run.benchmark for run in runs},
        )


def compare(runs: Sequence[Run], reports: Sequence[Report]) -> dict[str, Any]:
    """Runs of one benchmark side by side, from their reports.

    `same_items` says whether the runs answered the same release; where they did not, their
    figures stand beside each other but are not comparable. Raises `report.benchmarks_differ`.
    """
    refuse_unless_alike(runs)
    return {
        "runs": [{"run": one["run"], "model": one["model"]} for one in reports],
        "same_items": len({one["release"] for one in reports}) == 1,
        **benchmarks.find(runs[0].benchmark).compare(runs, reports),
    }


def finding(one: Report) -> str:
    """The report in one sentence, without its full stop."""
    return _presentation(one).finding(one)


def in_words(one: Report) -> str:
    """The head of a printed report: what ran, what came of it, and what its benchmark says."""
    mark = " (simulated)" if one["simulated"] else ""
    model = repr(one["model"])[1:-1]  # a name may hold anything, and this is one line
    lines = [
        f"Run {one['run']}{mark}: {one['benchmark']} on {one['release']} by {model}.",
        f"{finding(one)}.",
        f"{one['answered']} samples answered, {one['unusable']} unusable.",
        *lines_of(one),
    ]
    return "\n".join(lines) + "\n"


def lines_of(one: Report) -> list[str]:
    """What its benchmark says of a report, line by line."""
    return _presentation(one).in_words(one)


def tables(reports: Sequence[Report]) -> list[Table]:
    """The numbers behind the figures of reports of one benchmark, the main table first; last the
    outcomes."""
    return [*_presentation(reports[0]).tables(reports), outcome_table(reports)]


def rounded(table: Table) -> Table:
    """The table for reading: numbers to four digits."""
    rows = [
        [float(f"{cell:.4g}") if isinstance(cell, float) else cell for cell in row]
        for row in table.rows
    ]
    return Table(table.name, table.columns, rows)


def outcome_table(reports: Sequence[Report]) -> Table:
    """One row a run: its samples by outcome."""
    return Table(
        "outcomes",
        ("run", "model", "simulated", "samples", *reports[0]["outcomes"]),
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


SAMPLE_COLUMNS = (
    *("run", "model", "simulated", "item", "variant", "repeat", "shown", "outcome", "choice"),
    *("regions", "reply", "finish"),
)


def sample_table(run: Run, **narrowed: str) -> Table:
    """Every sample with its reply and its verdicts as they came, streamed: the raw material of
    the report."""
    judges = selectors.judges_by_name(run) | selectors.people_by_name(run)

    def rows() -> Iterator[tuple[Any, ...]]:
        found = selectors.samples(run, **narrowed)
        if judges:
            found = found.prefetch_related("reply__verdicts")
        for sample in found.iterator(chunk_size=2000):
            yield (*_sample(run, sample), *_verdicts(sample, judges.values()))

    columns = (*SAMPLE_COLUMNS, *(f"verdict by {name}" for name in judges))
    return Table(f"run-{run.pk}-samples", columns, rows())


def _sample(run: Run, sample: Sample) -> tuple[Any, ...]:
    reply, options = sample.reply, sample.item.payload.get("options", [])
    return (
        run.pk,
        run.model_label,
        run.simulated,
        sample.item.key,
        sample.variant,
        sample.repeat,
        " ".join(map(str, sample.shown)) if sample.shown else None,
        reply.outcome if reply else "failed",
        sample.choice,
        ", ".join(options[sample.choice]["regions"]) if sample.choice is not None else None,
        reply.text if reply else None,
        reply.finish if reply else None,
    )


def _verdicts(sample: Sample, judges: Iterable[Judge]) -> list[str | None]:
    """What each judge said, `unparsed` or `failed` where it said nothing, None where it has not
    been asked."""
    given = sample.reply.verdicts.all() if sample.reply else ()
    said = {verdict.judge_id: verdict.value or verdict.outcome for verdict in given}
    return [said.get(judge.pk) for judge in judges]


def _presentation(one: Report) -> Presentation:
    return benchmarks.find(one["benchmark"]).presentation
