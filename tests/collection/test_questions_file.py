"""The survey section of a study file: whole or not at all, refused by line, and twice is once."""

import json
import re
from pathlib import Path

import pytest

from collection import questions_file, selectors, services
from collection.checks import CheckType
from collection.kinds import AnswerKind
from collection.models import FormVersion, Question, QuestionText, SurveyPlan, Topic
from core.errors import CommonplaceError
from core.models import AuditEntry
from studies import study_file
from studies.models import Study
from studies.services import load_setup

ROWS = (Study, Topic, Question, QuestionText, SurveyPlan, AuditEntry)


def load(text):
    return load_setup(study_file.parse(text.encode()), "test")


def refusal(text):
    with pytest.raises(CommonplaceError) as refused:
        study_file.parse(text.encode())
    return refused.value


def rows():
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in ROWS}


def one_question(text, key):
    """The lines of a question in the sample."""
    return re.search(rf"    {key}:\n(?:      .*\n)+", text)[0]


def test_every_kind_of_answer_stands_in_the_sample(sample_text):
    survey = study_file.parse(sample_text.encode()).sections["survey"]
    assert {question.kind.value for question in survey.questions} == {
        *("short", "long", "one", "many", "number", "year", "date", "place", "artifacts")
    }
    found = {question.key: question for question in survey.questions if question.check}
    assert [question.check["type"] for question in found.values()] == ["instructed", "repeated"]
    assert not found["attention_often"].prefixed
    assert survey.plan.per_form == 8


def test_a_loaded_survey_is_accepted_in_order_and_owes_nothing(study):
    activity = study.activities.get()
    assert set(study.questions.values_list("status", flat=True)) == {"accepted"}
    assert list(study.questions.values_list("position", flat=True)) == list(range(1, 22))
    assert study.topics.get(code="visiting").parent.code == "people"
    assert selectors.missing(activity) == []
    assert selectors.state(activity) == "19 questions in 3 forms"


def test_loading_the_same_survey_twice_changes_nothing(study, sample_text):
    before = rows()
    assert load(sample_text).changes == []
    assert rows() == before


def test_a_changed_survey_says_what_changed_and_touches_nothing_else(study, sample_text):
    kept = dict(study.questions.values_list("key", "pk"))
    text = sample_text.replace("What is eaten on an ordinary morning?", "What is breakfast?")
    text = text.replace(one_question(sample_text, "soup"), "").replace("per_form: 8", "per_form: 9")
    changes = load(text).changes
    assert "question breakfast: texts" in changes
    assert "question soup: removed" in changes
    assert "survey everyday_life: per_form" in changes
    assert not study.questions.filter(key="soup").exists()
    now = dict(study.questions.values_list("key", "pk"))
    assert all(kept[key] == pk for key, pk in now.items())
    assert load(sample_text).changes
    assert load(sample_text).changes == []


def test_a_file_without_questions_leaves_them_alone(study, sample_text):
    before = rows()
    assert load(sample_text.split("\nsurvey:")[0] + "\n").changes == []
    assert rows() == before


def test_topics_can_be_moved_and_left_out(study, sample_text):
    text = sample_text.replace("Vecindad}, parent: people}", "Vecindad}, parent: table}")
    assert load(text).changes == ["topic neighbours: changed"]
    bare = re.sub(r"  topics:\n(    .*\n)+", "", sample_text)
    bare = re.sub(r"      topic: .*\n", "", bare)
    assert "topic people: removed" in load(bare).changes
    assert not study.topics.exists()
    assert study.questions.count() == 21


def test_once_it_collects_a_changed_survey_is_refused_and_an_unchanged_one_is_not(
    study, sample_text
):
    Study.objects.update(status=Study.Status.COLLECTING)
    assert load(sample_text).changes == []
    before = rows()
    for old, new in (
        ("upturned", "bent"),
        ("per_form: 8", "per_form: 9"),
        ("es: Vecindad", "es: V"),
    ):
        with pytest.raises(CommonplaceError) as refused:
            load(sample_text.replace(old, new))
        assert refused.value.code == "study.not_in_set_up"
    assert rows() == before


def test_what_is_published_is_not_rewritten_by_a_file(study, sample_text):
    services.publish(study.activities.get(), "test")
    with pytest.raises(CommonplaceError) as refused:
        load(sample_text.replace(one_question(sample_text, "soup"), ""))
    assert refused.value.code == "survey.published"
    assert FormVersion.objects.count() == 3
    assert study.questions.filter(key="soup").exists()


