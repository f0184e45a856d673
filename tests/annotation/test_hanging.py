"""What gold hangs on: the rules against leaving everybody out for real, and the page."""

import math
import random

import pytest
from django.urls import reverse

from annotation import consensus, hanging, relations
from annotation.hanging import Answered, Asked, Case, Figure, Line, Why
from annotation.models import Task
from annotation.selectors import hanging as selectors
from annotation.services import deciding, projects
from core.stats import clustered_rate
from releases.services import freeze_study
from tests.annotation import paged
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge
from tests.annotation.paged import signed_in, text_of, where

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


# ---------- a study ----------


def of_tea(text="It is drunk hot."):
    return lambda task: agreement(text, task.payload["answers"][: task.payload["needed"]])


def both_say(project, users, value):
    for user in users:
        judge(project, user, value)


@pytest.fixture
def decided(world, people):
    """Tea of the first region by two, tea of the second by a third after a split, gifts by two
    who see no agreement."""
    project = world.open()
    ann, ben, cem = people("ann", "ben", "cem")
    both_say(project, (ann, ben), of_tea())
    judge(project, ann, of_tea())
    judge(project, ben, NO_AGREEMENT)
    both_say(project, (ann, ben), NO_AGREEMENT)
    split = Task.objects.get(status="disputed")
    assert split == world.task("tea", world.second)
    deciding.decide(split, of_tea()(split), "they do", cem, split.inputs)
    return world


@pytest.mark.django_db
def test_a_study_is_counted_by_region_and_in_all(decided):
    found = selectors.of_study(decided.study)
    assert (found.overall.decided, found.overall.gold.count, found.stale) == (3, 2, 0)
    assert found.overall.one_reviewer.count == 1
    assert found.overall.none_one_reviewer.count == 0
    first, second = found.regions[decided.first], found.regions[decided.second]
    assert (first.one_reviewer.count, second.one_reviewer.count) == (0, 1)
    assert (first.one_respondent.count, second.one_respondent.count) == (0, 1)  # 4 of 5, 2 of 3
    assert (first.one_more.count, second.one_more.count) == (1, 1)
    assert found.overall.firm.count == 0
    assert [each.as_dict() | {"gold": each.gold.count} for each in found.thresholds] == [
        {"answers": 3, "needed": 2, "asked": 2, "gold": 1},
        {"answers": 3, "needed": 2, "asked": 3, "gold": 0},
        {"answers": 5, "needed": 4, "asked": 2, "gold": None},
        {"answers": 5, "needed": 4, "asked": 3, "gold": None},
        {"answers": 5, "needed": 4, "asked": 4, "gold": 1},
        {"answers": 5, "needed": 4, "asked": 5, "gold": 0},
    ]
    assert isinstance(found.thresholds[0], Asked)


@pytest.mark.django_db
def test_first_passes_on_other_answers_stand_behind_no_decision(decided, people):
    decided.come(decided.first, tea="It is drunk hot, too.")
    projects.refresh_study(decided.study.pk)
    assert selectors.of_study(decided.study).stale == 1
    assert selectors.of_study(decided.study).overall.decided == 2
    (dee,) = people("dee")
    task = decided.task("tea", decided.first)
    deciding.decide(task, of_tea()(task), "still so", dee, task.inputs)
    found = selectors.of_study(decided.study)
    assert (found.overall.decided, found.stale) == (3, 0)
    assert found.regions[decided.first].one_reviewer.count == 1
    assert found.regions[decided.first].one_respondent.count == 1  # 4 of 6 are 3 of 5
    alone = {address: each.why for address, each in selectors.reviewers(found)}
    assert alone == {"cem@example.org": {"split": 1}, "dee@example.org": {"alone": 1}}


@pytest.mark.django_db
def test_an_annotation_by_one_person_each_hangs_on_them_altogether(world, people):
    project = world.open(overlap=1)
    (ann,) = people("ann")
    for value in (of_tea(), of_tea(), NO_AGREEMENT):
        judge(project, ann, value)
    found = selectors.of_study(world.study)
    assert (found.overall.one_reviewer.count, found.overall.none_one_reviewer.count) == (2, 1)
    assert (found.most.count, found.most.share.n, found.most.share.value) == (3, 3, 1)


