"""A row that does not have the shape of its kind never enters a release."""

import copy

import pytest

from core.errors import CommonplaceError
from releases import shapes

QUESTION = {
    "key": "q/1",
    "kind": "question",
    "labels": {"domain": "Food"},
    "payload": {
        "text": {"en": "What is eaten?"},
        "gold": {"Hill": [{"text": {"en": "Bread."}, "votes": 3}], "Coast": None},
        "relations": {"pairs": [{"a": "Hill", "b": "Island", "agree": False}], "all": False},
    },
}
CHOICE = {
    "key": "q1",
    "kind": "choice",
    "labels": {},
    "payload": {
        "question": {"en": "What is eaten?"},
        "options": [
            {"text": {"en": "Bread."}, "regions": ["Hill"]},
            {"text": {"en": "Fish."}, "regions": ["Coast"]},
        ],
        "source": "q1",
    },
}
REGIONS = ["Hill", "Coast"]


def changed(row, path, value):
    row = copy.deepcopy(row)
    *way, last = path
    place = row
    for step in way:
        place = place[step]
    place[last] = value
    return row


def test_sound_rows_pass():
    shapes.check(QUESTION, REGIONS)
    shapes.check(CHOICE, REGIONS)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["key"], ""),
        (["key"], "k" * 121),
        (["kind"], "riddle"),
        (["labels"], {"domain": 1}),
        (["payload"], []),
        (["payload", "text"], {}),
        (["payload", "text"], {"en": " "}),
        (["payload", "gold"], {"Hill": None}),
        (["payload", "gold", "Coast"], []),
        (["payload", "gold", "Coast"], ["Fish."]),
        (["payload", "relations"], None),
        (["payload", "relations", "all"], 1),
        (["payload", "relations", "pairs"], [{"a": "Hill", "b": "Coast"}]),
    ],
)
def test_a_faulty_question_is_named(path, value):
    with pytest.raises(CommonplaceError) as caught:
        shapes.check(changed(QUESTION, path, value), REGIONS)
    assert caught.value.code == "item.shape"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["payload", "question"], None),
        (["payload", "source"], None),
        (["payload", "options"], CHOICE["payload"]["options"][:1]),
        (["payload", "options"], CHOICE["payload"]["options"] * 14),
        (["payload", "options", 0, "text"], {"en": ""}),
        (["payload", "options", 0, "regions"], []),
        (["payload", "options", 0, "regions"], ["Island"]),
        (["payload", "options", 0, "regions"], ["Coast"]),
    ],
)
def test_a_faulty_choice_is_named(path, value):
    with pytest.raises(CommonplaceError) as caught:
        shapes.check(changed(CHOICE, path, value), REGIONS)
    assert caught.value.code == "item.shape"
    assert caught.value.data["item"] == "q1"


def test_a_version_of_the_future_is_refused():
    with pytest.raises(CommonplaceError):
        shapes.check(QUESTION, REGIONS, version=2)
