"""Whose words suggestions may be made of: by consent, and not of who has withdrawn."""

import pytest

from annotation.models import Suggestion, Task
from annotation.selectors import suggestable
from annotation.services import asking, projects, suggesting
from inference.models import Call, Completion
from studies.models import Consent
from studies.services import withdraw
from tests.annotation.spelt import lets_a_model_read, ordered, spelt
from tests.evaluation.conftest import stub

__all__ = ["spelt", "stub"]
pytestmark = pytest.mark.django_db


def test_words_of_who_did_not_agree_to_it_never_leave(spelt, stub):
    alone = spelt.rows[0].participant
    Consent.objects.create(
        participant=alone,
        document=alone.study.consent_documents.first(),
        language="en",
        purposes=["take_part"],
        at=spelt.rows[0].ended,
    )
    project = spelt.open()
    about = suggestable.of_answers(Task.objects.get(), True)
    assert about.fills["answers"].splitlines() == [
        '2: "raksha bandhan"',
        '3: "Rakshabandhan"',
        '4: "RAKSHA BANDHAN"',
        '5: "Pongal"',
    ]
    stub({"suggest": {"style": "wrong"}})
    ordered(project, "stub/one")
    made = Suggestion.objects.get()
    assert made.checks["withheld"] == 1
    assert made.answers == spelt.answers("tea", spelt.first)[-4:]


def test_where_too_few_agreed_nothing_is_asked(spelt, stub):
    Consent.objects.filter(participant__in=[row.participant for row in spelt.rows[:2]]).delete()
    served = stub({})
    ordered(spelt.open(), "stub/one")
    assert Suggestion.objects.get().outcome == "no_consent"
    assert served.stats()["requests"] == 0
    for row in spelt.rows[:2]:
        lets_a_model_read(row)
    ordered(spelt.open(), "stub/one")
    assert Suggestion.objects.get().outcome == "usable"


def test_a_withdrawal_deletes_suggestions_and_replies_that_hold_the_words(spelt, stub):
    for each in ("A shawl", "A shawl", "a shawl", "Sweets"):
        lets_a_model_read(spelt.come(spelt.second, gift=each))
    stub({})
    project = spelt.open()
    ordered(project, "stub/one")
    ordered(project)
    assert Suggestion.objects.count() == 4
    assert Completion.objects.count() == 2
    withdraw(spelt.rows[0].participant, "test")
    done = suggesting.forget(spelt.rows[0].participant)
    assert done == {"suggestions": 2, "replies": 2}
    assert {row.task.region.slug for row in Suggestion.objects.all()} == {spelt.second}
    assert Call.objects.count() == 2
    assert suggesting.forget(spelt.rows[0].participant) == {"suggestions": 0, "replies": 0}


def test_who_withdraws_while_a_model_is_asked_is_in_no_reply_and_no_suggestion(
    spelt, stub, monkeypatch
):
    gone, lookup = spelt.rows[1].participant, asking.cache.lookup

    def leave_meanwhile(identities):
        if gone.status != "withdrawn":
            withdraw(gone, "test")
            gone.refresh_from_db()
        return lookup(identities)

    stub({})
    project = spelt.open()
    monkeypatch.setattr(asking.cache, "lookup", leave_meanwhile)
    assert ordered(project, "stub/one").status == "done"
    assert not Suggestion.objects.exists()
    assert not Completion.objects.exists()
    assert Call.objects.count() == 1


def test_who_has_withdrawn_is_in_no_suggestion_made_before_their_words_are_deleted(spelt, stub):
    """The job that deletes them may be late: nothing reads them from the moment they leave."""
    stub({})
    project = spelt.open()
    withdraw(spelt.rows[0].participant, "test")
    about = suggestable.of_answers(Task.objects.get(), True)
    assert '1: "Raksha Bandhan"' not in about.fills["answers"]
    assert suggestable.of_answers(Task.objects.get(), False).context.texts.keys() == {2, 3, 4, 5}
    ordered(project)
    ordered(project, "stub/one")
    theirs = spelt.answers("tea", spelt.first)[-5]
    assert all(theirs not in row.answers for row in Suggestion.objects.all())


def test_no_suggestion_is_kept_of_who_leaves_while_it_is_made(spelt):
    project = spelt.open()
    task = Task.objects.get()
    about = suggestable.of_answers(task, False)
    withdraw(spelt.rows[0].participant, "test")
    said = suggesting.Said({"choice": "none", "concepts": []})
    assert suggesting.keep(task, "a hash", about, said, by="rule") is None
    projects.refresh(project)
    assert not Suggestion.objects.exists()


def test_what_an_endpoint_repeats_in_its_error_is_stored_nowhere(spelt, stub):
    body = {"error": {"message": "no: Raksha Bandhan", "type": "invalid_request_error"}}
    stub({"canned": [{"share": 1, "status": 400, "body": body}]})
    job = ordered(spelt.open(), "stub/one")
    assert Suggestion.objects.get().outcome == "refused"
    kept = [Call.objects.get().error, job.error, Suggestion.objects.get().checks]
    assert "Raksha" not in str(kept)
    assert Call.objects.get().error["code"] == "endpoint.request_refused"
