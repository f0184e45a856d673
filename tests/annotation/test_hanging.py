"""What gold hangs on: the rules against leaving everybody out for real."""

import math
import random

import pytest

from annotation import consensus, hanging, relations
from annotation.hanging import Answered, Case, Figure, Line, Why
from core.stats import clustered_rate
from tests.annotation.conftest import NO_AGREEMENT, agreement

CONCEPTS = ("hot", "salted", "sweet")
HOT, COLD = agreement("It is hot.", [1, 2, 3, 4]), agreement("It is cold.", [1, 2, 3, 4])


# ---------- decided over again, by other means ----------


def had_to(n, share):
    """As the protocol words it."""
    if share is not None and n > 5:
        return min(k for k in range(n + 1) if k / n >= share - 1e-12)
    return {0: 2, 1: 2, 2: 2, 3: 2, 4: 3}.get(n, 4)


def agreed(said, least):
    """Concepts that enough people name; `said` is person -> concepts."""
    named = {each: sum(each in some for some in said.values()) for each in CONCEPTS}
    return {each for each, count in named.items() if count >= least}


def random_region(rng):
    """What 2 to 12 people say, some of it alike."""
    share = rng.choice([None, None, 0.6, 0.8, 1.0])
    likely = {each: rng.random() for each in CONCEPTS}
    people = range(rng.randint(2, 12))
    said = {person: {each for each in CONCEPTS if rng.random() < likely[each]} for person in people}
    return said, share


def answered(said, share):
    least = had_to(len(said), share)
    support = [
        frozenset(person for person, some in said.items() if each in some)
        for each in sorted(agreed(said, least))
    ]
    return Answered(len(said), least, support)


REGIONS = [random_region(random.Random(seed)) for seed in range(1000)]


def within(task, answer, *, region="hills", question=None, passes=None, decider=None):
    value = HOT if answer.support else NO_AGREEMENT
    said = {1: value, 2: value} if passes is None else passes
    return Case(task, question or task, region, value, said, decider, [answer])


def examined(*cases, share=None):
    return hanging.examine(cases, consensus.same, consensus.category, share)


@pytest.mark.parametrize("seed", range(0, 1000, 100))
def test_a_text_falls_where_taking_somebody_out_and_deciding_again_loses_it(seed):
    for said, share in REGIONS[seed : seed + 100]:
        before = agreed(said, had_to(len(said), share))
        lost, emptied = set(), False
        for person in said:
            rest = {each: some for each, some in said.items() if each != person}
            after = agreed(rest, had_to(len(rest), share))
            lost |= before - after
            emptied = emptied or (bool(before) and not before & after)
        answer = answered(said, share)
        assert hanging.falling(answer, share) == len(lost)
        assert hanging.hangs_on_respondent(answer, share) == emptied


def test_the_random_regions_hold_both_what_hangs_and_what_does_not():
    answers = [(answered(*each), each[1]) for each in REGIONS]
    gold = [each for each in answers if each[0].support]
    hangs = [hanging.hangs_on_respondent(*each) for each in gold]
    partly = [hanging.falling(*each) > 0 and not h for each, h in zip(gold, hangs, strict=True)]
    assert min(hangs.count(True), hangs.count(False), partly.count(True)) > 20


@pytest.mark.parametrize(
    ("n", "support", "hangs"),
    [(2, 2, True), (3, 2, True), (3, 3, False), (4, 3, False), (5, 4, False), (6, 4, True)],
)
def test_of_five_no_four_hang_on_one_since_of_four_three_are_enough(n, support, hangs):
    answer = Answered(n, consensus.threshold(n), [frozenset(range(support))])
    assert hanging.hangs_on_respondent(answer) == hangs


def test_two_texts_that_hang_on_different_people_are_not_both_lost_with_one():
    answer = Answered(6, 4, [frozenset({1, 2, 3, 4}), frozenset({1, 2, 5, 6})])
    apart = Answered(8, 4, [frozenset({1, 2, 3, 4}), frozenset({5, 6, 7, 8})])
    assert (hanging.falling(answer), hanging.hangs_on_respondent(answer)) == (2, True)
    assert (hanging.falling(apart), hanging.hangs_on_respondent(apart)) == (2, False)


def test_gold_at_every_threshold_is_what_deciding_at_it_gives():
    cases = [within(n, answered(said, None)) for n, (said, _share) in enumerate(REGIONS)]
    found = examined(*cases)
    table = {(each.answers, each.asked): each for each in hanging.thresholds(found)}
    assert set(table) == {(n, t) for n in range(2, 13) for t in range(2, n + 1)}
    for (n, asked), each in table.items():
        some = [said for said, _share in REGIONS if len(said) == n]
        assert each.gold.share.n == len(some)
        if asked < had_to(n, None):
            assert (each.gold.count, each.gold.share.reason) == (None, "not_recorded")
        else:
            assert each.gold.count == sum(bool(agreed(said, asked)) for said in some)


