"""When an attention check was failed; what one may be is in test_questions."""

import pytest

from collection.checks import failed
from tests.collection.conftest import question


def check(kind, **rule):
    return question("q", kind, check=rule)


@pytest.mark.parametrize(
    ("kind", "expected", "given"),
    [
        ("one", "blue", "blue"),
        ("many", ["a", "c"], ["a", "c"]),
        ("number", "12.5", "12.5"),
        ("year", 1987, 1987),
        ("short", "Blue moon", "  blue  MOON"),
    ],
)
def test_what_was_expected_passes_in_every_kind(kind, expected, given):
    assert failed(check(kind, type="instructed", expected=expected), given) is None


@pytest.mark.parametrize(
    ("kind", "expected", "given"),
    [
        ("one", "blue", "red"),
        ("many", ["a", "c"], ["a"]),
        ("number", "12.5", "12"),
        ("year", 1987, 1986),
        ("short", "blue moon", "moon"),
        ("one", "blue", None),
    ],
)
def test_anything_else_is_evidence_of_what_was_expected_and_given(kind, expected, given):
    assert failed(check(kind, type="known", expected=expected), given) == {
        "type": "known",
        "expected": expected,
        "given": given,
    }


def test_a_repeated_question_is_to_be_answered_alike():
    again = check("one", type="repeated", of="first")
    assert failed(again, "rice", "rice") is None
    assert failed(again, "rice", "bread") == {
        "type": "repeated",
        "expected": "bread",
        "given": "rice",
    }


@pytest.mark.parametrize("before", [None, "", []])
def test_who_left_the_first_one_out_fails_nothing(before):
    assert failed(check("one", type="repeated", of="first"), "rice", before) is None
