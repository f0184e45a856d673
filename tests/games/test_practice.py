"""The practice round, through its page."""

import re

import pytest
from django.urls import reverse

from games.models import Game, GameEvent, GamePlan, Ticket
from games.practice import FIELD
from games.practice.scripts import GIVEN, GUESSED, script
from games.rules import Rules
from studies import links

TONGUES = ("en", "hi", "bn", "es", "ur")


@pytest.fixture
def who(somebody):
    return somebody()


@pytest.fixture
def rounds(client, who):
    """Plays the round as a browser does: each call sends a form of the page that is open."""

    class Rounds:
        address = reverse("games:play", args=(links.token(who),))

        def open(self):
            self.page = client.get(self.address, {"practice": ""}).content.decode()
            return self.page

        def send(self, **fields):
            carried = re.search(f'name="{FIELD}" value="([^"]+)"', self.page)[1]
            response = client.post(self.address, {FIELD: carried, **fields})
            self.page = response.content.decode()
            self.status = response.status_code
            return self.page

    return Rounds()


def test_the_instructions_name_the_numbers_of_the_study_s_rules(client, rounds, activity):
    rules = Rules.read({"clues": 4, "guesses": 3, "clue_seconds": 240, "play_seconds": 1800})
    GamePlan.objects.create(activity=activity, rules=rules.as_json())
    page = client.get(rounds.address).content.decode()
    assert "You give up to 4 clues" in page
    assert "You have about 4 minutes for each." in page
    assert "You have 3 guesses for each thing." in page
    assert "You play for 30 minutes at most." in page
    assert f'href="{rounds.address}?practice"' in page
    assert 'http-equiv="refresh"' not in page
    assert 'value="enter"' not in page


@pytest.mark.parametrize(
    ("rules", "clue", "guess"),
    [
        ({}, "You have about 150 seconds for each.", "You have about 2 minutes each time."),
        (
            {"clue_seconds": 330, "guess_seconds": 20},
            "You have about 5 minutes for each.",
            "You have about 20 seconds each time.",
        ),
    ],
)
def test_the_instructions_promise_no_more_time_than_there_is(
    client, rounds, activity, rules, clue, guess
):
    GamePlan.objects.create(activity=activity, rules=rules)
    page = client.get(rounds.address).content.decode()
    assert clue in page
    assert guess in page


def test_a_study_without_practice_leads_straight_to_a_partner(client, rounds, activity):
    GamePlan.objects.create(activity=activity, rules=Rules(practice=False).as_json())
    page = client.get(rounds.address).content.decode()
    assert 'value="enter"' in page
    assert "?practice" not in page


def test_a_whole_round_first_describing_then_guessing(rounds):
    page = rounds.open()
    assert "umbrella" in page
    assert "Your partner is a script here, not a person." in page
    assert "clue 1 of 5" in page

    page = rounds.send(do="clue", text="You hold it over your head.")
    assert "clue 2 of 5" in page
    page = rounds.send(do="clue", text="It folds.")
    assert "a hat" in page
    assert "Not it" in page
    page = rounds.send(do="clue", text="It is a kind of small roof.")
    assert "You described" in page
    assert "Guessed" in page

    assert "It has two long sides." in page
    page = rounds.send(do="next")
    assert "You lean it against a wall." in page
    page = rounds.send(do="guess", text="a door")
    assert "Not it" in page
    page = rounds.send(do="guess", text="Ladder")
    assert "How accurate were they?" in page
    page = rounds.send(do="rate", accuracy="5", quality="4")
    assert "The next round is with a real person." in page
    assert 'value="enter"' in page


def test_a_clue_with_a_forbidden_word_is_refused_with_the_reason(rounds):
    rounds.open()
    page = rounds.send(do="clue", text="You need it in the rain")
    assert "Your partner does not read this." in page
    assert "You need it in the rain</textarea>" in page
    assert "clue 1 of 5" in page


def test_what_is_refused_stays_in_its_field_with_the_sentence_beside_it(rounds):
    rounds.open()
    page = rounds.send(do="clue", text="x" * 301)
    assert rounds.status == 422
    assert f"{'x' * 301}</textarea>" in page
    assert "This is too long." in page
    rounds.send(do="no_more", text="half a clue")
    assert rounds.status == 409
    assert "half a clue</textarea>" in rounds.page


def test_before_its_turn_is_over_no_word_of_the_partner_is_in_the_page(rounds):
    for page in (
        rounds.open(),
        rounds.send(do="clue", text="It folds."),
        rounds.send(do="no_more"),
        rounds.send(do="next"),
    ):
        assert "ladder" not in page.lower()


def test_practice_stores_nothing_and_waits_for_nobody(rounds, django_assert_num_queries):
    rounds.open()
    rounds.send(do="clue", text="It folds.")
    rounds.send(do="no_more")
    assert not Ticket.objects.exists()
    assert not Game.objects.exists()
    assert not GameEvent.objects.exists()


def test_a_carried_round_that_was_meddled_with_begins_anew(client, rounds):
    rounds.open()
    response = client.post(rounds.address, {FIELD: "e30:forged:sign", "do": "next"})
    assert response.status_code == 409
    assert "clue 1 of 5" in response.content.decode()


def test_the_practice_can_be_skipped_once_it_is_shown(client, rounds):
    page = rounds.open()
    assert "Skip the practice and find a partner" in page
    response = client.post(rounds.address, {"do": "enter"})
    assert response.status_code == 303
    assert Ticket.objects.count() == 1


@pytest.mark.parametrize("tag", TONGUES)
@pytest.mark.parametrize("rules", [{}, {"clues": 1, "guesses": 1}, {"clues": 10, "guesses": 5}])
def test_every_script_leads_to_the_end_under_every_rule(rounds, activity, who, tag, rules):
    GamePlan.objects.create(activity=activity, rules=Rules.read(rules).as_json())
    study = activity.study
    study.languages = ["en", *TONGUES[1:]]
    study.save()
    who.participant.language = tag
    who.participant.save()
    lines = script(tag)
    rounds.open()
    for number in range(12):
        if f'value="{FIELD}"' not in rounds.page and 'name="accuracy"' in rounds.page:
            break
        if 'value="clue"' in rounds.page:
            rounds.send(do="clue", text="1234567"[: number + 1])
        elif 'value="next"' in rounds.page:
            rounds.send(do="guess", text=lines.cards[GUESSED].name)
    rounds.send(do="rate", accuracy="1", quality="1")
    assert 'class="whose"' in rounds.page
    assert FIELD not in re.sub(r'href="[^"]*"', "", rounds.page)


@pytest.mark.parametrize("tag", TONGUES)
def test_no_clue_of_a_script_breaks_the_rules(tag):
    from games import clues

    lines = script(tag)
    said = []
    for clue in lines.clues:
        assert clues.refusal(clue, lines.cards[GUESSED], said) == ""
        said.append(clue)
    assert len(said) == 5
    assert lines.cards[GIVEN].name
