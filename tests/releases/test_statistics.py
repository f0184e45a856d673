"""Every published figure comes out of the published file."""

import pytest

from releases import statistics


@pytest.fixture(scope="module")
def described(indica_parsed):
    slugs = [region["slug"] for region in indica_parsed.regions]
    return statistics.describe_questions(indica_parsed.items, slugs)


def test_coverage_of_each_region_is_the_published_one(described, indica_golden):
    answered = {region: count["answered"] for region, count in described["coverage"].items()}
    assert answered == indica_golden["coverage"]
    assert {count["of"] for count in described["coverage"].values()} == {515}
    assert described["pairs"] == 1630
    assert round(100 * answered["West"] / 515, 1) == 68.7


def test_agreement_of_each_pair_is_the_published_one(described, indica_golden):
    ours = {frozenset((pair["a"], pair["b"])): pair for pair in described["pairwise"]}
    assert len(ours) == len(indica_golden["pairwise"]) == 10
    for name, golden in indica_golden["pairwise"].items():
        pair = ours[frozenset(name.split("_"))]
        assert (pair["agree"], pair["both"]) == (golden["agree"], golden["both_valid"])
        assert round(100 * pair["agree"] / pair["both"], 2) == golden["rate_pct"]


def test_universal_questions_have_both_denominators(described, indica_golden):
    assert described["universal"] == {
        "agree": indica_golden["universal_flag"],
        "all_valid": indica_golden["all_five_valid"],
    }
    assert described["all_pairs_agree"] == indica_golden["universal_if_all_pairs"] == 66


def test_each_domain_is_the_published_one(described, indica_golden):
    assert [row["domain"] for row in described["domains"]] == list(indica_golden["domain"])
    for row in described["domains"]:
        golden = indica_golden["domain"][row["domain"]]
        assert row["questions"] == golden["questions"]
        assert row["items"] == golden["rasa_pairs"]
        assert row["universal"] == golden["universal"]
        assert row["all_valid"] == golden["all_five_valid"]
        share = round(100 * row["universal"] / row["questions"], 2)
        assert share == golden["universal_pct_of_questions"]


def test_one_region_alone_has_no_pairs_and_nothing_universal_by_pairs():
    row = {
        "key": "a",
        "labels": {"domain": "Greeting"},
        "payload": {
            "gold": {"Hill": [{"text": {"en": "Bow."}}]},
            "relations": {"pairs": [], "all": False},
        },
    }
    described = statistics.describe_questions([row], ["Hill"])
    assert described["pairwise"] == []
    assert described["all_pairs_agree"] == 0
    assert described["universal"] == {"agree": 0, "all_valid": 1}
