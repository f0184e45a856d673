"""Multiple-choice items: the published rule, ours, and what a person should look at."""

import json
from collections import Counter

import pytest

from core.errors import CommonplaceError
from releases.choices import Choice, Option, Question, derive, expected, findings, strip_opening

ZONES = ("North", "South", "East", "West", "Central")
OPENINGS = {zone: f"In {zone} India" for zone in ZONES}
REGIONS = ("Hills", "Coast", "Plains", "Islands")


def question(gold, agreeing=(), regions=REGIONS):
    return Question("q1", "What is eaten?", regions, gold, dict.fromkeys(agreeing, True))


def options(choice):
    return [(option.text, option.regions) for option in choice.options]


@pytest.fixture(scope="module")
def published(datasets):
    source = json.loads((datasets / "indica" / "dataset.json").read_text(encoding="utf-8"))

    def read(row):
        answers = {zone: row[zone]["answer"][0] for zone in ZONES}
        gold = {zone: None if text == "N/A" else text for zone, text in answers.items()}
        pairs = {
            tuple(name.split("_")): flag["agreement"]
            for name, flag in row["pairwise_agreements"].items()
        }
        labels = {"domain": row["question_domain"]}
        return Question(row["question_id"], row["question_text"], ZONES, gold, pairs, labels)

    return [read(row) for row in source["questions"]]


def derived(questions, preset):
    return [choice for q in questions if (choice := derive(q, preset, OPENINGS))]


# ------------------------------------------------------------------ openings


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("In South India, rice is served.", "Rice is served."),
        ("in  south INDIA ,  rice is served.", "Rice is served."),
        ("  In South India rice is served. ", "Rice is served."),
        ("In South India, (masala) tea.", "(masala) tea."),
        ("In South Indiana, corn is served.", "In South Indiana, corn is served."),
        ("People in South India, mostly, eat rice.", "People in South India, mostly, eat rice."),
        ("rice, in South India, is served", "rice, in South India, is served"),
        ("In South India", "In South India"),
        ("In South India Rice is served.", "In South India Rice is served."),
        ("In South India, Rice is served.", "Rice is served."),
    ],
)
def test_an_opening_is_removed_and_what_follows_capitalised(text, stripped):
    assert strip_opening(text, "In South India") == stripped


def test_an_opening_in_another_script_is_removed():
    assert strip_opening("দক্ষিণে, ভাত খাওয়া হয়।", "দক্ষিণে") == "ভাত খাওয়া হয়।"


def test_without_a_phrase_the_text_stays():
    assert strip_opening("rice is served.", "") == "rice is served."


# ------------------------------------------------------------------ the published data


def test_the_published_rule_yields_the_published_items(published, datasets):
    stats = json.loads((datasets / "indica" / "golden_dataset_stats.json").read_text())["ra_mcq"]
    choices = derived(published, "as-published")
    assert [choice.key for choice in choices] == stats["ids"]
    sizes = Counter(str(len(choice.options)) for choice in choices)
    assert sizes == stats["by_options"] == {"3": 47, "4": 22, "5": 10}
    assert Counter(choice.labels["domain"] for choice in choices) == stats["by_domain"]
    assert expected(choices, 30) == pytest.approx(stats["expected_counts_30_runs"], abs=0.01)


def test_the_published_rule_yields_the_published_options(published, datasets):
    path = datasets / "indica" / "derived_mcq_questions_authors_code.json"
    authors = json.loads(path.read_text(encoding="utf-8"))["questions"]
    assert {choice.key: options(choice) for choice in derived(published, "as-published")} == {
        item["question_id"]: [
            (text, tuple(item["region_mapping"][letter]))
            for letter, text in item["options"].items()
        ]
        for item in authors
    }


def test_by_agreement_the_published_data_yields_76_items_whose_options_differ(published):
    choices = derived(published, "agreement")
    assert len(choices) == 76
    by_key = {q.key: q for q in published}
    found = Counter(f["code"] for c in choices for f in findings(by_key[c.key], c, ()))
    assert "options_agree" not in found


def test_the_published_rule_leaves_options_that_agree_and_says_so(published):
    by_key = {q.key: q for q in published}
    found = [f for c in derived(published, "as-published") for f in findings(by_key[c.key], c, ())]
    assert Counter(f["code"] for f in found) == {
        "options_agree": 25,
        "option_joins_disagreeing": 2,
    }


# ------------------------------------------------------------------ the rules


def test_regions_joined_over_a_third_share_an_option_in_region_order():
    gold = {"Hills": "Millet", "Coast": "Fish", "Plains": "Wheat", "Islands": "Barley"}
    q = question(
        {**gold, "Valley": "Rice"},
        agreeing=[("Islands", "Plains"), ("Hills", "Islands")],
        regions=(*REGIONS, "Valley"),
    )
    assert options(derive(q, "agreement", {})) == [
        ("Millet", ("Hills", "Plains", "Islands")),
        ("Fish", ("Coast",)),
        ("Rice", ("Valley",)),
    ]