@pytest.mark.django_db
def test_comparisons_of_regions_rest_on_their_gold(decided, people):
    decided.study.regions.exclude(slug__in=[decided.first, decided.second]).delete()
    pair = projects.open_project(decided.study, "pair", "test")
    both_say(pair, people("eva", "fay"), {"choice": "agree"})
    line = selectors.of_study(decided.study).between["pair"]
    assert (line.decided, line.one_reviewer.count, line.one_respondent.count) == (1, 0, 1)
    assert line.one_more.count == 1


@pytest.mark.django_db
def test_it_is_read_in_eight_queries(decided, people, django_assert_num_queries):
    with django_assert_num_queries(8):
        selectors.of_study(decided.study)


# ---------- its page ----------


@pytest.fixture
def lea(world, django_user_model):
    return signed_in(paged.leader(world, django_user_model))


@pytest.mark.django_db
def test_the_page_says_of_how_many_each_figure_is_and_whom_it_hangs_on(decided, lea):
    shown = text_of(lea.get(where("hanging")))
    assert "Hang on one reviewer 1 of 2: 50.0 %" in shown
    assert "Hang on none of these 0 of 2: 0.0 %" in shown
    assert "cem@example.org 1 of 3: 33.3 %" in shown
    assert "2 of 5 answers not recorded" in shown
    assert "4 of 5 answers as it is 1 of 2: 50.0 %" in shown
    assert "one reviewer (others differed) , one respondent, the threshold 2 of 3 2" in shown


@pytest.mark.django_db
@pytest.mark.parametrize(("on", "count"), [("", 2), ("respondent", 1), ("threshold", 2), ("x", 2)])
def test_gold_answers_that_hang_are_listed_by_cause_and_lead_to_their_trail(
    decided, lea, on, count
):
    page = lea.get(where("hanging"), {"on": on})
    listed = page.context["listed"]
    assert len(listed) == count
    assert listed[0].heading.task.region.slug == decided.second  # hangs on most
    trail = where("trace", "agreement", f"tea.{decided.second}")
    assert f'href="{trail}"' in page.content.decode()
    assert lea.get(trail).status_code == 200


@pytest.mark.django_db
def test_where_nothing_is_decided_it_says_so_and_leads_to_the_annotation(world, lea):
    shown = lea.get(where("hanging"))
    assert "Nothing is decided yet" in text_of(shown)
    assert f'href="{where("projects")}"' in shown.content.decode()


@pytest.mark.django_db
def test_who_annotates_and_may_not_decide_does_not_see_it(decided, people):
    (gus,) = people("gus")
    assert signed_in(gus).get(where("hanging")).status_code == 403


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["gold", "reliability"])
def test_gold_and_reliability_lead_to_it(decided, lea, name):
    assert f'href="{where("hanging")}"' in lea.get(where(name, "agreement")).content.decode()


@pytest.mark.django_db
def test_a_program_reads_what_a_release_would_state(decided, lea):
    told = lea.get(f"/api/v1/studies/{decided.study.slug}/gold/hangs-on/").json()
    assert told == selectors.of_study(decided.study).as_dict()


@pytest.mark.django_db
def test_a_release_states_it_rounded_and_the_page_before_freezing_leads_to_it(decided, lea):
    release, _ = freeze_study(decided.study, "everyday", actor="test", accepted="as it is")
    stated = release.about["study"]["hangs_on"]
    found = selectors.of_study(decided.study)
    assert stated.keys() == found.as_dict().keys()
    assert stated["within"]["all"]["one_reviewer"]["count"] == 1
    assert stated["thresholds"][-1]["gold"]["high"] == round(
        found.thresholds[-1].gold.share.high, 6
    )
    again, created = freeze_study(decided.study, "everyday", actor="test", accepted="as it is")
    assert (again, created) == (release, False)
    shown = lea.get(reverse("study_freeze", args=(decided.study.slug,)))
    assert f'href="{where("hanging")}"' in shown.content.decode()


@pytest.mark.django_db
def test_what_is_stated_names_nobody(decided):
    stated = selectors.of_study(decided.study).as_dict()
    assert stated["most_on_one_reviewer"]["count"] == stated["reviewers"] == 1
    assert "example.org" not in str(stated)
    assert stated["within"]["regions"][decided.second]["one_reviewer"]["of"] == 1
