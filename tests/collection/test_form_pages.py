"""What a participant sees of a form: fields, languages, limits and faults."""

import re

import pytest

from collection import documents
from collection.models import FormVersion
from studies.models import Participant
from tests.collection.conftest import question
from tests.collection.form_taken_apart import EVERY_KIND, FILLED, Elements, page


def speak(row, language):
    Participant.objects.filter(pk=row.participant_id).update(language=language)


# --- what is shown ------------------------------------------------------------------------------


def test_every_kind_has_its_field_a_label_and_a_way_not_to_answer(survey, client):
    shown = page(client, survey(EVERY_KIND).address())
    for key in "abefghj":
        assert shown.one("label", _for=f"answer-{key}")["class"] == "asked"
    assert shown.one("textarea", id="answer-b")["aria-describedby"] == "help-b"
    assert len(shown.all("fieldset")) == len(shown.all("legend")) == 3
    assert len(shown.all("input", type="radio", name="answer-c")) == 2
    assert len(shown.all("input", type="checkbox", name="answer-d")) == 2
    assert shown.one("input", id="answer-e")["inputmode"] == "decimal"
    assert shown.one("input", id="answer-f")["inputmode"] == "numeric"
    assert "type" not in shown.one("input", id="answer-f")  # digits of any script are typed
    assert shown.one("input", id="answer-g")["type"] == "date"
    assert shown.one("input", id="answer-h")["list"] == shown.one("datalist")["id"]
    assert [each["value"] for each in shown.all("option")] == ["Brassgate", "Windlow"]
    assert len(shown.all("input", name="name-i")) == 5
    skips = [each["name"] for each in shown.all("input", type="checkbox", value="1")]
    assert skips == [f"skip-{key}" for key in "abcdefghi"]  # but not an attention check


def test_a_saved_form_comes_back_as_it_was_left(survey, client):
    made = survey(EVERY_KIND)
    assert client.post(made.address(), FILLED | {"action": "stop"}).status_code == 303
    shown = page(client, made.address())
    assert shown.one("input", id="answer-a")["value"] == "a line"
    assert "checked" in shown.one("input", name="answer-c", value="no")
    assert "checked" not in shown.one("input", name="answer-c", value="yes")
    assert all("checked" in each for each in shown.all("input", name="answer-d"))
    assert shown.one("input", id="answer-e")["value"] == "१२"
    assert shown.one("input", id="answer-f")["value"] == "1987"
    assert shown.one("input", id="answer-g")["value"] == "2026-01-31"
    assert shown.one("input", id="answer-h")["value"] == "windlow"
    names = [each["value"] for each in shown.all("input", name="name-i")]
    assert names == ["Lantern", "Eel", "", "", ""]
    assert {shown.one("input", name=f"rev-{key}")["value"] for key in "abcdefghij"} == {"1"}


def test_a_place_is_offered_and_written_in_the_participants_language_and_stored_under_its_name(
    survey, client
):
    places = ["Windlow", ("Three Wells", {"hi": "तीन कुएँ", "bn": "তিন কূপ"})]
    made = survey([question("h", "place")], places=places)
    for language, offered in (("hi", "तीन कुएँ"), ("bn", "তিন কূপ"), ("ur", "Three Wells")):
        speak(made.person, language)
        shown = page(client, made.address())
        assert [each["value"] for each in shown.all("option")] == ["Windlow", offered]
        rev = shown.one("input", name="rev-h")["value"]
        client.post(made.address(), {"action": "stop", "answer-h": offered, "rev-h": rev})
        assert made.answer("h").value == "Three Wells"
        assert page(client, made.address()).one("input", id="answer-h")["value"] == offered


def test_a_form_published_with_mere_names_of_places_is_shown_and_answered_still(survey, client):
    made = survey([question("h", "place")])
    version = FormVersion.objects.get()
    before = version.document | {"schema": 1, "places": ["Brassgate", "Windlow"]}
    digest = documents.sha256(before)
    FormVersion.objects.filter(pk=version.pk).update(document=before, sha256=digest)
    shown = page(client, made.address())
    assert [each["value"] for each in shown.all("option")] == ["Brassgate", "Windlow"]
    client.post(made.address(), {"action": "send", "answer-h": "WINDLOW"})
    assert (made.answer("h").value, made.answer("h").text) == ("Windlow", "WINDLOW")


