"""Releases, runs and reports as programs see them."""

import pytest

from evaluation import reports
from evaluation.models import Run
from inference.prompts import sync_prompts
from releases.selectors import describe
from releases.services import import_sample
from tests.api.conftest import error

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(settings):
    settings.ENDPOINTS = {"stub": {"base_url": "http://127.0.0.1:9/v1", "key_variable": ""}}
    sync_prompts()
    return import_sample("test").release


@pytest.fixture
def order(release):
    return {"benchmark": "ra_mcq", "release": release.label, "model": "stub/m"}


def test_a_release_is_described_as_the_command_does(program, bob, release):
    bobs = program(bob)
    [row] = bobs.rows("releases/")
    assert (row["release"], row["sha256"]) == (release.label, release.sha256)
    shown = bobs.get(f"releases/{release.label}/").json()
    assert shown["described"] == describe(release)
    assert {part["name"] for part in shown["parts"]} == {part.name for part in release.parts.all()}


def test_items_come_in_the_order_of_the_release_with_their_payload(program, bob, release):
    rows = program(bob).rows(f"releases/{release.label}/items/", page_size=2)
    assert [row["key"] for row in rows] == [item.key for item in release.items.all()]
    assert rows[0]["payload"] == release.items.first().payload


def test_a_run_is_started_seen_and_reported(program, alice, bob, order):
    given = order | {"settings": {"samples": 2, "limit": 3}, "seed": 7, "use_cache": False}
    answer = program(alice).post("runs/", given)
    assert answer.status_code == 201, answer.content
    made = answer.json()
    run = Run.objects.get(pk=made["run"])
    assert (run.seed, run.settings["samples"], run.started_by) == (7, 2, alice.email)
    assert run.settings["use_cache"] is False
    bobs = program(bob)
    assert bobs.rows("runs/")[0]["status"] == "queued"
    assert bobs.get(f"runs/{run.pk}/").json() == made
    assert bobs.get(f"runs/{run.pk}/report/").json() == reports.report(run)


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"benchmark": "riddles"}, 404, "benchmark.unknown"),
        ({"release": "nothing"}, 404, "release.unknown"),
        ({"model": "nowhere/m"}, 404, "endpoint.unknown"),
        ({"settings": {"spell": 1}}, 400, "settings.unknown"),
        ({"settings": {"samples": "many"}}, 400, "settings.value"),
        ({"settings": {"samples": [1]}}, 400, "settings.value"),
        ({"settings": {"temperature": True}}, 400, "settings.value"),
        ({"settings": {"temperature": 0}}, 201, None),
        ({"max_cost": 1}, 400, "run.no_price"),
        ({"seed": -1}, 400, "api.invalid"),
        ({"colour": "red"}, 400, "api.unknown_field"),
    ],
)
def test_an_order_that_cannot_be_met_says_why(program, alice, order, change, status, code):
    answer = program(alice).post("runs/", order | change)
    if code:
        error(answer, status, code)
        assert not Run.objects.exists()
    else:
        assert answer.status_code == status


def test_a_run_ordered_twice_under_one_key_is_one_run(program, alice, order):
    alices = program(alice)
    first, again = (alices.post("runs/", order, key="k1") for _ in range(2))
    assert first.json() == again.json()
    assert Run.objects.count() == 1


def test_a_run_ordered_again_after_a_crash_is_still_one_run(program, alice, order, settings):
    from accounts.models import IdempotentRequest

    alices = program(alice)
    first = alices.post("runs/", order, key="k1")
    settings.IDEMPOTENCY_LEASE = -1  # whoever worked on it counts as gone
    IdempotentRequest.objects.update(status=None, response=None)
    assert alices.post("runs/", order, key="k1").json()["run"] == first.json()["run"]
    assert Run.objects.count() == 1


def test_only_administrators_start_runs(program, bob, order):
    error(program(bob).post("runs/", order), 403, "run.not_allowed")
    assert not Run.objects.exists()
