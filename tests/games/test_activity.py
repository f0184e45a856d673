"""The game as an activity of a study: what it needs, where its people go on, that studies open."""

import pytest
from django.urls import reverse

from games.activity import GAME
from studies import kinds, links, selectors, services
from studies.models import Artifact, Study
from tests.games.conftest import named

pytestmark = pytest.mark.django_db


@pytest.fixture
def in_set_up(study, activity):
    Study.objects.update(status="set_up")
    study.refresh_from_db()
    return study


def missing(study):
    return [fault for check in selectors.checklist(study) for fault in check.missing]


def test_a_game_beside_a_survey_opens_before_any_artifact_is_known(in_set_up):
    assert missing(in_set_up) == []
    services.open_study(in_set_up, "test")
    assert in_set_up.activities.count() == 2


def test_a_game_alone_needs_artifacts_of_every_region(in_set_up):
    in_set_up.activities.exclude(kind="game").delete()
    assert len([each for each in missing(in_set_up) if "artifacts of" in each]) == 4
    for region in in_set_up.regions.all():
        for number in range(2):
            row = Artifact.objects.create(study=in_set_up, region=region, status="listed")
            named(row, f"{region.slug} {number}")
    assert missing(in_set_up) == []


def test_an_artifact_without_a_name_or_that_is_not_listed_does_not_count(in_set_up):
    in_set_up.activities.exclude(kind="game").delete()
    region = in_set_up.regions.get(slug="harbour")
    listed = [Artifact.objects.create(study=in_set_up, region=region, status="listed")
              for _ in range(2)]  # fmt: skip
    named(listed[0], "Kite")
    assert not GAME.ready(in_set_up.activities.get(), region)
    named(listed[1], "Lamp")
    assert GAME.ready(in_set_up.activities.get(), region)
    Artifact.objects.filter(pk=listed[1].pk).update(status="draft")
    assert not GAME.ready(in_set_up.activities.get(), region)


def test_who_was_let_in_goes_on_at_the_game(client, somebody, artifacts):
    who = somebody()
    address = reverse("games:play", args=(links.token(who),))
    assert address in client.get(links.personal(who)).content.decode()
    assert client.get(address).status_code == 200


def test_the_set_up_leads_to_the_rules(in_set_up):
    check = next(c for c in selectors.checklist(in_set_up) if c.title == "Rules of the game")
    assert check.address == reverse("games:rules", args=(in_set_up.slug,))
    assert "5 clues, 2 guesses" in check.state


def test_a_study_without_activities_is_not_sent_to_the_rules(in_set_up):
    in_set_up.activities.all().delete()
    assert "Rules of the game" not in [c.title for c in selectors.checklist(in_set_up)]


def test_the_game_is_a_kind_that_runs():
    assert kinds.runs("game")
