"""What a model's document comes to, field by field (pure), and the rungs it is asked on."""

import pytest

from annotation.suggesting import Unreadable, arms, between, ladder, within
from annotation.suggesting.overrides import Compared, Overrides, of_arm

ANSWERS = within.Answers(
    {1: "We drink tea, hot.", 2: "hot tea", 3: "Cold milk"}, {1: 11, 2: 12, 3: 13}, 2
)
REGIONS = between.Compared(
    {"hills": ["Tea is hot."], "marsh": ["Tea is drunk hot."], "harbour": ["Tea is cold."]},
    {"hills": "The Hills", "marsh": "The Marsh", "harbour": "The Harbour"},
)
TWO = between.Compared(
    {"hills": ["Tea is hot."], "marsh": ["Tea is drunk hot."]},
    {"hills": "The Hills", "marsh": "The Marsh"},
)


def document(*concepts, found=True, met=True):
    return {
        "step_by_step_extraction": {},
        "semantic_grouping": {},
        "agreement_found": found,
        "threshold_met": met,
        "common_concepts": list(concepts),
        "summary": "So it is.",
    }


def concept(*proof, mentioned=(1, 2), name="Tea is hot"):
    return {
        "concept": name,
        "responses_mentioning": list(mentioned),
        "exact_quotes_proof": list(proof),
        "semantic_note": "",
    }


def test_each_quote_counts_for_the_answers_it_stands_in():
    said = within.read(document(concept("tea, hot", "hot tea")), ANSWERS)
    assert said.value == {
        "choice": "agreement",
        "concepts": [{"text": "Tea is hot", "answers": [11, 12]}],
    }
    assert said.checks == {"quotes": 2, "invented": 0}


@pytest.mark.parametrize("quote", ["Hot tea", "tea hot", "hot  tea", "cocoa"])
def test_a_quote_that_differs_by_a_letter_is_none(quote):
    said = within.read(document(concept("tea, hot", quote)), ANSWERS)
    assert said.value is None
    assert said.checks == {"quotes": 1, "invented": 1}
    assert quote not in str(said.told)


def test_a_quote_of_an_answer_that_is_not_mentioned_supports_nothing():
    said = within.read(document(concept("tea, hot", "milk")), ANSWERS)
    assert said.value is None


def test_quotes_said_by_answer_count_for_that_answer_alone():
    each = concept()
    each["exact_quotes_proof"] = {"response_1": "tea", "2": ["tea"], "3": "tea"}
    said = within.read(document(each), ANSWERS)
    assert said.value["concepts"][0]["answers"] == [11, 12]
    assert said.checks == {"quotes": 2, "invented": 1}


def test_below_the_number_needed_it_is_no_agreement():
    said = within.read(document(concept("Cold milk", mentioned=[3]), met=False), ANSWERS)
    assert said.value == {"choice": "none", "concepts": []}


@pytest.mark.parametrize("field", list(document()))
def test_every_field_has_to_be_there(field):
    given = document(concept("tea"))
    del given[field]
    with pytest.raises(Unreadable) as why:
        within.read(given, ANSWERS)
    assert why.value.code == ladder.INCOMPLETE


@pytest.mark.parametrize("flags", [(True, True), (True, False), (False, True)])
def test_agreement_claimed_without_a_concept_is_asked_again(flags):
    with pytest.raises(Unreadable) as why:
        within.read(document(found=flags[0], met=flags[1]), ANSWERS)
    assert why.value.code == ladder.NO_CONCEPT


def test_the_rungs_rise_and_there_are_five_retries():
    assert ladder.rungs(800) == [(limit, 0) for limit in (800, 1200, 1500, 2000, 2500, 3000)]
    assert ladder.rungs(2000) == [(2000, 0), (2500, 0), (3000, 0), (3000, 1), (3000, 2), (3000, 3)]


def pair(agreement=True, first="Tea is hot.", second="tea is drunk hot."):
    match = {"unified_concept_name": "Hot", "region1_concept": first, "region2_concept": second}
    return {
        "concept_comparisons": [],
        "inter_regional_agreement": agreement,
        "matched_concepts": [match] if agreement else [],
        "agreement_summary": "",
    }


def test_a_pair_agrees_on_concepts_the_two_regions_have():
    assert between.read_pair(pair(), TWO).value == {"choice": "agree"}
    assert between.read_pair(pair(agreement=False), TWO).value == {"choice": "differ"}
    invented = between.read_pair(pair(first="Coffee"), TWO)
    assert (invented.value, invented.checks) == (None, {"matches": 0, "invented": 1})


