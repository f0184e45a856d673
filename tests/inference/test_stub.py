"""The simulated model: known biases, known errors, the same replies every time."""

import json
from collections import Counter

import pytest

from core.errors import CommonplaceError
from inference.stub import replies
from inference.stub.behaviour import load, parse
from tests.inference.by_hand import body

REGIONS = {"North": 2.0, "South": 1.0, "East": 1.0}


def says(behaviour, text, times=1, **changes):
    prompt = replies.Prompt(body(text, **changes))
    return [replies.answer(behaviour, prompt, nth, 1)[0].text for nth in range(times)]


@pytest.fixture
def items(tmp_path):
    """600 items of three options, one per region; the behaviour file beside them."""
    lines = [
        {
            "key": f"q{n}",
            "payload": {
                "question": {"en": f"What is done on day {n}?"},
                "options": [
                    {"text": {"en": f"{region} does {n}"}, "regions": [region]}
                    for region in REGIONS
                ],
            },
        }
        for n in range(600)
    ]
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    return lines


def prompt(item, order):
    options = [item["payload"]["options"][place]["text"]["en"] for place in order]
    lettered = "\n".join(f"{letter}. {text}" for letter, text in zip("ABC", options, strict=True))
    return f"{item['payload']['question']['en']}\n\n{lettered}\n\nReply with a letter."


def chosen(behaviour, items, runs):
    """How often each region was chosen, the options turning with the run."""
    counts = Counter()
    for item in items:
        for run in range(runs):
            order = [(run + place) % 3 for place in range(3)]
            [letter] = says(behaviour, prompt(item, order), seed=run)
            counts[list(REGIONS)[order["ABC".index(letter)]]] += 1
    return counts


def behaviour_file(folder, **choice):
    file = folder / "behaviour.json"
    file.write_text(json.dumps({"choice": {"items": "items.jsonl", "weights": REGIONS} | choice}))
    return load(file)


@pytest.mark.parametrize("spread", [0, 1.0])
def test_choices_average_to_the_weights_with_and_without_tastes(spread, items, tmp_path):
    behaviour = behaviour_file(tmp_path, preferences={"spread": spread, "seed": 7})
    counts = chosen(behaviour, items, runs=5)
    shares = {region: counts[region] / counts.total() for region in REGIONS}
    # 3,000 choices; with tastes the 600 questions bound the precision: sd about 0.01
    assert shares == pytest.approx({"North": 0.5, "South": 0.25, "East": 0.25}, abs=0.035)


def test_tastes_differ_between_questions_and_average_exactly_to_the_bias(items, tmp_path):
    behaviour = behaviour_file(tmp_path, preferences={"spread": 1.0})
    shares = []
    for item in behaviour.choice.items.by_options.values():
        weights = replies.choice_weights(behaviour.choice, item[0])
        north = next(weight for text, weight in weights.items() if text.startswith("north"))
        shares.append(north / sum(weights.values()))
    assert sum(shares) / len(shares) == pytest.approx(0.5, abs=0.03)
    assert min(shares) < 0.2
    assert max(shares) > 0.8


def test_an_option_of_two_regions_weighs_their_mean(items, tmp_path):
    line = items[0]
    line["payload"]["options"][1]["regions"] = ["North", "East"]
    (tmp_path / "items.jsonl").write_text(json.dumps(line))
    behaviour = behaviour_file(tmp_path)
    [[item]] = behaviour.choice.items.by_options.values()
    assert sorted(replies.choice_weights(behaviour.choice, item).values()) == [1.0, 1.5, 2.0]


def test_without_items_every_letter_is_as_likely():
    text = "Which?\n\nA) one\nB) two\nC) three\n(D) four"
    counts = Counter(says(parse({}), text, times=2000))
    assert set(counts) == set("ABCD")
    assert min(counts.values()) > 420


@pytest.mark.parametrize(
    ("style", "shape"),
    [("sentence", "The answer is B."), ("json", '{"answer": "B"}'), ("markdown", "**B**")],
)
def test_a_letter_comes_in_the_style_asked_for(style, shape):
    [text] = says(parse({"choice": {"style": style}}), "Which?\nA. one\nB. two", seed=1)
    assert text in {shape, shape.replace("B", "A")}


def test_short_answers_have_the_accuracy_and_the_number_of_texts_asked_for():
    behaviour = parse({"short": {"accuracy": 0.6, "partial": 0.2, "distinct": 5}})
    right = partly = 0
    for n in range(400):
        texts = says(behaviour, f"Why {n}?", times=10)
        right += sum("is right" in text for text in texts)
        partly += sum("is partly right" in text for text in texts)
        assert len(set(texts)) <= 5
    assert right / 4000 == pytest.approx(0.6, abs=0.04)
    assert partly / 4000 == pytest.approx(0.2, abs=0.04)


