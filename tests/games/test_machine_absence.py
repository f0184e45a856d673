"""Who is lost, leaves and comes back; pauses of a moderator; recorded players in their place."""

import itertools

import pytest

from core.errors import CommonplaceError
from games.machine import CLOCK, By, Phase, Player
from games.machine.commands import (
    Clue,
    Drop,
    Finish,
    Guess,
    Halt,
    Here,
    Judge,
    Leave,
    Next,
    NoMore,
    Rate,
    Ready,
    Resume,
    Tick,
    Who,
)
from games.rules import OnDrop, Rules
from tests.games.table import NAMES, Table

CLUE = Clue("It is told in winter")
NEAR = Guess(" ".join(NAMES))


def drop(table, seat):
    return table.do(By(Who.SYSTEM, seat), Drop())


def into(phase, **given):
    """A game in a phase, of two people, 0 giving."""
    table = Table(**given)
    if phase is Phase.GATHERING:
        return table
    table.begin()
    if phase is Phase.AFTER:
        table.now = table.state.over
        table.tick()
        return table
    if phase is Phase.CLUE:
        return table
    table.say(0, CLUE)
    if phase is Phase.CONFIRM:
        table.say(1, NEAR)
    if phase is Phase.RATE:
        table.say(1, Guess(table.word))
    assert table.state.phase is phase
    return table


PLAYED = (Phase.CLUE, Phase.GUESS, Phase.CONFIRM, Phase.RATE)


@pytest.mark.parametrize("phase", PLAYED)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_pause_takes_no_time_of_the_phase_nor_of_the_game(phase, seat):
    table = into(phase)
    table.wait(7)
    left, over = table.state.deadline - table.now, table.state.over - table.now
    drop(table, seat)
    table.wait(50)
    table.say(seat, Here())
    assert table.state.phase is phase
    assert table.state.deadline - table.now == left
    assert table.state.over - table.now == over


def test_a_phase_with_no_time_left_gets_some_after_a_pause():
    table = into(Phase.CLUE)
    table.now = table.state.deadline - 1
    drop(table, 0)
    table.say(0, Here())
    assert table.state.deadline - table.now == 10_000


@pytest.mark.parametrize("phase", PLAYED)
@pytest.mark.parametrize("seat", [0, 1])
def test_one_who_is_not_back_in_time_ends_the_game_for_both(phase, seat):
    table = into(phase, rules=Rules(on_drop=OnDrop.END))
    drop(table, seat)
    table.wait(60)
    assert (table.state.phase, table.state.reason) == (Phase.ENDED, "partner_left")
    assert [table.state.gone(each) for each in (seat, 1 - seat)] == [True, False]


def test_the_other_may_be_waited_for_longer():
    rules = Rules(on_drop=OnDrop.WAIT, grace_seconds=60, wait_seconds=600)
    table = into(Phase.GUESS, rules=rules)
    drop(table, 0)
    table.wait(599)
    assert table.state.phase is Phase.PAUSED
    table.wait(1)
    assert table.state.reason == "partner_left"


def test_when_both_are_away_the_game_ends_after_the_grace_of_the_second():
    table = into(Phase.GUESS)
    drop(table, 0)
    table.wait(50)
    drop(table, 1)
    table.wait(59)
    assert table.state.phase is Phase.PAUSED
    table.wait(1)
    assert (table.state.reason, table.state.away) == ("both_left", ("gone", "gone"))


def test_two_who_take_turns_in_dropping_do_not_hold_a_game_up_without_end():
    table = into(Phase.GUESS)
    drop(table, 0)
    for _time in range(10):
        table.wait(20)
        if table.state.phase is Phase.ENDED:
            break
        drop(table, 1)
        table.say(1, Here())
    assert table.state.reason == "partner_left"


@pytest.mark.parametrize("order", [*itertools.permutations(["halt", "drop", "resume", "back"])])
def test_a_moderators_pause_and_a_lost_player_in_any_order(order):
    table = into(Phase.GUESS)
    left = table.state.deadline - table.now
    steps = {
        "halt": lambda: table.moderate(Halt()),
        "drop": lambda: drop(table, 1),
        "resume": lambda: table.state.phase is Phase.PAUSED and table.moderate(Resume()),
        "back": lambda: table.say(1, Here()),
    }
    for each in order:
        steps[each]()
        table.now += 1000
        halted = (
            "halt" in order[: order.index(each) + 1]
            and "resume" not in (order[order.index("halt") : order.index(each) + 1])
        )
        assert table.state.halted is halted
        away = table.state.away[1] is not None
        assert (table.state.phase is Phase.PAUSED) is (halted or away)
    if table.state.phase is Phase.PAUSED and table.state.halted:
        table.moderate(Resume())
    if table.state.phase is Phase.PAUSED:
        table.say(1, Here())
    assert table.state.phase is Phase.GUESS
    assert left - 2000 <= table.state.deadline - table.now <= left


def test_a_moderators_pause_ends_by_itself():
    table = into(Phase.CLUE)
    table.moderate(Halt())
    assert table.moderate(Halt()) == []
    table.wait(table.rules.halt_seconds)
    assert table.state.phase is Phase.CLUE


