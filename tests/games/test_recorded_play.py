"""Play with recorded clues, as who plays it reads it and as the team does."""

import re

import pytest
from django.urls import reverse

from core.errors import CommonplaceError
from games import screens
from games.machine.commands import Clue, Finish, Guess, Propose, Rate, Ready, Shared, Vet
from games.models import Game, GamePlan, Seat, Ticket, Turn, Utterance
from games.selectors import gathered, places, reviewing, watching
from games.services import expanding, lobby, moves
from studies import steps
from studies.models import Artifact, Participant
from tests.games.test_lobby import earlier_game
from tests.games.test_presence import again

__all__ = ["earlier_game"]
RECORDED = "It glows on winter tables"  # the first clue of the earlier game


@pytest.fixture
def alone(earlier_game, activity, somebody):
    """Somebody who has described a thing to nobody and guessed one from recorded clues."""
    GamePlan.objects.create(activity=activity, rules={"deck": 1})
    who = somebody()
    lobby.enter(who)
    Ticket.objects.update(deadline=Ticket.objects.get().entered)
    assert "and describe things yourself" in shown(who)
    lobby.play_recorded(again(who))
    moves.move(again(who), Ready())
    moves.move(again(who), Clue("It is found at the quay"))
    moves.move(again(who), Clue("It hangs in the wind"))
    for number in range(3):
        moves.move(again(who), Clue(f"It is seen from afar {number}"))
    moves.move(again(who), Guess(earlier_game.artifact.names.get(kind="name").text))
    moves.move(again(who), Rate(4, 5))
    return again(who)


def shown(who):
    return screens.shown(again(who)).html


def game_of(who) -> Game:
    return Game.objects.get(pk=places.standing(again(who)).game.pk)


@pytest.fixture
def proposal(alone):
    moves.move(alone, Propose("Lamp boats", "They are set on the water in autumn."))
    return Utterance.objects.get(kind="proposal")


@pytest.fixture
def read(study, as_alice):
    """The words of a page of the study."""

    def read(name, *more):
        address = reverse(f"games:{name}", args=(study.slug, *more))
        text = re.sub(r"<[^>]+>", " ", as_alice.get(address).content.decode())
        return re.sub(r"\s+", " ", text)

    return read


# --- who plays ----------------------------------------------------------------------------------


def test_nobody_is_promised_a_partner_who_could_say_whether_a_proposal_belongs(proposal, alone):
    for turn in Turn.objects.filter(game=proposal.game):
        moves.move(again(alone), Vet(turn.artifact_id, True, Shared.OURS))
    page = shown(alone)
    assert "The study team says whether each belongs on the list." in page
    assert "The study team looks at it" in page
    assert "our partner" not in page
    assert "The clues you read were given by people in earlier games." in page


# --- the team: proposals ------------------------------------------------------------------------


def test_a_proposal_without_a_partner_waits_for_the_team_at_once(proposal, study, alice, read):
    told = read("proposals")
    assert "1 proposal waits for you" in told
    assert "proposed by one player without a partner" in told
    assert "1 proposal of players waits for the team." in read("watch")
    (waits,) = [waits for room, waits in steps.rooms_of_work() if room.url_name == "games:watch"]
    assert waits.counts([study.pk], alice) == {study.pk: 1}
    assert waits.said(1) == "1 waits for the team"
    assert "for the team, as there was no partner" in read("watch_game", proposal.game.code)


def test_a_proposal_without_a_partner_is_listed_taken_back_and_dismissed(proposal, study):
    artifact = expanding.accept(proposal, "team")
    assert (artifact.status, artifact.origin) == ("listed", "expanded")
    expanding.undo(proposal, "team")
    assert (proposal.verdict, proposal.decided_by) == ("proposed", "")
    assert not Artifact.objects.filter(pk=artifact.pk, status="listed").exists()
    assert watching.proposed(study) == 1
    expanding.dismiss(proposal, "team")
    assert watching.proposed(study) == 0
    assert [row.verdict for row in watching.proposals(study)] == ["refused"]


def test_a_proposal_between_two_people_waits_for_the_partner_still(proposal, study):
    Seat.objects.filter(game=proposal.game).update(player="human")
    assert watching.proposed(study) == 0
    assert list(watching.proposals(study)) == []
    with pytest.raises(CommonplaceError) as refused:
        expanding.accept(proposal, "team")
    assert refused.value.code == "game.not_confirmed"


# --- the team: what was played ------------------------------------------------------------------


def test_turns_in_which_nobody_could_guess_are_not_counted_against_who_played(alone):
    moves.move(alone, Finish())
    (line,) = reviewing.lines([again(alone)])
    assert (line.guessed, line.turns) == (1, 1)


def test_a_transcript_says_where_nobody_was(alone, read):
    code = alone.participant.code
    game = game_of(alone)
    moves.move(alone, Finish())
    for page in (read("watch_game", game.code), read("review_one", again(alone).code)):
        assert f"{code} describes, nobody guesses. Described to the end." in page
        assert f"Clues of an earlier game, {code} guesses. Guessed." in page
        assert f"Clue 1 of {code} It is found at the quay kept, no partner" in page
        assert f"Clue 1, recorded {RECORDED} read by the partner" in page


def test_what_a_lost_partner_described_before_stays_theirs(playing, read):
    sitting = playing()
    giver = sitting.giver
    sitting.say(giver, Clue("It is carried home at dusk"))
    codes = [who.participant.code for who in sitting.people]
    seat = Seat.objects.filter(game=sitting.game, number=giver)
    seat.update(player="recorded")
    told = read("watch_game", sitting.game.code)
    assert f"Clues of an earlier game, {codes[1 - giver]} guesses" in told
    sitting.game.events.create(seq=900, seat=giver, kind="replaced", data={"deck": []})
    told = read("watch_game", sitting.game.code)
    assert f"{codes[giver]} describes, {codes[1 - giver]} guesses" in told


def test_what_was_described_to_nobody_is_no_clue_that_is_published(alone, study, earlier_game):
    moves.move(alone, Finish())
    people = Participant.objects.filter(study=study).values_list("pk", flat=True)
    published = gathered.clues(study, gathered.players(study, people))
    assert {clue.game for clue in published} == {earlier_game.game.code}