def universal(kind, *sharing, claimed=None):
    return {
        "universal_agreement": kind == "universal" if claimed is None else claimed,
        "agreement_type": kind,
        "regions_in_agreement": [],
        "matched_concepts": [{"unified_concept_name": "Hot", "regions_sharing": list(sharing)}]
        if sharing
        else [],
        "concept_matrix": {},
        "agreement_summary": "",
    }


def test_regions_that_share_are_known_by_name_or_short_name():
    said = between.read_universal(universal("partial", "the hills", "marsh"), REGIONS)
    assert said.value == {"choice": "partial", "regions": ["hills", "marsh"]}
    said = between.read_universal(universal("universal", "Nowhere", *REGIONS.names), REGIONS)
    assert said.value == {"choice": "universal", "regions": ["hills", "marsh", "harbour"]}
    assert said.checks == {"regions": 3, "invented": 1}
    assert between.read_universal(universal("none"), REGIONS).value["choice"] == "none"


def test_what_contradicts_itself_is_believed_in_nothing():
    assert between.read_universal(universal("universal", "hills", "marsh"), REGIONS).value is None
    assert between.read_universal(universal("partial", "hills", "nowhere"), REGIONS).value is None
    partial = universal("partial", "hills", "marsh", claimed=True)
    assert between.read_universal(partial, REGIONS).value is None


def test_by_spelling_a_comparison_says_only_what_is_spelt_alike():
    alike = between.Compared(
        {"a": ["Rakshabandhan"], "b": ["raksha bandhan"], "c": ["Pongal"]},
        {"a": "A", "b": "B", "c": "C"},
    )
    assert between.universal_by_rule(alike) == {"choice": "partial", "regions": ["a", "b"]}
    assert between.pair_by_rule(TWO) is None


def test_overrides_are_split_and_a_task_can_count_in_both():
    def sets(*pairs):
        return [Compared(frozenset(a), frozenset(b), a == b) for a, b in pairs]

    found = Overrides.of(sets(("", "x"), ("x", ""), ("x", "x"), ("ab", "bc"), ("", "")))
    assert found.n == 5
    assert found.overridden.value == 3 / 5
    assert (found.additions.value, found.removals.value) == (2 / 5, 2 / 5)
    assert found.overridden.low < 0.6 < found.overridden.high
    assert found.reworded.value == 0
    assert Overrides.of([]).overridden.reason == "empty"


def test_passes_of_one_task_are_one_cluster():
    assert of_arm([[True, False], [True]]).value == pytest.approx(2 / 3)
    assert of_arm([]).reason == "empty"


def test_the_lot_falls_the_same_way_for_ever_and_in_the_share_asked_for():
    drawn = [arms.is_hidden(1, f"task {n}", 1, 0.2) for n in range(2000)]
    assert drawn == [arms.is_hidden(1, f"task {n}", 1, 0.2) for n in range(2000)]
    assert 320 < sum(drawn) < 480
    assert not any(arms.is_hidden(1, f"task {n}", 1, 0) for n in range(200))
    assert all(arms.is_hidden(1, f"task {n}", 1, 1) for n in range(200))


def test_a_number_of_thousands_of_digits_is_no_answer():
    said = within.read(document(concept("tea, hot", mentioned=["1" * 4400, 1, True])), ANSWERS)
    assert said.value is None


def test_no_shape_of_a_document_is_more_than_unreadable():
    class Strange(dict):
        def get(self, *_):
            raise TypeError

    strange = document(concept("tea"))
    strange["semantic_grouping"] = Strange()
    suggester = type("One", (), {"read": staticmethod(lambda _, a: within.read(strange, a))})
    with pytest.raises(Unreadable):
        ladder.read(suggester, "{}", ANSWERS)


def test_a_single_letter_proves_nothing():
    said = within.read(document(concept("t", "h")), ANSWERS)
    assert (said.value, said.checks["invented"]) == (None, 2)


def test_the_same_concept_twice_is_one():
    one, other = concept("tea, hot", "hot tea"), concept("We drink", "hot", name="TEA is hot ")
    said = within.read(document(one, other), ANSWERS)
    assert [each["text"] for each in said.value["concepts"]] == ["Tea is hot"]


def test_what_a_model_tells_is_cut_to_what_people_would_read():
    given = document(concept("tea, hot", "hot tea"))
    given["summary"] = "so " * 9000
    assert len(within.read(given, ANSWERS).told["summary"]) == ladder.LONGEST_REMARK
