"""Who is there: heard by messages and heartbeats, paid for the time, lost and back again."""

from datetime import timedelta

import pytest
from django.conf import settings

from core import clock
from games.machine import State
from games.machine.commands import Here, Leave
from games.models import Game, GameEvent, Seat
from games.selectors import places
from games.services import departures, moves, presence, rounds, tabs
from studies.models import Participation
from studies.participation import Status


def again(who):
    return Participation.objects.select_related("activity__study", "participant").get(pk=who.pk)


def silent(who, seconds=None):
    """Nothing has been heard of them for so long."""
    at = clock.ago(seconds or settings.GAME_IDLE_AFTER + 1)
    Participation.objects.filter(pk=who.pk).update(last_seen=at)
    Seat.objects.filter(participation=who).update(last_seen=at)


def away(who):
    seat = Seat.objects.get(participation=who)
    return State.from_json(seat.game.state).away[seat.number]


def test_presence_is_written_once_in_a_heartbeat(playing):
    who = playing().people[0]
    presence.seen(who)
    first = again(who).last_seen
    for _beat in range(5):
        presence.seen(again(who))
    assert again(who).last_seen == first
    silent(who, settings.GAME_HEARTBEAT + 1)
    presence.seen(again(who))
    assert again(who).last_seen > first
    assert Seat.objects.get(participation=who).last_seen == again(who).last_seen


def test_the_time_between_two_signs_of_life_counts_as_work_up_to_a_limit(playing):
    who = playing().people[0]
    presence.seen(who)
    assert again(who).worked_ms == 0
    for gap in (5, 3600):
        Participation.objects.update(last_seen=clock.now() - timedelta(seconds=gap))
        presence.seen(again(who))
    longest = round(clock.scaled(settings.IDLE_AFTER) * 1000)
    assert 5_000 + longest <= again(who).worked_ms < 6_000 + longest


def test_two_messages_at_once_count_the_time_once(playing):
    who = playing().people[0]
    silent(who, 20)
    one, other = again(who), again(who)
    presence.seen(one)
    presence.seen(other)
    assert again(who).worked_ms < clock.scaled(21) * 1000


def test_who_has_submitted_works_no_longer(playing):
    who = playing().people[0]
    Participation.objects.filter(pk=who.pk).update(status=Status.SUBMITTED, last_seen=None)
    presence.seen(again(who))
    assert again(who).last_seen is None


def test_a_silent_player_pauses_the_game_and_the_partner_sees_it(playing):
    sitting = playing()
    lost, other = sitting.people
    silent(lost)
    assert rounds.look_round() == {lost.pk, other.pk}
    assert sitting.state.phase == "paused"
    assert away(lost) == "silent"
    assert rounds.look_round() == set()


def test_who_was_silent_is_back_with_the_first_sign_of_life(playing):
    sitting = playing()
    lost, other = sitting.people
    silent(lost)
    turn = sitting.state.turn
    rounds.look_round()
    assert presence.seen(again(lost)) == {lost.pk, other.pk}
    assert away(lost) is None
    assert (sitting.state.phase, sitting.state.turn) == ("clue", turn)


def test_who_let_the_time_pass_has_to_say_that_they_are_there(playing):
    sitting = playing()
    idle = sitting.people[sitting.giver]
    for _deadline in range(2 * 2):
        state = sitting.state.as_json() | {"deadline": 1}
        if state["phase"] == "paused":
            break
        Game.objects.update(state=state, due=clock.ago(1))
        rounds.look_round()
    else:
        raise AssertionError(sitting.state)
    lost = next(who for who in sitting.people if away(who))
    assert away(lost) == "idle"
    silent(lost, settings.GAME_HEARTBEAT + 1)
    presence.seen(again(lost))
    assert away(lost) == "idle"
    moves.move(again(lost), Here())
    assert away(lost) is None
    assert idle in sitting.people


def test_nobody_is_lost_by_a_silence_in_which_nobody_could_be_heard(playing):
    sitting = playing()
    for who in sitting.people:
        silent(who)
    assert rounds.look_round(since=clock.now()) == set()
    assert sitting.state.phase == "clue"
    rounds.look_round(since=clock.ago(settings.GAME_IDLE_AFTER + 1))
    assert sitting.state.phase == "paused"


def test_five_reloads_are_no_departure(playing):
    sitting = playing()
    who = sitting.people[0]
    before = sitting.state
    for _reload in range(5):
        presence.seen(again(who))
        assert rounds.look_round() == set()
    assert sitting.state == before


def test_30_players_that_vanish_at_once_are_all_known_to_be_away(sit):
    people = []
    for _game in range(15):
        people += sit().people
    Seat.objects.update(last_seen=clock.ago(settings.GAME_IDLE_AFTER + 1))
    assert rounds.look_round() == {who.pk for who in people}
    assert {away(who) for who in people} == {"silent"}


def test_a_round_with_nothing_to_do_changes_nothing_however_often(playing):
    playing()
    events = GameEvent.objects.count()
    for _round in range(3):
        assert rounds.look_round() == set()
    assert GameEvent.objects.count() == events


def test_a_round_with_nothing_to_do_asks_few_questions(playing, django_assert_max_num_queries):
    playing()
    with django_assert_max_num_queries(6):
        rounds.look_round()


def test_leaving_twice_is_leaving_once(playing):
    sitting = playing()
    gone, other = sitting.people
    Participation.objects.filter(pk=gone.pk).update(
        status=Status.RETURNED, ended_reason="returned", slot_region=None
    )
    assert departures.left(again(gone)) == {gone.pk, other.pk}
    assert departures.left(again(gone)) == set()
    assert Seat.objects.get(participation=gone).left_reason == "returned"
    with pytest.raises(Exception, match="in no game"):
        moves.move(again(gone), Leave())
    assert places.standing(again(gone)).kind == "done"


def test_the_page_opened_last_plays_however_late_the_others_are_heard(playing):
    who = playing().people[0]
    assert tabs.take(who, "newer", came=20.002)
    assert not tabs.take(who, "older", came=20.001)  # its connection was slow
    assert tabs.holds(who, "newer")
    assert tabs.take(who, "newest", came=20.003)
    assert not tabs.holds(who, "newer")
    assert tabs.take(who, "newer", came=30)  # the same page comes back
