"""What each of two players is shown, and above all what they are not."""

import inspect
from dataclasses import fields
from random import Random

import pytest

from core.errors import CommonplaceError
from games import guesses, screens
from games.machine import MODERATOR, By, Phase, Player, commands
from games.machine.commands import Meant, Shared, Who
from games.models import Seat, Turn, Utterance
from games.rules import Rules
from games.screens import view
from games.services import moves, starting
from games.services.playing import cards_of, play
from studies.models import Artifact, Participation
from tests.games.conftest import Sitting, named

# name, alias, what else must not be said; letters that occur nowhere else in a page
WORDS = [
    ("Zyxquor", "ज़्झ्ञपर", "qworzzing"),
    ("ঝঞ্ঝাটকি", "Jhonjhatqi", "ঞৎঢ়"),
    ("झञ्झटूक", "Jhanjhatuqq", "ढ़ञङ"),
    ("Vuvuqels", "ভুভুকেলস", "xylqqq"),
    ("Quombexx", "কুম্বেক্সঢ়", "qwimble"),
    ("Pfrongqa", "फ्रोंगक़ा", "qzarn"),
]
SAFE = ["ek", "dui", "tin", "char", "pan", "chhoi", "sat", "at", "noy", "dosh", "egaro", "baro"]
SLOW = {
    "clue_seconds": 1800,
    "guess_seconds": 1800,
    "confirm_seconds": 600,
    "rate_seconds": 600,
    "grace_seconds": 1800,
    "ready_seconds": 600,
    "play_seconds": 4 * 3600,
    "halt_seconds": 3600,
    "after_seconds": 3600,
}


@pytest.fixture
def lexicon(study):
    """The artifacts of `WORDS`: number -> every text of theirs."""
    region = study.regions.get(slug="harbour")
    found = {}
    for name, alias, forbidden in WORDS:
        row = Artifact.objects.create(study=study, region=region, status=Artifact.Status.LISTED)
        named(row, name)
        named(row, alias, kind="alias")
        named(row, forbidden, kind="forbidden")
        found[row.pk] = (name, alias, forbidden)
    return found


@pytest.fixture
def seated(activity, somebody, lexicon):
    def seated(seed, **rules):
        people = [somebody(), somebody()]
        region = people[0].participant.region
        sitting = [(who, Player.HUMAN) for who in people]
        rules = Rules.read(SLOW | rules)
        return Sitting(starting.start(activity, region, rules, sitting, Random(seed)), people)

    return seated


def html(who):
    return screens.shown(Participation.objects.get(pk=who.pk)).html


def hidden_from(sitting, seat, lexicon):
    """The texts that must not reach a seat now: of whatever neither has been told yet, save what
    the seat describes itself."""
    state = sitting.state
    over = Turn.objects.filter(game=sitting.game).exclude(outcome="")
    told = set(over.values_list("artifact", flat=True))
    if state.turn and state.turn.giver == seat:
        told.add(state.turn.artifact)
    return [text for artifact, texts in lexicon.items() if artifact not in told for text in texts]


def assert_nothing_leaks(sitting, lexicon):
    for seat, who in enumerate(sitting.people):
        shown = html(who).casefold()
        for text in hidden_from(sitting, seat, lexicon):
            assert text.casefold() not in shown, (seat, text, sitting.state)


def near(name):
    """As near to the name as one may write without writing it."""
    return name[:2] + name[3:]


def a_move(sitting, rng, lexicon):
    """Something that somebody may try now, mostly what the rules allow."""
    state = sitting.state
    names = lexicon[state.turn.artifact] if state.turn else ("a", "b", "c")
    seat = rng.choice((0, 1))
    text = " ".join(rng.sample(SAFE, 3))
    giver = [
        commands.Clue(text),
        commands.Clue(text),
        commands.Clue(f"{text} {rng.choice(names)}"),
        commands.Appeal(rng.randint(1, 3)),
        commands.NoMore(),
        commands.Confirm(rng.choice(list(Meant))),
    ]
    guesser = [
        commands.Guess(text),
        commands.Guess(near(names[0])),
        commands.Guess(names[rng.choice((0, 0, 1))]),
        commands.Next(),
        commands.Next(),
        commands.Rate(rng.randint(1, 5), rng.randint(1, 5)),
    ]
    either = [
        commands.Ready(),
        commands.Vet(rng.choice(list(lexicon)), True, rng.choice(list(Shared))),
        commands.Propose(text, text),
        commands.Verify(1, True),
    ]
    mine = [commands.Here(), *either]
    if state.turn:
        mine += (giver if state.turn.giver == seat else guesser) * 3
    return seat, rng.choice(mine)


