"""Who gets which task, and what becomes of what is left, given back or overtaken."""

import itertools
import threading
from collections import Counter

import pytest
from django.db import connection
from django.db.models import Count, Q

from annotation.models import Assignment, Decision, GoldAnswer, Judgement, Task
from annotation.selectors import ahead
from annotation.services import deciding, judging, projects, queueing
from collection.models import Answer, Question
from core import clock
from core.errors import CommonplaceError
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge

Status = Assignment.Status
TAKEN = Q(assignments__slot__isnull=False) & ~Q(assignments__status=Status.FREE)


def all_of(task):
    return agreement("It is drunk hot.", task.payload["answers"])


def run_out(**of):
    """Leases run out, as after half an hour."""
    Assignment.objects.filter(lease_until__isnull=False, **of).update(lease_until=clock.ago(1))


def at_once(*work):
    """Do all of it at the same moment, each in a thread; what each returned or the code of its
    refusal, in order."""
    said, gate = [None] * len(work), threading.Barrier(len(work))

    def do(place, act):
        try:
            gate.wait()
            said[place] = act()
        except CommonplaceError as error:
            said[place] = error.code
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=each) for each in enumerate(work)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return said


def many_tasks(project, count):
    """Tasks beyond those of the study's answers, with nothing particular to judge."""
    region = project.study.regions.first()
    asked = Question.objects.bulk_create(
        Question(study=project.study, key=f"more_{n}", kind="long", position=100 + n)
        for n in range(count)
    )
    tasks = Task.objects.bulk_create(
        Task(
            project=project,
            source_key=f"{question.key}.{region.slug}",
            position=question.position,
            question=question,
            region=region,
            inputs="x",
        )
        for question in asked
    )
    Assignment.objects.bulk_create(
        Assignment(task=task, project=project, position=task.position, slot=slot)
        for task in tasks
        for slot in range(1, project.overlap + 1)
    )


def most_taken():
    """The most places of any task that somebody holds or has sent."""
    counted = Task.objects.annotate(taken=Count("assignments", filter=TAKEN))
    return max(counted.values_list("taken", flat=True))


# --- Many at once ---------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("overlap", [1, 2])
def test_two_people_ask_200_times_at_once_and_no_task_is_held_more_often_than_it_may(
    world, people, overlap
):
    project = world.open(overlap)
    many_tasks(project, 250)
    users = people("ann", "ben")
    got = {user.pk: [] for user in users}

    def ask(user):
        for _turn in range(100):
            row = queueing.take(project, user)
            got[user.pk].append(row.task_id)
            judging.submit(row, NO_AGREEMENT)

    assert at_once(*(lambda user=user: ask(user) for user in users)) == [None, None]
    assert most_taken() <= overlap
    assert Judgement.objects.count() == 200
    for served in got.values():
        assert len(set(served)) == 100
    both = Counter(itertools.chain(*got.values()))
    assert max(both.values()) <= overlap


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("overlap", [1, 2])
def test_three_who_fetch_ahead_in_several_tabs_never_hold_more_places_than_there_are(
    world, people, overlap
):
    project = world.open(overlap)
    many_tasks(project, 5)
    users = people("ann", "ben", "cem")

    def fetch(user):
        for turn in range(12):
            row = queueing.take(project, user)
            if row is not None and turn % 3:
                judging.submit(row, NO_AGREEMENT)

    tabs = [lambda user=user: fetch(user) for user in users for _tab in range(2)]
    refused = set(at_once(*tabs))
    assert refused <= {None, "assignment.lost"}  # two tabs of one person share what they hold
    assert most_taken() <= overlap
    assert Assignment.objects.filter(slot__isnull=False).count() == 8 * overlap
    twice = Assignment.objects.filter(annotator__isnull=False).values("task", "annotator")
    assert max(row["n"] for row in twice.annotate(n=Count("pk"))) == 1


@pytest.mark.django_db(transaction=True)
def test_a_lease_that_ran_out_is_renewed_by_its_holder_or_taken_by_another_never_both(
    world, people
):
    project = world.open(1)
    ann, ben = people("ann", "ben")
    Task.objects.exclude(source_key=f"tea.{world.first}").delete()
    for _round in range(10):
        queueing.take(project, ann)
        run_out()
        taken = at_once(lambda: queueing.take(project, ann), lambda: queueing.take(project, ben))
        assert [row is None for row in taken].count(True) == 1
        holder = Assignment.objects.get()
        assert holder.annotator_id == next(row for row in taken if row).annotator_id
        queueing.release(holder)


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


