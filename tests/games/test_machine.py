"""The rules of the game: turns, clues and guesses, ratings, moderators."""

import pytest

from core.errors import CommonplaceError
from games.machine import CLOCK, MODERATOR, By, Phase, player
from games.machine.commands import (
    Appeal,
    Clue,
    Confirm,
    Drop,
    End,
    Finish,
    Guess,
    Halt,
    Judge,
    Leave,
    Meant,
    Next,
    NoMore,
    Propose,
    Rate,
    Ready,
    Resume,
    Rule,
    Strike,
    Verify,
    Warn,
    Who,
)
from games.rules import OnDrop, Rules
from tests.games.table import NAMES, Table

NEAR = Guess(" ".join(NAMES))  # it holds the name, and more
CLUES = [Clue(f"It is told in winter, and {each} know it") for each in
         ("sailors", "children", "bakers", "widows", "fishers")]  # fmt: skip


def refused(table, by, command):
    with pytest.raises(CommonplaceError) as found:
        table.do(by, command)
    return found.value.code


def blocked(table):
    """A clue that the rules refuse, and its giver appeals for."""
    table.say(table.giver, Clue(f"It is the {table.word}"))
    table.say(table.giver, Appeal(table.turn.written))
    return table.turn.written


# --- turns --------------------------------------------------------------------------------------


def test_turns_alternate_until_both_decks_are_played():
    table = Table(decks=((1, 2), (4, 5))).begin()
    givers = []
    while table.state.phase is not Phase.AFTER:
        givers.append(table.giver)
        table.say(table.giver, CLUES[0])
        table.say(table.guesser, Guess(table.word))
        table.rate()
    assert givers == [0, 1, 0, 1]
    assert sorted(table.played) == [1, 2, 4, 5]


@pytest.mark.parametrize("decks", [((1, 2), ()), ((), (1, 2))])
def test_where_one_deck_is_empty_its_player_only_guesses(decks):
    table = Table(decks=decks).begin()
    for _turn in range(2):
        assert table.giver == (0 if decks[0] else 1)
        table.say(table.giver, CLUES[0])
        table.say(table.guesser, Guess(table.word))
        table.rate()
    assert table.state.phase is Phase.AFTER


def test_a_game_without_cards_ends_as_it_begins():
    table = Table(decks=((), ())).begin()
    assert (table.state.phase, table.state.reason) == (Phase.ENDED, "no_cards")


def test_a_giver_says_five_clues_and_no_more():
    table = Table().begin()
    for number, clue in enumerate(CLUES, start=1):
        table.say(table.giver, clue)
        asked = table.say(table.guesser, Next())
        assert asked == (["next_asked"] if number < 5 else ["turn_ended"])
    assert table.state.phase is Phase.RATE


def test_a_refused_clue_does_not_count_and_leaves_the_giver_their_turn():
    table = Table(rules=Rules(clues=1)).begin()
    assert table.say(table.giver, Clue(f"It is a {table.word}")) == ["clue_blocked"]
    assert table.state.phase is Phase.CLUE
    assert table.say(table.giver, CLUES[0]) == ["clue_said"]


def test_the_second_wrong_guess_ends_the_turn():
    table = Table().begin()
    table.say(table.giver, CLUES[0])
    assert table.say(table.guesser, Guess("A kite")) == ["guessed"]
    assert table.say(table.guesser, Guess("A drum")) == ["guessed", "turn_ended"]


def test_a_giver_with_no_further_clue_leaves_the_guesser_to_guess_or_pass():
    table = Table().begin()
    assert refused(table, player(0), NoMore()) == "game.no_clue_yet"
    table.say(table.giver, CLUES[0])
    table.say(table.guesser, Next())
    table.say(table.giver, NoMore())
    assert table.say(table.guesser, Next()) == ["turn_ended"]


@pytest.mark.parametrize("text", ["", " \n ", "\u200b\u200d", "x" * 301, "a\x00b"])
def test_what_cannot_be_read_is_refused_and_costs_no_guess(text):
    table = Table().begin()
    table.say(table.giver, CLUES[0])
    codes = ("game.empty", "game.too_long", "text.not_storable")
    assert refused(table, player(table.guesser), Guess(text)) in codes
    assert table.turn.guesses == 0


def test_a_turn_without_a_clue_is_not_rated():
    table = Table().begin()
    table.wait(table.rules.clue_seconds)
    assert table.events[-2].data["outcome"] == "no_clue"
    assert (table.state.phase, table.turn.number) == (Phase.CLUE, 2)


@pytest.mark.parametrize("rating", [(0, 3), (3, 6), (-1, 1)])
def test_a_rating_is_one_to_five(rating):
    table = Table().begin()
    table.say(table.giver, CLUES[0])
    table.say(table.guesser, Guess(table.word))
    assert refused(table, player(table.guesser), Rate(*rating)) == "game.rating"
    assert table.state.phase is Phase.RATE


