"""A form's document: its bytes, its hash, and the words a participant reads."""

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


@pytest.mark.parametrize("text", ["In your region", "{question} and {question}", "{questions}"])
def test_a_prefix_says_once_where_the_question_goes(text):
    with pytest.raises(CommonplaceError) as refused:
        documents.refuse_prefix({"en": text})
    assert refused.value.code == "plan.prefix"