def a_disturbance(sitting, rng):
    seat = rng.choice((0, 1))
    turn = sitting.state.turns
    return rng.choice(
        [
            (By(Who.SYSTEM, seat), commands.Drop()),
            (MODERATOR, commands.Halt()),
            (By(Who.MODERATOR, seat), commands.Warn("Please be kind.")),
            (MODERATOR, commands.Strike(turn, "clue", 1)),
            (MODERATOR, commands.Strike(turn, "guess", 1)),
            (MODERATOR, commands.Rule(turn, rng.randint(1, 3), False)),
            (MODERATOR, commands.Judge(turn, 1, rng.choice((True, False)))),
        ]
    )


@pytest.mark.parametrize("seed", range(4))
def test_over_random_play_nobody_is_shown_a_word_they_must_not_know(seated, lexicon, seed):
    rng = Random(seed)
    sitting = seated(seed)
    followed = set()
    for _step in range(90):
        try:
            if rng.random() < 0.1:
                by, command = a_disturbance(sitting, rng)
                play(sitting.game.pk, by, command)
            else:
                seat, command = a_move(sitting, rng, lexicon)
                moves.move(sitting.people[seat], command)
            followed.add(type(command))
        except CommonplaceError:
            pass
        if sitting.state.phase is Phase.PAUSED and sitting.state.halted and rng.random() < 0.5:
            play(sitting.game.pk, MODERATOR, commands.Resume())
        assert_nothing_leaks(sitting, lexicon)
        if sitting.state.phase is Phase.ENDED:
            break
    assert {commands.Ready, commands.Clue} <= followed


def test_a_guesser_s_view_has_no_place_for_the_word_nor_for_refused_clues():
    given = inspect.signature(view.guessing).parameters
    assert set(given) == {"around", "heard", "guesses"}
    held = {each.name for each in fields(view.Guessing)}
    assert not held & {"word", "names", "forbidden", "card", "clues", "told"}


def test_what_was_refused_or_struck_is_left_out_of_the_slips_whatever_the_reads_bring(playing):
    sitting = playing()
    giver, guesser = sitting.giver, 1 - sitting.giver
    sitting.say(giver, commands.Clue("We see it often"))
    around = view.Around(sitting.state, guesser, Rules(), Rules().paced(1), now=0)
    brought = [
        view.Clue(1, "said"),
        view.Clue(2, "refused", verdict="blocked"),
        view.Clue(1, "struck", struck=True),
        view.Clue(7, "of another turn"),
    ]
    assert [each.text for each in view.guessing(around, brought, []).slips] == ["said"]


def test_the_guesser_s_words_are_read_without_the_card(playing, monkeypatch):
    from games.screens import reading

    sitting = playing()
    guesser = sitting.people[1 - sitting.giver]
    sitting.say(sitting.giver, commands.Clue("We see it often"))

    def never(_game):
        raise AssertionError("the cards were read")

    monkeypatch.setattr(reading, "cards_of", never)
    assert "We see it often" in html(guesser)
    with pytest.raises(AssertionError, match="the cards were read"):
        html(sitting.people[sitting.giver])


def test_a_struck_clue_is_shown_to_nobody_but_its_giver(playing):
    sitting = playing()
    sitting.say(sitting.giver, commands.Clue("We see it often"))
    play(sitting.game.pk, MODERATOR, commands.Strike(1, "clue", 1))
    assert "We see it often" not in html(sitting.people[1 - sitting.giver])
    assert "A moderator took this clue back." in html(sitting.people[sitting.giver])


