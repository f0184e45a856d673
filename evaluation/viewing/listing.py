"""The list of runs: its filters, what it offers to choose from, its lines."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet

from evaluation import benchmarks
from evaluation.models import Run, RunJudge
from evaluation.viewing import live

MOST_CHOICES = 200


@dataclass(frozen=True)
class Chosen:
    """Filters of the list; an empty one lets everything through."""

    benchmark: str = ""
    release: str = ""
    model: str = ""
    status: str = ""

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> "Chosen":
        return cls(**{name: str(given.get(name, ""))[:300] for name in asdict(cls())})

    @property
    def any(self) -> bool:
        return self != Chosen()


@dataclass(frozen=True)
class Line:
    """A run in the list; `so_far` only while it is under way, `why` only where it has paused."""

    run: Run
    judges: Sequence[str]
    so_far: str
    why: str


def fitting(runs: QuerySet[Run], chosen: Chosen) -> QuerySet[Run]:
    columns = {
        "benchmark": chosen.benchmark,
        "asked_release": chosen.release,
        "model_label": chosen.model,
        "status": chosen.status,
    }
    judges = Prefetch("run_judges", RunJudge.objects.select_related("judge"))
    wanted = {column: value for column, value in columns.items() if value}
    return runs.filter(**wanted).prefetch_related(judges)


def lines(runs: Sequence[Run]) -> list[Line]:
    """The runs of one page, with at most three queries beside theirs."""
    so_far = live.in_short(runs)
    return [
        Line(
            run,
            [str(each.judge) for each in run.run_judges.all()],
            so_far.get(run.pk, ""),
            _why(run) if run.status == Run.Status.PAUSED else "",
        )
        for run in runs
    ]


def choices(runs: QuerySet[Run]) -> dict[str, list[tuple[str, str]]]:
    """For the menus: pairs of value and words."""
    return {
        "benchmark": [(name, benchmarks.find(name).title) for name in benchmarks.names()],
        "release": _there(runs, "asked_release"),
        "model": _there(runs, "model_label"),
        "status": [(each.value, WORDS[each]) for each in Run.Status],
    }


def _why(run: Run) -> str:
    """Why it waits for somebody, where few words say it."""
    return PAUSED.get((run.error or {}).get("code", ""), "")


PAUSED = {
    "run.awaits_batch": "for batch files",
    "run.cost_cap": "at its cost cap",
}
WORDS = {
    Run.Status.QUEUED: "waiting",
    Run.Status.RUNNING: "running",
    Run.Status.PAUSED: "paused",
    Run.Status.FINISHED: "finished",
    Run.Status.FAILED: "broken off",
    Run.Status.CANCELLED: "cancelled",
}


def _there(runs: QuerySet[Run], column: str) -> list[tuple[str, str]]:
    found = runs.select_related(None).order_by(column).values_list(column, flat=True).distinct()
    return [(value, value) for value in found[:MOST_CHOICES]]
