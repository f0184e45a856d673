"""The pages on which a moderator watches games and acts in them."""

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core import clock
from games import clues, in_words
from games.machine import By, Outcome, Phase
from games.machine.commands import Appeal, Clue, Drop, Guess, Who
from games.machine.deciding import MOVES
from games.models import Game, Ticket, Utterance
from games.services.playing import play
from studies import services, steps
from studies.permissions import Role


@pytest.fixture
def watched(playing, as_alice):
    """A game being played, and a client who may watch it."""
    sitting = playing()
    sitting.client = as_alice
    return sitting


def page(sitting, name="watch_game", **more):
    study = sitting.game.activity.study.slug
    of_game = name in ("watch_game", "watch_game_part")
    args = (study, sitting.game.code) if of_game else (study,)
    return sitting.client.get(reverse(f"games:{name}", args=args), more)


def act(sitting, do, **fields):
    study = sitting.game.activity.study.slug
    address = reverse("games:watch_act", args=(study, sitting.game.code))
    return sitting.client.post(address, {"do": do, **fields})


def words(response):
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", text)


def appeal(sitting):
    sitting.say(sitting.giver, Clue(f"It is called {sitting.word}"))
    sitting.say(sitting.giver, Appeal(1))


def test_the_list_tells_who_waits_and_who_plays_region_by_region(watched, somebody, activity):
    who = somebody("terraces")
    Ticket.objects.create(
        participation=who,
        activity=activity,
        region=who.participant.region,
        language="en",
        entered=clock.ago(36_000),
        deadline=clock.later(600),
    )
    told = words(page(watched, "watch"))
    assert re.search(r"Terraces 1 60\d min", told)
    assert "Harbour 0 –" in told
    assert watched.game.code in told
    assert re.search(r"writing a clue 1 (under a minute|\d+ min)", told)
    codes = [each.participant.code for each in watched.people]
    assert f"{codes[0]} is here {codes[1]} is here" in told


def test_who_is_not_heard_from_is_told_in_words(watched):
    play(watched.game.pk, By(Who.SYSTEM, 1), Drop())
    assert "is not heard from" in words(page(watched, "watch"))
    assert "Paused" in words(page(watched))


def test_what_players_ask_about_stands_on_top_and_is_counted_for_the_study(watched, alice):
    study = watched.game.activity.study
    appeal(watched)
    told = words(page(watched, "watch"))
    assert "1 question waits for your decision" in told
    assert "May this clue be said?" in told
    (waits,) = [waits for room, waits in steps.rooms_of_work() if room.url_name == "games:watch"]
    assert waits.counts([study.pk], alice) == {study.pk: 1}
    act(watched, "rule 1 1 no")
    assert waits.counts([study.pk], alice) == {}
    assert "No question waits for a decision" in words(page(watched, "watch"))


def test_the_list_asks_the_database_as_often_for_many_games_as_for_one(watched, playing):
    appeal(watched)
    page(watched, "watch_part")  # a session's first request asks for more
    with CaptureQueriesContext(connection) as for_one:
        page(watched, "watch_part")
    for _game in range(3):
        appeal(playing())
    with CaptureQueriesContext(connection) as for_many:
        told = words(page(watched, "watch_part"))
    assert "4 games are being played" in told
    assert len(for_many) == len(for_one)


def test_a_part_that_has_not_changed_is_not_sent_again(watched):
    whole = page(watched).content.decode()
    seen = re.search(r"seen=(\w+)", whole).group(1)
    assert page(watched, "watch_game_part", seen=seen).status_code == 204
    watched.say(watched.giver, Clue("It is carried home at dusk"))
    part = page(watched, "watch_game_part", seen=seen)
    assert part.status_code == 200
    assert "It is carried home at dusk" in part.content.decode()
    assert re.search(r"seen=(\w+)", part.content.decode()).group(1) != seen


