"""What counts as described and as met, and which clues a recorded player may repeat."""

from random import Random

import pytest

from core import clock
from games.machine import Player
from games.machine.commands import Clue, Guess, Rate
from games.models import Game, GameEvent, Seat, Turn, Utterance
from games.rules import Rules
from games.selectors import artifacts as known
from games.selectors import recorded, rows
from games.services import starting
from studies import services as studies
from studies.models import Activity, Participation
from studies.participation import Status


@pytest.fixture
def played(playing):
    """Two people have played one turn, and the game has ended."""
    sitting = playing()
    giver, word = sitting.giver, sitting.word
    sitting.say(giver, Clue("It glows on winter tables"))
    sitting.say(1 - giver, Guess(word))
    sitting.say(1 - giver, Rate(4, 5))
    Game.objects.filter(pk=sitting.game.pk).update(
        phase="ended", ended=clock.now(), ended_reason="played", due=None
    )
    Seat.objects.update(open=False)
    sitting.turn = Turn.objects.get(game=sitting.game, number=1)
    sitting.who = sitting.people[giver]
    return sitting


def descriptions(region):
    return {each.artifact: each.descriptions for each in known.known(region)}


def clue(sitting):
    return Utterance.objects.get(game=sitting.game, turn=1, kind="clue")


def merged(artifact, into):
    artifact.status, artifact.merged_into = "merged", into
    artifact.save()


def offered(sitting, phase="main"):
    return set(rows.recorded_clues(sitting.game.region_id, phase).values_list("pk", flat=True))


def test_a_turn_of_two_people_describes_its_artifact(played):
    found = descriptions(played.game.region)
    assert found.pop(played.turn.artifact_id) == 1
    assert set(found.values()) == {0}


def test_repeated_clues_and_a_recorded_guesser_describe_nothing(played, playing):
    region = played.game.region
    again = playing()
    repeats = Turn.objects.get(game=again.game, number=1)
    again.say(again.giver, Clue("It glows on winter tables"))
    again.say(1 - again.giver, Guess(again.word))
    assert sum(descriptions(region).values()) == 2
    said = Utterance.objects.filter(game=again.game, turn=1, kind="clue")
    said.update(source=clue(played))
    assert descriptions(region)[repeats.artifact_id] == (
        1 if repeats.artifact_id == played.turn.artifact_id else 0
    )
    said.update(source=None)
    assert sum(descriptions(region).values()) == 2
    Seat.objects.filter(game=again.game, number=1).update(player=Player.RECORDED)
    assert sum(descriptions(region).values()) == 1


def test_turns_before_a_recorded_player_took_over_are_those_of_two_people(played):
    Seat.objects.filter(game=played.game, number=1).update(player=Player.RECORDED)
    assert not offered(played)
    GameEvent.objects.create(
        game=played.game, seq=900, seat=1, kind="replaced", data={"deck": []}, at=clock.now()
    )
    assert descriptions(played.game.region)[played.turn.artifact_id] == 1
    assert offered(played) == {clue(played).pk}
    Turn.objects.filter(pk=played.turn.pk).update(begun=clock.later(60))
    assert descriptions(played.game.region)[played.turn.artifact_id] == 0
    assert not offered(played)


def test_what_was_merged_counts_for_what_stands_for_it_and_is_met_with_it(
    played, artifacts, activity, somebody
):
    first = played.turn.artifact
    middle, last = [each for each in artifacts if each != first][:2]
    merged(first, middle)
    merged(middle, last)
    found = descriptions(played.game.region)
    assert (found[last.pk], first.pk in found) == (1, False)
    assert {first.pk, middle.pk, last.pk} <= recorded.met([played.who.participant_id])
    game = starting.start(
        activity,
        played.game.region,
        Rules(),
        [(played.who, Player.HUMAN), (somebody(), Player.HUMAN)],
        Random(1),
    )
    assert last.pk not in {each for deck in game.state["decks"] for each in deck}


def test_clues_of_what_was_merged_are_offered_for_what_stands_for_it(played, artifacts, somebody):
    first, guesser = played.turn.artifact, somebody()
    middle, last = [each for each in artifacts if each != first][:2]
    assert recorded.artifacts(guesser) == {first.pk}
    merged(first, middle)
    merged(middle, last)
    assert recorded.artifacts(guesser) == {last.pk}
    assert recorded.artifacts(played.who) == frozenset()


def test_a_person_s_clue_to_a_person_may_be_repeated(played):
    assert offered(played) == {clue(played).pk}


@pytest.mark.parametrize("change", [{"included": False}, {"status": Status.REJECTED}])
def test_clues_of_who_is_left_out_of_the_results_are_repeated_to_nobody(played, change):
    if "status" in change:
        change = change | {"ended_reason": "other", "ended": clock.now(), "slot_region": None}
    Participation.objects.filter(pk=played.who.pk).update(**change)
    assert not offered(played)


def test_clues_of_who_has_withdrawn_are_repeated_to_nobody(played):
    studies.withdraw(played.who.participant, "test")
    assert not offered(played)


def test_the_main_phase_repeats_no_clue_of_a_pilot(played):
    Activity.objects.filter(pk=played.game.activity_id).update(phase="pilot")
    assert not offered(played, "main")
    assert offered(played, "pilot") == {clue(played).pk}


def test_what_a_person_describes_to_a_recorded_player_is_repeated_to_nobody(played):
    Seat.objects.filter(game=played.game, number=1 - played.turn.giver).update(
        player=Player.RECORDED, participation=None
    )
    assert not offered(played)