def test_a_prompt_has_exactly_the_number_of_texts_asked_for():
    behaviour = parse({"short": {"distinct": 5}})
    texts = says(behaviour, "Why?", times=200)
    assert len(set(texts)) == 5
    at_once = replies.answer(behaviour, replies.Prompt(body("Why?")), 0, 128)
    assert {one.text for one in at_once} == set(texts)


REGIONAL = {
    "accuracy": 0.5,
    "partial": 0.1,
    "regions": {"North": 0.9, "North Hills": 0.0, "South": 0.2},
}


@pytest.mark.parametrize(
    ("text", "accuracy"),
    [
        ("In the North, why {n}?", 0.9),
        ("In North Hills, why {n}?", 0.0),
        ("In the South (not the North), why {n}?", 0.2),
        ("In Northumberland, why {n}?", 0.5),
        ("In the north of it, why {n}?", 0.5),
        ("Why {n}?", 0.5),
    ],
)
def test_the_region_named_in_the_question_has_its_own_accuracy(text, accuracy):
    behaviour = parse({"short": REGIONAL})
    right = partly = 0
    for n in range(500):
        texts = says(behaviour, text.format(n=n), times=4)
        right += sum("is right" in text for text in texts)
        partly += sum("is partly right" in text for text in texts)
    assert right / 2000 == pytest.approx(accuracy, abs=0.06)
    assert partly / 2000 == pytest.approx(0.1, abs=0.05)


def test_a_region_of_the_question_counts_before_one_of_the_instructions():
    behaviour = parse({"short": {"accuracy": 0, "regions": {"North": 1, "South": 0}}})
    asked = body("")
    asked["messages"] = [
        {"role": "system", "content": "You know South and East."},
        {"role": "user", "content": "What is eaten in the North?"},
    ]
    [said] = replies.answer(behaviour, replies.Prompt(asked), 0, 1)
    assert "is right" in said.text
    asked["messages"][1]["content"] = "What is eaten there?"
    [said] = replies.answer(behaviour, replies.Prompt(asked), 0, 1)
    assert "is wrong" in said.text


def test_replies_depend_on_the_seeds_the_prompt_and_the_repeat_and_on_nothing_else():
    behaviour = parse({"short": {"distinct": 1000}})
    assert says(behaviour, "Why?", 5) == says(behaviour, "Why?", 5)
    assert len(set(says(behaviour, "Why?", 5))) == 5
    assert len(set(says(behaviour, "Why?", 5, seed=4))) == 1
    assert len(set(says(behaviour, "Why?", 5, temperature=0))) == 1
    assert says(behaviour, "Why?", 5) != says(behaviour, "Who?", 5)
    assert says(behaviour, "Why?", 5) != says(parse({"seed": 1}), "Why?", 5)


def test_trying_again_can_succeed_and_shares_are_kept():
    behaviour = parse({"shares": {"cut": 0.2, "hang": 0.1}})
    found = Counter(replies.fault(behaviour, f"p{n}", 0) for n in range(3000))
    assert found["cut"] / 3000 == pytest.approx(0.2, abs=0.03)
    assert found["hang"] / 3000 == pytest.approx(0.1, abs=0.02)
    assert {replies.fault(behaviour, "p", attempt) for attempt in range(50)} >= {"", "cut"}


@pytest.mark.parametrize(
    ("document", "key"),
    [
        ([], ""),
        ({"weights": {}}, "weights"),
        ({"choice": {"style": "loud"}}, "style"),
        ({"choice": {"weights": {"North": -1}}}, "weights"),
        ({"shares": {"lost": 0.1}}, "lost"),
        ({"shares": {"cut": 0.6, "hang": 0.6}}, "shares"),
        ({"shares": {"cut": 1.5}}, "shares"),
        ({"n": "cap:0"}, "n"),
        ({"n": "cap"}, "n"),
        ({"n": "refuse:0"}, "n"),
        ({"n": "refuse:many"}, "n"),
        ({"n": 3}, "n"),
        ({"short": {"accuracy": 0.9, "partial": 0.2}}, "short"),
        ({"short": {"partial": 0.2, "regions": {"North": 0.9}}}, "short"),
        ({"short": {"regions": {"North": 2}}}, "regions"),
        ({"short": {"regions": ["North"]}}, "regions"),
        ({"short": {"regions": {"": 0.1}}}, "short"),
        ({"short": {"exact": 1}}, "exact"),
        ({"judge": {"style": "letter"}}, "style"),
        ({"judge": {"malformed": 1.1}}, "malformed"),
        ({"judge": {"confusion": {"RIGHT": {}}}}, "RIGHT"),
    ],
    ids=str,
)
def test_a_wrong_behaviour_is_refused_by_name(document, key):
    with pytest.raises(CommonplaceError) as caught:
        parse(document)
    assert caught.value.code == "stub.behaviour_invalid"
    assert caught.value.data["key"] == key
