"""Where a gold set contradicts itself, found twice by two ways of looking."""

from collections import Counter

import pytest

from releases import building, consistency, importers


def found_in(parsed):
    slugs = [region["slug"] for region in parsed.regions]
    phrases = building.openings(parsed.regions, parsed.language)
    return consistency.findings(parsed.items, slugs, phrases)


@pytest.fixture
def found(question, as_bytes):
    """Findings of one question among sound ones, without the key."""

    def find(*arguments, **fields):
        answers = {"Hill": "bow.", "Coast": "wave.", "Plain": "nod."}
        sound = [question(f"sound{number}", answers) for number in range(3)]
        rows = [*sound, question("a", *arguments, **fields)]
        findings = found_in(importers.parse("indica", as_bytes(*rows)))
        assert {finding["item"] for finding in findings} <= {"a"}
        return [(finding["code"], finding["detail"]) for finding in findings]

    return find


ALL = [("Hill", "Coast"), ("Hill", "Plain"), ("Coast", "Plain")]
SAME = dict.fromkeys(("Hill", "Coast", "Plain"), "bow.")
DIFFERENT = {"Hill": "bow.", "Coast": "wave.", "Plain": "nod."}


def test_a_sound_question_has_no_finding(found):
    assert found(SAME, ALL, universal=True) == []
    assert found(DIFFERENT) == []


def test_all_pairs_agree_but_it_is_not_universal(found):
    assert found(SAME, ALL) == [("all_pairs_not_universal", {})]


def test_universal_although_a_pair_disagrees(found):
    codes = found(DIFFERENT, universal=True)
    assert codes == [("universal_not_all_pairs", {"a": "Hill", "b": "Coast"})]


def test_equal_texts_that_are_said_to_differ(found):
    answers = DIFFERENT | {"Coast": " BOW!"}
    assert found(answers) == [("same_text_disagree", {"a": "Hill", "b": "Coast"})]


def test_different_texts_that_are_said_to_agree_are_a_note(found):
    assert found(DIFFERENT, ALL[:1]) == [("different_text_agree", {"a": "Hill", "b": "Coast"})]
    assert "different_text_agree" in consistency.NOTES


def test_agreement_by_way_of_a_third_only(found):
    codes = dict(found(DIFFERENT, [("Hill", "Coast"), ("Coast", "Plain")]))
    assert codes["not_transitive"] == {"a": "Hill", "b": "Coast", "c": "Plain"}


def test_agreement_with_a_region_that_has_no_answer(found):
    codes = found(DIFFERENT | {"Coast": None}, ALL[:1])
    assert codes == [("pair_true_where_na", {"a": "Hill", "b": "Coast"})]


def test_a_flag_that_names_no_region(found, question):
    flags = question("a", DIFFERENT)["pairwise_agreements"]
    flags["Hill_Island"] = flags.pop("Hill_Coast")
    assert found(DIFFERENT, pairwise_agreements=flags) == [
        ("unknown_region", {"a": "Hill", "b": "Island", "unknown": ["Island"]})
    ]


def test_every_code_has_a_sentence_for_people(indica_parsed):
    for finding in found_in(indica_parsed):
        assert consistency.SENTENCES[finding["code"]].endswith(".")


def test_findings_of_the_published_file_are_those_of_a_second_look(indica_parsed, indica_raw):
    """The second look reads the file itself, with sets of regions instead of flags."""
    regions = ["North", "South", "East", "West", "Central"]
    second = set()
    for raw in indica_raw:
        key = raw["question_id"]
        answers = {}
        for region in regions:
            (text,) = raw[region]["answer"]
            if text != "N/A":
                body = text.split(" India, ", 1)[1]
                answers[region] = " ".join(body.lower().split()).rstrip(".!?")
        edges = {
            frozenset(name.split("_"))
            for name, flag in raw["pairwise_agreements"].items()
            if flag["agreement"]
        }
        if len(edges) == 10 and not raw["universal_agreement"]:
            second.add((key, "all_pairs_not_universal", frozenset()))
        if raw["universal_agreement"] and len(edges) != 10:
            second.add((key, "universal_not_all_pairs", frozenset()))
        for edge in edges:
            a, b = edge
            if not edge <= answers.keys():
                second.add((key, "pair_true_where_na", edge))
            elif answers[a] != answers[b]:
                second.add((key, "different_text_agree", edge))
        for a in answers:
            for b in answers:
                pair = frozenset((a, b))
                if a < b and answers[a] == answers[b] and pair not in edges:
                    second.add((key, "same_text_disagree", pair))
                for c in answers.keys() - pair:
                    if a < b and pair not in edges and {a, c} in edges and {b, c} in edges:
                        second.add((key, "not_transitive", frozenset((a, b, c))))
    first = [
        (f["item"], f["code"], frozenset(f["detail"][k] for k in "abc" if k in f["detail"]))
        for f in found_in(indica_parsed)
    ]
    assert len(first) == len(set(first))
    assert set(first) == second
    assert Counter(code for _, code, _ in first) == {
        "different_text_agree": 73,
        "same_text_disagree": 20,
        "all_pairs_not_universal": 14,
        "not_transitive": 12,
    }
