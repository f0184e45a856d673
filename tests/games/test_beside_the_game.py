"""What people read before and after a game, and what the team is told while nobody can play."""

import json
from contextlib import suppress
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from core import clock
from games.services import lobby
from studies import links
from studies.models import Artifact, Participation
from studies.participation import Status
from tests.collection.question_pages import text_of
from tests.studies.reading import words

pytestmark = pytest.mark.django_db
NOBODY = (
    "Nobody of Marsh, Moor or Ridge can play yet: list at least 2 artifacts of each of these "
    "regions first."
)

ACCEPTED = {"status": Status.ACCEPTED, "ended_reason": "accepted", "ended": clock.now()}


def page(client, name, study):
    return text_of(client.get(reverse(name, args=(study.slug,))))


@pytest.fixture
def all_but_harbour(study):
    """What the sentence says of this study."""
    names = [region.names["en"] for region in study.regions.exclude(slug="harbour")]
    named = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return NOBODY.replace("Marsh, Moor or Ridge", named)


def test_before_a_game_only_the_minutes_are_told(client, somebody, artifacts):
    shown = words(client.get(links.personal(somebody())))
    assert "about 60 minutes left" in shown
    assert "form" not in shown.partition("minutes left")[0]
    assert "<progress" not in shown


def test_who_chose_to_stop_reads_that_they_did(client, somebody, artifacts):
    who = somebody()
    lobby.enter(who)
    lobby.stop(who)
    who.refresh_from_db()
    assert who.status == Status.CUT_SHORT
    shown = words(client.get(links.personal(who)))
    assert "You stopped here" in shown
    assert "You chose to stop. Your time is paid." in shown
    assert "ended early" not in shown


def test_invitations_and_the_queue_say_of_whom_nobody_can_play_yet(
    as_alice, study, activity, artifacts, all_but_harbour
):
    for name in ("studies:links", "games:watch"):
        assert all_but_harbour in page(as_alice, name, study)
    out = StringIO()
    with suppress(SystemExit):
        call_command(
            "participant_links", study.slug, "--activity", activity.slug, "--json", stdout=out
        )
    assert json.loads(out.getvalue())["not_ready"] == all_but_harbour
    study.regions.exclude(slug="harbour").delete()
    for name in ("studies:links", "games:watch"):
        assert "can play yet" not in page(as_alice, name, study)


def test_a_game_that_can_be_played_is_the_next_thing_to_invite_to(
    as_alice, study, activity, artifacts
):
    survey = study.activities.exclude(kind="game").get()
    study_page = ("studies:detail", study)
    invite = "Next: invite people to A game of clues."
    assert invite not in page(as_alice, *study_page)
    person = study.participants.create(language="en")
    Participation.objects.create(participant=person, activity=survey, **ACCEPTED)
    assert invite in page(as_alice, *study_page)
    Artifact.objects.update(status=Artifact.Status.LEFT_OUT)
    assert invite not in page(as_alice, *study_page)


def test_the_monitor_speaks_of_playing_where_a_game_is_played(as_alice, study, activity):
    shown = page(as_alice, "collection:monitor", study)
    assert shown.count("Form by form") == 1
    assert "playing" in shown


def test_the_path_says_how_many_are_wanted_for_each_activity(as_alice, study, activity):
    wanted = sum(region.target for region in study.regions.all())
    said = f"0 taking part, 0 of {2 * wanted} accepted ({wanted} for each of 2 activities)"
    assert said in page(as_alice, "studies:detail", study)