def test_words_that_were_withdrawn_are_not_shown(playing):
    sitting = playing()
    sitting.say(sitting.giver, commands.Clue("We see it often"))
    Utterance.objects.update(text="", removed=True)
    assert '<li class="slip' not in html(sitting.people[1 - sitting.giver])


def test_a_form_keeps_its_key_while_it_is_about_the_same_and_its_zones_keep_their_names(playing):
    sitting = playing()
    giver, guesser = sitting.people[sitting.giver], sitting.people[1 - sitting.giver]
    writing, drafting = html(giver), html(guesser)
    assert 'data-key="clue:1:0"' in writing
    assert 'data-key="guess:1:0"' in drafting
    sitting.say(sitting.giver, commands.Clue("We see it often"))
    assert 'data-key="clue:1:1"' in html(giver)
    assert 'data-key="guess:1:0"' in html(guesser)
    sitting.say(1 - sitting.giver, commands.Next())
    assert 'data-key="clue:1:1"' in html(giver)
    sitting.say(sitting.giver, commands.Clue("Everybody talks of it"))
    sitting.say(1 - sitting.giver, commands.Guess("the tide"))
    assert 'data-key="guess:1:1"' in html(guesser)
    for name in ("turn", "time", "partner", "notices", "clues", "guesses", "act"):
        assert html(giver).count(f'data-zone="{name}"') == 1
        assert html(guesser).count(f'data-zone="{name}"') == 1


def test_unchanged_zones_are_the_same_to_the_byte(playing):
    """So that nothing is read out, moved or lost for the sake of what did not change."""
    sitting = playing()
    guesser = sitting.people[1 - sitting.giver]
    before = html(guesser)
    sitting.say(sitting.giver, commands.Clue("We see it often"))

    def zone(page, name):
        return page[page.index(f'data-zone="{name}"') + 1 :].partition("data-zone")[0]

    after = html(guesser)
    assert zone(after, "partner") == zone(before, "partner")
    assert zone(after, "notices") == zone(before, "notices")
    assert zone(after, "turn") != zone(before, "turn")


def test_the_version_goes_up_with_the_game_and_the_tag_changes_with_it(playing):
    sitting = playing()
    who = sitting.people[1 - sitting.giver]
    before = screens.shown(who)
    sitting.say(sitting.giver, commands.Clue("We see it often"))
    after = screens.shown(who)
    assert (after.version, sitting.game.pk) == (before.version + 1, sitting.game.pk)
    assert after.tag != before.tag


def misspelt(name):
    return [name[:place] + name[place + 1 :] for place in range(1, len(name))]


def is_near(sitting, text):
    card = cards_of(sitting.game.pk)[sitting.state.turn.artifact]
    return guesses.judge(text, card) is guesses.Found.NEAR


def test_a_near_guess_is_the_giver_s_question_and_the_guesser_s_wait(seated, lexicon):
    sitting = seated(1)
    for seat in (0, 1):
        sitting.say(seat, commands.Ready())
    sitting.say(sitting.giver, commands.Clue("ek dui tin"))
    name = lexicon[sitting.state.turn.artifact][0]
    close = next(each for each in misspelt(name) if is_near(sitting, each))
    sitting.say(1 - sitting.giver, commands.Guess(close))
    assert sitting.state.phase is Phase.CONFIRM
    giver, guesser = html(sitting.people[sitting.giver]), html(sitting.people[1 - sitting.giver])
    assert 'name="meant" value="unsure"' in giver
    assert close in giver
    assert "Your guess is close." in guesser
    assert name not in guesser


def test_a_recorded_partner_is_marked_as_such_on_every_screen(playing):
    sitting = playing()
    state = sitting.game.state
    Seat.objects.filter(game=sitting.game, number=1 - sitting.giver).update(player="recorded")
    sitting.game.refresh_from_db()
    state = sitting.game.state
    state["players"][1 - sitting.giver] = "recorded"
    sitting.game.state = state
    sitting.game.save()
    shown = html(sitting.people[sitting.giver])
    assert "Recorded" in shown
    assert "The clues you read were given by people in earlier games." in shown
