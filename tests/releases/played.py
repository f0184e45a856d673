"""Games that are frozen into releases."""

import pytest

from core import clock
from games.machine import MODERATOR
from games.machine.commands import Clue, Finish, Guess, Next, Propose, Rate, Verify
from games.models import Game
from games.services.playing import play
from releases import canonical, services, storing
from studies.models import Consent
from studies.services import withdraw

FIRST = ("It is carried home at dusk", "Children wait for it")
SECOND = "Old people sing about it"


def agree(participant, *purposes):
    document = participant.study.consent_documents.first()
    return Consent.objects.create(
        participant=participant,
        document=document,
        language="en",
        purposes=list(purposes),
        at=clock.now(),
    )


def moderate(sitting, command):
    return play(sitting.game.pk, MODERATOR, command, actor="mo@example.org")


@pytest.fixture
def play_through(playing):
    """Plays two turns and looks back: seat by seat, both being asked to publish."""

    def play_through(publish=(True, True)):
        sitting = playing(deck=1)
        for person, asked in zip(sitting.people, publish, strict=True):
            agree(person.participant, "take_part", *["publish"] * asked)
        giver = sitting.giver
        sitting.say(giver, Clue(FIRST[0]))
        sitting.say(1 - giver, Guess("A herring gull"))
        sitting.say(1 - giver, Next())
        sitting.say(giver, Clue(FIRST[1]))
        sitting.say(1 - giver, Guess(sitting.word))
        sitting.say(1 - giver, Rate(4, 5))
        sitting.say(1 - giver, Clue(SECOND))
        sitting.say(giver, Guess(sitting.word))
        sitting.say(giver, Rate(2, 3))
        sitting.first = giver
        return sitting

    return play_through


@pytest.fixture
def played(play_through):
    """A game that has ended, with a proposal its partner has confirmed."""
    sitting = play_through()
    sitting.say(0, Propose("Tide clock", "It tells the boats when to leave"))
    sitting.say(1, Verify(1, True))
    for seat in (0, 1):
        sitting.say(seat, Finish())
    assert Game.objects.get().phase == "ended"
    return sitting


def freeze(study, **more):
    return services.freeze_study(study, "harbour", actor="test", **more)[0]


def rows(release, part):
    return canonical.rows(storing.read(release.parts.get(name=part)))


def code(sitting, seat):
    return sitting.people[seat].participant.code


def clues(release):
    return {row["text"] for row in rows(release, "clues")}


def words(release, game=0):
    return {row["text"] for row in rows(release, "transcripts")[game]["words"]} - {""}


def leave(person):
    withdraw(person.participant, "test")
    return services.forget(person.participant)
