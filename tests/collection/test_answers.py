"""Reading what was typed, by kind."""

import pytest
from django.http import QueryDict

from collection import answers
from collection.answers import LONGEST, Fault, Given
from tests.collection.conftest import question

OPTIONS = ["rice", "bread", "both"]
PLACES = [
    {"name": "Brassgate", "texts": {"en": "Brassgate"}},
    {"name": "Three Wells", "texts": {"en": "Three Wells", "hi": "तीन कुएँ", "es": "Tres Pozos"}},
]


def read(asked, body="", **fields):
    sent = QueryDict(body, mutable=True)
    for name, value in fields.items():
        sent.setlist(name.replace("_", "-"), value if isinstance(value, list) else [value])
    return answers.read(asked, {"languages": ["en", "hi"], "places": PLACES}, sent.getlist)


@pytest.mark.parametrize(
    "typed",
    [
        "  spaces before and after  ",
        "क्ष",
        "क्‍ष with a joiner",
        "क्‌ष with a non-joiner",
        "\u0958",
        "\u0915\u093c",
        "கொ \u0b95\u0bc6\u0bbe",
        "اردو کی تحریر",
        "👨‍👩‍👧‍👦",
        "vertical\u000btab and form\u000cfeed",
        "\ttab",
        "<b>\"bold\"</b> & 'quoted'",
        "=HYPERLINK()",
        "007",
    ],
)
@pytest.mark.parametrize("kind", ["short", "long"])
def test_text_is_kept_as_it_was_typed(kind, typed):
    assert read(question("q", kind), answer_q=typed).given == Given(None, typed)


def test_line_breaks_of_a_browser_are_stored_as_they_were_typed():
    typed = read(question("q"), answer_q="\r\none\r\n\r\ntwo\r\n").given
    assert typed.text == "\none\n\ntwo\n"


@pytest.mark.parametrize("nothing", ["", "   ", "\r\n\t", "\u00a0\u200b\u2060", "\u3000"])
def test_a_text_of_blanks_is_no_answer(nothing):
    reading = read(question("q"), answer_q=nothing)
    assert reading.given.empty
    assert reading.fault == Fault("answer.empty")


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("12.50", "12.5"),
        ("12,5", "12.5"),
        ("१२.५", "12.5"),
        ("১২", "12"),
        ("٣٫٥", "3.5"),
        ("１２", "12"),
        (" 7 ", "7"),
        ("007", "7"),
        ("-3", "-3"),
        ("−3", "-3"),
        ("-0", "0"),
        ("0,125", "0.125"),
        ("1 234", "1234"),
        ("1,00,000", "100000"),
        ("1.234.567,8", "1234567.8"),
        ("1'234.50", "1234.5"),
        (".5", "0.5"),
    ],
)
def test_numbers_are_read_in_the_digits_of_any_script(typed, value):
    assert read(question("q", "number"), answer_q=typed).given == Given(value, typed)


@pytest.mark.parametrize(
    "typed", ["1,234", "1.234", "twelve", "1e5", "1.2.3", "Infinity", "9" * 40]
)
def test_what_could_be_two_numbers_or_none_is_asked_for_again_and_kept(typed):
    reading = read(question("q", "number"), answer_q=typed)
    assert reading.fault == Fault("answer.not_a_number")
    assert reading.given == Given(None, typed)
    assert reading.storable


@pytest.mark.parametrize(
    ("typed", "given"),
    [
        ("1987", Given(1987, "")),
        ("१९८७", Given(1987, "१९८७")),
        ("١٩٨٧", Given(1987, "١٩٨٧")),
        ("87", Given(87, "")),
        ("about 1987", Given(None, "about 1987")),
    ],
)
def test_a_year_is_a_number_and_keeps_other_words(typed, given):
    assert read(question("q", "year"), answer_q=typed).given == given


@pytest.mark.parametrize(
    ("typed", "given"),
    [
        ("2026-01-31", Given("2026-01-31", "")),
        ("2026/1/31", Given("2026-01-31", "2026/1/31")),
        ("২০২৬-০১-৩১", Given("2026-01-31", "২০২৬-০১-৩১")),
        ("2026-06-31", Given(None, "2026-06-31")),
        ("in June", Given(None, "in June")),
    ],
)
def test_a_date_stays_the_local_date_it_was(typed, given):
    assert read(question("q", "date"), answer_q=typed).given == given


def test_a_place_is_one_of_the_list_however_it_is_spelt_or_other_words():
    for typed in ("three  WELLS", "तीन कुएँ", " tres pozos"):
        assert read(question("q", "place"), answer_q=typed).given == Given("Three Wells", typed)
    assert read(question("q", "place"), answer_q="Three Wells").given == Given("Three Wells", "")
    assert read(question("q", "place"), answer_q="Far away").given == Given(None, "Far away")
    assert read(question("q", "place"), answer_q="").given == Given(None, "")