def test_what_refreshes_holds_no_form_and_no_token(watched):
    for name in ("watch_part", "watch_game_part"):
        part = page(watched, name).content.decode()
        assert "<form" not in part
        assert "csrf" not in part


def test_the_transcript_holds_the_word_every_clue_and_why_one_was_kept_back(watched):
    appeal(watched)
    watched.say(watched.giver, Clue("It is carried home at dusk"))
    watched.say(1 - watched.giver, Guess("A herring gull"))
    told = words(page(watched))
    assert f"Turn 1: {watched.word}" in told
    assert "It is carried home at dusk" in told
    assert "kept back, and the giver asks a moderator: it holds the name" in told
    assert "A herring gull wrong, by the rules" in told
    assert "If nobody acts, the game goes on by itself at" in told


WARNING = {"text": "Please keep to clues.", "nonce": "a"}


@pytest.mark.parametrize(
    ("do", "fields", "phase", "said"),
    [
        ("halt", {}, "paused", "The game is paused."),
        ("end", {}, "ended", "The game has ended."),
        ("remove 1", {}, "ended", "The player is out of the game. Their time is paid."),
        ("warn 0", WARNING, "clue", "The message is sent."),
    ],
)
def test_every_button_of_a_game_does_its_thing_and_says_so(watched, do, fields, phase, said):
    response = act(watched, do, **fields)
    assert (response.status_code, watched.state.phase) == (302, phase)
    assert said in words(page(watched))


def test_a_pause_that_is_over_and_a_clue_that_is_struck_are_said(watched):
    watched.say(watched.giver, Clue("It is carried home at dusk"))
    act(watched, "halt")
    act(watched, "resume")
    act(watched, "strike clue 1 1")
    told = words(page(watched))
    assert "The pause is over." in told
    assert "The clue is struck: players do not read it any more." in told


@pytest.mark.parametrize(
    ("so", "said"),
    [("yes", "The clue is read by the partner now."), ("no", "The clue is kept back.")],
)
def test_a_moderator_is_told_what_a_decision_on_a_clue_has_done(watched, so, said):
    appeal(watched)
    for _twice in range(2):
        act(watched, f"rule 1 1 {so}")
        told = words(page(watched))
        assert said in told
    assert ("it holds the name" in told) == (so == "no")


def test_a_clue_that_is_allowed_too_late_is_said_to_be_read_by_nobody(watched):
    appeal(watched)
    act(watched, "end")
    act(watched, "rule 1 1 yes")
    told = words(page(watched))
    assert "The clue was allowed, but its turn takes no more: nobody reads it." in told


def test_a_moderator_is_told_what_a_guess_counts_as_now(watched):
    watched.say(watched.giver, Clue("It is carried home at dusk"))
    watched.say(1 - watched.giver, Guess("A herring gull"))
    Utterance.objects.filter(kind="guess").update(verdict="doubtful")
    act(watched, "judge 1 1 yes")
    assert "The guess counts as right now." in words(page(watched))


def test_a_moderator_is_told_the_language_of_whom_they_write_to(watched):
    who = watched.people[0].participant
    who.language = "bn"
    who.save()
    assert f"A message that {who.code} alone reads They read Bengali (bn)." in words(page(watched))


def test_a_struck_clue_is_shown_struck_and_has_no_button_any_more(watched):
    watched.say(watched.giver, Clue("It is carried home at dusk"))
    assert 'value="strike clue 1 1"' in page(watched).content.decode()
    act(watched, "strike clue 1 1")
    shown = page(watched).content.decode()
    assert '<del class="people" translate="no">It is carried home at dusk</del>' in shown
    assert 'value="strike clue 1 1"' not in shown


def test_a_message_that_could_not_be_sent_stays_in_its_field(watched):
    response = act(watched, "warn 0", text="Too long. " * 150, nonce="a")
    assert response.status_code == 422
    assert "Too long. Too long." in response.content.decode()
    assert not Utterance.objects.exists()


