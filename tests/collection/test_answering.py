"""Forms that are sent, one after another, to the end and beyond it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client

from collection import selectors, services
from collection.models import Answer, FormVersion, QualityFlag, Submission
from core.errors import CommonplaceError
from studies.models import Participation
from studies.participation import Action, Status
from studies.services import moving, withdraw
from tests.collection.conftest import publish, question
from tests.collection.sending import ANSWERS, LONG, ask_again, send

# --- going on -----------------------------------------------------------------------------------


def test_who_is_admitted_finds_the_first_form_begun(survey):
    made = survey(LONG)
    assert made.submission().status == Submission.Status.DRAFT
    assert selectors.next_number(made.person) == 1


def test_nobody_begins_a_survey_without_forms(survey):
    with pytest.raises(CommonplaceError) as refused:
        survey(people=1)
    assert refused.value.code == "survey.not_published"


def test_a_form_that_is_sent_leads_to_the_next_and_the_last_to_the_end(survey, client):
    made = survey(LONG, [question("food")])
    first = send(client, made.address(), **ANSWERS)
    assert (first.status_code, first["Location"]) == (303, made.address(2))
    assert made.submission().status == Submission.Status.SUBMITTED
    assert made.answer("guests").text == "tea"
    last = send(client, made.address(2), **{"answer-food": "bread"})
    assert (last.status_code, last["Location"]) == (303, made.home())
    made.person.refresh_from_db()
    assert made.person.status == Status.SUBMITTED


def test_who_began_is_asked_to_the_end_what_was_published_then(survey, client):
    made = survey(LONG, [question("food")], [question("drink")])
    made.admit()
    publish(made, LONG, [question("drink")], [question("food")], version=2)
    (late,) = made.admit()
    for row, asked in ((made.people[0], ["food", "drink"]), (late, ["drink", "food"])):
        send(client, made.address(1, row), **ANSWERS)
        for number, key in enumerate(asked, 2):
            assert key in client.get(made.address(number, row)).content.decode()
            send(client, made.address(number, row), **{f"answer-{key}": "bread"})
        answered = Answer.objects.filter(submission__participation=row)
        assert answered.values("question").distinct().count() == answered.count() == 4
        assert set(row.submissions.values_list("form_version__version", flat=True)) == (
            {2} if row is late else {1}
        )


@pytest.mark.parametrize("number", [2**63, 2**63 - 1, 10**30])
def test_a_form_of_a_number_no_column_holds_leads_to_the_one_that_waits(survey, client, number):
    made = survey(LONG)
    for name in ("form", "save"):
        assert client.get(made.address(number, name=name))["Location"] == made.address()


def test_a_double_click_advances_one_page(survey, client):
    made = survey(LONG, [question("food")], [question("drink")])
    twice = [send(client, made.address(), **ANSWERS)["Location"] for _click in range(2)]
    assert twice == [made.address(2)] * 2
    assert list(made.person.submissions.values_list("number", flat=True)) == [1, 2]


def test_a_form_sent_again_from_an_old_tab_with_other_words_loses_none(survey, client):
    made = survey(LONG, [question("food")])
    send(client, made.address(), **ANSWERS)
    late = send(client, made.address(), **(ANSWERS | {"answer-gifts": "coal & <lamps>"}))
    assert late.status_code == 409
    assert "coal &amp; &lt;lamps&gt;" in late.content.decode()
    assert made.answer("gifts").text == "salt"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("more", [(), ([question("food")],)], ids=["the last", "of two"])
def test_a_form_sent_five_times_in_parallel_is_one_submission_and_five_equal_answers(survey, more):
    made = survey(LONG, *more)

    def click(_number):
        try:
            return send(Client(), made.address(), **ANSWERS)
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(click, range(5)))
    following = made.address(2) if more else made.home()
    assert [(each.status_code, each["Location"]) for each in answers] == [(303, following)] * 5
    assert Answer.objects.count() == 2
    assert made.submission().ms == Participation.objects.get().worked_ms  # the time counts once
    if more:
        assert Submission.objects.count() == 2
        return
    assert Submission.objects.count() == 1
    assert set(Answer.objects.values_list("revision", flat=True)) == {1}
    assert Participation.objects.get().status == Status.SUBMITTED


def test_no_code_is_shown_before_the_last_answer_is_stored(survey, client):
    made = survey(LONG, [question("food")])
    code = made.activity.codes["completed"]

    def shown():
        return code in client.get(made.home(), follow=True).content.decode()

    send(client, made.address(), **ANSWERS)
    assert not shown()
    send(client, made.address(2))  # nothing written
    assert not shown()
    send(client, made.address(2), **{"answer-food": "bread"})
    assert shown()
    assert not Submission.objects.exclude(status=Submission.Status.SUBMITTED).exists()


# --- attention checks ---------------------------------------------------------------------------


CHECKS = [
    question("food", "one", options=["rice", "bread"]),
    question("told", "short", check={"type": "instructed", "expected": "blue"}),
    question(
        "food_again", "one", options=["rice", "bread"], check={"type": "repeated", "of": "food"}
    ),
]
PASSED = {"answer-food": "rice", "answer-told": "Blue", "answer-food_again": "rice"}


def test_a_failed_check_is_a_flag_with_what_was_expected_and_given(survey, client):
    made = survey(CHECKS)
    failed = PASSED | {"answer-told": "red", "answer-food_again": "bread"}
    assert send(client, made.address(), **failed).status_code == 303
    flags = {flag.check_name: flag.detail for flag in QualityFlag.objects.all()}
    assert flags == {
        "attention:told": {"type": "instructed", "expected": "blue", "given": "red"},
        "attention:food_again": {"type": "repeated", "expected": "rice", "given": "bread"},
    }


def test_checks_that_were_passed_leave_no_flag(survey, client):
    made = survey(CHECKS)
    send(client, made.address(), **PASSED)
    assert not QualityFlag.objects.exists()


def test_a_check_can_repeat_a_question_of_an_earlier_form(survey, client):
    made = survey(CHECKS[:1], CHECKS[2:])
    send(client, made.address(), **{"answer-food": "rice"})
    send(client, made.address(2), **{"answer-food_again": "bread"})
    assert QualityFlag.objects.get().detail["expected"] == "rice"


# --- asked again, and endings -------------------------------------------------------------------


def test_a_form_asked_again_opens_with_the_words_of_who_asked_and_is_sent_again(survey, client):
    made = survey(LONG, [question("food")])
    send(client, made.address(), **ANSWERS)
    send(client, made.address(2), **{"answer-food": "bread"})
    ask_again(made.person, 1, "Which <tea>?")
    assert selectors.next_number(made.person) == 1
    page = client.get(made.address()).content.decode()
    assert "Which &lt;tea&gt;?" in page
    assert ">\ntea</textarea>" in page
    assert client.get(made.address(2)).status_code == 200
    sent = send(client, made.address(), **{"rev-guests": 1, "answer-guests": "green tea"})
    assert sent["Location"] == made.home()
    made.person.refresh_from_db()
    assert made.person.status == Status.SUBMITTED
    assert made.answer("guests").text == "green tea"


def test_of_two_forms_asked_again_the_second_waits_before_all_is_sent(survey, client):
    made = survey(LONG, [question("food")])
    send(client, made.address(), **ANSWERS)
    send(client, made.address(2), **{"answer-food": "bread"})
    ask_again(made.person, 1)
    Submission.objects.filter(number=2).update(status=Submission.Status.REDO)
    assert send(client, made.address())["Location"] == made.address(2)
    made.person.refresh_from_db()
    assert made.person.status == Status.REDO
    assert send(client, made.address(2))["Location"] == made.home()


@pytest.mark.parametrize("action", [Action.TIME_OUT, Action.GIVE_BACK, Action.CUT_SHORT])
def test_what_comes_after_the_end_is_not_stored_and_not_lost(survey, client, action):
    made = survey(LONG)
    moving.move(made.person, action)
    autosave = client.post(made.address(name="save"), {"answer-guests": "tea"})
    assert autosave.status_code == 409
    assert autosave.json()["code"] == "answer.closed"
    assert autosave.json()["next"] == made.home()
    page = send(client, made.address(), **ANSWERS)
    assert page.status_code == 409
    assert "<blockquote>tea</blockquote>" in page.content.decode()
    assert not Answer.objects.exists()
    assert client.get(made.address())["Location"] == made.home()


def test_an_ending_at_the_same_moment_wins_as_a_whole(survey):
    made = survey(LONG)
    here = selectors.form_of(made.person, 1)
    Participation.objects.update(
        status=Status.TIMED_OUT, ended_reason="timed_out", slot_region=None
    )
    written = services.submit(here, {})
    assert written.closed
    made.person.refresh_from_db()
    assert (made.person.worked_ms, made.submission().ms) == (0, 0)


# --- withdrawal ---------------------------------------------------------------------------------


def test_a_withdrawal_removes_every_word_and_keeps_rows_and_counts(survey, client):
    made = survey(CHECKS, people=2)
    stays, leaves = made.people
    for row in made.people:
        send(client, made.address(row=row), **(PASSED | {"answer-told": "red"}))
    Submission.objects.update(asked_again="Which red?")
    withdraw(leaves.participant, "test")
    removed = services.forget(leaves.participant)
    assert removed == {"answers": 3, "flags": 1, "requests": 1}
    gone = Answer.objects.filter(submission__participation=leaves)
    assert gone.count() == 3
    for row in gone:
        assert (row.value, row.text, row.folded, row.removed) == (None, "", "", True)
    assert QualityFlag.objects.get(submission__participation=leaves).detail == {}
    assert made.answer("told", stays).text == "red"
    assert services.forget(leaves.participant) == {"answers": 0, "flags": 0, "requests": 0}


# --- cost ---------------------------------------------------------------------------------------


def test_a_form_costs_few_queries(survey, client, django_assert_max_num_queries):
    fifteen = [question(f"q{number}") for number in range(15)]
    made = survey(fifteen, [question("food")])
    fields = {f"answer-q{number}": "word " * 120 for number in range(15)}
    client.get(made.address())  # the document is parsed once per process
    with django_assert_max_num_queries(3):
        client.get(made.address())
    with django_assert_max_num_queries(10):
        client.post(made.address(name="save"), fields)
    fields |= {f"rev-q{number}": 1 for number in range(15)} | {"answer-q0": "other"}
    with django_assert_max_num_queries(13):
        assert send(client, made.address(), **fields).status_code == 303


def test_documents_are_parsed_once_per_process(survey, client, django_assert_max_num_queries):
    made = survey(LONG)
    client.get(made.address())
    before = FormVersion.objects.get().document
    assert selectors.form_of(made.person, 1).document == before
    with django_assert_max_num_queries(1):
        selectors.form_of(made.person, 1)
