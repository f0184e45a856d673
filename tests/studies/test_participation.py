"""The two tables of a participation, walked from end to end."""

import itertools

import pytest

from core.errors import CommonplaceError
from studies import participation
from studies.participation import ENDINGS, HOLDING, MOVES, OPEN, STATUSES, Action, Code, Pay, Status

REFUSALS = {"participation.repeated", "participation.ended", "participation.not_now"}
EVERY = list(itertools.product(Status, Action))


def reachable(start):
    seen, waiting = set(), [start]
    while waiting:
        status = waiting.pop()
        if status not in seen:
            seen.add(status)
            waiting += MOVES[status].values()
    return seen


@pytest.mark.parametrize(("status", "action"), EVERY)
def test_every_action_in_every_status_leads_somewhere_or_is_refused_with_the_next_step(
    status, action
):
    if action in MOVES[status]:
        assert participation.after(status, action) in STATUSES
        return
    with pytest.raises(CommonplaceError) as refused:
        participation.after(status, action)
    assert refused.value.code in REFUSALS
    assert refused.value.http_status == 409
    assert STATUSES[status].next_step in refused.value.message


@pytest.mark.parametrize("status", Status)
def test_every_status_has_a_screen_and_a_next_step(status):
    about = STATUSES[status]
    assert about.screen.isidentifier()
    assert about.next_step.endswith(".")
    assert set(MOVES) == set(STATUSES) == set(Status)


def test_every_status_has_a_screen_of_its_own():
    screens = [about.screen for about in STATUSES.values()]
    assert len(set(screens)) == len(screens)


@pytest.mark.parametrize("status", ENDINGS)
def test_every_ending_has_a_code_and_a_reason(status):
    about = STATUSES[status]
    assert isinstance(about.code, Code)
    assert about.reason.endswith(".")


@pytest.mark.parametrize("status", Status)
def test_every_status_can_reach_an_ending_and_can_be_reached(status):
    assert reachable(status) & set(ENDINGS)
    assert status in reachable(Status.INVITED)


@pytest.mark.parametrize("status", OPEN)
def test_whoever_is_under_way_can_withdraw_and_be_timed_out_or_decided_upon(status):
    assert MOVES[status][Action.WITHDRAW] is Status.WITHDRAWN
    assert Action.TIME_OUT in MOVES[status] or Action.ACCEPT in MOVES[status]


def test_a_code_is_shown_at_endings_and_after_submitting_and_never_before():
    shown = {status for status, about in STATUSES.items() if about.code}
    assert shown == {*ENDINGS, Status.SUBMITTED}


def test_screening_is_never_a_rejection_and_only_a_decision_on_answers_is():
    before = [status for status, moves in MOVES.items() if Status.REJECTED in moves.values()]
    assert before == [Status.SUBMITTED]


def test_a_slot_is_freed_by_every_ending_but_acceptance():
    assert set(HOLDING) & set(ENDINGS) == {Status.ACCEPTED}
    assert set(HOLDING) - set(ENDINGS) == {Status.ACTIVE, Status.SUBMITTED, Status.REDO}


def test_whoever_has_worked_and_stops_is_paid_for_the_time_or_somebody_decides():
    stopping = {after for status in HOLDING for after in MOVES[status].values()} & set(ENDINGS)
    assert {STATUSES[status].pay for status in stopping} == {Pay.TIME, Pay.REWARD, Pay.DECISION}


@pytest.mark.parametrize("status", Status)
def test_a_way_back_to_the_service_that_invited_has_another_for_who_came_by_a_link(status):
    about = STATUSES[status]
    assert ("the service that invited you" in about.next_step) == bool(about.by_link)
    assert "service" not in about.by_link


def test_saying_a_thing_twice_is_told_apart_from_saying_it_too_late():
    def code(status, action):
        with pytest.raises(CommonplaceError) as refused:
            participation.after(status, action)
        return refused.value.code

    assert code(Status.SUBMITTED, Action.SUBMIT) == "participation.repeated"
    assert code(Status.WITHDRAWN, Action.WITHDRAW) == "participation.repeated"
    assert code(Status.TIMED_OUT, Action.SUBMIT) == "participation.ended"
    assert code(Status.CONSENTING, Action.SUBMIT) == "participation.not_now"
