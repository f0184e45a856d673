"""Waiting, waiting in vain, and what somebody without a partner may choose."""

from datetime import timedelta

import pytest

from core import clock
from core.errors import CommonplaceError
from games.guesses import Found, judge
from games.machine import State
from games.machine.commands import Clue, Guess, Next, Ready
from games.models import Game, GamePlan, Seat, Ticket, Turn, Utterance
from games.selectors import places, rows
from games.services import lobby, moves, recorded, rounds
from games.services.playing import cards_of
from studies.models import LedgerEntry, Participation
from studies.participation import Status
from studies.services import merge

CLUES = ("It glows on winter tables", "It is shared before the boats go out")

NEAR = Found.NEAR


def again(who):
    return Participation.objects.select_related("activity__study", "participant").get(pk=who.pk)


def standing(who):
    return places.standing(again(who))


def deadline_passes(game):
    """Of the phase the game is in."""
    state = State.from_json(game.state).as_json()
    state["deadline"] = 1
    Game.objects.filter(pk=game.pk).update(state=state, due=clock.ago(1))


@pytest.fixture
def waited_in_vain(artifacts, somebody):
    who = somebody()
    lobby.enter(who)
    Ticket.objects.update(deadline=clock.ago(1))
    rounds.look_round()
    return who


@pytest.fixture
def earlier_game(playing):
    """Two others have played: one described their first artifact with two clues."""
    sitting = playing()
    giver, word = sitting.giver, sitting.word
    for clue in CLUES:
        sitting.say(giver, Clue(clue))
        sitting.say(1 - giver, Next())
    sitting.say(giver, Clue("It is bread"))
    sitting.say(1 - giver, Guess(word))
    turn = Turn.objects.get(game=sitting.game, number=1)
    Game.objects.filter(pk=sitting.game.pk).update(
        phase="ended", ended=clock.now(), ended_reason="played", due=None
    )
    Seat.objects.update(open=False)
    Participation.objects.update(status=Status.SUBMITTED)
    return turn


def test_who_has_not_asked_for_a_partner_reads_the_instructions(artifacts, somebody):
    assert standing(somebody()).kind == "instructions"


def test_only_who_was_let_in_to_a_game_can_look_for_a_partner(artifacts, somebody, study):
    who, survey = somebody(), study.activities.exclude(kind="game").first()
    Participation.objects.filter(pk=who.pk).update(activity=survey)
    with pytest.raises(CommonplaceError) as refused:
        lobby.enter(who)
    assert refused.value.code == "game.not_in"
    done = somebody()
    Participation.objects.filter(pk=done.pk).update(status=Status.SUBMITTED)
    with pytest.raises(CommonplaceError):
        lobby.enter(done)


def test_a_wait_in_vain_ends_in_a_choice(waited_in_vain):
    here = standing(waited_in_vain)
    assert (here.kind, here.reason) == ("choosing", "waited_out")
    assert here.options == ("keep_waiting", "stop")


def test_a_wait_is_over_at_its_deadline_even_before_anybody_has_looked(artifacts, somebody):
    who = somebody()
    lobby.enter(who)
    Ticket.objects.update(deadline=clock.ago(1))
    assert standing(who).kind == "choosing"
    lobby.keep_waiting(who)
    assert [ticket.left_reason for ticket in who.tickets.all()] == ["waited_out", ""]


def test_who_waits_again_keeps_their_place_in_the_queue_and_has_the_whole_time(waited_in_vain):
    lobby.keep_waiting(waited_in_vain)
    first, second = waited_in_vain.tickets.all()
    assert second.entered == first.entered
    assert second.deadline > clock.later(9 * 60)
    assert standing(waited_in_vain).kind == "waiting"


