"""Commands in a game, through the service that every door uses."""

import pytest

from core.errors import CommonplaceError
from games import machine
from games.machine import Event, Phase, State
from games.machine.commands import Clue, Guess, Next, Rate
from games.models import Turn, Utterance


def folded(game) -> State:
    rows = game.events.order_by("seq")
    return machine.fold(Event(row.kind, row.seat, row.data) for row in rows)


def test_a_turn_is_played_from_the_first_clue_to_the_rating(playing):
    sitting = playing()
    giver, word = sitting.giver, sitting.word
    sitting.say(giver, Clue("It is carried home at dusk"))
    sitting.say(1 - giver, Guess("A herring gull"))
    sitting.say(1 - giver, Next())
    sitting.say(giver, Clue("Children wait for it"))
    sitting.say(1 - giver, Guess(word.upper()))
    assert sitting.state.phase == Phase.RATE
    sitting.say(1 - giver, Rate(4, 5))
    first, second = Turn.objects.all()
    assert (first.outcome, first.accuracy, first.quality) == ("guessed", 4, 5)
    assert second.giver == 1 - giver
    said = Utterance.objects.values_list("kind", "number", "verdict")
    assert list(said) == [
        ("clue", 1, "said"),
        ("guess", 1, "wrong"),
        ("clue", 2, "said"),
        ("guess", 2, "right"),
    ]
    assert folded(sitting.game) == sitting.state


def test_a_command_that_is_sent_twice_is_followed_once(playing):
    sitting = playing()
    giver = sitting.giver
    first = sitting.say(giver, Clue("It is carried home at dusk"), nonce="a1")
    again = sitting.say(giver, Clue("It is carried home at dusk"), nonce="a1")
    assert (again.repeated, again.version) == (True, first.version)
    assert Utterance.objects.count() == 1


def test_who_is_not_to_move_is_told_so_and_nothing_happens(playing):
    sitting = playing()
    with pytest.raises(CommonplaceError) as refused:
        sitting.say(1 - sitting.giver, Clue("It is carried home at dusk"))
    assert refused.value.code == "game.not_your_turn"
    assert not Utterance.objects.exists()
