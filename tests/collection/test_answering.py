"""From what a participant sends to what is stored, and on to the next form."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client

from collection import selectors, services
from collection.answers import read_form
from collection.models import Answer, FormVersion, QualityFlag, Submission
from core import clock
from core.errors import CommonplaceError
from studies.kinds import Progress
from studies.models import Participation
from studies.participation import Action, Status
from studies.services import moving, withdraw
from tests.collection.conftest import publish, question

LONG = [question("guests"), question("gifts")]
ANSWERS = {"answer-guests": "tea", "answer-gifts": "salt"}


def send(client, address, **fields):
    return client.post(address, {"action": "send"} | fields)


def read(here, fields):
    """Fields as a page sends them, read for a form."""
    return read_form(here.document, lambda name: fields.get(name, []))


def ask_again(row, number, words="Please say more."):
    """What a review does to a participation whose answers are to be changed."""
    row.refresh_from_db()
    moving.move(row, Action.ASK_AGAIN)
    Submission.objects.filter(participation=row, number=number).update(
        status=Submission.Status.REDO, asked_again=words
    )


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


@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_write_at_once_make_one_winner_and_one_who_is_asked(survey):
    made = survey([question("guests")])

    def write(words):
        try:
            return Client().post(
                made.address(name="save"), {"rev-guests": 0, "answer-guests": words}
            )
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(write, ["tea", "coffee"]))
    assert sorted(each.status_code for each in answers) == [200, 409]
    stored = made.answer("guests").text
    loser = next(each for each in answers if each.status_code == 409)
    assert loser.json()["stored"]["guests"]["text"] == stored


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


# --- drafts and revisions -----------------------------------------------------------------------


def test_what_is_written_is_kept_although_the_form_cannot_be_sent_yet(survey, client):
    made = survey(LONG)
    refused = send(client, made.address(), **{"answer-guests": "tea", "answer-gifts": " "})
    assert refused.status_code == 422
    assert made.answer("guests").text == "tea"
    assert made.submission().status == Submission.Status.DRAFT


def test_a_hundred_thousand_characters_are_refused_beside_their_field_and_come_back_whole(
    survey, client
):
    made = survey(LONG)
    words = "word " * 20_000
    refused = send(client, made.address(), **(ANSWERS | {"answer-guests": words}))
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "100000" in page
    assert words in page
    assert made.answer("gifts").text == "salt"


@pytest.mark.parametrize(
    "words",
    [
        "\r\nfirst line empty\r\nक्ष",
        "क्‍ष क्‌ष \u0958 \u0915\u093c",
        "\u0b95\u0bca \u0b95\u0bc6\u0bbe",
        "اردو \u200f",
        "👨‍👩‍👧‍👦",
        "a\u000bb\u000cc\td",
        "  outer spaces  ",
    ],
)
def test_text_of_any_script_reaches_the_database_and_the_page_as_it_was_typed(
    survey, client, words
):
    made = survey([question("guests")])
    typed = words.replace("\r\n", "\n")
    client.post(made.address(), {"action": "stay", "answer-guests": words})
    assert made.answer("guests").text == typed
    page = client.get(made.address()).content.decode()
    # A parser drops the first line break of a text box; the one after it is the answer's.
    assert f">\n{typed}</textarea>" in page


def test_a_nul_is_refused_in_words_and_the_rest_of_the_form_is_kept(survey, client):
    made = survey(LONG)
    refused = send(client, made.address(), **(ANSWERS | {"answer-guests": "te\x00a"}))
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "U+0000" in page
    assert ">\ntea</textarea>" in page
    assert made.answer("gifts").text == "salt"


def test_autosave_says_which_revision_is_stored(survey, client):
    made = survey(LONG)
    address = made.address(name="save")
    first = client.post(address, {"rev-guests": 0, "answer-guests": "te"})
    assert first.json() == {"saved": {"guests": 1}}
    second = client.post(address, {"rev-guests": 1, "answer-guests": "tea", "pasted-guests": 3})
    assert second.json() == {"saved": {"guests": 2}}
    row = made.answer("guests")
    assert (row.text, row.folded, row.revision, row.signals) == ("tea", "tea", 2, {"pasted": 3})
    assert Answer.objects.count() == 1


def test_an_older_revision_with_the_same_words_is_fine_and_with_others_a_conflict(survey, client):
    made = survey(LONG)
    address = made.address(name="save")
    client.post(address, {"rev-guests": 0, "answer-guests": "tea"})
    again = client.post(address, {"rev-guests": 0, "answer-guests": "tea"})
    assert again.json() == {"saved": {"guests": 1}}
    other = client.post(
        address,
        {"rev-guests": 0, "answer-guests": "coffee", "rev-gifts": 0, "answer-gifts": "salt"},
    )
    assert other.status_code == 409
    assert other.json() == {
        "code": "answer.conflict",
        "saved": {"gifts": 1},
        "stored": {"guests": {"revision": 1, "value": None, "text": "tea"}},
    }
    assert made.answer("guests").text == "tea"


def test_two_tabs_of_one_form_end_in_a_page_that_holds_both_texts_and_saves_either(survey, client):
    made = survey(LONG)
    send(client, made.address(), **{"rev-guests": 0, "answer-guests": "tea"})
    second = send(
        client, made.address(), **{"rev-guests": 0, "answer-guests": "coffee", "rev-gifts": 0}
    )
    page = second.content.decode()
    assert second.status_code == 409
    assert "<blockquote>tea</blockquote>" in page
    assert ">\ncoffee</textarea>" in page
    assert 'name="rev-guests" value="1"' in page
    assert "answer-gifts" not in page

    kept = {"action": "stay", "rev-guests": 1, "answer-guests": "coffee"}
    client.post(made.address(), kept | {"keep-guests": 1})
    assert made.answer("guests").text == "tea"
    settled = client.post(made.address(), kept)
    assert settled["Location"] == made.address()
    assert made.answer("guests").text == "coffee"


def test_a_tab_opened_before_the_answers_came_from_another_stands_in_nobodys_way(survey, client):
    made = survey(LONG)
    client.post(made.address(name="save"), {"rev-guests": 0, "answer-guests": "tea"})
    untouched = {"rev-guests": 0, "answer-guests": "", "rev-gifts": 0}
    refused = send(client, made.address(), **untouched)
    assert refused.status_code == 422
    assert ">\ntea</textarea>" in refused.content.decode()
    sent = send(client, made.address(), **(untouched | {"answer-gifts": "salt"}))
    assert sent["Location"] == made.home()
    assert made.answer("guests").text == "tea"


def test_a_draft_can_be_emptied_again(survey, client):
    made = survey(LONG)
    address = made.address(name="save")
    client.post(address, {"rev-guests": 0, "answer-guests": "tea"})
    client.post(address, {"rev-guests": 1, "answer-guests": ""})
    assert (made.answer("guests").text, made.answer("guests").revision) == ("", 2)
    assert send(client, made.address(), **{"rev-gifts": 0, "answer-gifts": "x"}).status_code == 422


def test_what_was_saved_before_need_not_be_sent_along(survey, client):
    made = survey(LONG)
    client.post(made.address(name="save"), {"rev-guests": 0, "answer-guests": "tea"})
    assert send(client, made.address(), **{"answer-gifts": "salt"})["Location"] == made.home()


def test_who_would_rather_not_answer_goes_on(survey, client):
    made = survey(LONG)
    sent = send(
        client, made.address(), **{"answer-guests": "no", "skip-guests": 1, "skip-gifts": 1}
    )
    assert sent.status_code == 303
    row = made.answer("guests")
    assert (row.skipped, row.value, row.text) == (True, None, "")


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


# --- time ---------------------------------------------------------------------------------------


def test_time_between_writes_is_work_up_to_the_time_of_idling(survey, client, settings):
    made = survey(LONG)
    address = made.address(name="save")
    ago = clock.now() - timedelta(seconds=4)
    Submission.objects.update(touched=ago)
    client.post(address, {"rev-guests": 0, "answer-guests": "tea"})
    assert 4_000 <= made.submission().ms < 20_000
    Submission.objects.update(touched=ago - timedelta(days=2), ms=0)
    client.post(address, {"rev-guests": 1, "answer-guests": "tea!"})
    idle_ms = clock.scaled(settings.IDLE_AFTER) * 1000
    assert made.submission().ms == idle_ms
    made.person.refresh_from_db()
    assert made.person.worked_ms >= idle_ms + 4_000


def test_writes_side_by_side_count_the_time_once(survey):
    made = survey(LONG)
    Submission.objects.update(touched=clock.now() - timedelta(seconds=20))
    opened = [selectors.form_of(made.person, 1) for _tab in range(16)]
    for number, here in enumerate(opened):
        services.save(here, read(here, {"answer-guests": [f"tea {number}"]}))
    made.person.refresh_from_db()
    assert 20_000 <= made.submission().ms < 25_000
    assert made.person.worked_ms == made.submission().ms


@pytest.mark.django_db(transaction=True)
def test_writes_at_the_same_moment_count_the_time_once(survey):
    made = survey(LONG)
    Submission.objects.update(touched=clock.now() - timedelta(seconds=20))

    def write(number):
        client = Client()
        try:
            client.post(made.address(name="save"), {"answer-guests": f"tea {number}"})
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(16)))
    made.person.refresh_from_db()
    assert 20_000 <= made.person.worked_ms < 29_000


def test_forms_open_side_by_side_share_the_time(survey, client):
    made = survey(LONG, [question("food")])
    send(client, made.address(), **ANSWERS)
    send(client, made.address(2), **{"answer-food": "bread"})
    ask_again(made.person, 1)
    Submission.objects.filter(number=2).update(status=Submission.Status.REDO)
    Submission.objects.update(touched=clock.now() - timedelta(seconds=20))
    Participation.objects.update(worked_ms=0)
    client.post(made.address(1, name="save"), {"answer-guests": "x"})
    client.post(made.address(2, name="save"), {"answer-food": "y"})
    made.person.refresh_from_db()
    assert 20_000 <= made.person.worked_ms < 29_000


def test_being_seen_is_written_once_in_ten_seconds(survey, client):
    made = survey(LONG)
    address = made.address(name="save")

    def seen():
        made.person.refresh_from_db()
        return made.person.last_seen

    client.post(address, {"rev-guests": 0, "answer-guests": "1"})
    first = seen()
    client.post(address, {"rev-guests": 1, "answer-guests": "2"})
    assert first is not None
    assert seen() == first
    long_ago = clock.ago(60)
    Participation.objects.update(last_seen=long_ago)
    client.post(address, {"rev-guests": 2, "answer-guests": "3"})
    assert seen() > long_ago


def test_progress_counts_forms_sent_and_the_minutes_left(survey, client):
    made = survey(LONG, [question("food")], [question("drink")])
    assert selectors.progress(made.person) == Progress(done=0, of=3, minutes_left=30)
    send(client, made.address(), **ANSWERS)
    assert selectors.progress(made.person) == Progress(done=1, of=3, minutes_left=20)


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
