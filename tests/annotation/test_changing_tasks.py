"""Tasks whose answers change while people have them in hand."""

import pytest

from annotation.models import Assignment, GoldAnswer, Judgement, Task
from annotation.services import deciding, judging, projects, queueing
from collection.models import Answer
from core.errors import CommonplaceError
from tests.annotation.conftest import NO_AGREEMENT, judge
from tests.annotation.queued import all_of

pytestmark = pytest.mark.django_db
Status = Assignment.Status


def test_a_task_decided_while_a_slot_was_free_is_served_to_nobody_and_stays_decided(world, people):
    project = world.open()
    ann, ben, cem, dan = people("ann", "ben", "cem", "dan")
    sent = judge(project, ann, all_of)
    opened = queueing.take(project, ben)
    world.come(world.first, tea="It is drunk cold.")
    projects.refresh(project)
    task = Task.objects.get(pk=sent.task_id)
    deciding.decide(task, NO_AGREEMENT, "they say different things", dan, task.inputs)
    assert queueing.take(project, ben).task_id != task.pk
    assert queueing.take(project, cem).task_id != task.pk
    judging.submit(opened, all_of(task))  # a page that was open all the time
    assert task.decisions.get(current=True).decided_by == dan
    assert GoldAnswer.objects.get(question=task.question, region=task.region).texts == []


def test_a_judgement_of_answers_that_have_changed_since_is_refused_and_kept_as_it_was(
    world, people
):
    project = world.open(1)
    (ann,) = people("ann")
    row = queueing.take(project, ann)
    judging.save_draft(row, all_of(row.task))
    seen = row.task.inputs
    world.come(world.first, tea="It is drunk cold.")
    projects.refresh(project)
    with pytest.raises(CommonplaceError) as refused:
        judging.submit(row, all_of(row.task), seen=seen)
    assert refused.value.code == "judgement.inputs_changed"
    kept = Assignment.objects.get(pk=row.pk)
    assert (kept.status, kept.draft) == (Status.DRAFT, all_of(row.task))
    judging.submit(row, NO_AGREEMENT, seen=Task.objects.get(pk=row.task_id).inputs)
    again = judging.submit(row, NO_AGREEMENT, seen=seen)  # the same click, come twice
    assert again == Judgement.objects.get()


def test_two_who_judged_different_answers_are_not_taken_to_agree(world, people):
    project = world.open()
    ann, ben = people("ann", "ben")
    judge(project, ann, NO_AGREEMENT)
    world.come(world.first, tea="It is drunk cold.")
    projects.refresh(project)
    judge(project, ben, NO_AGREEMENT)
    assert world.task("tea", world.first).status == Task.Status.DISPUTED
    assert not GoldAnswer.objects.exists()


def test_a_task_whose_answers_come_back_as_they_were_is_not_stale(world, people):
    project = world.open()
    ann, ben = people("ann", "ben")
    judge(project, ann, NO_AGREEMENT)
    row = world.come(world.first, tea="It is drunk cold.")
    projects.refresh(project)
    assert world.task("tea", world.first).stale
    type(row).objects.filter(pk=row.pk).update(included=False)
    projects.refresh(project)
    assert not world.task("tea", world.first).stale
    judge(project, ben, NO_AGREEMENT)
    assert world.task("tea", world.first).status == Task.Status.DECIDED


def test_a_task_with_no_answers_left_is_served_to_nobody_and_goes_once_nobody_holds_it(
    world, people
):
    project = world.open()
    ann, ben = people("ann", "ben")
    held = queueing.take(project, ann)
    Answer.objects.filter(question=held.task.question).update(removed=True)
    projects.refresh(project)
    assert queueing.take(project, ben).task_id != held.task_id
    assert Task.objects.filter(pk=held.task_id, inputs="").exists()
    queueing.release(held)
    projects.refresh(project)
    assert not Task.objects.filter(pk=held.task_id).exists()


def test_a_judged_task_with_no_answers_left_waits_for_a_person(world, people):
    project = world.open()
    ann, ben, cem = people("ann", "ben", "cem")
    sent = judge(project, ann, all_of)
    Answer.objects.filter(question=sent.task.question).update(removed=True)
    projects.refresh(project)
    task = Task.objects.get(pk=sent.task_id)
    assert (task.stale, task.inputs) == (True, "")
    assert queueing.take(project, ben).task_id != task.pk
    deciding.decide(task, NO_AGREEMENT, "nobody's answers are left", cem, "")
    assert Judgement.objects.count() == 1


def test_a_task_that_moved_is_served_where_it_stands_now(world, people):
    project = world.open(1)
    (ann,) = people("ann")
    world.questions["tea"].position = 99
    world.questions["tea"].save()
    world.come(world.first, tea="It is drunk cold.")
    projects.refresh(project)
    served = [judge(project, ann, NO_AGREEMENT).task.source_key for _task in range(3)]
    assert served == [f"gift.{world.first}", f"tea.{world.first}", f"tea.{world.second}"]