@pytest.mark.parametrize(
    "do",
    [
        *("", "fly", "warn", "warn 2", "strike", "strike warning 0 1", "strike clue x 1"),
        *("rule 1 1 maybe", "judge 1 ² yes", "judge 1 99999999999999999999 yes"),
    ],
)
def test_a_button_that_does_not_exist_is_refused_and_nothing_happens(watched, do):
    before = watched.state
    response = act(watched, do)
    assert response.status_code == 400
    assert "no such button" in response.content.decode()
    assert watched.state == before


def test_a_game_of_another_study_is_not_to_be_had(watched):
    Game.objects.filter(pk=watched.game.pk).update(code="0000000000")
    assert page(watched).status_code == 404


@pytest.mark.parametrize("role", Role)
def test_games_are_watched_by_owners_researchers_and_moderators(playing, study, bob, client, role):
    sitting = playing()
    sitting.client = client
    services.invite(study, bob.email, role, "test")
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    may = role in (Role.OWNER, Role.RESEARCHER, Role.MODERATOR)
    for name in (
        "watch",
        "watch_part",
        "watch_game",
        "watch_game_part",
        "proposals",
        "transcripts",
    ):
        assert page(sitting, name).status_code == (200 if may else 403), name
    assert act(sitting, "end").status_code == (302 if may else 403)
    assert (sitting.state.phase == Phase.ENDED) == may


def test_a_proposal_is_listed_left_and_taken_back_on_its_page(watched):
    study = watched.game.activity.study
    row = Utterance.objects.create(
        game=watched.game, turn=0, kind="proposal", number=1, seat=0, text="Lamp boats",
        about="Set on the water in autumn.", verdict="confirmed", decided_by="partner",
    )  # fmt: skip
    address = reverse("games:propose", args=(study.slug,))
    assert "1 proposal waits for you" in words(page(watched, "proposals"))
    for do, verdict, said in (
        ("accept", "allowed", "The proposal is on the list."),
        ("undo", "confirmed", "The proposal waits for a decision again."),
        ("dismiss", "refused", "The proposal is left."),
    ):
        response = watched.client.post(address, {"proposal": row.pk, "do": do}, follow=True)
        row.refresh_from_db()
        assert (response.status_code, row.verdict) == (200, verdict)
        assert said in words(response)
    response = watched.client.post(address, {"proposal": row.pk, "do": "fly"}, follow=True)
    assert "no such button" in words(response)
    assert watched.client.post(address, {"proposal": "x", "do": "undo"}).status_code == 404


def test_every_code_has_words_and_the_documentation_names_every_move():
    assert set(in_words.PHASES) == set(Phase)
    assert set(in_words.OUTCOMES) == set(Outcome)
    assert set(in_words.VERDICTS) == set(Utterance.Verdict.values)
    assert set(in_words.KEPT_BACK) == set(clues.REASONS)
    text = (Path(__file__).parents[2] / "docs" / "games.md").read_text()
    for phase, moves in MOVES.items():
        cells = next(line for line in text.splitlines() if line.startswith(f"| `{phase}`"))
        _, _, _, giver, guesser, both, _ = [cell.strip() for cell in cells.split("|")]
        told = {"giver": giver, "guesser": guesser, "player": both}
        for by, cell in told.items():
            named = sorted(
                re.sub(r"(?<!^)(?=[A-Z])", " ", command.__name__).lower()
                for command, move in moves.items()
                if move.by == by
            )
            assert cell == ", ".join(named), (phase, by)


@pytest.mark.parametrize("nonces", [("", ""), ("a" * 60, "a" * 30 + "b" * 30)])
def test_two_warnings_are_two_also_from_a_page_without_numbers_of_its_own(watched, nonces):
    for nonce, text in zip(nonces, ("Please be kind.", "Please keep to clues."), strict=True):
        assert act(watched, "warn 0", text=text, nonce=nonce).status_code == 302
    assert Utterance.objects.filter(kind="warning").count() == 2
