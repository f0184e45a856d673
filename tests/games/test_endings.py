"""What the end of a game means for who played: a code, pay for the time, a choice; never a dead
end."""

import pytest

from core import clock
from core.errors import CommonplaceError
from games import endings as table
from games import screens
from games.machine import MODERATOR, By, Phase, State
from games.machine.commands import Clue, End, Finish, Leave, Ready, Who
from games.models import Game, GamePlan, Seat, Turn
from games.rules import Rules
from games.selectors import places
from games.selectors.snapshots import Snapshot
from games.services import endings, lobby, moves, presence, rounds
from games.services.playing import play
from studies import services as studies
from studies.models import LedgerEntry, Participation
from studies.participation import Action, Status
from studies.services import moving
from tests.games.test_presence import again, silent


@pytest.fixture
def later(django_capture_on_commit_callbacks):
    """What is done after a commit is done within it."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def mid_turn(playing):
    """Two who play, and a first clue said."""

    def mid_turn(**rules):
        sitting = playing(**rules)
        moves.move(sitting.people[sitting.giver], Clue("It glows on winter tables"))
        Participation.objects.update(worked_ms=600_000)
        return sitting

    return mid_turn


def grace_is_over(game):
    state = State.from_json(Game.objects.get(pk=game.pk).state).as_json()
    assert state["phase"] == "paused"
    Game.objects.filter(pk=game.pk).update(state=state | {"deadline": 1}, due=clock.ago(1))
    rounds.look_round()


def to_the_end(sitting):
    """The time of play is over, and the two look back."""
    state = sitting.state.as_json() | {"over": 1}
    Game.objects.filter(pk=sitting.game.pk).update(state=state, due=clock.ago(1))
    rounds.look_round()
    assert sitting.state.phase == "after"


def is_done_and_paid(who, code="cut_short"):
    row = again(who)
    assert places.standing(row).kind == "done"
    assert row.status == Status.CUT_SHORT
    assert row.activity.codes[code]
    assert LedgerEntry.objects.get(participation=row).amount_minor == 200  # ten minutes
    assert not Seat.objects.filter(participation=row, open=True).exists()


def partial_turn_is_kept(sitting):
    turn = Turn.objects.get(game=sitting.game)
    assert turn.outcome == "cut"
    assert sitting.game.utterances.get().text == "It glows on winter tables"


def test_a_withdrawing_partner_ends_the_game_for_the_other_who_is_paid(mid_turn, later):
    sitting = mid_turn()
    gone, other = sitting.people
    with later():
        studies.withdraw(gone.participant, "test")
    assert sitting.state.reason == "partner_left"
    assert again(gone).status == Status.WITHDRAWN
    is_done_and_paid(other)
    partial_turn_is_kept(sitting)
    assert Seat.objects.get(participation=gone).left_reason == "withdrawn"


def test_a_partner_who_closed_the_tab_or_lost_the_network_is_waited_for_and_the_other_is_paid(
    mid_turn,
):
    sitting = mid_turn()
    lost, other = sitting.people
    silent(lost)
    assert other.pk in rounds.look_round()
    assert sitting.state.phase == "paused"
    grace_is_over(sitting.game)
    is_done_and_paid(other)
    partial_turn_is_kept(sitting)
    back = places.standing(again(lost))
    assert (back.kind, back.reason) == ("choosing", "silent")


def test_a_partner_removed_by_a_moderator_is_paid_as_well(mid_turn):
    sitting = mid_turn()
    removed, other = sitting.people
    play(sitting.game.pk, By(Who.SYSTEM, 0), Leave("removed"), actor="mo@example.org")
    endings.settle(sitting.game.pk)
    is_done_and_paid(removed)
    is_done_and_paid(other)
    partial_turn_is_kept(sitting)


@pytest.mark.parametrize("action", [Action.GIVE_BACK, Action.TIME_OUT])
def test_who_gives_the_place_back_or_runs_out_of_time_leaves_the_game(mid_turn, later, action):
    sitting = mid_turn()
    gone, other = sitting.people
    with later():
        moving.move(again(gone), action)
    is_done_and_paid(other)
    assert not Seat.objects.filter(open=True).exists()


def test_places_that_time_out_while_playing_leave_the_game(mid_turn, later):
    sitting = mid_turn()
    Participation.objects.filter(pk=sitting.people[0].pk).update(deadline=clock.ago(1))
    with later():
        assert studies.time_out_overdue() == 1
    is_done_and_paid(sitting.people[1])


def test_a_process_that_dies_before_the_game_hears_of_a_withdrawal_is_made_up_for(mid_turn):
    sitting = mid_turn()
    gone, other = sitting.people
    studies.withdraw(gone.participant, "test")  # and what follows the commit never happens
    assert sitting.state.phase == "guess"
    assert other.pk in rounds.look_round()
    is_done_and_paid(other)


def test_who_leaves_a_game_is_paid_for_the_time_and_so_is_the_other(mid_turn):
    sitting = mid_turn()
    gone, other = sitting.people
    moves.move(gone, Leave())
    row = again(gone)
    assert (row.status, row.ended_reason) == (Status.RETURNED, "game_left")
    assert LedgerEntry.objects.get(participation=row).amount_minor == 200
    is_done_and_paid(other)


def test_a_game_that_a_moderator_ends_is_paid_for_both(mid_turn):
    sitting = mid_turn()
    play(sitting.game.pk, MODERATOR, End(), actor="mo@example.org")
    endings.settle(sitting.game.pk)
    for who in sitting.people:
        is_done_and_paid(who)


def test_who_is_done_with_looking_back_has_submitted(mid_turn):
    sitting = mid_turn()
    one, other = sitting.people
    to_the_end(sitting)
    moves.move(one, Finish(), "finish-1")
    assert again(one).status == Status.SUBMITTED
    assert again(other).status == Status.ACTIVE
    moves.move(other, Finish())
    assert again(other).status == Status.SUBMITTED
    assert Game.objects.get().ended_reason == "played"


def test_a_finish_sent_twice_is_answered_as_the_first_time(mid_turn):
    sitting = mid_turn()
    to_the_end(sitting)
    first = moves.move(sitting.people[0], Finish(), "finish-1").played
    second = moves.move(again(sitting.people[0]), Finish(), "finish-1").played
    assert (second.version, second.repeated) == (first.version, True)


def test_who_forgets_to_finish_has_submitted_when_the_time_is_over(mid_turn):
    sitting = mid_turn()
    to_the_end(sitting)
    state = sitting.state.as_json() | {"deadline": 1}
    Game.objects.update(state=state, due=clock.ago(1))
    rounds.look_round()
    assert {again(who).status for who in sitting.people} == {Status.SUBMITTED}


def test_a_finish_whose_process_died_is_settled_by_the_next_sign_of_life(mid_turn):
    sitting = mid_turn()
    to_the_end(sitting)
    who = sitting.people[0]
    sitting.say(0, Finish())  # committed, and nothing after it
    assert places.standing(again(who)).kind == "done"
    silent(who, 15)
    assert presence.seen(again(who)) == {who.pk}
    assert again(who).status == Status.SUBMITTED


def test_an_ended_game_that_nobody_settled_is_settled_by_the_next_round(mid_turn):
    sitting = mid_turn()
    play(sitting.game.pk, MODERATOR, End())
    assert places.standing(again(sitting.people[0])).kind == "done"
    assert rounds.look_round() == {who.pk for who in sitting.people}
    for who in sitting.people:
        is_done_and_paid(who)
    assert rounds.look_round() == set()


def test_a_lost_player_who_is_back_may_look_for_another_partner(mid_turn):
    sitting = mid_turn()
    lost = sitting.people[0]
    silent(lost)
    rounds.look_round()
    grace_is_over(sitting.game)
    lobby.keep_waiting(again(lost))
    assert places.standing(again(lost)).kind == "waiting"


def test_the_other_keeps_their_place_in_the_queue_where_the_rules_requeue(
    activity, artifacts, somebody
):
    GamePlan.objects.create(activity=activity, rules={"on_drop": "requeue"})
    one, other = somebody(), somebody()
    lobby.enter(one)
    came = one.tickets.get().entered
    lobby.enter(other)
    for who in (one, other):
        moves.move(who, Ready())
    silent(other)
    rounds.look_round()
    grace_is_over(Game.objects.get())
    here = places.standing(again(one))
    assert (here.kind, here.ticket.entered, here.reason) == ("waiting", came, "partner_left")
    assert "Your partner has left the game" in screens.shown(again(one)).html
    third = somebody()
    lobby.enter(third)
    assert sorted(places.players(Game.objects.last())) == sorted([one.pk, third.pk])


def test_where_the_rules_wait_the_other_may_stop_meanwhile_and_is_paid(mid_turn, later):
    sitting = mid_turn(on_drop="wait")
    lost, other = sitting.people
    silent(lost)
    rounds.look_round()
    grace_is_over(sitting.game)
    assert sitting.state.phase == "paused"
    with later():
        lobby.stop(again(other))
    is_done_and_paid(other)
    assert sitting.state.phase == "ended"
    assert not Seat.objects.filter(participation=other, open=True).exists()


def test_where_the_rules_go_on_with_recorded_clues_and_there_are_none_the_other_chooses(mid_turn):
    sitting = mid_turn(on_drop="recorded")
    lost, other = sitting.people
    Game.objects.update(state=sitting.state.as_json() | {"decks": [[], []]})
    silent(lost)
    rounds.look_round()
    grace_is_over(sitting.game)
    here = places.standing(again(other))
    assert (here.kind, here.reason) == ("choosing", "partner_left")


def test_where_the_rules_go_on_with_recorded_clues_the_other_plays_on_and_the_lost_one_chooses(
    mid_turn,
):
    sitting = mid_turn(on_drop="recorded")
    lost, other = sitting.people
    silent(lost)
    rounds.look_round()
    grace_is_over(sitting.game)
    assert places.standing(again(other)).kind == "playing"
    assert Seat.objects.get(game=sitting.game, number=0).player == "recorded"
    assert places.standing(again(lost)).kind == "choosing"
    assert Turn.objects.get(game=sitting.game, number=1).outcome == "cut"


def test_a_command_to_no_game_says_so(somebody, artifacts):
    with pytest.raises(CommonplaceError) as refused:
        moves.move(somebody(), Ready())
    assert refused.value.code == "game.none"


def test_every_reason_a_game_can_end_for_has_a_meaning():
    reasons = (
        *("not_ready", "left_before", "played", "no_cards", "both_left", "left"),
        *("partner_left", "moderator"),
    )
    for reason in reasons:
        game = Snapshot(1, 1, 1, State(phase=Phase.ENDED, reason=reason), Rules())
        for seat in (Seat(number=0), Seat(number=1, left_reason="silent")):
            assert table.of_seat(game, seat) is not None
