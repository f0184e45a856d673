"""Reading the object out of a reply."""

import pytest

from inference.json_reply import read_object

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
