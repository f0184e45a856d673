"""What makes two requests the same one (cases 41 and 47)."""

from dataclasses import replace

import pytest

from inference.requests import ChatRequest, estimate_tokens

ASKED = ChatRequest(
    base_url="http://one/v1",
    model="small",
    messages=(("system", "Be brief."), ("user", "Which?")),
    temperature=1.0,
    top_p=0.9,
    max_tokens=16,
    response_format={"type": "json_object", "strict": True},
    seed=5,
)


@pytest.mark.parametrize(
    "change",
    [
        {"base_url": "http://two/v1"},
        {"model": "large"},
        {"messages": (("user", "Which?"),)},
        {"messages": (("user", "Which?"), ("system", "Be brief."))},
        {"temperature": 0.0},
        {"temperature": None},
        {"top_p": 1.0},
        {"max_tokens": 17},
        {"response_format": None},
        {"response_format": {"type": "text"}},
        {"seed": 6},
        {"seed": None},
    ],
    ids=str,
)
def test_the_key_changes_with_everything_that_changes_the_reply(change):
    assert replace(ASKED, **change).key() != ASKED.key()


@pytest.mark.parametrize(
    "change",
    [
        {"response_format": {"strict": True, "type": "json_object"}},
        {"temperature": 1},
        {"base_url": "http://one/v1/"},
    ],
    ids=str,
)
def test_the_key_does_not_change_with_the_way_of_writing_the_same(change):
    assert replace(ASKED, **change).key() == ASKED.key()


def test_a_parameter_that_is_none_is_not_sent():
    body = replace(ASKED, seed=None, top_p=None).body()
    assert "seed" not in body
    assert "top_p" not in body
    assert body["temperature"] == 1.0


def test_tokens_are_estimated_by_script():
    assert estimate_tokens("") == 0
    assert estimate_tokens("eight ch") == 2
    assert estimate_tokens("দিবালী") == len("দিবালী")
