"""What becomes of a task that was begun: drafts that lapse, skips, flags, sending, undoing."""

import pytest

from annotation.models import Assignment, Decision, GoldAnswer, Judgement, Task
from annotation.services import judging, queueing
from core.errors import CommonplaceError
from tests.annotation.conftest import NO_AGREEMENT, judge
from tests.annotation.queued import all_of, at_once, run_out

pytestmark = pytest.mark.django_db
Status = Assignment.Status


@pytest.mark.django_db(transaction=True)
def test_two_last_judgements_at_once_settle_a_task_once(world, people):
    project = world.open()
    ann, ben = people("ann", "ben")
    for _round in range(3):
        rows = [queueing.take(project, user) for user in (ann, ben)]
        assert rows[0].task_id == rows[1].task_id
        at_once(*(lambda row=row: judging.submit(row, all_of(row.task)) for row in rows))
        task = Task.objects.get(pk=rows[0].task_id)
        assert task.status == Task.Status.DECIDED
        assert task.decisions.count() == 1
        assert task.decisions.get().by == Decision.By.RULE
    assert GoldAnswer.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_a_draft_that_goes_on_and_somebody_new_at_the_same_moment_share_no_slot(world, people):
    project = world.open(1)
    ann, ben = people("ann", "ben")
    Task.objects.exclude(source_key=f"tea.{world.first}").delete()
    for _round in range(8):
        row = queueing.take(project, ann)
        judging.save_draft(row, NO_AGREEMENT)
        run_out()
        assert queueing.lapse() == 1
        first, second = at_once(
            lambda: queueing.take(project, ann), lambda: queueing.take(project, ben)
        )
        assert (first is None) != (second is None)
        assert Assignment.objects.filter(slot__isnull=False).count() == 1
        Assignment.objects.all().delete()
        task = Task.objects.get()
        Assignment.objects.create(task=task, project=project, position=task.position, slot=1)


def test_a_lapsed_draft_stays_with_its_writer_while_somebody_else_judges(world, people):
    project = world.open(1)
    ann, ben = people("ann", "ben")
    row = queueing.take(project, ann)
    judging.save_draft(row, all_of(row.task), "not sure")
    run_out()
    assert queueing.lapse() == 1
    assert queueing.lapse() == 0
    assert queueing.take(project, ben).task_id == row.task_id
    assert queueing.take(project, ann).task_id != row.task_id
    kept = Assignment.objects.get(pk=row.pk)
    assert (kept.annotator, kept.draft, kept.note) == (ann, all_of(row.task), "not sure")
    assert kept.slot is None
    with pytest.raises(CommonplaceError) as refused:
        judging.submit(row, all_of(row.task))
    assert refused.value.code == "assignment.lost"


def test_a_lapsed_draft_goes_on_where_it_was_if_nobody_came_meanwhile(world, people):
    project = world.open()
    ann, ben = people("ann", "ben")
    judge(project, ben, all_of)
    row = queueing.take(project, ann)
    judging.save_draft(row, all_of(row.task))
    run_out()
    queueing.lapse()
    again = queueing.take(project, ann)
    assert (again.pk, again.draft) == (row.pk, all_of(row.task))
    assert Assignment.objects.filter(task=row.task, slot__isnull=False).count() == 2
    judging.submit(again, again.draft)
    assert Task.objects.get(pk=row.task_id).status == Task.Status.DECIDED


def test_a_page_left_open_while_its_draft_lapsed_still_saves_and_sends(world, people):
    project = world.open(1)
    (ann,) = people("ann")
    row = queueing.take(project, ann)
    judging.save_draft(row, NO_AGREEMENT)
    run_out()
    queueing.lapse()
    judging.save_draft(row, all_of(row.task))
    run_out()
    queueing.lapse()
    judging.submit(row, all_of(row.task))
    assert GoldAnswer.objects.get().texts == ["It is drunk hot."]


def test_a_skip_twice_is_one_skip_and_frees_the_slot_it_had_last(world, people):
    project = world.open(2)
    ann, ben = people("ann", "ben")
    row = queueing.take(project, ann)
    judging.save_draft(row, NO_AGREEMENT)
    run_out()
    queueing.lapse()
    queueing.take(project, ben)
    judging.save_draft(row, NO_AGREEMENT)
    queueing.skip(row, "I do not know it")
    queueing.skip(row, "I do not know it")
    slots = Assignment.objects.filter(task=row.task_id, slot__isnull=False)
    assert sorted(slots.values_list("slot", flat=True)) == [1, 2]
    skipped = Assignment.objects.get(task=row.task_id, status=Status.SKIPPED)
    assert (skipped.annotator, skipped.note) == (ann, "I do not know it")
    assert not Judgement.objects.exists()


def test_a_flag_needs_words_keeps_its_slot_and_unflagged_goes_to_somebody_else(world, people):
    project = world.open(1)
    ann, ben = people("ann", "ben")
    row = queueing.take(project, ann)
    with pytest.raises(CommonplaceError) as refused:
        queueing.flag(row, " ")
    assert refused.value.code == "flag.no_note"
    queueing.flag(row, "The question is cut off.")
    queueing.flag(row, "The question is cut off.")
    assert queueing.take(project, ben).task_id != row.task_id
    queueing.unflag(row)
    queueing.unflag(row)
    assert Assignment.objects.filter(task=row.task_id, slot=1, status=Status.FREE).count() == 1
    (cem,) = people("cem")
    assert queueing.take(project, cem).task_id == row.task_id
    flagged = Assignment.objects.get(pk=row.pk)
    assert (flagged.slot, flagged.note) == (None, "The question is cut off.")


def test_what_was_sent_can_be_taken_back_until_the_last_one_is_in(world, people):
    project = world.open()
    ann, ben = people("ann", "ben")
    first = judge(project, ann, all_of)
    judging.take_back(first)
    draft = Assignment.objects.get(pk=first.pk)
    assert (draft.status, draft.draft) == (Status.DRAFT, all_of(draft.task))
    assert not Judgement.objects.exists()
    assert queueing.take(project, ann).pk == first.pk
    judging.submit(draft, NO_AGREEMENT)
    judge(project, ben, NO_AGREEMENT)
    with pytest.raises(CommonplaceError) as refused:
        judging.take_back(draft)
    assert refused.value.code == "judgement.settled"
    assert Judgement.objects.count() == 2
