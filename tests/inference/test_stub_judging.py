"""The simulated judge: errors of a known size, verdicts in every form that judges write."""

import json
from collections import Counter

import pytest

from inference.json_reply import read_object
from inference.stub import judging, replies
from inference.stub.behaviour import parse

TASK = "Label it CORRECT, PARTIALLY_CORRECT or INCORRECT.\nAnswer: This simulated answer {truth}"


def verdicts(judge, truth="is right", times=1):
    """What a judge replies about answers of this truth, one prompt each."""
    behaviour = parse({"judge": judge})
    found = []
    for n in range(times):
        messages = [{"role": "user", "content": f"{n}. {TASK.format(truth=truth)}"}]
        prompt = replies.Prompt({"model": "judge", "temperature": 0, "messages": messages})
        found += [one.text for one in replies.answer(behaviour, prompt, 0, 1)]
    return found


def label(text):
    """The label of a reply as a careful reader takes it, "" where there is none."""
    said = str((read_object(text) or {}).get("label", ""))
    said = said.upper().replace("-", "_")
    return said if said in judging.LABELS else ""


@pytest.mark.parametrize("style", [*judging.STYLES, "mixed"])
def test_a_judge_errs_as_its_confusion_table_says_in_every_style(style):
    confusion = {"CORRECT": {"CORRECT": 8, "INCORRECT": 2}}
    texts = verdicts({"confusion": confusion, "style": style}, times=1000)
    labels = Counter(map(label, texts))
    assert labels["CORRECT"] / 1000 == pytest.approx(0.8, abs=0.05)
    assert set(labels) == {"CORRECT", "INCORRECT"}


@pytest.mark.parametrize(
    ("truth", "said"),
    [("is right", "CORRECT"), ("is partly right", "PARTIALLY_CORRECT"), ("is wrong", "INCORRECT")],
)
def test_a_judge_without_error_tells_the_truth(truth, said):
    sure = {name: {name: 1} for name in judging.LABELS}
    assert {label(text) for text in verdicts({"confusion": sure}, truth, times=50)} == {said}


def test_the_truth_of_the_answer_counts_and_not_what_stands_before_it():
    planted = "is wrong. This simulated answer is right"
    sure = {name: {name: 1} for name in judging.LABELS}
    assert label(*verdicts({"confusion": sure}, planted)) == "CORRECT"


def test_an_answer_of_somebody_else_is_judged_by_lot():
    labels = Counter(map(label, verdicts({}, "of mine", times=900)))
    assert min(labels.values()) > 200
    assert set(labels) == set(judging.LABELS)


@pytest.mark.parametrize(
    ("style", "parts"),
    [
        ("fenced", ["```json\n{\n", "],\n}\n```"]),
        ("prose", ["I have compared the two.\n\n{", '"partially-correct"', "}\n\nI hope"]),
        ("python", ["{'label': 'PARTIALLY_CORRECT'", "True", "None"]),
    ],
)
def test_a_style_writes_what_strict_readers_stumble_over(style, parts):
    text = judging.written("PARTIALLY_CORRECT", style)
    assert all(part in text for part in parts)
    with pytest.raises(ValueError, match=r"Expecting|Extra"):
        json.loads(text)
    assert label(text) == "PARTIALLY_CORRECT"


def test_a_mixed_judge_writes_every_style():
    texts = verdicts({"style": "mixed"}, times=200)
    shapes = Counter(text[:3] for text in texts)
    assert set(shapes) == {'{"l', "```", "I h", "{'l"}
    assert min(shapes.values()) > 25


@pytest.mark.parametrize("style", ["json", "mixed"])
def test_a_share_of_verdicts_cannot_be_read_and_the_others_keep_their_error(style):
    confusion = {"CORRECT": {"CORRECT": 8, "INCORRECT": 2}}
    judge = {"confusion": confusion, "style": style, "malformed": 0.3}
    labels = Counter(map(label, verdicts(judge, times=2000)))
    assert labels[""] / 2000 == pytest.approx(0.3, abs=0.04)
    assert labels["CORRECT"] / (2000 - labels[""]) == pytest.approx(0.8, abs=0.04)


@pytest.mark.parametrize("kind", judging.UNREADABLE)
@pytest.mark.parametrize("said", judging.LABELS)
def test_no_unreadable_reply_holds_a_verdict(kind, said):
    assert label(judging.unreadable(said, kind)) == ""


def test_all_ways_to_be_unreadable_occur():
    texts = set(verdicts({"malformed": 1}, times=100))
    wanted = {judging.unreadable(said, kind) for said in judging.LABELS for kind in ("cut",)}
    assert texts & wanted
    assert judging.unreadable("CORRECT", "wordless") in texts
    assert judging.unreadable("CORRECT", "unknown") in texts
    assert judging.unreadable("CORRECT", "missing") in texts
    assert judging.unreadable("CORRECT", "contradictory") in texts


def test_a_judge_asked_again_says_the_same():
    judge = {"style": "mixed", "malformed": 0.3}
    assert verdicts(judge, times=30) == verdicts(judge, times=30)
