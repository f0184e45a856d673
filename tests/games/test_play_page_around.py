"""The page of the game before and after a game: waiting, getting ready, looking back, elsewhere."""

import json

from games.machine import Phase
from games.models import GamePlan, Ticket
from games.rules import Rules
from studies import links
from studies.participation import Action, Status
from studies.services import moving

JSON = {"Accept": "application/json"}


def test_who_waits_reads_how_long_and_what_comes_then(page, somebody, activity):
    GamePlan.objects.create(activity=activity, rules=Rules(wait_seconds=300).as_json())
    who = page(somebody())
    who.post(do="enter")
    html = who.html
    assert "We are looking for a partner from your region." in html
    assert "We look for 5 minutes more at most." in html
    assert "Nobody of your region plays or waits just now" in html
    assert "Your time is paid in any case." in html
    assert 'http-equiv="refresh"' in html


def test_who_has_waited_in_vain_chooses(page, somebody, activity):
    row = somebody()
    who = page(row)
    who.post(do="enter")
    ticket = Ticket.objects.get()
    Ticket.objects.filter(pk=ticket.pk).update(deadline=ticket.entered)
    assert "Nobody of your region came in time." in who.html
    assert who.send("keep_waiting").status_code == 303
    assert "We are looking for a partner" in who.html
    Ticket.objects.update(deadline=ticket.entered)
    assert who.send("stop").status_code == 303
    row.refresh_from_db()
    assert row.status == Status.CUT_SHORT


def test_two_find_each_other_and_get_ready(page, somebody, activity, artifacts):
    one, other = page(somebody()), page(somebody())
    one.post(do="enter")
    other.post(do="enter")
    assert "Are you ready to play?" in one.html
    one.send("ready")
    assert "You are ready." in one.html
    other.send("ready")
    assert "Word 1 of 6" in one.html


def test_looking_back_goes_through_what_was_played_and_proposes_more(pair):
    giver, guesser, sitting = pair(deck=1)
    gave_first = sitting.giver
    for one, other in ((giver, guesser), (guesser, giver)):
        one.send("clue", text="We see it at the harbour.")
        other.send("guess", text=sitting.word)
        other.send("rate", accuracy="4", quality="5")
    assert sitting.state.phase is Phase.AFTER
    assert "Look back with us: word 1 of 2." in giver.html
    for _word in range(2):
        assert giver.send("vet", known="yes", shared="ours").status_code == 303
    assert "What else belongs on the list?" in giver.html
    giver.send("propose", name="Rope walk", about="Where ropes are made.")
    assert "Your partner is asked" in giver.html
    assert "Where ropes are made." in guesser.html
    assert guesser.post(**guesser.form("verify"), belongs="yes").status_code == 303
    assert "Your partner agrees" in giver.html
    assert giver.send("finish").status_code == 303
    row = sitting.people[gave_first]
    row.refresh_from_db()
    assert row.status == Status.SUBMITTED


def test_who_has_nothing_to_play_is_led_to_their_page(page, somebody):
    row = somebody()
    moving.move(row, Action.CUT_SHORT, reason="x")
    response = page(row).get()
    assert response.status_code == 303
    assert response.headers["Location"] == links.personal(row)


def test_the_page_speaks_the_participant_s_language_and_json_too(page, somebody, study):
    study.languages = ["en", "bn"]
    study.save()
    who = page(somebody(language="bn"))
    assert json.loads(who.get(**JSON).content)["html"]
    assert '<html lang="bn"' in who.html
