"""A form's document: its bytes, its hash, and the words a participant reads."""

import hashlib
import json

import pytest

from collection import documents
from core.errors import CommonplaceError


def question(text, tag="en", **more):
    return {"texts": {tag: text}, "prefixed": True, "starts_with_name": False} | more


@pytest.mark.parametrize(
    ("tag", "prefix", "text", "shown"),
    [
        (
            "en",
            "In your region, {question}",
            "Are gifts opened?",
            "In your region, are gifts opened?",
        ),
        (
            "en",
            "In your region, {question}",
            "UNESCO day is when?",
            "In your region, UNESCO day is when?",
        ),
        (
            "en",
            "In your region, {question}",
            "3 guests or more?",
            "In your region, 3 guests or more?",
        ),
        ("es", "En su región, {question}", "¿Se abren?", "En su región, ¿se abren?"),
        ("tr", "Bölgenizde {question}", "Işık ne zaman?", "Bölgenizde ışık ne zaman?"),
        ("hi", "आपके क्षेत्र में, {question}", "मेहमान कब आते हैं?", "आपके क्षेत्र में, मेहमान कब आते हैं?"),
        (
            "ur",
            "آپ کے علاقے میں {question}",
            "مہمان کب آتے ہیں؟",
            "آپ کے علاقے میں مہمان کب آتے ہیں؟",
        ),
        (
            "en",
            "{question} (In your region.)",
            "Are gifts opened?",
            "Are gifts opened? (In your region.)",
        ),
        ("en", "In your region, {question}", "…", "In your region, …"),
    ],
)
def test_the_prefix_stands_before_a_small_letter_where_the_script_has_one(tag, prefix, text, shown):
    document = {"prefix": {tag: prefix}}
    assert documents.shown(question(text, tag), document, [tag]) == (tag, shown)


def test_a_name_keeps_its_letter_and_a_question_without_prefix_its_words():
    document = {"prefix": {"en": "In your region, {question}"}}
    name = question("Diwali falls when?", starts_with_name=True)
    assert documents.shown(name, document, ["en"])[1] == "In your region, Diwali falls when?"
    bare = question("Choose “often”.", prefixed=False)
    assert documents.shown(bare, document, ["en"])[1] == "Choose “often”."


def test_the_prefix_is_that_of_the_language_shown():
    document = {"prefix": {"en": "In your region, {question}"}}
    given = question("क्या?", "hi")
    assert documents.shown(given, document, ["en", "hi"]) == ("hi", "क्या?")
    both = given | {"texts": {"hi": "क्या?", "en": "What?"}}
    assert documents.shown(both, document, ["bn", "en"]) == ("en", "In your region, what?")


def test_canonical_bytes_do_not_depend_on_the_order_of_keys():
    one = {"b": ["é", "\x0b", "=1+1"], "a": {"y": 1, "x": None}}
    other = json.loads(json.dumps({"a": {"x": None, "y": 1}, "b": ["é", "\x0b", "=1+1"]}))
    assert documents.canonical(one) == documents.canonical(other)
    assert documents.canonical(one).startswith(b'{"a":{"x":null,"y":1},"b":["\xc3\xa9"')
    assert documents.sha256(one) == documents.sha256(other)


def published_before(places):
    """A document of schema 1."""
    return {"schema": 1, "languages": ["en", "hi"], "places": places, "questions": []}


def test_places_are_shown_in_the_language_wanted_else_in_the_studys_order():
    wells = ("Three Wells", {"en": "Three Wells", "hi": "तीन कुएँ", "bn": "তিন কূপ"})
    document = documents.form(
        activity="survey",
        number=1,
        of=1,
        tongues=["en", "hi", "bn", "ur"],
        prefix={},
        places=[wells, ("Windlow", {"en": "Windlow"})],
        questions=[],
    )
    assert document["schema"] == 2
    assert document["places"][0] == {"name": "Three Wells", "texts": wells[1]}
    assert documents.places_shown(document, ["bn", "en", "hi"]) == ["তিন কূপ", "Windlow"]
    assert documents.places_shown(document, ["ur", "en", "hi"]) == ["Three Wells", "Windlow"]


def test_a_place_is_found_by_any_of_its_names_also_in_forms_of_mere_names():
    now = {"languages": ["en"], "places": [{"name": "Three Wells", "texts": {"hi": "तीन कुएँ"}}]}
    assert documents.place_called(" तीन  कुएँ", now) == "Three Wells"
    assert documents.place_called("THREE WELLS", now) == "Three Wells"
    for nothing in ("", " ‍ ", "Wells"):
        assert documents.place_called(nothing, now) is None
    before = published_before(["Three Wells"])
    assert documents.place_called("three wells", before) == "Three Wells"
    assert documents.places_shown(before, ["hi", "en"]) == ["Three Wells"]


def test_an_upgraded_document_says_the_same_and_the_old_one_stays_as_it_was():
    before = published_before(["Three Wells"])
    bytes_before = documents.canonical(before)
    now = documents.upgraded(before)
    assert now["places"] == [{"name": "Three Wells", "texts": {"en": "Three Wells"}}]
    assert (now["schema"], now["questions"]) == (2, [])
    assert documents.canonical(before) == bytes_before
    assert documents.canonical(documents.upgraded(now)) == documents.canonical(now)


def test_the_hash_of_a_form_with_places_is_that_of_its_bytes():
    place = {"name": "Three Wells", "texts": {"hi": "तीन कुएँ", "en": "Three Wells"}}
    document = {"schema": 2, "places": [place]}
    text = (
        '{"places":[{"name":"Three Wells","texts":{"en":"Three Wells","hi":"तीन कुएँ"}}],"schema":2}'
    )
    assert documents.canonical(document) == text.encode()
    assert documents.sha256(document) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("text", ["In your region", "{question} and {question}", "{questions}"])
def test_a_prefix_says_once_where_the_question_goes(text):
    with pytest.raises(CommonplaceError) as refused:
        documents.refuse_prefix({"en": text})
    assert refused.value.code == "plan.prefix"
