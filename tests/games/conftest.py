"""A study with a game: two people of one region, sitting down to play with its artifacts."""

import re
from dataclasses import dataclass
from html import unescape
from random import Random

import pytest
from django.urls import reverse

from core.text import fold
from games.machine import Player, State, player
from games.models import Game
from games.rules import Rules
from games.services import starting
from games.services.playing import play
from studies import links
from studies.models import Activity, Artifact, ArtifactName, Participant, Participation, Study
from studies.participation import Status
from tests import sample_study

NAMES = ("Lantern bread", "Salt herring", "Bell night", "Net blessing", "Reed boat", "Fog horn")


@dataclass
class Sitting:
    """Two who play: `say(seat, command)` goes through the service that every door uses."""

    game: Game
    people: list[Participation]

    def say(self, seat, command, nonce=""):
        return play(self.game.pk, player(seat), command, nonce=nonce)

    @property
    def state(self) -> State:
        self.game.refresh_from_db()
        return State.from_json(self.game.state)

    @property
    def giver(self) -> int:
        return self.state.turn.giver

    @property
    def word(self) -> str:
        return Artifact.objects.get(pk=self.state.turn.artifact).names.get(kind="name").text


@pytest.fixture
def study(db) -> Study:
    return sample_study.load()


@pytest.fixture
def activity(study) -> Activity:
    """A game of the study, which is open."""
    activity = Activity.objects.create(
        study=study,
        slug="taboo",
        names={"en": "A game of clues", "es": "Un juego de pistas"},
        kind="game",
        phase="main",
        reward="hourly",
        amount_minor=1200,
        minutes=60,
        position=9,
        codes={code: code.upper()[:8] for code in ("completed", "cut_short", "withdrawn")},
    )
    study.status = Study.Status.COLLECTING
    study.save()
    return activity


@pytest.fixture
def artifacts(study):
    """Six of the harbour, the first with an alias and a forbidden word."""
    region = study.regions.get(slug="harbour")
    rows = [
        Artifact.objects.create(study=study, region=region, status=Artifact.Status.LISTED)
        for _name in NAMES
    ]
    for row, name in zip(rows, NAMES, strict=True):
        named(row, name)
    named(rows[0], "Glow loaf", kind="alias")
    named(rows[0], "bakery", kind="forbidden")
    return rows


def named(artifact, text, kind="name"):
    return ArtifactName.objects.create(artifact=artifact, text=text, folded=fold(text), kind=kind)


@pytest.fixture
def somebody(study, activity):
    """Makes somebody of a region who was let in to the game."""

    def somebody(region="harbour", language="en"):
        home = study.regions.get(slug=region)
        who = Participant.objects.create(study=study, region=home, language=language)
        return Participation.objects.create(
            participant=who, activity=activity, status=Status.ACTIVE, slot_region=home
        )

    return somebody


@pytest.fixture
def sit(activity, artifacts, somebody):
    """Makes a game of two people, dealt the same way every time."""

    def sit(**rules) -> Sitting:
        people = [somebody(), somebody()]
        region = people[0].participant.region
        sitting = [(who, Player.HUMAN) for who in people]
        game = starting.start(activity, region, Rules.read(rules), sitting, Random(1))
        return Sitting(game, people)

    return sit


@pytest.fixture
def playing(sit):
    """As `sit`, both being ready."""

    def playing(**rules) -> Sitting:
        from games.machine.commands import Ready

        sitting = sit(**rules)
        for seat in (0, 1):
            sitting.say(seat, Ready())
        return sitting

    return playing


@pytest.fixture
def page(client):
    """A participant's page: get, and send a form that stands on it, by the value of its button."""

    class Page:
        def __init__(self, who):
            self.client = client
            self.address = reverse("games:play", args=(links.token(who),))

        def get(self, **headers):
            return client.get(self.address, headers=headers)

        @property
        def html(self):
            return unescape(self.get().content.decode())

        def post(self, headers=None, **fields):
            return client.post(self.address, fields, headers=headers or {})

        def form(self, do):
            """The hidden fields of the form with that button."""
            for form in re.findall(r"<form.*?</form>", self.get().content.decode(), re.S):
                if f'name="do" value="{do}"' in form:
                    hidden = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
                    return dict(hidden)
            raise AssertionError(f"no form offers {do}")

        def send(self, do, **fields):
            return self.post(**self.form(do), do=do, **fields)

    return Page


@pytest.fixture
def pair(page, playing):
    """Two who play: the pages of who gives and who guesses first, and their game."""

    def pair(**rules):
        sitting = playing(**rules)
        pages = [page(who) for who in sitting.people]
        giver = sitting.giver
        return pages[giver], pages[1 - giver], sitting

    return pair
