"""Whose time is up loses the place; what was submitted never times out."""

import pytest

from core import clock, jobs, tasks
from core.models import AuditEntry, Tick
from studies import services
from studies.models import Participation
from studies.participation import MOVES, OPEN, Action, Status
from studies.services import timing_out
from studies.services.moving import move

pytestmark = pytest.mark.django_db


def overdue(row):
    Participation.objects.filter(pk=row.pk).update(deadline=clock.ago(60))
    return row


@pytest.mark.parametrize("status", OPEN)
def test_an_open_participation_times_out_unless_it_is_with_the_study_team(somebody, status):
    row = overdue(somebody(status))
    services.time_out_overdue()
    row.refresh_from_db()
    times_out = status != Status.SUBMITTED
    assert times_out == (Action.TIME_OUT in MOVES[status])
    assert row.status == (Status.TIMED_OUT if times_out else status)


def test_who_has_time_left_or_no_deadline_goes_on(somebody):
    left, without = somebody(Status.ACTIVE), somebody(Status.SCREENING)
    assert services.time_out_overdue() == 0
    for row in (left, without):
        before = row.status
        row.refresh_from_db()
        assert row.status == before


def test_time_is_what_the_caller_says_it_is(somebody):
    row = somebody(Status.ACTIVE)
    assert services.time_out_overdue(row.deadline) == 0
    assert services.time_out_overdue(clock.later(2 * 3600)) == 1


def test_nothing_is_owed_until_a_person_decides(somebody):
    row = overdue(somebody(Status.ACTIVE))
    services.time_out_overdue()
    row.refresh_from_db()
    assert (row.ledger.count(), row.slot_region, row.ended_reason) == (0, None, "timed_out")
    entry = AuditEntry.objects.get(action="participation.timed_out")
    assert (entry.actor, entry.object_id) == ("system", row.code)


def test_more_people_than_are_read_at_once_are_all_found(somebody, monkeypatch):
    monkeypatch.setattr("studies.services.timing_out.AT_ONCE", 2)
    rows = [overdue(somebody(Status.ACTIVE)) for _ in range(5)]
    assert services.time_out_overdue() == 5
    assert Participation.objects.filter(status=Status.TIMED_OUT).count() == len(rows)


def test_whoever_submits_at_the_same_moment_is_left_alone(somebody):
    row = overdue(somebody(Status.ACTIVE))
    read_before = Participation.objects.select_related("activity__study").get(pk=row.pk)
    move(row, Action.SUBMIT)
    assert not timing_out._time_out(read_before)
    row.refresh_from_db()
    assert row.status == Status.SUBMITTED
    assert not AuditEntry.objects.filter(action="participation.timed_out").exists()


def test_workers_look_for_overdue_people_when_they_look_round_and_not_too_often(somebody):
    row = overdue(somebody(Status.ACTIVE))
    tasks._take_turns()
    row.refresh_from_db()
    assert row.status == Status.TIMED_OUT
    next_one = overdue(somebody(Status.ACTIVE))
    tasks._take_turns()
    next_one.refresh_from_db()
    assert next_one.status == Status.ACTIVE
    Tick.objects.filter(name="studies.time_out").update(due=clock.ago(1))
    tasks._take_turns()
    next_one.refresh_from_db()
    assert next_one.status == Status.TIMED_OUT


def test_a_duty_that_breaks_keeps_no_other_from_its_turn(monkeypatch, caplog):
    done = []

    def broken():
        raise RuntimeError("boom")

    monkeypatch.setattr(jobs, "_duties", {})
    jobs.register_duty("broken", 60, broken)
    jobs.register_duty("sound", 60, lambda: done.append(1))
    tasks._take_turns()
    assert done == [1]
    assert "the duty broken broke" in caplog.text
