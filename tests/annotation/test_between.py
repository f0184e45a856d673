"""Regions compared by what they agree on."""

import pytest

from annotation.models import GoldRelation, Task
from annotation.services import deciding, projects
from annotation.services.projects import open_project
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge

pytestmark = pytest.mark.django_db
AGREE, DIFFER = {"choice": "agree"}, {"choice": "differ"}


@pytest.fixture
def compared(world, people):
    """Gold on tea in both regions, decided by two; whoever else comes decides between regions."""
    world.study.regions.exclude(slug__in=[world.first, world.second]).delete()
    project = world.open()
    for user in people("ann", "ben"):
        for _task in range(3):
            judge(project, user, lambda task: agreement("It is drunk.", task.payload["answers"]))
    return world


def test_a_pair_is_compared_once_both_regions_agree_on_something(compared):
    pair = open_project(compared.study, "pair", "test")
    assert [task.source_key for task in pair.tasks.all()] == [
        f"tea.{compared.first}.{compared.second}"
    ]
    everywhere = open_project(compared.study, "universal", "test")
    assert [task.source_key for task in everywhere.tasks.all()] == ["tea"]


def test_two_who_say_the_same_of_a_pair_make_a_relation(compared, people):
    pair = open_project(compared.study, "pair", "test")
    for user in people("cem", "dee"):
        judge(pair, user, DIFFER)
    relation = GoldRelation.objects.get()
    assert (relation.level, relation.value, relation.stale) == ("pair", DIFFER, False)
    first, second = sorted(compared.study.regions.values_list("pk", flat=True))
    assert (relation.region_a_id, relation.region_b_id) == (first, second)


def test_all_regions_are_decided_on_as_universal_partial_or_none(compared, people):
    everywhere = open_project(compared.study, "universal", "test")
    value = {"choice": "universal", "regions": [compared.first, compared.second]}
    for user in people("cem", "dee"):
        judge(everywhere, user, value)
    assert GoldRelation.objects.get().value == value


def test_gold_that_changes_makes_its_relations_stale(compared, people):
    cem, dee, eva = people("cem", "dee", "eva")
    pair = open_project(compared.study, "pair", "test")
    for user in (cem, dee):
        judge(pair, user, AGREE)
    task = compared.task("tea", compared.second)
    compared.come(compared.second, tea="Without salt.")
    projects.refresh_study(compared.study.pk)
    assert GoldRelation.objects.get().stale  # its gold is
    task.refresh_from_db()
    deciding.decide(task, NO_AGREEMENT, "not any more", eva, task.inputs)
    between = pair.tasks.get()
    assert (between.stale, between.payload) == (True, {})
    assert GoldRelation.objects.get().stale
    deciding.decide(between, DIFFER, "nothing left to compare", eva, between.inputs)
    assert not GoldRelation.objects.exists()


def test_a_comparison_nobody_has_begun_follows_the_gold(compared, people):
    (eva,) = people("eva")
    pair = open_project(compared.study, "pair", "test")
    task = compared.task("tea", compared.second)
    compared.come(compared.second, tea="Without salt.")
    projects.refresh_study(compared.study.pk)
    task.refresh_from_db()
    deciding.decide(task, NO_AGREEMENT, "not any more", eva, task.inputs)
    assert not Task.objects.filter(project=pair).exists()
