"""The simulated models of the demonstration, and what they are asked."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from annotation.models import Project
from annotation.services import suggesting
from console.demo import ACTOR
from core import jobs
from core.errors import CommonplaceError
from core.models import Job
from evaluation import benchmarks, services
from evaluation.models import Run
from evaluation.selectors import find_run
from evaluation.waiting import wait_for
from inference.stub.behaviour import Behaviour, parse
from inference.stub.server import Stub, running
from releases import storing
from releases.models import Release

BENCHMARK, ENDPOINT = "ra_mcq", "demo"
# What each model leans to: weights of regions where others weigh 1 (docs/stub.md).
MODELS = {"leans-to-the-harbour": {"harbour": 2.5}, "leans-to-the-moor": {"moor": 2.5}}
SAMPLES = 12  # of each question
SUGGESTS = "knows-spelling"
POLL = 0.2  # seconds


def finished_runs(asked: str) -> list[Run]:
    """The runs of the models over a release, in their order; fewer while some are missing."""
    found = []
    for model in MODELS:
        rows = Run.objects.filter(asked_release=asked, status=Run.Status.FINISHED)
        run = rows.filter(model_label=f"{ENDPOINT}/{model}").order_by("pk").first()
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
        for model, weights in MODELS.items():
            if f"{ENDPOINT}/{model}" not in done:
                stub.behaviour = _behaviour(items, weights)
                _run(release, f"{ENDPOINT}/{model}")
    return finished_runs(release.label)


def _run(release: Release, model: str) -> None:
    """In this process, unless a worker is quicker to take it."""
    order = services.Order(BENCHMARK, release.label, model, {"samples": SAMPLES}, seed=1)
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
    benchmark = benchmarks.find(BENCHMARK)
    built = benchmark.derive(release, benchmark.read_settings({}), ACTOR)
    return storing.read(built.parts.get(name="items"))


def _behaviour(items: bytes, weights: dict[str, float]) -> Behaviour:
    """Leans, with tastes of its own per question, and refuses now and then."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"
        path.write_bytes(items)
        choice = {"weights": weights, "preferences": {"spread": 0.4, "seed": 1}, "items": str(path)}
        return parse({"choice": choice, "shares": {"refused": 0.02}})
