"""How much of an artifact's clues had been said before: cases made by hand."""

import pytest

from games import saturation
from games.saturation import same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It is eaten at dusk", "it is  eaten at dusk."),
        ("It is eaten at dusk!", "It is eaten at dusk"),
        ("Made with solkadhi", "made with sol kadhi"),
        ("Eaten at the festival", "Eaten at the festivals"),
        ("Children wait for the lanterns", "Children wait for the lantrens"),
        ("यह दिवाली पर बनता है", "यह दिवाली पर बनता है।"),
    ],
)
def test_the_same_words_in_other_spelling_are_one_clue(one, other):
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We eat it at the winter festival", "We never eat it at the winter festival"),
        ("It is a cow", "It is a bow"),
        ("It is made in the east", "It is made in the west"),
        ("It is sweet", "It is sweet and sold at the harbour"),
        ("The dog follows the man", "The man follows the dog"),
        ("Worn by the brother", "Worn by the mother"),
        ("?", "!"),
    ],
)
def test_clues_that_say_something_else_are_two(one, other):
    assert not same(one, other)
    assert not same(other, one)


def test_each_game_tells_what_it_adds_to_those_before():
    first, second, third = saturation.over(
        [
            ["It is sweet", "Eaten at dusk"],
            ["it is sweet!", "Sold at the harbour", "Baked in ash"],
            ["Eaten at dusk", "Baked in ash"],
        ]
    )
    assert (first.share, first.new, first.known) == (None, 2, 2)
    assert (second.share, second.new, second.known) == (1 / 3, 2, 4)
    assert (third.share, third.new, third.known) == (1.0, 0, 4)


def test_a_clue_said_twice_in_a_game_counts_once_and_a_blank_one_never():
    (only,) = saturation.over([["It is sweet", "It is sweet.", " "]])
    assert (only.clues, only.new) == (1, 1)


def test_a_game_without_clues_is_a_step_that_adds_nothing():
    empty, first, again, after = saturation.over([[], ["It is sweet"], [], ["Baked in ash"]])
    assert (empty.share, empty.new) == (None, 0)
    assert (first.share, first.new) == (None, 1)
    assert (again.share, again.new, again.known) == (None, 0, 1)
    assert (after.share, after.new) == (0.0, 1)


def test_the_second_games_of_several_artifacts_are_one_line_with_an_interval_by_artifact():
    first, second, third = saturation.by_game(
        [
            saturation.over([["It is sweet"], ["it is sweet!", "Baked in ash"], ["Baked in ash"]]),
            saturation.over([["Worn at weddings", "It is red"], [], ["It is heavy", "It is red"]]),
            saturation.over([[]]),
        ]
    )
    assert (first.number, first.artifacts, first.clues, first.new) == (1, 2, 3, 3)
    assert (first.heard.value, first.heard.reason) == (None, saturation.FIRST)
    assert (second.artifacts, second.clues, second.new) == (2, 4, 2)
    assert (second.heard.value, second.heard.n) == (0.5, 4)
    assert second.heard.low < 0.5 < second.heard.high
    assert (third.artifacts, third.heard.value, third.heard.reason) == (1, 1.0, "one_cluster")


def test_of_nothing_there_is_no_line():
    assert saturation.by_game([]) == []
