"""What a process remembers of games may be missing but is never wrong."""

from contextlib import suppress

import pytest
from django.db import transaction

from games.machine import State, player
from games.machine.commands import Clue, Guess, Next
from games.models import Game
from games.rules import Rules
from games.selectors import snapshots
from games.services import moves
from games.services.playing import play
from tests.games.test_presence import again

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sitting(playing):
    snapshots.forget()
    return playing()


def stored(sitting):
    row = Game.objects.get(pk=sitting.game.pk)
    return row.version, State.from_json(row.state)


def remembered(sitting):
    known = snapshots._remembered.get(sitting.game.pk)
    return known and (known.version, known.state)


def clue(sitting, words="It glows on winter tables"):
    return moves.move(again(sitting.people[sitting.giver]), Clue(words)).played


def test_an_act_reads_no_game_that_this_process_has_left_as_it_is(
    sitting, django_assert_max_num_queries
):
    clue(sitting)
    assert remembered(sitting) == stored(sitting)
    guesser = again(sitting.people[1 - sitting.giver])
    with django_assert_max_num_queries(20) as made:
        moves.move(guesser, Next())
    assert not [each for each in made if '"games_game"."state"' in each["sql"].split("FROM")[0]]


def test_what_another_process_has_done_is_seen_before_anything_is_decided(sitting):
    clue(sitting)
    old = dict(snapshots._remembered)
    play(sitting.game.pk, player(1 - sitting.giver), Next())  # as another process would
    snapshots._remembered.clear()
    snapshots._remembered.update(old)
    assert remembered(sitting) != stored(sitting)
    assert clue(sitting, "People light it for guests").state.turn.said == (1, 2)
    assert remembered(sitting) == stored(sitting)


def test_what_comes_to_nothing_is_not_remembered(sitting):
    clue(sitting)
    before = remembered(sitting)
    with suppress(ZeroDivisionError), transaction.atomic():
        play(sitting.game.pk, player(1 - sitting.giver), Guess("something else"))
        assert stored(sitting)[0] > before[0]
        _ = 1 / 0
    assert remembered(sitting) == stored(sitting) == before
    play(sitting.game.pk, player(1 - sitting.giver), Next())
    assert remembered(sitting) == stored(sitting)


def test_an_older_one_never_takes_the_place_of_a_newer(sitting):
    clue(sitting)
    known = snapshots._remembered[sitting.game.pk]
    play(sitting.game.pk, player(1 - sitting.giver), Next())
    snapshots.remember(known)
    assert remembered(sitting) == stored(sitting)


def test_many_games_do_not_fill_the_memory(sitting, monkeypatch):
    monkeypatch.setattr(snapshots, "MOST", 1)
    clue(sitting)
    other = snapshots.Snapshot(sitting.game.pk + 1, 1, 1, State(), Rules())
    snapshots.remember(other)
    assert list(snapshots._remembered) == [other.pk]