def test_who_leaves_during_a_moderators_pause_does_not_end_the_pause():
    table = into(Phase.GUESS, rules=Rules(on_drop=OnDrop.RECORDED), recorded=(7,))
    table.moderate(Halt())
    table.say(1, Leave())
    assert (table.state.phase, table.state.halted) == (Phase.PAUSED, True)
    table.moderate(Resume())
    assert (table.state.phase, table.turn.number) == (Phase.CLUE, 2)
    assert table.state.deadline - table.now == table.pace.clue


def test_a_guess_is_found_right_during_a_moderators_pause():
    table = into(Phase.CONFIRM)
    table.wait(table.rules.confirm_seconds)
    table.moderate(Halt())
    assert table.moderate(Judge(1, 1, right=True)) == ["judged", "turn_ended"]
    assert table.state.phase is Phase.PAUSED
    table.moderate(Resume())
    assert (table.state.phase, table.state.deadline - table.now) == (Phase.RATE, table.pace.rate)


@pytest.mark.parametrize(
    "phase", [each for each in Phase if each not in (Phase.PAUSED, Phase.ENDED)]
)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("on_drop", OnDrop)
def test_one_leaves_in_any_phase_and_the_game_has_an_end(phase, seat, on_drop):
    table = into(phase, rules=Rules(on_drop=on_drop), recorded=(7, 8))
    table.say(seat, Leave())
    if table.state.phase is Phase.AFTER:
        table.say(1 - seat, Finish())
    expected = {Phase.GATHERING: "left_before", Phase.AFTER: "played"}.get(phase, "partner_left")
    if on_drop is OnDrop.RECORDED and phase in PLAYED:
        assert table.state.players[seat] is Player.RECORDED
        expected = "played"
        assert table.say(seat, Leave()) == []
        while table.state.phase is not Phase.AFTER:
            play_on(table, 1 - seat)
    assert table.run_out().state.reason == expected


def play_on(table, person):
    """One move of who stayed, or of the recorded player."""
    phase, turn = table.state.phase, table.turn
    if phase is Phase.RATE:
        table.say(person, Rate(3, 3))
    elif phase is Phase.CLUE:
        table.say(turn.giver, NoMore() if turn.spent else CLUE)
    else:
        table.say(turn.guesser, Next())


def test_who_is_rating_as_the_giver_leaves_may_finish_that():
    table = into(Phase.RATE, rules=Rules(on_drop=OnDrop.RECORDED), recorded=(7,))
    table.say(0, Leave())
    assert table.state.phase is Phase.RATE
    assert table.rate() == ["rated", "turn_begun"]


def test_a_recorded_player_gives_what_this_game_has_not_used():
    table = into(Phase.GUESS, rules=Rules(on_drop=OnDrop.RECORDED), recorded=(7, 8))
    drop(table, 0)
    table.wait(60)
    assert table.state.players == (Player.RECORDED, Player.HUMAN)
    assert table.state.decks[0] == (7, 8)
    assert table.state.away == (None, None)
    assert (table.state.phase, table.giver) == (Phase.CLUE, 1)


def test_without_recorded_clues_and_cards_the_game_ends():
    table = into(Phase.GUESS, decks=((1, 2), ()), rules=Rules(on_drop=OnDrop.RECORDED))
    table.say(0, Leave())
    assert table.state.reason == "partner_left"


def test_a_game_begins_paused_when_somebody_was_lost_meanwhile():
    table = Table()
    table.say(0, Ready())
    drop(table, 0)
    table.say(1, Ready())
    assert (table.state.phase, table.state.held) == (Phase.PAUSED, Phase.CLUE)
    table.wait(10)
    table.say(0, Here())
    assert table.state.deadline - table.now == table.pace.clue


@pytest.mark.parametrize("phase", [Phase.GATHERING, Phase.AFTER])
def test_whoever_does_something_is_there(phase):
    table = into(phase)
    drop(table, 0)
    table.say(0, Ready() if phase is Phase.GATHERING else Finish())
    assert table.state.away[0] is None


def test_who_lets_deadlines_pass_again_and_again_counts_as_away():
    table = into(Phase.GUESS)
    table.wait(table.rules.guess_seconds)
    table.say(0, Clue("Children wait for it"))
    assert table.state.idle == (0, 1)
    table.wait(table.rules.guess_seconds)
    assert (table.state.phase, table.state.away[1]) == (Phase.PAUSED, "idle")
    left = table.state.left
    table.wait(20)
    table.say(1, Here())
    assert (table.state.idle, table.state.deadline - table.now) == ((0, 0), left)


@pytest.mark.parametrize("done", [Clue("Children wait for it"), NoMore()])
def test_whoever_does_something_begins_to_be_counted_anew(done):
    table = into(Phase.CONFIRM)
    table.wait(table.rules.confirm_seconds)
    table.say(1, Next())
    assert table.state.idle == (1, 0)
    table.say(0, done)
    assert table.state.idle == (0, 0)


def test_nothing_follows_what_ends_a_game():
    table = Table(decks=((1,), ())).begin()
    table.run_out()
    assert [each.kind for each in table.events].index("ended") == len(table.events) - 1


def test_who_has_left_does_nothing_more():
    table = into(Phase.AFTER)
    table.say(0, Leave())
    with pytest.raises(CommonplaceError) as refused:
        table.say(0, Finish())
    assert refused.value.code == "game.left"


def test_the_clock_does_nothing_before_its_time():
    table = into(Phase.CLUE)
    table.now = table.state.due - 1
    assert table.do(CLOCK, Tick()) == []
