"""RASA on published questions: the report finds what is known of models and judges."""

import math

import pytest

from core import jobs
from evaluation import reports, selectors, services
from evaluation.models import Run, Verdict
from inference.prompts import sync_prompts
from releases.services import import_release
from tests.journeys.recovering import FIGURES, JUDGES, MODELS, confusion, endpoints, expected

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_the_report_recovers_the_accuracy_of_models_and_the_errors_of_judges(datasets, settings):
    report_recovers(datasets, settings, limit=60)


def report_recovers(datasets, settings, limit):
    """The first `limit` questions of the published release, or all of them, three times each."""
    sync_prompts()
    path = datasets / "indica" / "dataset.json"
    release = import_release(path, "indica", "indica", actor="test").release
    with endpoints() as made:
        settings.ENDPOINTS = made
        recovered([_run(release, model, limit) for model in MODELS])


def _run(release, model, limit):
    judges = [f"{judge}/judge" for judge in JUDGES]
    given = {"samples": 3, "limit": limit}
    order = services.Order("rasa", release.label, f"{model}/{model}", given, judges=judges)
    run = services.start_run(order, "test")
    jobs.execute(run.job_id)
    return selectors.find_run(run.pk)


def recovered(runs: list[Run]) -> None:
    """Of the figures of every model and judge, the intervals hold what is known; one in eight may
    miss, since an interval holds the truth nineteen times of twenty."""
    missed, told = [], 0
    for run, model in zip(runs, MODELS, strict=True):
        assert run.status == "finished", run.error
        report = reports.report(run)
        assert report["answered"] == run.samples_planned
        for judge in JUDGES:
            found = report["judges"][f"{judge}/judge"]
            for figure, value in expected(model, judge).items():
                low, high = found["intervals"][figure]
                told += 1
                if not low <= value <= high:
                    missed.append((model, judge, figure, low, value, high))
    assert len(missed) <= told // 8, missed
    for judge, rows in JUDGES.items():
        _errors_are(judge, rows)


def _errors_are(judge, rows):
    given = Verdict.objects.filter(judge__label=f"{judge}/judge", outcome="ok")
    table = confusion(list(given.values_list("reply__text", "value")))
    for truth, row in rows.items():
        total = sum(table[truth].values())
        for label in FIGURES:
            share, known = table[truth][label] / total, row.get(label, 0.0)
            error = math.sqrt(known * (1 - known) / total)
            assert abs(share - known) <= 3.5 * error + 1e-9, (judge, truth, label, share, known)