def test_a_date_in_words_is_shown_in_a_field_that_can_hold_words(survey, client):
    made = survey([question("g", "date")])
    client.post(made.address(), {"answer-g": "३१ जून"})
    field = page(client, made.address()).one("input", id="answer-g")
    assert field["value"] == "३१ जून"
    assert "type" not in field


def test_progress_is_said_in_words_and_the_last_form_finishes(survey, client):
    made = survey([question("a")], [question("b")], [question("c")])
    first = client.get(made.address()).content.decode()
    assert "Form 1 of 3, about 30 minutes left" in first
    assert "Send this form" in first
    client.post(made.address(), {"action": "send", "skip-a": 1})
    client.post(made.address(2), {"action": "send", "skip-b": 1})
    last = client.get(made.address(3)).content.decode()
    assert "Form 3 of 3, about 10 minutes left" in last
    assert "Send and finish" in last


def test_the_prefix_stands_before_the_question_of_its_language(survey, client):
    asked = question("a", texts={"en": "What do guests bring?"}, prefixed=True)
    made = survey([asked], prefix={"en": "In your region, {question}"})
    assert "In your region, what do guests bring?" in client.get(made.address()).content.decode()


# --- languages ----------------------------------------------------------------------------------


def test_each_text_says_its_language_and_direction_where_it_fell_back(survey, client):
    forms = [
        question("a", texts={"en": "Guests?", "hi": "मेहमान?", "ur": "مہمان؟"}),
        question("b", texts={"en": "Gifts?", "ur": "تحفے؟"}, help={"en": "A few words."}),
    ]
    made = survey(forms, languages=("ur", "en", "hi"))
    speak(made.person, "hi")
    shown = page(client, made.address())
    assert shown.one("html") == {"lang": "hi", "dir": "ltr"}
    first, second = shown.all("label", _class="asked")
    assert "lang" not in first
    assert (second["lang"], second["dir"]) == ("ur", "rtl")
    assert shown.one("p", id="help-b")["lang"] == "en"
    speak(made.person, "ur")
    shown = page(client, made.address())
    assert shown.one("html") == {"lang": "ur", "dir": "rtl"}
    assert shown.one("p", id="help-b")["dir"] == "ltr"


def test_a_text_in_another_script_does_not_turn_the_page(survey, client):
    made = survey([question("a", texts={"en": "ما هذا؟"})], languages=("en",))
    assert page(client, made.address()).one("html")["dir"] == "ltr"


# --- faults -------------------------------------------------------------------------------------


def test_faults_are_announced_summed_up_and_linked_to_their_fields(survey, client):
    made = survey(EVERY_KIND)
    answered = client.post(made.address(), {"action": "send", "answer-e": "many", "answer-a": "x"})
    assert answered.status_code == 422
    shown = Elements(answered.content.decode())
    assert shown.one(id="faults")["role"] == "alert"
    links = [each["href"] for each in shown.all("a") if each.get("href", "").startswith("#")]
    assert links[1:] == [  # the first leads to the content
        "#answer-b",
        "#answer-c-1",
        "#answer-d-1",
        *[f"#answer-{key}" for key in "efgh"],
        "#name-i-1",
        "#answer-j",
    ]
    ids = {attributes.get("id") for _tag, attributes in shown.found}
    assert {link[1:] for link in links} <= ids
    field = shown.one(id="answer-b")
    assert field["aria-invalid"] == "true"
    assert field["aria-describedby"].split() == ["fault-b", "help-b"]
    assert shown.one("p", id="fault-b").get("hidden", "absent") == "absent"
    assert shown.one("fieldset", role="radiogroup")["aria-invalid"] == "true"
    assert "aria-invalid" not in shown.one(id="answer-a")


