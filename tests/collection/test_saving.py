"""From what a participant writes to what is stored: drafts, revisions, and texts of any script."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client

from collection.models import Answer, Submission
from tests.collection.conftest import question
from tests.collection.sending import ANSWERS, LONG, send


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
