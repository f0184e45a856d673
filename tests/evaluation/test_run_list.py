"""The list of runs."""

import re

import pytest

from evaluation import services
from evaluation.models import Run
from tests.evaluation.conftest import order
from tests.evaluation.judged import CORRECT, always, even_release, judged_run
from tests.evaluation.paged import judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def even(db, tmp_path):
    return even_release(tmp_path)


def listed(client, **query):
    """The numbers of the runs in the list."""
    html = client.get("/runs/", query).content.decode()
    return [int(number) for number in re.findall(r'name="run" value="(\d+)"', html)]


def test_the_list_is_narrowed_and_says_judges_and_how_far_a_run_is(as_alice, release, stub, even):
    stub()
    judges = {"mild": always(CORRECT), "hard": always(CORRECT)}
    scored = judged_run(even, judges, name="big")
    waiting = services.start_run(order(release), "test")
    html = as_alice.get("/runs/").content.decode()
    assert "lab/mild, lab/hard" in html
    assert f"0 of {waiting.samples_planned} samples" in html
    assert listed(as_alice) == [waiting.pk, scored.pk]
    assert listed(as_alice, benchmark="rasa") == [scored.pk]
    assert listed(as_alice, status="queued") == [waiting.pk]
    assert listed(as_alice, model="lab/big") == [scored.pk]
    assert listed(as_alice, release=even.label, benchmark="rasa") == [scored.pk]
    none = as_alice.get("/runs/", {"model": "nobody/nothing"}).content.decode()
    assert "No such runs" in none
    assert "Show all runs" in none


def test_a_paused_run_says_in_the_list_what_it_waits_for(as_alice, release, stub):
    stub()
    run = services.start_run(order(release), "test")
    paused = Run.objects.filter(pk=run.pk)
    for code, said in (("run.cost_cap", "at its cost cap, 0 of"), ("run.paused", 'small">0 of')):
        paused.update(status="paused", error={"code": code, "message": "It has paused."})
        assert said in as_alice.get("/runs/").content.decode()


@pytest.mark.parametrize("many", [1, 6])
def test_the_list_costs_the_same_queries_however_many_runs(
    as_alice, release, stub, django_assert_max_num_queries, many
):
    stub()
    for number in range(many):
        run = judged(release, seed=number)
        Run.objects.filter(pk=run.pk).update(status="running", stage=1)
    as_alice.get("/runs/")
    with django_assert_max_num_queries(14):
        as_alice.get("/runs/")
