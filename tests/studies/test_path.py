"""The path of a study says where each step stands, and what of it waits for its reader."""

import pytest

from annotation.services import queueing
from annotation.services.projects import open_project
from releases.services import freeze_study
from studies import services, standing
from studies.models import Study
from studies.permissions import Role
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge, people, world
from tests.annotation.paged import leader, signed_in, text_of

pytestmark = pytest.mark.django_db
__all__ = ["people", "world"]

PAGE = "/studies/lantern_coast/"


def of_all(task):
    return agreement(f"{task.question.key} there", task.payload["answers"])


@pytest.fixture
def lea(world, django_user_model):
    return leader(world, django_user_model)


def step(user, name):
    path = signed_in(user).get(PAGE).context["path"]
    return next(each for each in path if each.name == name)


def stands(user, *names):
    return [(each.state, each.look) for each in (step(user, name) for name in names)]


def decide_all(world, people):
    """Everything judged alike by two."""
    project = world.open()
    for user in people("ann", "ben"):
        for _task in range(3):
            judge(project, user, of_all)


def test_before_it_is_open_the_later_steps_are_after_the_set_up(world, lea):
    Study.objects.update(status="set_up")
    later = ("agree", "freeze", "benchmark")
    assert stands(lea, *later) == [("after the set-up", "todo")] * 3


def test_a_study_without_an_accepted_answer_says_what_each_step_waits_for(world, lea):
    world.activity.participations.update(included=False)
    assert stands(lea, "agree", "freeze", "benchmark") == [
        ("once answers are accepted", "todo"),
        ("once something is decided", "todo"),
        ("once a release is frozen", "todo"),
    ]


def test_each_step_counts_what_is_done_and_leads_to_it(world, people, lea):
    assert stands(lea, "agree") == [("ready to open", "now")]
    project, (ann, _ben) = world.open(), people("ann", "ben")
    judge(project, ann, of_all)
    assert stands(lea, "agree", "freeze") == [
        ("0 of 3 tasks decided", "now"),
        ("once something is decided", "todo"),
    ]


def test_a_frozen_study_leads_to_its_release_and_counts_what_was_decided_since(world, people, lea):
    world.study.regions.exclude(slug__in=[world.first, world.second]).delete()
    decide_all(world, people)
    assert stands(lea, "agree", "freeze") == [
        ("3 of 3 tasks decided", "done"),
        ("2 questions with gold, none frozen", "now"),
    ]
    freeze_study(world.study, "everyday", actor="test", accepted="a first look")
    assert stands(lea, "freeze", "benchmark") == [
        ("2 questions frozen", "done"),
        ("the release everyday@1 is ready", "now"),
    ]
    assert step(lea, "freeze").links == [("everyday@1", "/releases/everyday/1/")]
    pair = open_project(world.study, "pair", "test")
    for user in people("cem", "dee"):
        judge(pair, user, {"choice": "agree"})
    assert stands(lea, "freeze") == [("2 questions frozen, 1 decision since", "now")]


def test_a_model_is_benchmarked_from_the_study_by_who_may(world, people, lea, alice):
    decide_all(world, people)
    freeze_study(world.study, "everyday", actor="test", accepted="a first look")
    assert step(lea, "benchmark").links == []
    ((title, address),) = step(alice, "benchmark").links
    assert title == "Benchmark a model with everyday@1"
    assert signed_in(alice).get(address).status_code == 200


def test_a_dispute_waits_for_who_may_decide_it_and_for_nobody_else(
    world, people, lea, django_user_model
):
    project, (ann, ben) = world.open(), people("ann", "ben")
    judge(project, ann, of_all)
    judge(project, ben, NO_AGREEMENT)
    viewer = django_user_model.objects.create_user("vic@example.org", "a password")
    services.invite(world.study, viewer.email, Role.VIEWER, "test")
    client = signed_in(lea)
    for page in (PAGE, "/studies/", "/"):
        assert "1 waits for a decision." in text_of(client.get(page))
    assert step(lea, "agree").look == "needs"
    for user in (ann, viewer):
        assert "for a decision" not in text_of(signed_in(user).get(PAGE))


def test_what_the_reader_holds_a_place_at_does_not_wait_for_their_decision(world, people, lea):
    project, (ann,) = world.open(), people("ann")
    queueing.flag(queueing.take(project, ann), "What is meant?")
    due = standing.due(lea, [world.study])[world.study.pk]
    assert [each.said for each in due] == ["1 waits for a decision"]
    queueing.take(project, lea)
    assert world.study.pk not in standing.due(lea, [world.study])
