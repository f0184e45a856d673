"""The sample study with a game: loaded and opened by the commands, and played by two who come."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from games.models import Game
from games.selectors import plans
from studies import links, services
from studies.models import Artifact, Participation, Study
from studies.participation import Status
from tests.games.conftest import named
from tests.sample_study import SAMPLE

pytestmark = pytest.mark.django_db
FILE = SAMPLE.with_name("lantern_game.yaml")


@pytest.fixture
def opened(alice):
    for command in (("load_study", str(FILE)), ("open_study", "lantern_game")):
        call_command(*command, stdout=StringIO())
    return Study.objects.get(slug="lantern_game")


def test_it_is_loaded_opened_and_loaded_again_without_a_change(opened):
    assert opened.status == Study.Status.COLLECTING
    rules = plans.rules(opened.activities.get(slug="clues"))
    assert (rules.clues, rules.deck, rules.on_drop) == (5, 5, "recorded")
    out = StringIO()
    call_command("load_study", str(FILE), "--json", stdout=out)
    assert '"changes": []' in out.getvalue()


def test_two_who_come_by_their_links_play(opened, client):
    harbour = opened.regions.get(slug="harbour")
    for name in ("Salt herring", "Fog horn", "Reed boat"):
        row = Artifact.objects.create(study=opened, region=harbour, status="listed")
        named(row, name)
    document = opened.consent_documents.get()
    consent = dict.fromkeys(document.purposes, "on") | {"document": document.pk}
    for row in services.make_links(opened.activities.get(slug="clues"), 2, "test"):
        token = links.token(row)
        client.post(links.personal(row))
        client.post(reverse("taking_part:consent", args=(token,)), consent)
        client.post(reverse("taking_part:screening", args=(token,)), {"region": "harbour"})
        client.post(reverse("games:play", args=(token,)), {"do": "enter"})
    assert Participation.objects.filter(status=Status.ACTIVE, seats__open=True).count() == 2
    assert Game.objects.get().region == harbour