# --- near misses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("meant", "phase"), [("yes", Phase.RATE), ("no", Phase.GUESS), ("unsure", Phase.GUESS)]
)
def test_the_giver_says_whether_a_near_miss_was_meant(meant, phase):
    table = Table().begin()
    table.say(table.giver, CLUES[0])
    table.say(table.guesser, NEAR)
    assert table.state.phase is Phase.CONFIRM
    table.say(table.giver, Confirm(Meant(meant)))
    assert table.state.phase is phase


def test_a_moderator_finds_a_doubtful_guess_right_and_its_turn_ends():
    table = Table().begin()
    table.say(table.giver, CLUES[0])
    table.say(table.guesser, NEAR)
    table.say(table.giver, Confirm(Meant.UNSURE))
    assert table.moderate(Judge(1, 1, right=True)) == ["judged", "turn_ended"]
    assert refused(table, MODERATOR, Judge(1, 1, right=False)) == "game.unknown"


def test_a_guess_found_right_once_the_clues_are_rated_changes_no_turn_but_its_own():
    table = Table(rules=Rules(guesses=1)).begin()
    table.say(table.giver, CLUES[0])
    table.say(table.guesser, NEAR)
    table.say(table.giver, Confirm(Meant.UNSURE))
    assert table.state.phase is Phase.RATE
    assert table.moderate(Judge(1, 1, right=True)) == ["judged"]
    assert table.state.phase is Phase.RATE
    table.rate()
    assert (table.state.phase, table.turn.number) == (Phase.CLUE, 2)


@pytest.mark.parametrize("how", ["time", "end", "leave"])
def test_a_near_miss_nobody_has_spoken_about_is_left_to_a_moderator(how):
    table = Table(rules=Rules(play_seconds=60, confirm_seconds=600)).begin()
    table.say(table.giver, CLUES[0])
    table.say(table.guesser, NEAR)
    if how == "time":
        table.wait(60)
    elif how == "end":
        table.moderate(End())
    else:
        table.say(table.guesser, Leave())
    assert table.verdicts["guess", 1, 1] == "doubtful"
    assert table.moderate(Judge(1, 1, right=True)) == ["judged"]


def test_of_a_recorded_giver_nobody_is_asked_what_was_meant():
    table = Table(players=("recorded", "human")).begin()
    table.say(0, CLUES[0])
    assert table.say(1, NEAR) == ["guessed", "confirmed"]
    assert table.state.phase is Phase.GUESS


# --- appeals ------------------------------------------------------------------------------------


def test_a_clue_allowed_while_the_giver_thinks_reaches_the_guesser():
    table = Table().begin()
    number = blocked(table)
    assert table.moderate(Rule(1, number, allowed=True)) == ["clue_said"]
    assert (table.state.phase, table.turn.said, table.turn.blocked) == (Phase.GUESS, (1,), ())


def test_a_clue_allowed_while_the_guesser_thinks_is_one_more():
    table = Table().begin()
    number = blocked(table)
    table.say(table.giver, CLUES[0])
    table.moderate(Rule(1, number, allowed=True))
    assert (table.state.phase, table.turn.said, table.turn.spent) == (Phase.GUESS, (2, 1), 2)


def test_a_clue_allowed_while_the_giver_is_asked_leaves_them_the_question():
    table = Table().begin()
    number = blocked(table)
    table.say(table.giver, CLUES[0])
    table.say(table.guesser, NEAR)
    deadline = table.state.deadline
    table.moderate(Rule(1, number, allowed=True))
    assert (table.state.phase, table.state.deadline) == (Phase.CONFIRM, deadline)
    assert table.turn.said == (2, 1)


def test_a_clue_allowed_during_a_moderators_pause_is_read_after_it():
    table = Table().begin()
    number = blocked(table)
    table.moderate(Halt())
    table.moderate(Rule(1, number, allowed=True))
    assert table.state.phase is Phase.PAUSED
    table.wait(60)
    table.moderate(Resume())
    assert (table.state.phase, table.turn.said) == (Phase.GUESS, (1,))
    assert table.state.deadline - table.now == table.pace.guess


def test_a_clue_allowed_when_there_is_no_room_for_it_is_only_noted():
    table = Table(rules=Rules(clues=1)).begin()
    number = blocked(table)
    table.say(table.giver, CLUES[0])
    assert table.moderate(Rule(1, number, allowed=True)) == ["appeal_decided"]
    assert table.turn.spent == 1


