"""Suggestions through page, command, API and export."""

import json

import pytest

from accounts.services import create_token
from accounts.tokens import Scope
from annotation.models import Assignment, Judgement, Project, Suggestion, Task
from annotation.selectors import suggestions
from annotation.services import deciding, exporting, flagging, judging, queueing, suggesting
from core.models import Job
from studies.services import withdraw
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge
from tests.annotation.paged import leader, none, signed_in, task_of, text_of, where
from tests.annotation.spelt import ordered, spelt
from tests.api.conftest import Program
from tests.core.test_commands import call
from tests.evaluation.conftest import stub

__all__ = ["spelt", "stub"]
pytestmark = pytest.mark.django_db
FORM = {"choice": ["none"]}


@pytest.fixture
def beside(spelt, people):
    """A task whose suggestion, made by spelling, is offered at every place."""
    project = spelt.open()
    suggesting.hide(project, 0, "test")
    ordered(project)
    spelt.project = project
    spelt.suggested = Suggestion.objects.get()
    spelt.ann, spelt.ben = people("ann", "ben")
    return spelt


def rows(study, path):
    exporting.write_file(study, "jsonl", path, "test")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_suggestion_is_folded_until_asked_for_and_its_answer_is_never_filled_in(beside):
    ann = signed_in(beside.ann)
    page = ann.post(where("next", "agreement"), follow=True)
    address = task_of(page.context["row"].task.source_key)
    assert "Show a suggestion" in text_of(page)
    assert "Suggested by" not in text_of(page)
    page = ann.post(address, {"action": "unfold", "note": "so far"}, follow=True)
    assert "Suggested by spelling" in text_of(page)
    assert page.context["concepts"] == [{"text": "", "answers": []}]
    assert page.context["note"] == "so far"


def test_sending_without_deciding_is_not_agreeing_with_it(beside):
    """Case 30: pressing Next alone is not agreement."""
    ann = signed_in(beside.ann)
    page = ann.post(where("next", "agreement"), follow=True)
    address = task_of(page.context["row"].task.source_key)
    ann.post(address, {"action": "unfold"})
    page = ann.post(address, {"action": "send"})
    assert page.status_code == 422
    assert "Choose whether the answers agree." in text_of(page)
    assert not Judgement.objects.exists()


def test_taking_it_over_fills_the_form_and_a_person_still_sends_it(beside):
    ann = signed_in(beside.ann)
    page = ann.post(where("next", "agreement"), follow=True)
    address = task_of(page.context["row"].task.source_key)
    ann.post(address, {"action": "take_over"})
    assert Assignment.objects.get(annotator=beside.ann).draft is None  # it was not in view
    ann.post(address, {"action": "unfold"})
    page = ann.post(address, {"action": "take_over"}, follow=True)
    assert page.context["concepts"][0] == beside.suggested.value["concepts"][0]
    assert not Judgement.objects.exists()
    concept = beside.suggested.value["concepts"][0]
    sent = {"choice": "agreement", "concept-0": concept["text"], "support-0": concept["answers"]}
    ann.post(address, sent | {"action": "send"})
    made = Judgement.objects.get()
    assert (made.value, made.beside) == (beside.suggested.value, "unfolded")


def test_at_a_hidden_place_no_byte_says_that_there_is_one(beside):
    suggesting.hide(beside.project, 1, "test")
    ann = signed_in(beside.ann)
    page = ann.post(where("next", "agreement"), follow=True)
    address = task_of(page.context["row"].task.source_key)
    page = ann.post(address, {"action": "unfold"}, follow=True)
    assert b"uggest" not in page.content
    ann.post(address, none())
    assert Judgement.objects.get().beside == "hidden"


def test_imported_suggestions_move_nothing_and_the_export_tells_what_became_of_them(
    beside, people, tmp_path, django_user_model
):
    """Case 30, whole: confirmed, changed and untouched are told apart."""
    for region in (beside.second,):
        for each in ("A shawl", "a shawl", "Sweets"):
            beside.come(region, gift=each)
    for each in ("Salt", "salt", "salt"):
        beside.come(beside.second, tea=each)
    project = beside.open()
    Suggestion.objects.all().delete()
    lea = leader(beside, django_user_model)
    program = Program(create_token(lea, "test", list(Scope), "test")[1])
    keys = list(Task.objects.values_list("source_key", flat=True))
    assert len(keys) == 3
    sent = {
        "kind": "agreement",
        "name": "elsewhere",
        "suggestions": [{"task": key, "form": FORM} for key in keys],
    }
    told = program.post("studies/lantern_coast/suggestions/", sent).json()
    assert (told["read"], len(told["kept"]), told["refused"]) == (3, 3, [])
    page = signed_in(beside.ann).get(where("projects"))
    assert "0 %: 0 of 6 judgements are sent, 0 of 3 tasks decided." in text_of(page)
    by_key = {row["task"]: row["status"] for row in rows(beside.study, tmp_path / "a.jsonl")}
    assert by_key == dict.fromkeys(keys, "untouched")

    said = {keys[0]: NO_AGREEMENT, keys[1]: None}
    support = Task.objects.get(source_key=keys[1]).payload
    said[keys[1]] = agreement("Another thing", support["answers"][: support["needed"]])
    for user in (beside.ann, beside.ben):
        for _ in said:
            row = queueing.take(project, user)
            judging.submit(row, said[row.task.source_key])
    found = [row for row in rows(beside.study, tmp_path / "b.jsonl") if row["row"] == "suggestion"]
    assert {row["task"]: row["status"] for row in found} == {
        keys[0]: "confirmed",
        keys[1]: "changed",
        keys[2]: "untouched",
    }
    assert {row["suggested_by"] for row in found} == {"file: elsewhere"}
    passes = [row for row in rows(beside.study, tmp_path / "b.jsonl") if row["row"] == "first pass"]
    assert {row["suggestion"] for row in passes} == {"folded, same", "folded, other"}