def test_who_stops_is_paid_for_the_time(waited_in_vain):
    Participation.objects.update(worked_ms=240_000, last_seen=clock.now() - timedelta(seconds=10))
    lobby.stop(again(waited_in_vain))
    row = again(waited_in_vain)
    assert (row.status, row.ended_reason) == (Status.CUT_SHORT, "game_stopped")
    earned = LedgerEntry.objects.get(participation=row).amount_minor
    assert (row.worked_ms // 1000, earned) == (250, 84)  # at 12.00 an hour, rounded up
    assert standing(row).kind == "done"


def test_stopping_twice_pays_once(waited_in_vain):
    Participation.objects.update(last_seen=clock.ago(300))
    lobby.stop(again(waited_in_vain))
    with pytest.raises(CommonplaceError):
        lobby.stop(again(waited_in_vain))
    assert LedgerEntry.objects.count() == 1


def test_the_ready_one_of_a_pair_has_a_choice_when_the_other_is_not(sit):
    sitting = sit()
    ready, other = sitting.people
    moves.move(ready, Ready())
    deadline_passes(Game.objects.get())
    assert rounds.look_round() == {ready.pk, other.pk}
    assert (standing(ready).kind, standing(ready).reason) == ("choosing", "not_ready")
    assert standing(other).reason == "was_not_ready"
    lobby.keep_waiting(again(ready))
    assert standing(ready).kind == "waiting"


def test_recorded_clues_are_offered_only_where_there_are_some(earlier_game, somebody, activity):
    who = somebody()
    lobby.enter(who)
    Ticket.objects.update(deadline=clock.ago(1))
    assert "play_recorded" in standing(who).options
    GamePlan.objects.create(activity=activity, rules={"rare_region": "wait"})
    assert "play_recorded" not in standing(who).options


@pytest.fixture
def against_recorded(earlier_game, somebody):
    who = somebody()
    lobby.enter(who)
    Ticket.objects.update(deadline=clock.ago(1))
    lobby.play_recorded(again(who))
    return again(who)


def play_to(who, phase):
    """Let the person give clues without being guessed until the recorded one's clue is there."""
    for _step in range(40):
        here = standing(who)
        state = here.game.state
        if state.phase == phase and state.turn and state.turn.giver != here.seat.number:
            return here.game, state
        moves.move(who, _next_of(state, here.seat.number))
    raise AssertionError(f"never came to {phase}")


def _next_of(state, seat):
    if state.phase == "gathering":
        return Ready()
    if state.phase == "clue":
        return Clue(f"It is found at the quay {state.turn.spent}")
    raise AssertionError(state)


def test_a_game_with_recorded_clues_is_marked_and_begins_when_its_player_is_ready(against_recorded):
    here = standing(against_recorded)
    assert here.kind == "playing"
    seats = Seat.objects.filter(game=here.game.pk)
    assert {seat.player for seat in seats} == {"human", "recorded"}
    assert seats.get(player="recorded").participation is None
    moves.move(against_recorded, Ready())
    assert standing(against_recorded).game.phase == "clue"


def test_a_recorded_guesser_asks_for_every_clue_and_passes(against_recorded):
    moves.move(against_recorded, Ready())
    for number in range(5):
        assert standing(against_recorded).game.state.turn.number == 1
        moves.move(against_recorded, Clue(f"It is found at the quay {number}"))
    game = standing(against_recorded).game
    assert Turn.objects.get(game=game.pk, number=1).outcome == "passed"
    assert Turn.objects.get(game=game.pk, number=1).accuracy is None
    assert game.state.turn.number == 2


def test_a_recorded_giver_repeats_the_clues_of_one_game_in_their_order(
    against_recorded, earlier_game
):
    game, state = play_to(against_recorded, "guess")
    assert state.turn.artifact == earlier_game.artifact_id
    for _clue in range(2):
        moves.move(against_recorded, Next())
    said = Utterance.objects.filter(game=game.pk, turn=state.turn.number, kind="clue")
    assert [each.text for each in said.order_by("number")] == [*CLUES, "It is bread"]
    for each in said:
        assert (each.verdict, each.source.game) == ("said", earlier_game.game)
    moves.move(against_recorded, Next())
    after = standing(against_recorded)
    state = after.game.state
    assert (state.phase, state.turn.closed) == ("guess", True)


def test_a_recorded_giver_repeats_clues_of_what_was_merged_into_the_artifact(
    earlier_game, artifacts, somebody, study
):
    first = earlier_game.artifact
    last = next(each for each in artifacts[1:] if each != first)  # one that the clues do not name
    merge(study, [first.code], last.code, "test")
    who = somebody()
    lobby.enter(who)
    Ticket.objects.update(deadline=clock.ago(1))
    lobby.play_recorded(again(who))
    game, state = play_to(again(who), "guess")
    assert state.turn.artifact == last.pk
    said = Utterance.objects.get(game=game.pk, turn=state.turn.number, kind="clue")
    assert (said.text, said.source.game) == (CLUES[0], earlier_game.game)


def test_repeated_clues_are_never_repeated_as_somebodys(against_recorded, earlier_game):
    game, _state = play_to(against_recorded, "guess")
    kept = rows.recorded_clues(Game.objects.get(pk=game.pk).region_id)
    assert set(kept.values_list("game", flat=True)) == {earlier_game.game_id}


def test_a_near_guess_of_a_recorded_clue_is_for_a_moderator(against_recorded, earlier_game):
    game, state = play_to(against_recorded, "guess")
    word = earlier_game.artifact.names.get(kind="name").text
    near = next(each for each in _misspelt(word) if judge(each, _card(game, earlier_game)) == NEAR)
    moves.move(against_recorded, Guess(near))
    guess = Utterance.objects.get(game=game.pk, turn=state.turn.number, kind="guess")
    assert guess.verdict == "doubtful"
    assert standing(against_recorded).game.phase == "guess"  # without waiting for a deadline


def _misspelt(word):
    yield from (word[:place] + word[place + 1 :] for place in range(len(word)))
    yield from (word[:place] + "x" + word[place:] for place in range(len(word)))


def _card(game, turn):
    return cards_of(game.pk)[turn.artifact_id]


def test_what_a_dead_process_left_undone_for_a_recorded_player_is_done_by_the_next_round(
    against_recorded, monkeypatch
):
    moves.move(against_recorded, Ready())
    with monkeypatch.context() as died:
        died.setattr(recorded, "drive", lambda _game, played=None: played)
        moves.move(against_recorded, Clue("It is found at the quay"))
    assert standing(against_recorded).game.phase == "guess"
    assert rounds.look_round() == {against_recorded.pk}
    assert standing(against_recorded).game.phase == "clue"
    assert rounds.look_round() == set()


def test_nobody_is_played_the_clues_they_gave_themselves(earlier_game):
    giver = Seat.objects.get(game=earlier_game.game, number=earlier_game.giver).participation
    Participation.objects.filter(pk=giver.pk).update(status=Status.ACTIVE)
    Seat.objects.filter(participation=giver).update(open=False)
    with pytest.raises(CommonplaceError) as refused:
        lobby.play_recorded(again(giver))
    assert refused.value.code == "game.no_recorded"


def test_asking_twice_for_recorded_clues_is_one_game(against_recorded):
    lobby.play_recorded(against_recorded)
    assert Seat.objects.filter(participation=against_recorded).count() == 1


def test_nobody_stops_in_the_middle_of_a_game_that_goes_on(playing):
    sitting = playing()
    with pytest.raises(CommonplaceError) as refused:
        lobby.stop(sitting.people[0])
    assert refused.value.code == "game.not_now"
