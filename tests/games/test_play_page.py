"""The participant's page of the game, by plain forms."""

import gzip
import re
from html import unescape

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core import clock
from games.machine import MODERATOR, By, Phase
from games.machine.commands import Drop, Halt, Warn, Who
from games.models import Game, GameEvent, Seat, Ticket, Utterance
from games.services import moderating, rounds
from games.services.playing import play
from studies import links
from studies.models import Participation
from studies.participation import Status

JSON = {"Accept": "application/json"}


def test_a_whole_turn_by_forms_alone(pair):
    giver, guesser, sitting = pair()
    word = sitting.word
    assert word in giver.html
    assert "Your turn: you describe. Write clue 1 of 5." in giver.html
    assert "Your partner describes: they are writing clue 1 of 5." in guesser.html

    assert giver.send("clue", text="We see it at the harbour.").status_code == 303
    assert "We see it at the harbour." in guesser.html
    assert "Your turn: guess, or ask for the next clue." in guesser.html
    assert guesser.send("next").status_code == 303
    giver.send("clue", text="Everybody talks of it.")
    guesser.send("guess", text="the tide")
    assert "Not it" in guesser.html
    assert "the tide" in giver.html
    assert word not in guesser.html
    guesser.send("guess", text=word)

    assert word in guesser.html
    assert "How accurate were they?" in guesser.html
    assert "Your partner rates your clues" in giver.html
    assert guesser.send("rate", accuracy="4", quality="5").status_code == 303
    assert "Your turn: you describe. Write clue 1 of 5." in guesser.html
    assert sitting.state.turns == 2


def written(address):
    """The statements other than reads of a look at the page."""
    with CaptureQueriesContext(connection) as queries:
        assert address.get().status_code == 200
    return [q["sql"] for q in queries if not q["sql"].startswith("SELECT")]


def test_looking_at_the_page_is_a_sign_of_life_and_changes_nothing_else(pair):
    giver, guesser, sitting = pair()
    giver.send("clue", text="We see it at the harbour.")
    before = sitting.state
    for each in (giver, guesser):
        silent_for(settings.GAME_HEARTBEAT + 1)
        once = written(each)
        assert once
        assert all(re.match(r'UPDATE .*SET "last_seen" = ', each) for each in once)
        assert written(each) == []
    assert sitting.state == before


def silent_for(seconds):
    Participation.objects.update(last_seen=clock.ago(seconds))
    Seat.objects.update(last_seen=clock.ago(seconds))


