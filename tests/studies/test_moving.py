"""A participation moves by the table, once, and gives its place free when it ends."""

import threading

import pytest
from django.db import connection

from core import clock
from core.errors import CommonplaceError
from studies import participation, services, webhook
from studies.models import Participation
from studies.participation import STATUSES, Action, Status
from studies.services.moving import admit, move

pytestmark = pytest.mark.django_db


def refused(row, action):
    with pytest.raises(CommonplaceError) as error:
        move(row, action)
    return error.value.code


def again(row):
    return Participation.objects.select_related("activity__study").get(pk=row.pk)


def test_of_two_movers_at_once_one_wins_and_the_other_learns_what_happened(somebody):
    first = somebody(Status.SUBMITTED)
    second = again(first)
    move(first, Action.ACCEPT)
    assert refused(second, Action.REJECT) == "participation.ended"
    assert second.status == Status.ACCEPTED
    assert again(first).status == Status.ACCEPTED


def test_the_same_move_made_twice_says_that_it_has_happened(somebody):
    first = somebody(Status.ACTIVE)
    second = again(first)
    move(first, Action.SUBMIT)
    assert refused(second, Action.SUBMIT) == "participation.repeated"


def test_an_ending_has_its_reason_and_time_and_loses_its_place(somebody):
    row = somebody(Status.ACTIVE)
    move(row, Action.CUT_SHORT, reason="partner_left")
    row = again(row)
    assert (row.ended_reason, row.slot_region) == ("partner_left", None)
    assert row.ended is not None


def test_an_appeal_that_succeeds_is_an_ending_like_any_other(somebody):
    row = somebody(Status.REJECTED)
    move(row, Action.ACCEPT)
    assert (again(row).status, again(row).ended_reason) == ("accepted", "accepted")


def test_opened_says_when_the_participant_first_acted(somebody):
    row = somebody(Status.INVITED)
    move(row, Action.TIME_OUT)
    assert again(row).opened is None
    other = somebody(Status.CONSENTING)
    opened = again(other).opened
    move(other, Action.CONSENT)
    assert again(other).opened == opened is not None


def test_further_columns_are_written_with_the_move_or_not_at_all(somebody):
    row = somebody(Status.SUBMITTED)
    stale = again(row)
    move(row, Action.ACCEPT, included=True)
    with pytest.raises(CommonplaceError):
        move(stale, Action.REJECT, included=False)
    assert again(row).included is True


def leave_by(row, how):
    match how:
        case "withdrawal":
            services.withdraw(row.participant, "test")
        case "time-out":
            Participation.objects.filter(pk=row.pk).update(deadline=clock.ago(60))
            services.time_out_overdue()
        case "return":
            services.hear(webhook.Event(webhook.STATUS_CHANGED, row.recruiter_session, "RETURNED"))
        case "rejection":
            move(row, Action.SUBMIT)
            move(row, Action.REJECT)


@pytest.mark.parametrize("how", ["return", "time-out", "rejection", "withdrawal"])
def test_a_place_given_up_goes_to_the_next_person(collecting, somebody, how):
    collecting.regions.filter(slug="harbour").update(target=1)
    harbour = collecting.regions.get(slug="harbour")
    first = somebody(Status.ACTIVE, session="s1")
    late = somebody(Status.SCREENING)
    assert admit(late, harbour).status == Status.QUOTA_FULL
    leave_by(first, how)
    assert again(first).status != Status.ACTIVE
    following = somebody(Status.SCREENING)
    assert admit(following, harbour).status == Status.ACTIVE
    assert again(following).slot_region == harbour


@pytest.mark.parametrize("status", [s for s in Status if s in participation.ENDINGS])
def test_only_an_accepted_participation_keeps_its_place(somebody, status):
    row = somebody(status)
    kept = again(row).slot_region is not None
    assert kept == STATUSES[status].holds_slot == (status == Status.ACCEPTED)


@pytest.mark.django_db(transaction=True)
def test_of_eight_people_who_reach_for_three_places_at_once_exactly_three_are_in(
    collecting, somebody
):
    collecting.regions.filter(slug="harbour").update(target=3)
    harbour = collecting.regions.get(slug="harbour")
    people = [somebody(Status.SCREENING) for _ in range(8)]
    start = threading.Barrier(len(people))

    def reach(row):
        try:
            start.wait()
            admit(row, harbour)
        finally:
            connection.close()

    threads = [threading.Thread(target=reach, args=(row,)) for row in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statuses = sorted(again(row).status for row in people)
    assert statuses == ["active"] * 3 + ["quota_full"] * 5
