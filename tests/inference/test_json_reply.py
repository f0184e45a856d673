"""Reading the object out of a reply."""

import pytest

from inference.json_reply import LONGEST_REPLY, MOST_BRACES, read_object, read_objects

WANTED = {"label": "right", "list": [1, 2]}


@pytest.mark.parametrize(
    "text",
    [
        '{"label": "right", "list": [1, 2]}',
        '```json\n{"label": "right", "list": [1, 2]}\n```',
        'Here it is: {"label": "right", "list": [1, 2]} I hope it helps {you}.',
        '{"label": "right", "list": [1, 2,],}',
        "{'label': 'right', 'list': [1, 2]}",
        'In the form {"a": 1} you asked for: {"label": "right", "list": [1, 2]}',
    ],
)
def test_the_object_is_found_in_whatever_surrounds_it(text):
    assert read_object(text) == WANTED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sorry, I cannot.",
        "[1, 2]",
        '{"label": {"inner": 1}, "list": [1',
        '{"a": {"inner": 1}, "b": {',
        "{" * 5000,
        "{'a': __import__('os')}",
        "{1: {2, 3}}",
    ],
)
def test_what_is_no_whole_object_is_none(text):
    assert read_object(text) is None


def test_python_words_are_read_as_what_they_mean():
    assert read_object("{'yes': True, 'no': None}") == {"yes": True, "no": None}


def test_all_objects_are_found_in_the_order_they_stand():
    text = 'First {\'a\': 1}, {so} to speak, then ```json\n{"b": {"c": 2},}\n``` and {}.'
    assert [found.value for found in read_objects(text)] == [{"a": 1}, {"b": {"c": 2}}, {}]


@pytest.mark.parametrize("text", ['{"a": 1, "b": 2, "a": 3}', "{'a': 1, 'b': 2, 'a': 3}"])
def test_a_name_given_twice_can_be_seen(text):
    (found,) = read_objects(text)
    assert found.value == {"a": 3, "b": 2}
    assert found.value.pairs == [("a", 1), ("b", 2), ("a", 3)]


def test_an_object_that_cannot_be_read_is_listed_without_its_value():
    text = 'One {"a": b} and {"c": "{\'d\': 1}'
    broken, cut = read_objects(text)
    assert (broken.text, broken.value) == ('{"a": b}', None)
    assert (cut.text, cut.value, cut.end) == ('{"c": "{\'d\': 1}', None, len(text))


def test_what_is_within_a_broken_object_is_part_of_it():
    assert [found.value for found in read_objects('{a: {"b": 1}}')] == [None]
    assert [found.value for found in read_objects('{"a": {"b": 1}')] == [None]
    assert [found.value for found in read_objects('{"a": 1, then {"b": 1}')] == [None, {"b": 1}]


def test_more_braces_than_anyone_reads_are_one_object_that_cannot_be_read():
    assert len(read_objects("{}" * 10_000)) == MOST_BRACES + 1
    assert read_objects("{}" * 10_000)[-1].value is None
    assert [found.value for found in read_objects("{}" + " " * LONGEST_REPLY)] == [None]
