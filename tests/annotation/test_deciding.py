"""From two first passes to a decision and gold."""

import pytest

from annotation.models import Assignment, Decision, GoldAnswer, Task
from annotation.services import deciding, judging, projects, queueing
from core.errors import CommonplaceError
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge

pytestmark = pytest.mark.django_db


def all_of(task):
    return agreement("Tea is drunk hot.", task.payload["answers"])


def test_there_is_a_task_for_every_question_and_region_with_two_answers(world):
    world.open()
    assert sorted(Task.objects.values_list("source_key", flat=True)) == sorted(
        [f"tea.{world.first}", f"tea.{world.second}", f"gift.{world.first}"]
    )
    assert world.task("tea", world.first).payload["needed"] == 4
    assert world.task("tea", world.second).payload["needed"] == 2
    assert Assignment.objects.filter(status="free").count() == 6


def test_two_who_say_the_same_decide_by_rule_and_make_gold(world, people):
    project = world.open()
    for user in people("ann", "ben"):
        judge(project, user, all_of)
    task = world.task("tea", world.first)
    assert task.status == Task.Status.DECIDED
    gold = GoldAnswer.objects.get()
    assert (gold.texts, gold.n, gold.threshold, gold.stale) == (["Tea is drunk hot."], 5, 4, False)
    assert gold.decision.by == Decision.By.RULE
    assert [each.answer_id for each in gold.support.all()] == task.payload["answers"]


def test_two_who_differ_wait_for_a_third_and_the_first_passes_stay(world, people):
    ann, ben, cem = people("ann", "ben", "cem")
    project = world.open()
    judge(project, ann, all_of)
    judge(project, ben, NO_AGREEMENT)
    task = world.task("tea", world.first)
    assert task.status == Task.Status.DISPUTED
    assert not GoldAnswer.objects.exists()
    with pytest.raises(CommonplaceError) as refused:
        deciding.decide(task, NO_AGREEMENT, "I know better", ann, task.inputs)
    assert refused.value.code == "decision.own"
    deciding.decide(task, NO_AGREEMENT, "two of them mean iced tea", cem, task.inputs)
    assert GoldAnswer.objects.get().texts == []
    values = [a.judgements.get().value for a in task.assignments.order_by("slot")]
    assert values == [all_of(task), NO_AGREEMENT]


def test_a_changed_answer_makes_gold_stale_until_a_person_decides(world, people):
    ann, ben, cem = people("ann", "ben", "cem")
    project = world.open()
    for user in (ann, ben):
        judge(project, user, all_of)
    world.come(world.first, tea="It is drunk cold.")
    projects.refresh(project)
    task = world.task("tea", world.first)
    assert (task.stale, GoldAnswer.objects.get().stale) == (True, True)
    assert GoldAnswer.objects.get().texts == ["Tea is drunk hot."]
    deciding.decide(task, NO_AGREEMENT, "not any more", cem, task.inputs)
    gold = GoldAnswer.objects.get()
    assert (gold.stale, gold.texts, gold.n) == (False, [], 6)
    assert Decision.objects.filter(current=True).count() == 1
    assert Decision.objects.count() == 2


def test_a_skip_opens_the_slot_for_somebody_else_and_is_no_answer(world, people):
    ann, ben, cem = people("ann", "ben", "cem")
    project = world.open()
    row = queueing.take(project, ann)
    queueing.skip(row, "I do not know the region")
    assert queueing.take(project, ann).task_id != row.task_id
    for user in (ben, cem):
        judge(project, user, all_of)
    assert world.task("tea", world.first).status == Task.Status.DECIDED
    assert Assignment.objects.filter(task=row.task, status="skipped").count() == 1


def test_sent_twice_it_is_sent_once_and_sent_differently_it_is_refused(world, people):
    (ann,) = people("ann")
    row = queueing.take(world.open(), ann)
    first = judging.submit(row, NO_AGREEMENT)
    assert judging.submit(row, NO_AGREEMENT).pk == first.pk
    with pytest.raises(CommonplaceError) as refused:
        judging.submit(row, all_of(row.task))
    assert refused.value.code == "assignment.lost"
