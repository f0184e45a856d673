"""Who gets which task, for how long, and that nobody gets what another holds."""

import itertools
from collections import Counter

import pytest
from django.db.models import Count, Q

from annotation.models import Assignment, Judgement, Task
from annotation.selectors import ahead
from annotation.services import judging, queueing
from core.errors import CommonplaceError
from tests.annotation.conftest import NO_AGREEMENT, judge
from tests.annotation.queued import all_of, at_once, many_tasks, run_out

pytestmark = pytest.mark.django_db
Status = Assignment.Status
TAKEN = Q(assignments__slot__isnull=False) & ~Q(assignments__status=Status.FREE)


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


# --- One after another ----------------------------------------------------------------------------


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


def test_whoever_asks_again_gets_the_task_they_have_begun(world, people):
    project = world.open()
    (ann,) = people("ann")
    first = queueing.take(project, ann)
    judging.save_draft(first, {"choice": "agreement", "concepts": []}, "half of it")
    again = queueing.take(project, ann)
    assert (again.pk, again.draft["choice"], again.note) == (first.pk, "agreement", "half of it")


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


def test_a_lease_that_ran_out_and_nobody_took_is_still_good(world, people):
    project = world.open(1)
    (ann,) = people("ann")
    row = queueing.take(project, ann)
    run_out()
    judging.submit(row, all_of(row.task))
    assert Task.objects.get(pk=row.task_id).status == Task.Status.DECIDED


def test_what_is_ahead_is_counted_by_tasks_up_to_twenty(world, people):
    project = world.open()
    ann, ben = people("ann", "ben")
    assert ahead.left(project, ann) == 3
    judge(project, ann, all_of)
    queueing.take(project, ann)
    assert (ahead.left(project, ann), ahead.left(project, ben)) == (1, 3)
    many_tasks(project, 30)
    assert ahead.left(project, ann) == 20