def test_who_plays_without_a_script_is_not_counted_silent_while_they_wait_or_write(pair, settings):
    settings.TIME_SCALE = 1
    giver, guesser, sitting = pair()
    refresh = re.search(r'http-equiv="refresh" content="(\d+)"', guesser.html)
    assert int(refresh.group(1)) < settings.GAME_IDLE_AFTER
    frame = re.search(r'<iframe[^>]* src="([^"]+)"', giver.html).group(1)
    held = giver.client.get(frame)
    again = re.search(r'http-equiv="refresh" content="(\d+)"', held.content.decode())
    assert int(again.group(1)) < settings.GAME_IDLE_AFTER
    assert held["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in held["Content-Security-Policy"]
    silent_for(settings.GAME_IDLE_AFTER + 1)
    guesser.get()
    giver.client.get(frame)
    rounds.look_round()
    assert sitting.state.phase is Phase.CLUE


def test_a_look_at_the_page_brings_back_who_was_lost(pair):
    giver, guesser, sitting = pair()
    play(sitting.game.pk, By(Who.SYSTEM, 1 - sitting.giver), Drop())
    assert sitting.state.phase is Phase.PAUSED
    guesser.get()
    assert sitting.state.phase is Phase.CLUE
    assert "Your partner is here." in giver.html


def test_a_look_at_the_page_takes_nobody_into_the_queue(page, somebody, activity):
    who = page(somebody())
    who.get()
    assert not Ticket.objects.exists()


def test_what_cannot_be_saved_is_refused_and_stays_to_be_mended(pair):
    text = "a clue\0 with a hole"
    giver, _guesser, _sitting = pair()
    response = giver.send("clue", text=text)
    assert response.status_code == 422
    assert "cannot be saved" in response.content.decode()
    assert "a clue� with a hole</textarea>" in response.content.decode()
    assert giver.post(JSON, do="clue", text=text).json()["code"] == "text.not_storable"
    assert not Utterance.objects.exists()


def test_a_blocked_clue_comes_back_with_its_reason_and_the_partner_reads_nothing_of_it(pair):
    giver, guesser, sitting = pair()
    said = f"It is a {sitting.word}"
    assert giver.send("clue", text=said).status_code == 303
    assert "Your partner does not read this." in giver.html
    assert f"{said}</textarea>" in giver.html
    assert said not in guesser.html
    assert "0 of 5" in guesser.html

    assert giver.send("appeal").status_code == 303
    assert "A moderator is asked." in giver.html
    assert said not in guesser.html


def test_what_is_refused_is_shown_again_with_its_text_and_the_reason_beside_it(pair):
    giver, guesser, _sitting = pair()
    empty = giver.send("clue", text="  ")
    assert empty.status_code == 422
    assert "There is nothing in the field yet." in empty.content.decode()

    response = guesser.post(do="guess", text="half a <guess>")
    shown = response.content.decode()
    assert response.status_code == 409
    assert 'value="half a &lt;guess&gt;"' in shown
    assert "The game has moved on." in shown

    giver.send("clue", text="We see it at the harbour.")
    guesser.send("next")
    giver.send("clue", text="Everybody talks of it.")
    out_of_turn = giver.post(do="guess", text="mine")
    assert out_of_turn.status_code == 409
    assert "It is your partner’s move" in unescape(out_of_turn.content.decode()).replace("'", "’")


def test_what_is_not_chosen_is_said_and_what_is_chosen_stays(pair):
    giver, guesser, sitting = pair()
    giver.send("clue", text="We see it at the harbour.")
    guesser.send("guess", text=sitting.word)
    response = guesser.send("rate", accuracy="4")
    assert response.status_code == 422
    shown = response.content.decode()
    assert "not filled in or chosen yet" in shown
    assert re.search(r'name="accuracy" value="4" checked', shown)


def test_the_same_form_sent_twice_is_followed_once(pair):
    giver, _guesser, _sitting = pair()
    form = giver.form("clue")
    for _time in range(2):
        response = giver.post(**form, do="clue", text="We see it at the harbour.")
        assert response.status_code == 303
    assert Utterance.objects.filter(kind="clue").count() == 1
    assert GameEvent.objects.filter(kind="clue_said").count() == 1


def test_programs_get_the_view_as_json_and_nothing_where_nothing_changed(pair):
    giver, guesser, _sitting = pair()
    first = guesser.get(**JSON)
    assert set(first.json()) == {"version", "html", "tag", "now"}
    tag = first.headers["ETag"]
    assert guesser.get(**JSON, **{"If-None-Match": tag}).status_code == 304
    sent = giver.post(JSON, do="clue", text="We see it at the harbour.")
    assert sent.status_code == 200
    assert sent.json()["version"] == first.json()["version"] + 1
    again = guesser.get(**JSON, **{"If-None-Match": tag})
    assert "We see it at the harbour." in again.json()["html"]
    refused = giver.post(JSON, do="clue", text="x")
    assert refused.status_code == 409
    assert refused.json()["code"] == "game.not_now"
    assert giver.post(JSON, do="look").json()["version"] == again.json()["version"]


@pytest.mark.parametrize("fields", [{}, {"do": "tick"}, {"do": "rate", "accuracy": "५"}])
def test_what_cannot_be_read_is_refused_and_the_game_is_unharmed(pair, fields):
    giver, _guesser, sitting = pair()
    before = sitting.state
    response = giver.post(JSON, **fields)
    assert (response.status_code, response.json()["code"]) == (422, "game.order")
    assert sitting.state == before


def test_a_page_is_loaded_anew_by_itself_only_while_there_is_nothing_to_type(pair):
    giver, guesser, sitting = pair()

    def refreshes(each):
        return 'http-equiv="refresh"' in each.html

    assert (refreshes(giver), refreshes(guesser)) == (False, True)
    giver.send("clue", text="We see it at the harbour.")
    assert (refreshes(giver), refreshes(guesser)) == (True, False)
    guesser.send("guess", text=sitting.word)
    assert (refreshes(giver), refreshes(guesser)) == (True, False)


def test_a_page_weighs_little(pair):
    giver, guesser, _sitting = pair()
    giver.send("clue", text="We see it at the harbour.")
    for each in (giver, guesser):
        assert len(gzip.compress(each.get().content)) < 8_000


def test_words_of_people_are_escaped(pair):
    giver, guesser, _sitting = pair()
    giver.send("clue", text="<script>alert(1)</script>")
    assert "<script>alert(1)" not in guesser.get().content.decode()
    assert "&lt;script&gt;alert(1)" in guesser.get().content.decode()


def test_a_lost_partner_is_told_in_words_with_what_happens_next(pair):
    giver, guesser, sitting = pair(on_drop="requeue", grace_seconds=120)
    play(sitting.game.pk, By(Who.SYSTEM, 1 - sitting.giver), Drop())
    assert "Your partner’s connection is lost." in giver.html
    assert "we look for another partner for you" in giver.html
    assert "about 2 minutes left" in giver.html
    assert "they are writing clue 1 of 5" in guesser.html
    assert "Your partner is here." in giver.html


def test_who_need_not_wait_for_a_lost_partner_may_stop(pair):
    giver, _guesser, sitting = pair(on_drop="wait")
    play(sitting.game.pk, By(Who.SYSTEM, 1 - sitting.giver), Drop())
    assert "It waits about 10 minutes in all." in giver.html
    assert giver.send("stop").status_code == 303
    row = sitting.people[sitting.giver]
    row.refresh_from_db()
    assert row.status == Status.CUT_SHORT
    assert giver.get().headers["Location"] == links.personal(row)


def test_a_moderator_s_pause_keeps_what_is_being_written(pair):
    giver, _guesser, sitting = pair()
    play(sitting.game.pk, MODERATOR, Halt())
    assert "A moderator of the study has paused the game." in giver.html
    response = giver.post(do="clue", text="half a clue")
    assert response.status_code == 409
    assert "half a clue</textarea>" in response.content.decode()


def test_a_warning_is_read_by_whom_it_is_for_alone(pair):
    giver, guesser, sitting = pair()
    play(sitting.game.pk, By(Who.MODERATOR, sitting.giver), Warn("Please be kind."))
    assert "Please be kind." in giver.html
    assert "Please be kind." not in guesser.html


def test_a_warning_is_shown_in_its_turn_and_the_next_and_then_goes(pair):
    giver, guesser, sitting = pair(deck=2)
    moderator = By(Who.MODERATOR, sitting.giver)
    play(sitting.game.pk, moderator, Warn("Please be kind."))

    def turn(one, other):
        one.send("clue", text="We see it at the harbour.")
        other.send("guess", text=sitting.word)
        other.send("rate", accuracy="4", quality="5")

    turn(giver, guesser)
    assert "Please be kind." in giver.html
    turn(guesser, giver)
    assert "Please be kind." not in giver.html
    play(sitting.game.pk, moderator, Warn("Once more, please."))
    assert "Once more, please." in giver.html
    turn(giver, guesser)
    turn(guesser, giver)
    assert sitting.state.phase is Phase.AFTER
    assert "Once more, please." not in giver.html
    play(sitting.game.pk, moderator, Warn("Thank you."))
    assert "Thank you." in giver.html


def test_the_next_clue_is_asked_for_after_every_clue(pair):
    giver, guesser, sitting = pair()
    for number in (1, 2, 3):
        giver.send("clue", text=f"People carry it home in week {number}")
        assert sitting.state.phase == Phase.GUESS
        asked = guesser.form("next")
        for _click in range(2):
            assert guesser.post(**asked, do="next", text="").status_code == 303
        assert (sitting.state.phase, sitting.state.turn.spent) == (Phase.CLUE, number)


@pytest.mark.parametrize("nonce", ["x" * 41, "recorded 7", "n\u00e4"])
def test_a_number_that_no_page_gives_a_command_is_refused_and_nothing_stored(pair, nonce):
    giver, _guesser, sitting = pair()
    before = sitting.state
    response = giver.post(JSON, do="clue", text="People carry it home", nonce=nonce)
    assert (response.status_code, response.json()["code"]) == (400, "game.malformed")
    assert sitting.state == before


def test_who_comes_back_after_the_grace_before_any_round_was_made_sees_what_comes_next(pair):
    giver, guesser, sitting = pair()
    play(sitting.game.pk, By(Who.SYSTEM, sitting.giver), Drop())
    lost = sitting.people[sitting.giver]
    Participation.objects.filter(pk=lost.pk).update(last_seen=clock.ago(3600))
    Seat.objects.filter(participation=lost).update(last_seen=clock.ago(3600))
    state = sitting.state.as_json() | {"deadline": 1}
    Game.objects.filter(pk=sitting.game.pk).update(state=state, due=clock.ago(1))
    assert "your partner could not wait any longer" in giver.html
    assert sitting.state.phase == Phase.ENDED
    assert guesser.get().status_code == 303  # to the page that thanks them


def test_nothing_is_taken_from_who_has_left_the_study_before_the_game_knows(pair):
    giver, _guesser, sitting = pair()
    moving_only = Participation.objects.filter(pk=sitting.people[sitting.giver].pk)
    moving_only.update(status=Status.RETURNED, ended_reason="returned", slot_region=None)
    giver.post(do="clue", text="A late word")
    assert not Utterance.objects.exists()


def test_a_struck_guess_is_read_by_moderators_alone_and_nobody_is_asked_about_it(pair):
    giver, guesser, sitting = pair()
    giver.send("clue", text="People carry it home")
    near = f"{sitting.word[:-1]}xx"
    guesser.send("guess", text=near)
    assert sitting.state.phase == Phase.CONFIRM
    assert near in giver.html
    moderating.strike(sitting.game, "guess", 1, 1, "mo@example.org")
    assert sitting.state.phase != Phase.CONFIRM
    said = Utterance.objects.get(kind="guess")
    assert (said.verdict, said.struck, said.text) == ("wrong", True, near)
    for page in (giver, guesser):
        assert near not in page.html
        assert "A moderator took this guess back" in page.html