def test_two_groups_are_too_few():
    gold = {"Hills": "Millet", "Coast": "Fish", "Plains": "Wheat"}
    assert derive(question(gold), "agreement", {}) is not None
    assert derive(question(gold, [("Coast", "Hills")]), "agreement", {}) is None
    assert derive(question({**gold, "Plains": None}), "agreement", {}) is None


def test_a_flag_on_an_unanswered_region_joins_nothing():
    gold = {"Hills": "Millet", "Coast": "Fish", "Plains": "Wheat", "Islands": None}
    q = question(gold, [("Hills", "Islands"), ("Islands", "Coast")])
    assert len(derive(q, "agreement", {}).options) == 3


def test_as_published_equal_texts_share_an_option_whatever_the_flags_say():
    gold = {"Hills": "Rice.", "Coast": "Fish", "Plains": " rice ", "Islands": "Wheat"}
    q = question(gold, [("Hills", "Coast")])
    assert options(derive(q, "as-published", {})) == [
        ("Rice.", ("Hills", "Plains")),
        ("Fish", ("Coast",)),
        ("Wheat", ("Islands",)),
    ]


def test_as_published_needs_seven_of_ten_pairs_to_disagree():
    regions = (*REGIONS, "Valley")
    gold = dict(zip(regions, "abcde", strict=True))
    agreeing = [("Hills", "Coast"), ("Hills", "Plains"), ("Coast", "Plains")]
    assert derive(question(gold, agreeing, regions), "as-published", {}) is not None
    agreeing.append(("Islands", "Valley"))
    assert derive(question(gold, agreeing, regions), "as-published", {}) is None


def test_an_unknown_preset_is_refused_with_the_known_ones():
    with pytest.raises(CommonplaceError) as refusal:
        derive(question({}), "published", {})
    assert refusal.value.code == "preset.unknown"
    assert refusal.value.data["known"] == ["agreement", "as-published"]


def test_an_option_shared_by_two_regions_credits_each_with_half():
    options = (Option("x", ("Hills",)), Option("y", ("Coast", "Plains")))
    assert expected([Choice("q1", "?", options)], 10, REGIONS) == {
        "Hills": 5.0,
        "Coast": 2.5,
        "Plains": 2.5,
        "Islands": 0.0,
    }


def test_pairs_on_the_wrong_side_of_an_option_are_findings():
    gold = {"Hills": "Rice", "Coast": "rice", "Plains": "Wheat", "Islands": "Fish"}
    q = question(gold, [("Islands", "Plains")])
    found = findings(q, derive(q, "as-published", {}), ())
    assert found == [
        {
            "code": "option_joins_disagreeing",
            "item": "q1",
            "detail": {"a": "Hills", "b": "Coast"},
        },
        {"code": "options_agree", "item": "q1", "detail": {"a": "Plains", "b": "Islands"}},
    ]


def test_a_chain_of_agreement_that_joins_disagreeing_regions_is_a_finding():
    gold = {"Hills": "Rice", "Coast": "Red rice", "Plains": "Black rice", "Islands": "Fish"}
    q = question(
        {**gold, "Valley": "Wheat"},
        [("Hills", "Coast"), ("Coast", "Plains")],
        (*REGIONS, "Valley"),
    )
    assert findings(q, derive(q, "agreement", {}), ()) == [
        {
            "code": "option_joins_disagreeing",
            "item": "q1",
            "detail": {"a": "Hills", "b": "Plains"},
        }
    ]


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("Rice of the Coast", "Coast", True),
        ("Rice of the COAST.", "Coast", True),
        ("Coast rice", "Coast", True),
        ("Rice from the coast", "Coast", False),
        ("Coastal rice", "Coast", False),
        ("Rice from the Coast", "coast", True),
        ("উপকূল ভাত", "উপকূল", True),
        ("Rice", "", False),
    ],
)
def test_a_name_is_found_as_a_whole_word_that_is_a_name_by_its_capital(text, name, found):
    q = question({"Hills": text, "Coast": "Fish", "Plains": "Wheat"})
    named = [f["detail"] for f in findings(q, derive(q, "agreement", {}), [name])]
    assert named == ([{"option": text, "name": name}] if found else [])


def test_in_the_published_data_only_the_boards_of_one_question_look_like_a_name(published):
    by_key = {q.key: q for q in published}
    found = [
        f["detail"]
        for choice in derived(published, "as-published")
        for f in findings(by_key[choice.key], choice, ZONES)
        if f["code"] == "option_names_region"
    ]
    assert len(found) == 3
    assert all("Central boards" in detail["option"] for detail in found)
