"""How a question names its region: every published question, other phrases, other languages."""

import re

import pytest

from evaluation.rasa.plan import anchored
from releases.importers import indica

MOOR = "On the High Moor"


@pytest.fixture(scope="module")
def published(datasets):
    """(key, region, anchored question) of every question and region with gold."""
    parsed = indica.parse((datasets / "indica" / "dataset.json").read_bytes())
    phrases = {region["slug"]: region["phrases"]["en"] for region in parsed.regions}
    return [
        (item["key"], region, anchored(item["payload"]["text"]["en"], phrases[region]))
        for item in parsed.items
        for region, gold in item["payload"]["gold"].items()
        if gold
    ]


def test_all_1630_published_questions_are_sentences_that_name_their_region_in_front(published):
    assert len(published) == 1630
    for _, region, text in published:
        assert re.match(rf"In {region} India, [a-z]\S* .*[?.)]$", text), text
        assert "your region" not in text.casefold()


def test_the_region_is_named_inside_the_five_published_questions_that_speak_of_yours(published):
    twice = [text for _, region, text in published if text.count(f"{region} India") == 2]
    assert len({key for key, region, text in published if text.count(f"{region} India") == 2}) == 5
    assert (
        "In South India, what is the traditional outfit associated with the harvest festival of "
        "South India?"
    ) in twice
    assert (
        "In East India, what foods are commonly consumed in East India, during summer to reduce "
        "body heat?"
    ) in twice
    assert (
        "In Central India, what types of warm or energy-rich foods are typically prepared in "
        "winter across Central India?"
    ) in twice


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is eaten at dawn?", "On the High Moor, what is eaten at dawn?"),
        ("TV or radio?", "On the High Moor, TV or radio?"),
        ("  Who cooks? \n", "On the High Moor, who cooks?"),
        ("2 or 3 meals?", "On the High Moor, 2 or 3 meals?"),
        ("In your region, who cooks?", "On the High Moor, who cooks?"),
        ("in your region who cooks?", "On the High Moor, who cooks?"),
        ("Who cooks IN YOUR REGION?", "On the High Moor, who cooks on the High Moor?"),
        ("What is your region's dish?", "On the High Moor, what is the High Moor's dish?"),
        ("Your region’s dish is what?", "On the High Moor, the High Moor’s dish is what?"),
        (
            "Who cooks? Your region's way only.",
            "On the High Moor, who cooks? The High Moor's way only.",
        ),
        (
            "Who cooks in your regional school?",
            "On the High Moor, who cooks in your regional school?",
        ),
        ("Where you live, who cooks?", "On the High Moor, who cooks?"),
    ],
)
def test_the_phrase_stands_in_front_and_its_name_wherever_the_question_says_your_region(
    question, wanted
):
    assert anchored(question, MOOR) == wanted


@pytest.mark.parametrize(
    ("phrase", "name"),
    [("In the North", "the North"), ("Up on the Fells", "the Fells"), ("Downriver", "Downriver")],
)
def test_the_name_is_the_phrase_without_its_preposition(phrase, name):
    assert anchored("What is the dress of your region?", phrase) == (
        f"{phrase}, what is the dress of {name}?"
    )


@pytest.mark.parametrize(
    ("question", "phrase", "language", "wanted"),
    [
        ("क्या खाया जाता है?", "बंदरगाह में", "hi", "बंदरगाह में, क्या खाया जाता है?"),
        ("¿Qué se come?", "En las Terrazas", "es", "En las Terrazas, ¿qué se come?"),
        ("کیا کھایا جاتا ہے؟", "بندرگاہ میں", "ur", "بندرگاہ میں، کیا کھایا جاتا ہے؟"),
        ("Işık nedir?", "Ovada", "tr", "Ovada, ışık nedir?"),
    ],
)
def test_other_languages_have_the_phrase_in_front(question, phrase, language, wanted):
    assert anchored(question, phrase, language) == wanted
