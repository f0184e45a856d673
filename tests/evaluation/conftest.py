"""A release, a stub endpoint behind a real socket, and a way to do a run's job in this process."""

import contextlib

import pytest

from core import jobs
from evaluation import services
from evaluation.models import Run
from inference.prompts import sync_prompts
from inference.stub.behaviour import parse
from inference.stub.server import running
from releases.services import import_sample


@pytest.fixture
def release(db):
    sync_prompts()
    return import_sample("test").release


@pytest.fixture
def stub(settings):
    """`stub({"choice": ...})` starts a stub and makes it the endpoint `stub`; returns the Stub."""
    with contextlib.ExitStack() as stack:

        def start(document=None, *, key_variable="", price=True, in_flight=8, **options):
            url, one = stack.enter_context(running(parse(document or {}), **options))
            endpoint = {"base_url": url, "key_variable": key_variable, "max_in_flight": in_flight}
            if price:
                endpoint["price"] = {"input": 0.15, "output": 0.6}
            settings.ENDPOINTS = {"stub": endpoint}
            return one

        yield start


def order(release, **changes):
    given = {"samples": 2, **changes.pop("given", {})}
    return services.Order("ra_mcq", release.label, "stub/one", given, **changes)


def do(run: Run) -> Run:
    """Execute the run's queued job here, as a worker would."""
    jobs.execute(run.job_id)
    return Run.objects.select_related("release", "model__endpoint", "job").get(pk=run.pk)


def run_it(release, **changes) -> Run:
    return do(services.start_run(order(release, **changes), "test"))