def test_the_export_has_no_suggestion_of_who_has_withdrawn(beside, tmp_path):
    assert [row["row"] for row in rows(beside.study, tmp_path / "a.jsonl")] == ["suggestion"]
    withdraw(beside.rows[0].participant, "test")
    assert rows(beside.study, tmp_path / "b.jsonl") == []


def test_the_page_orders_suggestions_and_shows_what_people_made_of_them(
    spelt, people, stub, django_user_model
):
    stub({"suggest": {"style": "wrong"}})
    project = spelt.open()
    ordered(project, "stub/one")
    lea = signed_in(leader(spelt, django_user_model))
    address = where("suggestions", "agreement")
    page = lea.post(address, {"action": "order", "by": "rule"}, follow=True)
    assert "waiting for a worker" in text_of(page)
    page = lea.post(address, {"action": "order", "by": "rule"})
    assert page.status_code == 422
    assert "being worked on already" in text_of(page)
    assert lea.post(address, {"action": "order", "by": "nobody"}).status_code == 422
    assert Job.objects.filter(kind="annotation.suggest").count() == 2
    lea.post(address, {"action": "hide", "hidden": "100"})
    assert Project.objects.get().hidden_share == 1
    assert lea.post(address, {"action": "hide", "hidden": "101"}).status_code == 422
    answers = spelt.answers("tea", spelt.first)[-5:-1]
    for user in people("ann", "ben"):
        judge(project, user, agreement("Raksha Bandhan", answers))
    words = text_of(lea.get(address))
    assert "stub/one simulated" in words
    assert "1 can be shown" in words
    assert "Kept from them 100.0 %" in words
    assert "Models were called 1 time" in words


def told_of(user):
    program = Program(create_token(user, "test", list(Scope), "test")[1])
    answer = program.get("studies/lantern_coast/suggestions/")
    (row,) = answer.json()["results"]
    return row, answer.content.decode()


def test_who_may_still_judge_a_task_does_not_read_its_suggestion_through_the_api(
    beside, django_user_model
):
    """Who may decide annotates too, and a place may have been drawn to have no suggestion."""
    suggesting.hide(beside.project, 1, "test")
    lea = leader(beside, django_user_model)
    words = beside.suggested.value["concepts"][0]["text"]

    def reads_nothing():
        row, content = told_of(lea)
        assert (row["value"], row["hidden"], row["outcome"]) == (None, True, "usable")
        assert words not in content

    reads_nothing()  # no place yet, and there are free ones
    own = queueing.take(beside.project, lea)
    reads_nothing()
    judging.submit(own, NO_AGREEMENT)
    reads_nothing()  # until all are in it can be taken back and sent otherwise
    judge(beside.project, beside.ann, NO_AGREEMENT)
    row, content = told_of(lea)
    assert (row["value"], row["hidden"]) == (beside.suggested.value, False)
    assert words in content


def test_who_holds_a_place_at_a_task_decided_early_reads_its_suggestion_once_it_is_sent(
    beside, people, django_user_model
):
    lea, (cem,) = leader(beside, django_user_model), people("cem")
    own = queueing.take(beside.project, lea)
    task = Task.objects.get()
    Task.objects.update(stale=True)
    deciding.decide(task, NO_AGREEMENT, "one is cut off", cem, task.inputs)
    assert told_of(lea)[0]["hidden"]
    judging.submit(own, NO_AGREEMENT)
    assert told_of(lea)[0]["value"] == beside.suggested.value


def test_who_gave_up_judging_a_task_alone_reads_its_suggestion(beside, django_user_model):
    lea = leader(beside, django_user_model)
    queueing.flag(queueing.take(beside.project, beside.ann), "one is cut off")
    assert told_of(lea)[0]["hidden"]
    flagging.read(Task.objects.get(), lea)
    assert told_of(lea)[0]["value"] == beside.suggested.value


def test_who_only_annotates_does_not_see_how_suggestions_fared(beside):
    assert signed_in(beside.ann).get(where("suggestions", "agreement")).status_code == 403


def test_the_command_orders_makes_and_counts(spelt, stub):
    stub({})
    spelt.open()
    code, result = call("suggest", "lantern_coast", "agreement", "--model", "stub/one")
    assert (code, result["status"], result["outcomes"]["usable"]) == (0, "done", 1)
    code, result = call("suggest", "lantern_coast", "agreement")
    assert (code, result["by"], result["outcomes"]["usable"]) == (0, "rule", 1)
    code, result = call("suggest", "lantern_coast", "agreement", "--model", "nowhere/one")
    assert (code, result["error"]["code"]) == (1, "endpoint.unknown")


def test_a_decision_by_a_third_person_is_what_overrides_are_counted_by(beside, people):
    (cem,) = people("cem")
    judge(beside.project, beside.ann, beside.suggested.value)
    judge(beside.project, beside.ben, NO_AGREEMENT)
    task = Task.objects.get()
    deciding.decide(task, NO_AGREEMENT, "two mean another day", cem, task.inputs)
    (source,) = suggestions.sources(beside.project)
    assert (source.overrides.n, source.overrides.removals.value) == (1, 1)
    assert suggestions.passes_by_arm(beside.project) == {"folded": [[False, True]]}