@pytest.mark.parametrize(
    ("old", "new", "code", "key"),
    [
        ("    soup:\n", "    spoon:\n", "key_twice", "survey.questions.spoon"),
        ("kind: short", "kind: shot", "value", "survey.questions.neighbour_greeting.kind"),
        ("topic: table", "topic: tables", "unknown_key", "survey.questions.breakfast.topic"),
        ("starts_with_name", "start_with_name", "unknown_key", None),
        ("expected: often", "expected: oft", "value", None),
        ("of: shoes}", "of: boots}", "value", "survey.questions.shoes_again.check"),
        ("of: shoes}", "of: breakfast}", "value", "survey.questions.shoes_again.check"),
        ("{least: 1, most: 6}", "{least: 7, most: 6}", "value", None),
        ("{least: 1, most: 6}", "{least: few}", "value", None),
        ("{least: 1, most: 6}", "{least: " + "0" * 20 + "1" * 5000 + "}", "value", None),
        ("per_form: 8", "per_form: 16", "value", "survey.per_form"),
        ("In your region, {question}", "In your region", "value", "survey.prefix"),
        ("parent: people\n", "parent: peoples\n", "value", "survey.topics"),
        ("    table:", "    Table Talk:", "value", "survey.topics.Table Talk"),
        ("{en: Black, es: Negro}", "{en: White, es: Negro}", "value", None),
        ("{en: Black, es: Negro}", "{es: Negro}", "value", None),
        ("      kind: place\n", "      kind: place\n      options: {a: {en: A}}\n", "value", None),
    ],
)
def test_a_fault_is_refused_by_line_and_key(sample_text, old, new, code, key):
    assert old in sample_text
    error = refusal(sample_text.replace(old, new, 1))
    assert error.code == f"study_file.{code}"
    assert error.data["key"].startswith("survey.")
    assert key in (None, error.data["key"])
    assert f"Line {error.data['line']}, " in error.message


def test_two_questions_of_the_same_words_are_refused_and_both_are_named(sample_text):
    old = "What is eaten on an ordinary morning?"
    new = "who keeps the  SECOND key to a house?"
    error = refusal(sample_text.replace(old, new))
    assert error.code == "study_file.value"
    assert "“neighbour_key” and “breakfast” ask the same in en" in error.message
    line = next(n for n, each in enumerate(sample_text.splitlines(), 1) if each == "    breakfast:")
    assert line <= error.data["line"] <= line + 1


@pytest.mark.parametrize(
    "words",
    ["a, b; c", "=1+1", "+91", "@SUM(A1)", "'", " outer blanks ", "tab\there", "007", "a\x0bb"],
)
def test_words_of_questions_and_options_are_stored_as_written(sample_text, alice, words):
    quoted = json.dumps(words)
    text = sample_text.replace("en: What is eaten on an ordinary morning?", f"en: {quoted}")
    text = text.replace("{en: Tools,", f"{{en: {quoted},")
    study = load(text).study
    assert QuestionText.objects.get(question__key="breakfast", language="en").text == words
    options = study.questions.get(key="neighbour_help").options
    assert options[1]["texts"]["en"] == words


def test_a_text_no_database_holds_is_refused_by_its_line(sample_text):
    text = sample_text.replace("en: What is eaten on an ordinary morning?", 'en: "a\\0b"')
    assert refusal(text).code == "study_file.value"


def test_the_document_lists_every_key_of_the_section():
    path = Path(__file__).resolve().parents[2] / "docs" / "study-file.md"
    keys = path.read_text().split("## Keys")[1].split("## ")[0]
    told = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", keys))))
    known = {
        *questions_file.SURVEY,
        *questions_file.TOPIC,
        *questions_file.QUESTION,
        *questions_file.LIMITS,
        *questions_file.CHECK,
        *(each.value for each in AnswerKind),
        *(each.value for each in CheckType),
    }
    assert known <= told


def test_611_questions_in_two_languages_fit_and_make_41_forms(sample_text, alice):
    words = "of the everyday things that people do with one another " * 6
    asked = "".join(
        f"    q{n}:\n      kind: long\n      texts:\n"
        + "".join(f"        {tag}: {tag} question {n} {words}\n" for tag in ("en", "es"))
        for n in range(611)
    )
    head = sample_text.split("\nsurvey:")[0]
    text = f"{head}\nsurvey:\n  questions:\n{asked}"
    loaded = load(text)
    assert loaded.changes[-1] == "questions: 611 added"
    assert selectors.state(loaded.study.activities.get()) == "611 questions in 41 forms"
    assert load(text).changes == []