def test_what_was_just_typed_stands_in_the_form_although_it_cannot_be_sent(survey, client):
    made = survey(EVERY_KIND)
    answered = client.post(made.address(), FILLED | {"action": "send", "answer-e": "a <dozen>"})
    assert answered.status_code == 422
    shown = Elements(answered.content.decode())
    assert shown.one(id="answer-e")["value"] == "a <dozen>"
    assert shown.one(id="answer-a")["value"] == "a line"
    assert shown.one("input", name="rev-e")["value"] == "1"


def test_more_things_than_fit_are_all_shown_with_the_fault(survey, client):
    made = survey([question("i", "artifacts", limits={"most": 2})])
    sent = {"action": "send", "name-i": ["a", "b", "c"], "about-i": ["x", "y", "z"]}
    answered = client.post(made.address(), sent)
    assert answered.status_code == 422
    shown = Elements(answered.content.decode())
    assert [each["value"] for each in shown.all("input", name="name-i")] == ["a", "b", "c"]
    assert not shown.all("button", value="rows")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (question("q", "number", limits={"least": 0, "most": 24}), "a number from 0 to 24."),
        (question("q", "year", limits={"most": 2026}), "a year not after 2026."),
        (question("q", "many", options=["a", "b", "c"], limits={"most": 2}), "at most 2 of these."),
        (question("q", "artifacts", limits={"least": 1, "most": 4}), "name from 1 to 4 things."),
        (question("q", "artifacts", limits={"least": 4, "most": 4}), "this many things: 4."),
        (
            question("q", "many", options=["a", "b", "c"], limits={"least": 2, "most": 2}),
            "Please choose 2 of these.",
        ),
    ],
)
def test_what_fits_is_said_before_anybody_goes_wrong_and_once(survey, client, asked, said):
    made = survey([asked])
    text = client.get(made.address()).content.decode()
    assert text.count(said) == 1
    described = [each.get("aria-describedby") for _tag, each in Elements(text).found]
    assert "limits-q" in described
    wrong = {"answer-q": ["9999"] if asked["kind"] != "many" else ["a", "b", "c"]}
    wrong |= {"name-q": list("vwxyz"), "action": "send"}
    text = client.post(made.address(), wrong).content.decode()
    assert text.count(said) == 2  # in the list on top and at the question
    assert "limits-q" not in text


def test_a_list_that_wants_one_thing_only_says_nothing_more(survey, client):
    made = survey([question("i", "artifacts", limits={"least": 1}), question("n", "number")])
    assert "limits-" not in client.get(made.address()).content.decode()


def test_a_fault_stands_on_a_line_of_its_own_after_the_words_of_the_question(survey, client):
    made = survey([question("a", texts={"en": "Who comes?", "hi": "कौन आता है।"})])
    for language in ("en", "hi"):
        speak(made.person, language)
        text = client.post(made.address(), {"action": "send"}).content.decode()
        assert not re.search(r"[?।](</a>)?:", text)
        assert "</a><br>" in text


# --- what fits into a form ----------------------------------------------------------------------


def test_the_largest_form_the_product_renders_can_be_sent(survey, client, settings):
    made = survey([question(f"q{number}", "artifacts") for number in range(15)])
    shown = page(client, f"{made.address()}?rows=100")
    fields = [each for tag, each in shown.found if tag == "input" and "name" in each]
    assert 3000 < len(fields) <= settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    sent = {"name-q3": ["Eel"] * 100, "about-q3": ["a fish"] * 100}
    empty = {f"{part}-q{n}": [""] * 100 for part in ("name", "about") for n in range(15)}
    response = client.post(made.address(), empty | sent | {"action": "stop"})
    assert response.status_code == 303
    assert len(made.answer("q3").value) == 100


def test_more_things_than_a_list_holds_stay_on_the_page_with_the_reason(survey, client):
    made = survey([question("i", "artifacts")])
    sent = {"name-i": [f"thing {n}" for n in range(101)], "about-i": [""] * 101}
    response = client.post(made.address(), sent | {"action": "send"})
    assert response.status_code == 422
    assert "Please name at most 100 things." in response.content.decode()
    assert len(Elements(response.content.decode()).all("input", name="name-i")) == 101
    saved = client.post(made.address(name="save"), sent)
    assert saved.json()["refused"] == {"i": "Please name at most 100 things."}
