"""Writing a question through its page, without a script."""

import re

import pytest

from collection import services
from core.models import AuditEntry
from studies.models import Study
from tests.collection.question_pages import at, choice, shape, text_of, typed, written

pytestmark = pytest.mark.django_db
ODD = ("007", "a, b; “c”", '=HYPERLINK("http://x")', "+91", "-5", "@SUM(A1)", "'", " a ", "a\x0bb")


def test_a_question_is_written_in_every_language_and_previewed_under_the_prefix(as_alice, study):
    given = written("tea", "When is tea drunk?") | {
        "text-es": "¿Cuándo se toma té?",
        "topic": "table",
    }
    response = as_alice.post(at("question_new"), given)
    assert response["Location"] == at("question", "tea")
    page = text_of(as_alice.get(response["Location"]))
    assert "In your region, when is tea drunk?" in page
    assert "En su región, ¿cuándo se toma té?" in page
    assert "made small by the machine" in page
    assert "Write a question" in text_of(as_alice.get(at("questions")))
    row = study.questions.get(key="tea")
    assert (row.position, row.topic.code, row.status) == (1, "table", "accepted")
    assert study.questions.get(key="guests_arrive").position == 2


def test_a_name_at_the_beginning_keeps_its_letter_in_the_preview(as_alice, study):
    page = text_of(as_alice.get(at("question", "lantern_night")))
    assert "In your region, Lantern Night falls" in page


@pytest.mark.parametrize("words", ODD)
def test_odd_words_come_back_byte_for_byte(as_alice, study, words):
    given = choice("odd", f"{words}?", [words, "other"]) | {"help-en": words}
    assert as_alice.post(at("question_new"), given).status_code == 302
    stored = shape(study, "odd")
    assert stored["texts"]["en"] == f"{words}?"
    assert stored["help"]["en"] == words
    assert stored["options"][0]["texts"]["en"] == words
    assert as_alice.get(at("questions")).status_code == 200
    again = as_alice.post(at("question", "odd"), typed(as_alice.get(at("question", "odd"))))
    assert again.status_code == 302
    assert shape(study, "odd") == stored


def test_a_nul_is_refused_beside_its_field(as_alice, study):
    response = as_alice.post(at("question_new"), written("nul", "a\x00b"))
    assert response.status_code == 422
    assert 'href="#id_text-en"' in response.content.decode()
    assert not study.questions.filter(key="nul").exists()


@pytest.mark.parametrize("key", ["guests_arrive", "shoes", "wedding_colour", "attention_often"])
def test_saving_a_question_unchanged_writes_nothing(as_alice, study, key):
    before = AuditEntry.objects.count(), shape(study, key)
    response = as_alice.post(at("question", key), typed(as_alice.get(at("question", key))))
    assert response.status_code == 302
    assert (AuditEntry.objects.count(), shape(study, key)) == before


def test_options_get_ids_that_stay_when_another_is_dropped_or_renamed(as_alice, study):
    as_alice.post(at("question_new"), choice("when", "When?", ["At once", "Later", "हमेशा"]))
    ids = [option["id"] for option in shape(study, "when")["options"]]
    assert ids == ["at_once", "later", "option"]
    given = typed(as_alice.get(at("question", "when")))
    del given["option-0-en"]
    given |= {"option-1-en": "Much later", "option-3-en": "Never", "option-3-id": ""}
    as_alice.post(at("question", "when"), given)
    assert [(o["id"], o["texts"]["en"]) for o in shape(study, "when")["options"]] == [
        ("later", "Much later"),
        ("option", "हमेशा"),
        ("never", "Never"),
    ]


@pytest.mark.parametrize(
    ("change", "field", "sentence"),
    [
        ({"key": "Tea Time"}, "key", "cannot be a short name"),
        ({"text-en": "  "}, "text-en", "This field is required"),
        ({"help-es": "Por ejemplo"}, "help-en", "Write it in English (en) too"),
        ({"kind": "one"}, "kind", "A choice has 2 to"),
        ({"option-0-en": "A", "option-0-id": ""}, "kind", "has no options"),
        ({"least": "3"}, "least", "has no limits"),
        ({"kind": "number", "least": "3", "most": "2"}, "least", "cannot both hold"),
        ({"check_type": "instructed", "expected": "x"}, "expected", "cannot be compared"),
        ({"topic": "nothing"}, "topic", "not one of the available choices"),
    ],
)
def test_a_fault_stands_beside_its_field_and_keeps_what_was_typed(
    as_alice, study, change, field, sentence
):
    response = as_alice.post(at("question_new"), written("tea", "When is tea drunk?") | change)
    assert response.status_code == 422
    page = response.content.decode()
    assert sentence in text_of(response)
    assert f'href="#id_{field}"' in page
    assert 'role="alert"' in page
    assert study.questions.count() == 21


