"""What a participant sees of a form, and how its page behaves without scripts."""

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from collection import documents
from collection.models import FormVersion, Submission
from studies.models import Participant
from studies.participation import Action
from studies.services import moving
from tests.collection.conftest import question

STATIC = Path(__file__).resolve().parents[2] / "static"
EVERY_KIND = [
    question("a", "short"),
    question("b", "long", help={"en": "Two sentences will do."}),
    question("c", "one", options=["yes", "no"]),
    question("d", "many", options=["rice", "bread"]),
    question("e", "number"),
    question("f", "year"),
    question("g", "date"),
    question("h", "place"),
    question("i", "artifacts"),
    question("j", "short", check={"type": "instructed", "expected": "blue"}),
]
FILLED = {
    "answer-a": "a line",
    "answer-b": "more\r\nlines",
    "answer-c": "no",
    "answer-d": ["rice", "bread"],
    "answer-e": "१२",
    "answer-f": "1987",
    "answer-g": "2026-01-31",
    "answer-h": "windlow",
    "name-i": ["Lantern", "Eel"],
    "about-i": ["a light", "a fish"],
    "answer-j": "blue",
}


class Elements(HTMLParser):
    """Every element as (tag, attributes), in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def all(self, tag=None, **wanted):
        names = {name.replace("_", "-").strip("-"): value for name, value in wanted.items()}
        return [
            attributes
            for found, attributes in self.found
            if (tag is None or found == tag)
            and all(attributes.get(name) == value for name, value in names.items())
        ]

    def one(self, tag=None, **wanted):
        (attributes,) = self.all(tag, **wanted)
        return attributes


def page(client, address, **follow):
    return Elements(client.get(address, **follow).content.decode())


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


# --- other pages --------------------------------------------------------------------------------


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
