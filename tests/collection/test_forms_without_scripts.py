"""How the page of a form behaves without scripts, where it leads, what it costs and leaves."""

import gzip
import re
from pathlib import Path

import pytest

from collection.models import Submission
from studies.participation import Action
from studies.services import moving
from tests.collection.conftest import question
from tests.collection.form_taken_apart import EVERY_KIND, FILLED, page

STATIC = Path(__file__).resolve().parents[2] / "static"


def test_switching_the_language_saves_what_was_written(survey, client):
    made = survey([question("a", texts={"en": "Guests?", "bn": "অতিথি?"})])
    buttons = page(client, made.address()).all("button", name="language", form="answers")
    assert [each["value"] for each in buttons] == ["hi", "bn", "ur"]
    switched = client.post(made.address(), {"answer-a": "চা", "language": "bn"}, follow=True)
    shown = switched.content.decode()
    assert '<html lang="bn"' in shown
    assert "অতিথি?" in shown
    assert "চা</textarea>" in shown
    assert switched.headers["Content-Language"] == "bn"


def test_enter_in_a_field_only_saves(survey, client):
    made = survey([question("a", "short")])
    shown = page(client, made.address())
    pressed = next(
        attributes
        for tag, attributes in shown.found
        if tag == "button" and attributes.get("form") in ("answers", None)
    )
    answered = client.post(made.address(), {"answer-a": "x", pressed["name"]: pressed["value"]})
    assert answered["Location"] == made.address()
    assert made.submission().status == Submission.Status.DRAFT


# --- more lines, and where a form leads ---------------------------------------------------------


def test_more_lines_are_had_without_scripts_and_nothing_is_lost(survey, client):
    made = survey(EVERY_KIND)
    button = page(client, made.address()).one("button", value="rows")
    query, anchor = button["formaction"].split("#")
    answered = client.post(made.address() + query, FILLED | {"action": "rows"})
    shown = page(client, answered["Location"])
    names = shown.all("input", name="name-i")
    assert len(names) == 10
    assert names[1]["value"] == "Eel"
    assert names[5]["id"] == anchor


@pytest.mark.parametrize("asked", ["-1", "x", "99999", "९"])
def test_a_strange_number_of_lines_is_the_usual_one(survey, client, asked):
    made = survey([question("i", "artifacts")])
    assert len(page(client, f"{made.address()}?rows={asked}").all("input", name="name-i")) == 5


def test_a_list_has_no_more_lines_than_it_may_hold(survey, client):
    few = question("i", "artifacts", limits={"least": 1, "most": 4})
    some = question("j", "artifacts", limits={"most": 7})
    made = survey([few, some])
    shown = page(client, f"{made.address()}?rows=10")
    assert len(shown.all("input", name="name-i")) == 4
    assert len(shown.all("input", name="name-j")) == 7
    shown = page(client, made.address())
    assert len(shown.all("input", name="name-i")) == 4
    (button,) = shown.all("button", value="rows")
    assert button["formaction"] == "?rows=7#name-j-6"


def test_who_stops_is_told_how_to_come_back_and_finds_all_as_it_was(survey, client):
    made = survey([question("a")])
    stopped = client.post(made.address(), {"action": "stop", "answer-a": "tea"}, follow=True)
    text = stopped.content.decode()
    assert "Your answers are saved" in text
    assert f"http://testserver{made.home()}" in text
    assert "tea</textarea>" in client.get(made.address()).content.decode()


def test_a_form_that_is_sent_says_so_and_leads_on(survey, client):
    made = survey([question("a")], [question("b")])
    client.post(made.address(), {"action": "send", "skip-a": 1})
    shown = client.get(made.address())
    assert shown.status_code == 200
    assert "This form is sent" in shown.content.decode()
    assert page(client, made.address()).one("a", role="button")["href"] == made.address(2)
    client.post(made.address(2), {"action": "send", "skip-b": 1})
    assert page(client, made.address()).one("a", role="button")["href"] == made.home()


def test_a_form_somebody_has_not_come_to_leads_to_where_they_are(survey, client):
    made = survey([question("a")], [question("b")])
    assert client.get(made.address(2))["Location"] == made.address(1)
    assert client.get(made.address(7))["Location"] == made.address(1)
    assert client.get(made.address(name="save"))["Location"] == made.address(1)
    moving.move(made.person, Action.GIVE_BACK)
    assert client.get(made.address(2))["Location"] == made.home()


