"""Questions become forms, with attention checks on top of them; what speaks against a check."""

import pytest

from collection import checks, likeness, planning
from collection.kinds import AnswerKind
from core.errors import CommonplaceError
from core.text import fold

SCALE = [{"id": name} for name in ("never", "seldom", "sometimes", "often", "always")]


def ask(key, check=None, kind="long", options=()):
    return {"key": key, "kind": kind, "options": list(options), "check": check}


def instructed(number):
    return ask(f"check{number}", {"type": "instructed", "expected": "yes"})


def questions(count):
    return [ask(f"q{number}") for number in range(count)]


def keys(forms):
    return [[each["key"] for each in form] for form in forms]


def substantive(form):
    return [each["key"] for each in form if each["check"] is None]


def test_611_questions_make_41_forms_of_at_most_15_in_their_order():
    forms = planning.split(questions(611), 15)
    assert len(forms) == 41
    assert [len(form) for form in forms] == [15] * 40 + [11]
    assert [key for form in keys(forms) for key in form] == [f"q{n}" for n in range(611)]


@pytest.mark.parametrize("count", [1, 14, 15, 16, 30, 31])
@pytest.mark.parametrize("per_form", [1, 7, 15])
@pytest.mark.parametrize("checked", [0, 1, 2, 5, 40])
def test_nothing_is_lost_doubled_or_reordered_and_checks_come_on_top(count, per_form, checked):
    every = questions(count) + [instructed(n) for n in range(checked)]
    forms = planning.split(every, per_form)
    flat = [each["key"] for form in forms for each in form]
    assert sorted(flat) == sorted(each["key"] for each in every)
    assert [key for form in forms for key in substantive(form)] == [f"q{n}" for n in range(count)]
    assert all(1 <= len(substantive(form)) <= per_form for form in forms)
    with_checks = [len(form) - len(substantive(form)) for form in forms]
    assert max(with_checks) - min(with_checks) <= 1
    assert all(form[0]["check"] is None for form in forms)


def test_a_repeated_check_stands_after_what_it_repeats_in_the_same_form():
    again = ask("again", {"type": "repeated", "of": "q20"}, "one", SCALE)
    every = questions(40)
    every[20] = ask("q20", None, "one", SCALE)
    forms = planning.split([again, *every, instructed(1), instructed(2)], 15)
    assert keys(forms)[1].index("again") > keys(forms)[1].index("q20")
    assert [len(form) - len(substantive(form)) for form in forms] == [1, 1, 1]


@pytest.mark.parametrize(
    ("of", "kind"), [("nothing", "one"), ("check1", "one"), ("q1", "one"), ("q0", "long")]
)
def test_a_check_repeats_a_question_that_is_asked_and_answered_alike(of, kind):
    again = ask("again", {"type": "repeated", "of": of}, kind, SCALE if kind == "one" else ())
    every = [ask("q0", None, "one", SCALE), ask("q1"), instructed(1), again]
    with pytest.raises(CommonplaceError) as refused:
        planning.split(every, 15)
    assert refused.value.code == "check.of"


def test_without_a_question_there_is_no_form():
    assert planning.split([instructed(1)], 15) == []


@pytest.mark.parametrize(
    ("check", "warned"),
    [
        ({"type": "repeated", "of": "q"}, ["remember"]),
        ({"type": "known", "expected": "often"}, ["supposed to know"]),
        ({"type": "instructed", "expected": "sometimes"}, ["middle"]),
        ({"type": "known", "expected": "sometimes"}, ["supposed to know", "middle"]),
        ({"type": "instructed", "expected": "often"}, []),
        (None, []),
    ],
)
def test_the_editor_warns_of_memory_knowledge_and_midpoints(check, warned):
    said = checks.advice(check, [option["id"] for option in SCALE])
    assert len(said) == len(warned)
    assert all(word in sentence for word, sentence in zip(warned, said, strict=True))


def test_an_even_scale_has_no_midpoint():
    assert checks.advice({"type": "instructed", "expected": "b"}, ["a", "b", "c", "d"]) == []


@pytest.mark.parametrize(
    ("kind", "given", "stored"),
    [
        ("one", ["often"], "often"),
        ("many", ["often", "never"], ["never", "often"]),
        ("number", ["012.50"], "12.5"),
        ("number", ["-0"], "0"),
        ("number", ["1200"], "1200"),
        ("year", ["1987"], 1987),
        ("short", ["Blue"], "Blue"),
    ],
)
def test_what_is_expected_is_stored_as_an_answer_is(kind, given, stored):
    ids = [option["id"] for option in SCALE]
    assert checks.expected(AnswerKind(kind), ids, given) == stored


@pytest.mark.parametrize(
    ("kind", "given", "code"),
    [
        ("one", ["maybe"], "check.expected"),
        ("one", ["often", "never"], "check.expected"),
        ("many", [], "check.expected"),
        ("number", ["NaN"], "check.expected"),
        ("number", ["1e999"], "check.expected"),
        ("year", ["soon"], "check.expected"),
        ("short", [" "], "check.expected"),
        ("long", ["x"], "check.kind"),
        ("artifacts", ["x"], "check.kind"),
    ],
)
def test_what_no_answer_could_be_is_refused_as_expected(kind, given, code):
    with pytest.raises(CommonplaceError) as refused:
        checks.expected(AnswerKind(kind), [option["id"] for option in SCALE], given)
    assert refused.value.code == code


def test_texts_that_share_most_of_their_words_are_alike():
    texts = {
        "a": "Where do guests leave their shoes?",
        "b": "Where do the guests leave their shoes?",
        "c": "Who begins to eat?",
        "d": "मेहमान जूते कहाँ उतारते हैं?",
    }
    found = likeness.pairs({key: fold(text) for key, text in texts.items()})
    assert [(one, other) for one, other, _ in found] == [("a", "b")]
    assert found[0][2] == pytest.approx(6 / 7)
