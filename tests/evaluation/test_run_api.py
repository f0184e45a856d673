"""Runs as programs see them: judges and spend, samples with their verdicts, judging anew, going
on, stopping."""

import pytest

from evaluation import selectors, services
from evaluation.models import Run, Verdict
from tests.api.conftest import Program, error, program
from tests.evaluation.conftest import do, order, run_it
from tests.evaluation.judged import CORRECT, WRONG, even_release, judged_run

__all__ = ["Program", "program"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def scored(db, tmp_path):
    rules = {
        "mild": lambda place, region, which: CORRECT,
        "hard": lambda place, region, which: (CORRECT, WRONG, "unparsed")[which],
    }
    return judged_run(even_release(tmp_path), rules, limit=2, source="imported")


@pytest.fixture
def rasa(release):
    return {
        "benchmark": "rasa",
        "release": release.label,
        "model": "stub/one",
        "judges": ["stub/judge-a", "stub/judge-b"],
        "settings": {"samples": 3, "limit": 3},
    }


def test_a_run_is_ordered_with_judges_and_tells_its_stages_and_spend(program, alice, stub, rasa):
    stub()
    answer = program(alice).post("runs/", rasa)
    assert answer.status_code == 201, answer.content
    run = Run.objects.get(pk=answer.json()["run"])
    assert answer.json()["judges"] == rasa["judges"]
    assert answer.json()["progress"]["stage"] == 0
    do(run)
    shown = program(alice).get(f"runs/{run.pk}/").json()
    assert [line["model"] for line in shown["spend"]] == ["stub/one", *rasa["judges"]]
    assert sum(line["cost"] for line in shown["spend"]) == selectors.spent(run)
    assert sum(line["exchanges"] for line in shown["spend"]) == selectors.calls(run)


@pytest.mark.parametrize(
    ("judges", "status", "code"),
    [
        (["stub/one"], 400, "judge.same_model"),
        (["stub/a", "stub/a"], 400, "judge.twice"),
        (["nowhere/a"], 404, "endpoint.unknown"),
        ("stub/a", 400, "api.invalid"),
        ([f"stub/{n}" for n in range(9)], 400, "api.invalid"),
    ],
)
def test_judges_that_cannot_be_are_refused(program, alice, stub, rasa, judges, status, code):
    stub()
    error(program(alice).post("runs/", rasa | {"judges": judges}), status, code)
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    "given", [{"samples": 2.5}, {"samples": True}, {"limit": 1.9}, {"temperature": False}]
)
def test_a_setting_of_another_kind_is_refused_and_not_made_to_fit(
    program, alice, stub, rasa, given
):
    stub()
    answer = program(alice).post("runs/", {**rasa, "settings": given})
    error(answer, 400, "settings.value")
    assert not Run.objects.exists()


def test_samples_come_page_by_page_with_their_verdicts(program, bob, scored):
    rows = program(bob, "runs:read").rows(f"runs/{scored.pk}/samples/", page_size=7)
    assert [row["sample"] for row in rows] == list(
        scored.samples.order_by("pk").values_list("pk", flat=True)
    )
    third = next(row for row in rows if row["text"] == "Answer 2 of North")
    assert third["verdicts"] == [
        {"judge": "lab/mild", "outcome": "ok", "value": CORRECT},
        {"judge": "lab/hard", "outcome": "unparsed", "value": ""},
    ]
    assert (third["item"], third["variant"], third["outcome"]) == ("q00", "North", "ok")


def test_samples_are_narrowed(program, bob, scored):
    bobs = program(bob)
    address = f"runs/{scored.pk}/samples/"
    assert len(bobs.rows(address, region="South")) == scored.samples.count() // 3
    assert len(bobs.rows(address, item="q01", text="answer 1")) == 6
    assert len(bobs.rows(address, domain="Food", page_size=4)) == scored.samples.count() // 2
    assert bobs.rows(address, outcome="failed") == []
    error(bobs.get(address, outcome="odd"), 400, "api.invalid")
    error(bobs.get(address, colour="red"), 400, "api.unknown_parameter")


@pytest.mark.parametrize("page_size", [2, 30])
def test_a_page_of_samples_costs_the_same_queries(
    program, bob, scored, django_assert_max_num_queries, page_size
):
    bobs = program(bob)
    bobs.get("runs/")
    with django_assert_max_num_queries(7):
        bobs.get(f"runs/{scored.pk}/samples/", page_size=page_size)


def test_a_sample_that_failed_has_neither_reply_nor_verdict(program, bob, release, stub):
    body = '{"error": {"message": "This prompt is too long", "code": "context_length_exceeded"}}'
    stub({"canned": [{"share": 0.4, "status": 400, "body": body}]})
    run = run_it(release, seed=4)
    rows = program(bob).rows(f"runs/{run.pk}/samples/", outcome="failed")
    assert rows
    assert {(row["outcome"], row["text"], row["reply"]) for row in rows} == {("failed", None, None)}


def test_stored_replies_are_judged_by_another_once_per_key(program, alice, release, stub, rasa):
    stub()
    alices = program(alice)
    run = do(Run.objects.get(pk=alices.post("runs/", rasa).json()["run"]))
    order = {"judges": ["stub/judge-c"]}
    first, again = (alices.post(f"runs/{run.pk}/rejudge/", order, key="k") for _ in range(2))
    assert (first.status_code, first.json()) == (200, again.json())
    assert again["Idempotent-Replay"] == "true"
    run = do(Run.objects.get(pk=run.pk))
    assert first.json()["judges"] == [*rasa["judges"], "stub/judge-c"]
    assert Verdict.objects.filter(judge__label="stub/judge-c").count() == run.replies.count()
    error(alices.post(f"runs/{run.pk}/rejudge/", {"judges": []}), 400, "api.invalid")
    error(alices.post(f"runs/{run.pk}/rejudge/", {}), 400, "api.invalid")


def test_a_run_is_stopped_and_goes_on_under_a_higher_cap(program, alice, release, stub):
    stub()
    alices = program(alice)
    run = services.start_run(order(release), "test")
    first, again = (alices.post(f"runs/{run.pk}/cancel/", {}, key="c") for _ in range(2))
    assert (first.json()["status"], again.json()) == ("cancelled", first.json())
    error(alices.post(f"runs/{run.pk}/cancel/", {}), 400, "run.not_active")
    on = [alices.post(f"runs/{run.pk}/resume/", {"max_cost": 9_000_000}, key="r") for _ in "ab"]
    assert on[0].json() == on[1].json()
    assert (on[0].json()["status"], on[0].json()["max_cost"]) == ("queued", 9_000_000)
    assert do(Run.objects.get(pk=run.pk)).status == "finished"
    error(alices.post(f"runs/{run.pk}/resume/", {}), 400, "run.finished")
    error(alices.post(f"runs/{run.pk}/resume/", {"cap": 1}), 400, "api.unknown_field")


@pytest.mark.parametrize(
    ("act", "body"), [("rejudge", {"judges": ["stub/j"]}), ("resume", {}), ("cancel", {})]
)
def test_only_administrators_with_the_scope_change_a_run(
    program, alice, bob, release, stub, act, body
):
    stub()
    run = services.start_run(order(release), "test")
    address = f"runs/{run.pk}/{act}/"
    error(program(bob).post(address, body), 403, "run.not_allowed")
    error(program(alice, "runs:read").post(address, body), 403, "token.scope_missing")
    error(Program().post(address, body), 401, "api.not_authenticated")
    error(program(alice).post(f"runs/999/{act}/", body), 404, "run.unknown")
    run.refresh_from_db()
    assert run.status == "queued"