# --- One after another ----------------------------------------------------------------------------

db = pytest.mark.django_db


@db
def test_who_has_judged_everything_gets_nothing_and_the_other_still_gets_all(world, people):
    project = world.open()
    ann, ben = people("ann", "ben")
    for _task in range(3):
        judge(project, ann, all_of)
    assert queueing.take(project, ann) is None
    places = Assignment.objects.filter(slot__isnull=False)
    assert places.filter(status=Status.SUBMITTED).count() / places.count() == 0.5
    for _task in range(3):
        judge(project, ben, all_of)
    assert queueing.take(project, ben) is None
    assert set(Task.objects.values_list("status", flat=True)) == {Task.Status.DECIDED}


@db
def test_whoever_asks_again_gets_the_task_they_have_begun(world, people):
    project = world.open()
    (ann,) = people("ann")
    first = queueing.take(project, ann)
    judging.save_draft(first, {"choice": "agreement", "concepts": []}, "half of it")
    again = queueing.take(project, ann)
    assert (again.pk, again.draft["choice"], again.note) == (first.pk, "agreement", "half of it")


@db
def test_a_lease_that_ran_out_goes_to_somebody_else_and_its_holder_is_told(world, people):
    project = world.open(1)
    ann, ben = people("ann", "ben")
    row = queueing.take(project, ann)
    run_out()
    assert queueing.take(project, ben).pk == row.pk
    for too_late in (
        lambda: judging.submit(row, NO_AGREEMENT),
        lambda: judging.save_draft(row, NO_AGREEMENT),
        lambda: queueing.skip(row, ""),
        lambda: queueing.flag(row, "odd"),
    ):
        with pytest.raises(CommonplaceError) as refused:
            too_late()
        assert refused.value.code == "assignment.lost"
    assert queueing.take(project, ann).pk != row.pk


@db
def test_what_somebody_else_sent_from_a_slot_is_never_taken_for_ones_own(world, people):
    project = world.open(1)
    ann, ben = people("ann", "ben")
    row = queueing.take(project, ann)
    run_out()
    taken = queueing.take(project, ben)
    judging.submit(taken, NO_AGREEMENT)
    with pytest.raises(CommonplaceError) as refused:
        judging.submit(row, NO_AGREEMENT)
    assert refused.value.code == "assignment.lost"
    run_out()
    other = queueing.take(project, ann)
    run_out()
    queueing.skip(queueing.take(project, ben), "not mine")
    with pytest.raises(CommonplaceError):
        queueing.skip(other, "nor mine")


@db
def test_a_lease_that_ran_out_and_nobody_took_is_still_good(world, people):
    project = world.open(1)
    (ann,) = people("ann")
    row = queueing.take(project, ann)
    run_out()
    judging.submit(row, all_of(row.task))
    assert Task.objects.get(pk=row.task_id).status == Task.Status.DECIDED


@db
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


@db
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


@db
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


@db
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


@db
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


@db
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


# --- Tasks that change under people's hands -------------------------------------------------------


@db
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


@db
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


@db
def test_two_who_judged_different_answers_are_not_taken_to_agree(world, people):
    project = world.open()
    ann, ben = people("ann", "ben")
    judge(project, ann, NO_AGREEMENT)
    world.come(world.first, tea="It is drunk cold.")
    projects.refresh(project)
    judge(project, ben, NO_AGREEMENT)
    assert world.task("tea", world.first).status == Task.Status.DISPUTED
    assert not GoldAnswer.objects.exists()


@db
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


@db
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


@db
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


@db
def test_a_task_that_moved_is_served_where_it_stands_now(world, people):
    project = world.open(1)
    (ann,) = people("ann")
    world.questions["tea"].position = 99
    world.questions["tea"].save()
    world.come(world.first, tea="It is drunk cold.")
    projects.refresh(project)
    served = [judge(project, ann, NO_AGREEMENT).task.source_key for _task in range(3)]
    assert served == [f"gift.{world.first}", f"tea.{world.first}", f"tea.{world.second}"]


@db
def test_what_is_ahead_is_counted_by_tasks_up_to_twenty(world, people):
    project = world.open()
    ann, ben = people("ann", "ben")
    assert ahead.left(project, ann) == 3
    judge(project, ann, all_of)
    queueing.take(project, ann)
    assert (ahead.left(project, ann), ahead.left(project, ben)) == (1, 3)
    many_tasks(project, 30)
    assert ahead.left(project, ann) == 20