def test_an_appeal_is_decided_long_after_its_turn_and_once():
    table = Table(decks=((1,), ())).begin()
    number = blocked(table)
    table.run_out()
    assert table.moderate(Rule(1, number, allowed=False)) == ["appeal_decided"]
    assert refused(table, MODERATOR, Rule(1, number, allowed=True)) == "game.unknown"


def test_an_appeal_is_made_once_and_by_the_giver():
    table = Table().begin()
    number = blocked(table)
    assert table.say(table.giver, Appeal(number)) == []
    assert refused(table, player(table.guesser), Appeal(number)) == "game.not_your_turn"
    assert refused(table, player(table.giver), Appeal(7)) == "game.unknown"


# --- time ---------------------------------------------------------------------------------------


def test_the_time_of_the_game_ends_in_a_turn_and_both_look_back():
    table = Table(rules=Rules(play_seconds=60)).begin()
    table.say(table.giver, CLUES[0])
    table.wait(60)
    assert (table.state.phase, table.state.over) == (Phase.AFTER, None)
    assert table.events[-2].data["outcome"] == "time_up"


def test_looking_back_ends_when_both_are_done_or_its_time_is_up():
    table = Table(decks=((1,), ()), rules=Rules(play_seconds=60)).begin()
    table.wait(60)
    due = table.state.due
    table.say(0, Finish())
    assert (table.state.phase, table.state.due) == (Phase.AFTER, due)
    table.say(1, Finish())
    assert (table.state.phase, table.state.reason) == (Phase.ENDED, "played")


def test_who_does_not_get_ready_ends_the_game_before_it_begins():
    table = Table()
    table.say(0, Ready())
    table.wait(table.rules.ready_seconds)
    assert (table.state.reason, table.state.ready) == ("not_ready", (True, False))


# --- after the game -----------------------------------------------------------------------------


def looking_back():
    table = Table(decks=((1,), ()), rules=Rules(play_seconds=60)).begin()
    table.wait(60)
    return table


def test_a_proposal_counts_once_the_partner_has_verified_it():
    table = looking_back()
    table.say(0, Propose("Smoke bell", "It is rung in fog"))
    assert refused(table, player(0), Verify(1, belongs=True)) == "game.unknown"
    table.say(1, Verify(1, belongs=True))
    assert table.say(1, Verify(1, belongs=True)) == []
    assert table.state.proposals[0].verified is True
    table.say(1, Verify(1, belongs=False))
    assert table.state.proposals[0].verified is False


def test_both_may_propose_under_the_same_number():
    table = looking_back()
    for seat in (0, 1):
        table.say(seat, Propose("Smoke bell", "It is rung in fog"))
    table.say(1, Verify(1, belongs=True))
    assert [each.verified for each in table.state.proposals] == [True, None]


# --- moderators and strangers -------------------------------------------------------------------


def test_a_warning_is_for_one_seat_and_its_text_is_in_no_event():
    table = Table().begin()
    assert table.do(By(Who.MODERATOR, 1), Warn("Please be kind")) == ["warned"]
    assert (table.events[-1].seat, table.events[-1].data) == (1, {"number": 1})
    assert refused(table, MODERATOR, Warn("Please be kind")) == "game.unknown"


def test_a_struck_clue_is_read_no_more_and_stays_counted():
    table = Table().begin()
    table.say(table.giver, CLUES[0])
    table.moderate(Strike(1, "clue", 1))
    assert (table.turn.said, table.turn.spent) == ((), 1)
    table.say(table.guesser, Guess(table.word))
    assert table.turn.number == 2, "nothing is left to rate"


@pytest.mark.parametrize(
    ("by", "command"),
    [
        (player(0), Halt()),
        (player(0), Drop()),
        (MODERATOR, Clue("It is red")),
        (CLOCK, Clue("It is red")),
        (MODERATOR, Drop()),
        (CLOCK, End()),
    ],
)
def test_nobody_does_what_is_anothers(by, command):
    assert refused(Table().begin(), by, command) == "game.not_yours"


@pytest.mark.parametrize("seat", [None, 2, -1])
def test_a_seat_that_is_not_there_does_nothing(seat):
    table = Table().begin()
    assert refused(table, By(Who.PLAYER, seat), CLUES[0]) == "game.unknown"
    assert refused(table, By(Who.SYSTEM, seat), Drop()) == "game.unknown"
    assert refused(table, By(Who.SYSTEM, seat), Leave()) == "game.unknown"


@pytest.mark.parametrize("reason", ["", "Because he is rude", "x" * 41, "ends\nbadly"])
def test_reasons_in_events_are_codes(reason):
    table = Table().begin()
    table.moderate(End(reason))
    assert table.state.reason == "moderator"
    table = Table(rules=Rules(on_drop=OnDrop.END)).begin()
    table.say(0, Leave(reason))
    assert [each.data["reason"] for each in table.events if each.kind == "dropped"] == ["left"]
