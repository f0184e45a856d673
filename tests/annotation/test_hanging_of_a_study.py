"""What the gold of a study hangs on, and the page that says so."""

import pytest
from django.urls import reverse

from annotation.hanging import Asked
from annotation.models import Task
from annotation.selectors import hanging as selectors
from annotation.services import deciding, projects
from releases.services import freeze_study
from tests.annotation import paged
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge
from tests.annotation.paged import signed_in, text_of, where

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