def test_the_same_question_twice_is_refused_and_the_other_is_named(as_alice, study):
    response = as_alice.post(
        at("question_new"), written("again", "what is EATEN on an ordinary  morning?")
    )
    assert response.status_code == 422
    assert "“breakfast” and “again” ask the same in en" in text_of(response)
    services.set_status(study, "breakfast", "retired", "test")
    given = written("again", "What is eaten on an ordinary morning?")
    assert as_alice.post(at("question_new"), given).status_code == 302


def test_a_short_name_is_taken_once(as_alice, study):
    response = as_alice.post(at("question_new"), written("soup", "Another?"))
    assert response.status_code == 422
    assert "Choose another short name" in text_of(response)


def test_an_attention_check_is_written_by_the_words_of_its_option(as_alice, study):
    labels = ["Never", "Sometimes", "Often"]
    check = {"check_type": "instructed", "expected": "often"}
    as_alice.post(at("question_new"), choice("look", "Choose often.", labels, **check))
    assert shape(study, "look")["check"] == {"type": "instructed", "expected": "often"}
    assert "middle of a scale" not in text_of(as_alice.get(at("question", "look")))
    given = typed(as_alice.get(at("question", "look"))) | {"expected": "Sometimes"}
    as_alice.post(at("question", "look"), given)
    assert "middle of a scale" in text_of(as_alice.get(at("question", "look")))
    assert "remember" in text_of(as_alice.get(at("question", "shoes_again")))


def test_a_new_check_goes_without_the_prefix_unless_its_author_says_so(as_alice, study):
    check = {"kind": "short", "check_type": "instructed", "expected": "blue"}
    as_alice.post(at("question_new"), written("blue", "Write blue.") | check)
    assert not shape(study, "blue")["prefixed"]
    said = check | {"prefixed": "yes"}
    as_alice.post(at("question_new"), written("blue_too", "Write blue here.") | said)
    assert shape(study, "blue_too")["prefixed"]
    as_alice.post(at("question_new"), written("tea", "When is tea drunk?"))
    assert shape(study, "tea")["prefixed"]
    as_alice.post(at("question_new"), written("bare", "Where is tea drunk?") | {"prefixed": "no"})
    assert not shape(study, "bare")["prefixed"]
    again = typed(as_alice.get(at("question", "bare")))
    as_alice.post(at("question", "bare"), again)
    assert not shape(study, "bare")["prefixed"]


def test_fields_carry_their_language_and_direction(as_alice, study):
    Study.objects.update(languages=["en", "ur"])
    page = as_alice.get(at("question_new")).content.decode()
    field = re.search(r'<textarea[^>]*name="text-ur"[^>]*>', page)[0]
    assert 'lang="ur"' in field
    assert 'dir="rtl"' in field


def folded(response):
    """The parts that are away until asked for: whether each is open."""
    return {part.legend: part.open for part in response.context["form"].parts() if part.folded}


def test_only_the_parts_a_question_uses_are_open(as_alice, study):
    assert not any(folded(as_alice.get(at("question_new"))).values())
    assert folded(as_alice.get(at("question", "shoes"))) == {
        "Help below it": False,
        "Options": True,
        "Limits": False,
        "Attention check": False,
    }
    given = written("tea", "When is tea drunk?") | {"least": "3"}
    wrong = as_alice.post(at("question_new"), given)
    assert folded(wrong)["Limits"]
    assert not folded(wrong)["Options"]


def test_there_is_one_spare_row_for_options_and_a_button_for_more(as_alice, study):
    count = len(shape(study, "shoes")["options"])
    form = as_alice.get(at("question", "shoes")).context["form"]
    assert len(form.rows) == count + 1
    given = typed(as_alice.get(at("question", "shoes"))) | {f"option-{count}-en": "In a bag"}
    given |= {f"option-{count}-id": "", "more": ""}
    page = as_alice.post(at("question", "shoes"), given, follow=True)
    assert len(shape(study, "shoes")["options"]) == count + 1
    assert len(page.context["form"].rows) == count + 2 + 4


def test_more_rows_keep_what_was_typed_where_it_cannot_be_saved_yet(as_alice, study):
    given = choice("when", "When?", ["At once"]) | {"text-es": "¿Cuándo?", "more": ""}
    response = as_alice.post(at("question_new"), given)
    assert response.status_code == 422
    page = response.content.decode()
    assert 'value="At once"' in page
    assert "¿Cuándo?" in page
    assert len(response.context["form"].rows) == 7
    assert not study.questions.filter(key="when").exists()