def test_gold_lost_at_one_more_at_a_share_and_at_all_is_what_deciding_so_gives():
    line = Line.of(examined(*(within(n, answered(*each)) for n, each in enumerate(REGIONS))))
    lost = {"one_more": 0, "share_80": 0, "unanimity": 0}
    gold = more = 0
    for said, share in REGIONS:
        n, least = len(said), had_to(len(said), share)
        if not agreed(said, least):
            continue
        gold += 1
        more += least < n
        lost["one_more"] += least < n and not agreed(said, least + 1)
        lost["share_80"] += not agreed(said, max(least, math.ceil(n * 4 / 5)))
        lost["unanimity"] += not agreed(said, n)
    assert {name: getattr(line, name).count for name in lost} == lost
    assert (line.gold.count, line.unanimity.share.n, line.one_more.share.n) == (gold, gold, more)


def settled(passes, decider, word):
    """The process: who decides has the last word, else all say the same or nothing is settled."""
    if decider is not None:
        return word
    said = list(passes.values())
    return said[0] if said and all(each == said[0] for each in said) else None


def test_a_case_hangs_on_who_taken_out_leaves_it_unsettled_or_settled_otherwise():
    rng = random.Random(7)
    seen = set()
    for _case in range(500):
        passes = {who: rng.choice([HOT, COLD, NO_AGREEMENT]) for who in range(rng.randint(0, 4))}
        value, decider = settled(passes, None, None), None
        if value is None or rng.random() < 0.2:
            value, decider = rng.choice([HOT, COLD, NO_AGREEMENT]), 9
        hang = []
        for who in [*passes, *([9] if decider else [])]:
            rest = {each: said for each, said in passes.items() if each != who}
            if settled(rest, None if who == decider else decider, value) != value:
                hang.append(who)
        case = Case(1, 1, "hills", value, passes, decider, [Answered(5, 4)])
        found = hanging.reviewer(case, consensus.same)
        assert [found] == (hang or [None])
        seen.add((len(passes), decider is not None, found))
    assert {(1, False, 0), (2, False, None), (2, True, 9), (2, True, None)} <= seen


# ---------- what a hanging reviewer is ----------


def why(passes, decider, value=HOT):
    answer = Answered(5, 4, [frozenset({1, 2, 3, 4})] if value is not NO_AGREEMENT else [])
    (found,) = examined(Case(1, 1, "hills", value, passes, decider, [answer]))
    return found.reviewer, found.why, found.outcome


def test_it_is_said_why_a_case_hangs_on_somebody():
    assert why({1: HOT}, None) == (1, Why.ALONE, True)
    assert why({}, 9) == (9, Why.ALONE, True)
    assert why({1: HOT, 2: NO_AGREEMENT}, 9) == (9, Why.SPLIT, True)
    assert why({1: NO_AGREEMENT, 2: NO_AGREEMENT}, 9) == (9, Why.AGAINST, True)
    assert why({1: HOT, 2: HOT}, None) == (None, None, False)
    assert why({1: HOT, 2: HOT}, 9) == (None, None, False)


def test_two_who_worded_an_agreement_otherwise_leave_the_text_to_one_and_not_the_outcome():
    assert why({1: HOT, 2: COLD}, 9) == (9, Why.SPLIT, False)


def test_figures_are_of_what_they_say_and_clustered_by_question():
    cases = [
        within(1, Answered(5, 4, [frozenset({1, 2, 3, 4})]), question=1),
        within(2, Answered(5, 4, [frozenset({1, 2, 3, 4, 5})]), question=1, region="coast"),
        within(3, Answered(2, 2, [frozenset({1, 2})]), question=2, passes={1: HOT}),
        within(4, Answered(5, 4), question=2, region="coast", passes={}, decider=9),
    ]
    line = Line.of(examined(*cases))
    assert line.gold == Figure(3, clustered_rate([(2, 2), (1, 2)]))
    assert line.one_reviewer == Figure(1, clustered_rate([(0, 2), (1, 1)]))
    assert line.none_one_reviewer.as_dict() == {
        "count": 1,
        "of": 1,
        "value": 1.0,
        "low": None,
        "high": None,
        "reason": "one_cluster",
    }
    assert (line.one_respondent.count, line.one_respondent_texts.count) == (1, 1)
    assert (line.one_more.count, line.one_more.share.n) == (1, 2)  # of two, all had to already
    assert line.firm.count == 1
    assert line.none_one_respondent.as_dict() == {
        "count": None,
        "of": 1,
        "value": None,
        "reason": "not_recorded",
    }


def test_nothing_decided_is_a_reason_everywhere():
    line = Line.of([])
    assert line.gold.as_dict() == {"count": None, "of": 0, "value": None, "reason": "empty"}
    assert hanging.thresholds([]) == []
    assert hanging.most_on_one([]).count is None


def test_a_comparison_loses_its_ground_with_either_side():
    firm = Answered(5, 4, [frozenset({1, 2, 3, 4, 5})])
    frail = Answered(2, 2, [frozenset({6, 7})])
    edge = Answered(5, 4, [frozenset({1, 2, 3, 4})])
    agree = {"choice": "agree"}
    both = {1: agree, 2: agree}
    cases = [
        Case(n, n, "", agree, both, None, sides)
        for n, sides in enumerate([[firm, firm], [firm, frail], [edge, firm], [frail, frail]])
    ]
    found = hanging.examine(cases, relations.same, relations.category)
    assert [each.respondent for each in found] == [False, True, False, True]
    assert [each.one_more for each in found] == [False, False, True, None]