def test_a_place_of_a_form_published_with_mere_names_is_found_too():
    document = {"languages": ["en"], "places": ["Brassgate", "Three Wells"]}
    sent = QueryDict("answer-q=three+wells")
    reading = answers.read(question("q", "place"), document, sent.getlist)
    assert reading.given == Given("Three Wells", "three wells")


def test_choices_come_in_the_order_of_the_options_and_strange_ones_are_none():
    many = question("q", "many", options=OPTIONS)
    assert read(many, answer_q=["both", "rice", "other"]).given == Given(["rice", "both"])
    one = question("q", "one", options=OPTIONS)
    assert read(one, answer_q="bread").given == Given("bread")
    assert read(one, answer_q="other").fault == Fault("answer.empty")


def test_artifacts_are_rows_of_a_name_and_what_it_is():
    reading = read(
        question("q", "artifacts"),
        name_q=["Lantern walk ", "", " ", "Eel pie"],
        about_q=["in winter", "", "", ""],
    )
    rows = [
        {"name": "Lantern walk ", "about": "in winter"},
        {"name": "Eel pie", "about": ""},
    ]
    assert reading.given == Given(rows, "Lantern walk \nEel pie")
    assert reading.fault is None


def test_a_row_that_says_what_it_is_without_a_name_is_kept_and_asked_about():
    reading = read(question("q", "artifacts"), name_q=["", "Pie"], about_q=["a walk", "food"])
    assert reading.fault == Fault("answer.row_without_name")
    assert reading.given.value[0] == {"name": "", "about": "a walk"}
    assert reading.given.text == "Pie"


@pytest.mark.parametrize(
    ("asked", "sent", "code"),
    [
        (question("q", "number", limits={"least": 0, "most": 10}), "10.5", "answer.number_between"),
        (question("q", "number", limits={"least": 0}), "-1", "answer.number_least"),
        (question("q", "year", limits={"most": 2026}), "2027", "answer.year_most"),
        (
            question("q", "many", options=OPTIONS, limits={"least": 2}),
            "rice",
            "answer.many_least",
        ),
    ],
)
def test_limits_are_said_and_the_answer_is_kept(asked, sent, code):
    reading = read(asked, answer_q=sent)
    assert reading.fault.code == code
    assert not reading.given.empty


def test_limits_themselves_are_within():
    asked = question("q", "number", limits={"least": 0, "most": 10})
    assert read(asked, answer_q="0").fault is None
    assert read(asked, answer_q="10.0").fault is None


def test_who_would_rather_not_answer_leaves_no_word_behind():
    reading = read(question("q"), answer_q="a secret", skip_q="1")
    assert reading.given == Given(None, "", skipped=True)
    assert reading.fault is None
    assert reading.typed.text == "a secret"  # the page itself still shows it


def test_an_attention_check_cannot_be_skipped():
    check = question("q", "short", check={"type": "instructed", "expected": "blue"})
    assert read(check, skip_q="1").fault == Fault("answer.check_empty")


def test_a_hundred_thousand_characters_stay_on_the_page_with_their_number():
    reading = read(question("q"), answer_q="x" * 100_000)
    assert reading.fault == Fault("answer.too_long", {"length": 100_000, "most": LONGEST})
    assert not reading.storable
    assert len(reading.typed.text) == 100_000
    assert read(question("q"), answer_q="x" * LONGEST).fault is None


def test_a_list_of_artifacts_is_bound_with_all_its_fields():
    half = "x" * (LONGEST // 2)
    assert not read(question("q", "artifacts"), name_q=half, about_q=half + "y").storable


@pytest.mark.parametrize("unstorable", ["\x00", "\ud800"])
def test_a_character_no_database_keeps_is_named_and_the_rest_stays(unstorable):
    reading = read(question("q"), answer_q=f"be{unstorable}fore")
    assert reading.fault.code == "text.not_storable"
    assert reading.fault.data["position"] == 2
    assert reading.typed.text == "before"
    assert not reading.storable


def test_only_questions_whose_fields_were_sent_are_read():
    document = {
        "languages": ["en"],
        "places": [],
        "questions": [question("a"), question("b", "many"), question("c"), question("d")],
    }
    sent = QueryDict("answer-a=1&rev-b=2&rev-c=1&answer-c=x&keep-c=1&rev-d=1")
    readings = answers.read_form(document, sent.getlist)
    assert set(readings) == {"a", "b"}
    assert readings["b"].revision == 2


@pytest.mark.parametrize("strange", ["-1", "x", "", "९", "1" * 30])
def test_a_strange_revision_is_that_of_an_empty_field(strange):
    assert read(question("q"), rev_q=strange).revision == 0
