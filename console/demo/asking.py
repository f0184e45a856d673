"""The simulated models of the demonstration, and what they are asked."""

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.models import Project
from annotation.services import suggesting
from console.demo import ACTOR
from core import jobs
from core.errors import CommonplaceError
from core.models import Job
from evaluation import benchmarks, services
from evaluation.models import Run
from evaluation.running.waiting import wait_for
from evaluation.selectors import find_run
from inference.stub.behaviour import Behaviour, parse
from inference.stub.server import Stub, running
from releases import storing
from releases.models import Release

ENDPOINT = "demo"
JUDGES = (f"{ENDPOINT}/first-judge", f"{ENDPOINT}/second-judge")


@dataclass(frozen=True)
class Asked:
    """One model and one benchmark; what the simulated model knows or leans to (docs/stub.md)."""

    benchmark: str
    model: str
    samples: int  # of each question
    behaviour: Mapping[str, Any]
    judges: Sequence[str] = ()


MODELS = (
    Asked("ra_mcq", "leans-to-the-harbour", 12, {"weights": {"harbour": 2.5}}),
    Asked("ra_mcq", "leans-to-the-moor", 12, {"weights": {"moor": 2.5}}),
    Asked(
        *("rasa", "knows-the-harbour", 10),
        {"accuracy": 0.35, "partial": 0.15, "distinct": 6, "regions": {"Harbour": 0.8}},
        JUDGES,
    ),
    Asked(
        *("rasa", "knows-the-moor", 10),
        {"accuracy": 0.4, "partial": 0.15, "distinct": 6, "regions": {"Moor": 0.7}},
        JUDGES,
    ),
)
SUGGESTS = "knows-spelling"
POLL = 0.2  # seconds


def finished_runs(asked: str) -> list[Run]:
    """The runs of the models over a release, in their order; fewer while some are missing."""
    found = []
    for one in MODELS:
        rows = Run.objects.filter(asked_release=asked, status=Run.Status.FINISHED)
        run = rows.filter(model_label=f"{ENDPOINT}/{one.model}").order_by("pk").first()
        if run is not None:
            found.append(run)
    return found


def suggest(project: Project) -> None:
    """Have a simulated model suggest what annotators may compare their decision with. In this
    process, unless a worker is quicker to take it."""
    with _served():
        job = suggesting.order(project, f"{ENDPOINT}/{SUGGESTS}", ACTOR)
        jobs.execute(job.pk)
        while Job.objects.get(pk=job.pk).status in Job.UNFINISHED:
            time.sleep(POLL)


def ask_models(release: Release) -> list[Run]:
    """Run every model over a release that it has not been run over. Raises `demo.run_failed`."""
    done = {run.model_label for run in finished_runs(release.label)}
    items = _items(release)
    with _served() as stub:
        for one in MODELS:
            if f"{ENDPOINT}/{one.model}" not in done:
                stub.behaviour = _behaviour(items, one)
                _run(release, one)
    return finished_runs(release.label)


def _run(release: Release, one: Asked) -> None:
    """In this process, unless a worker is quicker to take it."""
    order = services.Order(
        one.benchmark,
        release.label,
        f"{ENDPOINT}/{one.model}",
        {"samples": one.samples},
        seed=1,
        judges=one.judges,
    )
    run = services.start_run(order, ACTOR)
    if run.job_id is not None:
        jobs.execute(run.job_id)
    result = wait_for(find_run(run.pk), lambda _progress: None)
    if result["status"] != Run.Status.FINISHED:
        raise CommonplaceError(
            "demo.run_failed",
            "A run of the demonstration did not finish. Run the command again; if it says the "
            "same, report it.",
            **result,
        )


@contextmanager
def _served() -> Iterator[Stub]:
    """A stub that is the endpoint of the demonstration meanwhile, beside those there are."""
    configured = settings.ENDPOINTS
    with running() as (url, stub):
        served = {"base_url": url, "key_variable": "", "max_in_flight": 8, "simulated": True}
        settings.ENDPOINTS = {**configured, ENDPOINT: served}
        try:
            yield stub
        finally:
            settings.ENDPOINTS = configured


def _items(release: Release) -> bytes:
    """The questions as multiple choice, by which a simulated model knows whose option is whose."""
    benchmark = benchmarks.find("ra_mcq")
    built = benchmark.derive(release, benchmark.read_settings({}), ACTOR)
    return storing.read(built.parts.get(name="items"))


def _behaviour(items: bytes, one: Asked) -> Behaviour:
    """Refuses now and then; what chooses has tastes of its own per question."""
    shares = {"refused": 0.02}
    if one.benchmark == "rasa":
        return parse({"short": one.behaviour, "shares": shares, "judge": {"style": "mixed"}})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"
        path.write_bytes(items)
        tastes = {"preferences": {"spread": 0.4, "seed": 1}, "items": str(path)}
        return parse({"choice": {**one.behaviour, **tastes}, "shares": shares})
