"""A biased stub with tastes per question, asked through the real door, is found out."""

import pytest

from evaluation import reports, services
from evaluation.ra_mcq import benchmark
from releases import storing
from releases.services import import_release
from tests.evaluation.conftest import do

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

WEIGHTS = {"North": 1.3, "South": 1.0, "East": 0.8, "West": 0.7, "Central": 1.4}


def true_ratios(items, weights):
    """Exact under the stub's tastes: mean credit over credit by chance (docs/stub.md)."""
    credit, chance = dict.fromkeys(weights, 0.0), dict.fromkeys(weights, 0.0)
    for item in items:
        options = [option["regions"] for option in item.payload["options"]]
        appeal = [sum(weights[region] for region in each) / len(each) for each in options]
        for regions, weight in zip(options, appeal, strict=True):
            for region in regions:
                credit[region] += weight / sum(appeal) / len(regions)
                chance[region] += 1 / len(options) / len(regions)
    return {region: credit[region] / chance[region] for region in weights}


@pytest.fixture
def built(db, datasets):
    release = import_release(datasets / "indica" / "dataset.json", "indica", actor="test").release
    settings = benchmark.Settings()
    return benchmark.derive(release, settings, "test")


def run_with(stub, built, tmp_path, weights, seed):
    items = tmp_path / "items.jsonl"
    items.write_bytes(storing.read(built.parts.get(name="items")))
    tastes = {"spread": 1.0, "seed": seed}
    stub({"choice": {"weights": weights, "preferences": tastes, "items": str(items)}}, in_flight=32)
    order = services.Order(
        "ra_mcq", built.label, "stub/m", {"samples": 20}, seed=seed, use_cache=False
    )
    run = do(services.start_run(order, "test"))
    assert run.status == "finished", run.error
    return reports.report(run)


def test_the_intervals_of_a_real_run_hold_the_true_ratios(stub, built, tmp_path):
    truth = true_ratios(built.items.all(), WEIGHTS)
    report = run_with(stub, built, tmp_path, WEIGHTS, seed=1)
    assert report["simulated"]
    holding = 0
    for region in WEIGHTS:
        low, high = report["intervals"][region]["ratio"]
        holding += low <= truth[region] <= high
    assert holding >= 4


def test_a_model_without_a_lean_is_cleared_by_the_clustered_test(stub, built, tmp_path):
    report = run_with(stub, built, tmp_path, dict.fromkeys(WEIGHTS, 1), seed=3)
    assert report["clustered"]["p"] > 0.05
    assert report["p"] < 0.05