@pytest.mark.parametrize("name", ["form", "save"])
def test_a_forged_link_is_refused_in_the_words_of_participants(survey, client, name):
    made = survey([question("a")])
    forged = made.address(name=name).replace(made.person.code, "0123456789")
    for answered in (client.get(forged), client.post(forged, {"answer-a": "x"})):
        assert answered.status_code == 404
        assert "This link is not complete or not ours" in answered.content.decode()


# --- what a page costs and leaves ---------------------------------------------------------------


def test_no_cookie_is_set_and_blocked_cookies_lock_nobody_out(survey, client):
    made = survey([question("a")], [question("b")])
    for answered in (
        client.get(made.address()),
        client.post(made.address(name="save"), {"answer-a": "x"}),
        client.post(made.address(), {"action": "send"}),
    ):
        assert not answered.cookies
        assert answered.headers["Cache-Control"] == "private, no-cache"


def test_looking_at_a_form_writes_nothing(survey, client, django_assert_max_num_queries):
    made = survey([question("a")])
    with django_assert_max_num_queries(8) as queries:
        client.get(made.address())
        client.head(made.address(1))
    assert {query["sql"].split()[0] for query in queries} == {"SELECT"}


def test_a_form_of_fifteen_questions_weighs_forty_kilobytes_at_most(survey, client):
    texts = {"en": "What does a guest bring along to a house where a child was born? " * 2}
    made = survey([question(f"question_{number}", texts=texts) for number in range(15)])
    fields = {f"answer-question_{number}": f"some {number} words " * 30 for number in range(15)}
    client.post(made.address(), fields)
    shown = client.get(made.address()).content
    parts = [shown] + [
        (STATIC / name).read_bytes()
        for name in re.findall(r'(?:href|src)="/static/([^"]+)"', shown.decode())
    ]
    assert len(parts) >= 7
    assert sum(len(gzip.compress(part)) for part in parts) <= 40 * 1024
    assert (STATIC / "js/survey.js").stat().st_size < 6_000


def test_directions_in_the_stylesheet_are_logical_and_its_colours_tokens():
    css = (STATIC / "css/participant.css").read_text()
    rules = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    assert not re.findall(r"(margin|padding|border)-(left|right)|text-align:\s*(left|right)", rules)
    assert not re.findall(r"#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(", rules)
    tokens = set(re.findall(r"--([\w-]+):", (STATIC / "css/tokens.css").read_text()))
    assert set(re.findall(r"var\(--([\w-]+)", rules)) <= tokens


# --- what is sent otherwise than by its button ---------------------------------------------------


def test_autosave_says_in_json_that_it_was_too_much_or_no_text(survey, client, settings):
    made = survey(EVERY_KIND)
    kind = "application/x-www-form-urlencoded"
    garbled = client.post(made.address(name="save"), "answer-a=%ED%A0%80", content_type=kind)
    assert (garbled.status_code, garbled.json()["code"]) == (400, "form.not_text")
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 2
    response = client.post(made.address(name="save"), FILLED)
    assert (response.status_code, response.json()["code"]) == (413, "form.too_large")
    assert "what you wrote is still there" in response.json()["message"]
    by_script = client.post(made.address(), FILLED, headers={"Accept": "application/json"})
    assert by_script.json()["code"] == "form.too_large"
    assert "form.too_large" in client.post(made.address(), FILLED).content.decode()
    assert not made.submission().answers.exists()


@pytest.mark.parametrize("key", "abefghi")
def test_a_revision_without_its_field_erases_nothing(survey, client, key):
    made = survey(EVERY_KIND)
    client.post(made.address(name="save"), FILLED)
    before = made.answer(key)
    client.post(made.address(name="save"), {f"rev-{key}": 1, f"pasted-{key}": 0})
    assert (made.answer(key).text, made.answer(key).value) == (before.text, before.value)
    assert made.answer(key).revision == 1


@pytest.mark.parametrize("key", "cd")
def test_a_choice_taken_back_has_only_its_revision_and_is_empty(survey, client, key):
    made = survey(EVERY_KIND)
    client.post(made.address(name="save"), FILLED)
    client.post(made.address(name="save"), {f"rev-{key}": 1})
    assert not made.answer(key).value
