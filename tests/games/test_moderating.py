"""What a moderator does in a game, through the services their page uses."""

import pytest

from core.errors import CommonplaceError
from core.models import AuditEntry
from games import machine
from games.machine import Event, Phase
from games.machine.commands import Appeal, Clue, Finish, Guess, Next, Propose, Rate, Verify
from games.models import Utterance
from games.selectors import watching
from games.services import expanding, moderating
from studies import history
from studies import services as studies
from studies.models import Artifact, ArtifactSource
from studies.participation import Status

MODERATOR = "mo@example.org"


def folded(game):
    rows = game.events.order_by("seq")
    return machine.fold(Event(row.kind, row.seat, row.data) for row in rows)


def entries():
    return list(AuditEntry.objects.filter(object_kind="game").values_list("actor", "action"))


def appealed(sitting):
    """The giver says the word, is kept back and asks a moderator."""
    giver = sitting.giver
    sitting.say(giver, Clue(f"It is called {sitting.word}"))
    sitting.say(giver, Appeal(1))
    return Utterance.objects.get(kind="clue")


def doubtful(sitting):
    """A guess that nobody could decide on."""
    sitting.say(sitting.giver, Clue("It is carried home at dusk"))
    sitting.say(1 - sitting.giver, Guess("A herring gull"))
    Utterance.objects.filter(kind="guess").update(verdict="doubtful")
    return Utterance.objects.get(kind="guess")


def test_a_game_is_paused_and_goes_on_where_it_was(playing):
    sitting = playing()
    moderating.halt(sitting.game, MODERATOR)
    assert (sitting.state.phase, sitting.state.halted) == (Phase.PAUSED, True)
    with pytest.raises(CommonplaceError, match=r"game\.paused"):
        sitting.say(sitting.giver, Clue("It is carried home at dusk"))
    moderating.resume(sitting.game, MODERATOR)
    assert sitting.state.phase == Phase.CLUE
    assert entries() == [(MODERATOR, "game.resumed"), (MODERATOR, "game.halted")]
    assert folded(sitting.game) == sitting.state


def test_pausing_twice_pauses_once(playing):
    sitting = playing()
    moderating.halt(sitting.game, MODERATOR)
    assert moderating.halt(sitting.game, MODERATOR).events == ()
    assert len(entries()) == 1


def test_a_game_that_a_moderator_ends_is_ended_for_both_who_are_paid_for_their_time(playing):
    sitting = playing()
    moderating.end(sitting.game, MODERATOR)
    assert (sitting.state.phase, sitting.game.ended_reason) == (Phase.ENDED, "moderator")
    for who in sitting.people:
        who.refresh_from_db()
        assert who.status == Status.CUT_SHORT
    with pytest.raises(CommonplaceError, match="has ended meanwhile"):
        moderating.end(sitting.game, MODERATOR)


def test_a_warning_is_for_one_player_and_two_clicks_send_it_once(playing):
    sitting = playing()
    for _click in range(2):
        moderating.warn(sitting.game, 1, "Please keep to clues.", MODERATOR, nonce="warn a")
    moderating.warn(sitting.game, 1, "Once more.", MODERATOR, nonce="warn b")
    said = Utterance.objects.filter(kind="warning").values_list("seat", "text")
    assert list(said) == [(1, "Please keep to clues."), (1, "Once more.")]
    assert folded(sitting.game) == sitting.state


def test_the_history_holds_no_word_of_a_warning_and_no_word_that_was_struck(playing):
    sitting = playing()
    sitting.say(sitting.giver, Clue("It is carried home at dusk"))
    moderating.warn(sitting.game, 0, "Please keep to clues.", MODERATOR)
    moderating.strike(sitting.game, "clue", 1, 1, MODERATOR)
    told = [
        history.sentence(entry.action, entry.object_id, entry.data)
        for entry in AuditEntry.objects.filter(object_kind="game")
    ]
    code = sitting.game.code
    assert told == [
        f"struck clue 1 of turn 1 in the game {code}",
        f"wrote to a player (seat 0) of the game {code}",
    ]


def test_a_clue_is_struck_once_and_stays_stored_for_moderators(playing):
    sitting = playing()
    sitting.say(sitting.giver, Clue("It is carried home at dusk"))
    moderating.strike(sitting.game, "clue", 1, 1, MODERATOR)
    assert moderating.strike(sitting.game, "clue", 1, 1, MODERATOR).repeated
    clue = Utterance.objects.get(kind="clue")
    assert (clue.struck, clue.text) == (True, "It is carried home at dusk")
    assert sitting.state.turn.said == ()
    assert len(entries()) == 1
    assert folded(sitting.game) == sitting.state


def test_what_was_never_said_cannot_be_struck(playing):
    sitting = playing()
    with pytest.raises(CommonplaceError) as refused:
        moderating.strike(sitting.game, "guess", 1, 1, MODERATOR)
    assert refused.value.code == "game.unknown"
    assert not entries()


def test_an_appealed_clue_that_is_allowed_reaches_the_guesser(playing):
    sitting = playing()
    clue = appealed(sitting)
    moderating.rule(sitting.game, 1, 1, True, MODERATOR)
    clue.refresh_from_db()
    assert (clue.verdict, clue.decided_by) == ("said", MODERATOR)
    assert (sitting.state.phase, sitting.state.turn.said) == (Phase.GUESS, (1,))
    assert moderating.rule(sitting.game, 1, 1, True, MODERATOR).repeated
    assert folded(sitting.game) == sitting.state


def test_an_appealed_clue_that_is_refused_stays_unread_and_a_second_word_is_too_late(playing):
    sitting = playing()
    clue = appealed(sitting)
    moderating.rule(sitting.game, 1, 1, False, MODERATOR)
    clue.refresh_from_db()
    assert clue.verdict == "refused"
    assert sitting.state.turn.said == ()
    with pytest.raises(CommonplaceError, match="Somebody else has decided"):
        moderating.rule(sitting.game, 1, 1, True, MODERATOR)


def test_a_doubtful_guess_that_is_right_ends_its_turn_as_guessed(playing):
    sitting = playing()
    guess = doubtful(sitting)
    moderating.judge(sitting.game, 1, 1, True, MODERATOR)
    guess.refresh_from_db()
    assert (guess.verdict, guess.decided_by) == ("right", MODERATOR)
    assert sitting.game.turns.get(number=1).outcome == "guessed"
    assert moderating.judge(sitting.game, 1, 1, True, MODERATOR).repeated
    assert folded(sitting.game) == sitting.state


def test_a_doubtful_guess_is_judged_also_when_its_game_has_ended(playing):
    sitting = playing()
    guess = doubtful(sitting)
    moderating.end(sitting.game, MODERATOR)
    moderating.judge(sitting.game, 1, 1, False, MODERATOR)
    guess.refresh_from_db()
    assert guess.verdict == "wrong"


def test_a_player_who_is_removed_does_not_come_back_and_the_partner_is_paid(playing):
    sitting = playing()
    moderating.remove(sitting.game, 0, MODERATOR)
    assert sitting.game.seats.get(number=0).left_reason == "removed"
    assert sitting.state.reason == "partner_left"
    for who in sitting.people:
        who.refresh_from_db()
        assert who.status == Status.CUT_SHORT
    assert sitting.game.turns.get(number=1).outcome == "cut"


# --- proposals ----------------------------------------------------------------------------------


@pytest.fixture
def proposal(playing):
    """Somebody proposes a thing after the game; the partner has not looked at it."""
    sitting = playing(deck=1)
    for _turn in range(2):
        giver = sitting.giver
        sitting.say(giver, Clue("It is carried home at dusk"))
        for _pass in range(5):
            if sitting.state.phase != Phase.GUESS:
                break
            sitting.say(1 - giver, Next())
            if sitting.state.phase == Phase.CLUE and sitting.state.turn.giver == giver:
                sitting.say(giver, Clue(f"Children wait for it, {'very ' * _pass}long"))
        sitting.say(1 - giver, Rate(3, 3))
    assert sitting.state.phase == Phase.AFTER
    sitting.say(0, Propose("Lamp boats", "They are set on the water in autumn."))
    return sitting, Utterance.objects.get(kind="proposal")


def confirmed(proposal):
    sitting, row = proposal
    sitting.say(1, Verify(1, True))
    row.refresh_from_db()
    return sitting, row


def test_a_proposal_that_the_partner_has_not_confirmed_cannot_be_listed(proposal):
    _sitting, row = proposal
    with pytest.raises(CommonplaceError) as refused:
        expanding.accept(row, MODERATOR)
    assert refused.value.code == "game.not_confirmed"
    assert not Artifact.objects.filter(origin="expanded").exists()


def test_an_accepted_proposal_is_an_artifact_with_its_name_and_who_proposed_it(proposal):
    sitting, row = confirmed(proposal)
    artifact = expanding.accept(row, MODERATOR)
    assert expanding.accept(row, MODERATOR) == artifact
    assert (artifact.origin, artifact.status) == ("expanded", "listed")
    assert artifact.region == sitting.game.region
    name = artifact.names.get()
    assert (name.text, name.kind, name.script) == ("Lamp boats", "name", "Latin")
    source = artifact.sources.get()
    assert source.participant == sitting.people[0].participant
    assert (source.text, source.about) == ("Lamp boats", "They are set on the water in autumn.")


def test_a_proposal_of_a_name_on_the_list_adds_its_source_there(proposal, artifacts):
    sitting, row = proposal
    Utterance.objects.filter(pk=row.pk).update(text="glow  LOAF")
    sitting.say(1, Verify(1, True))
    artifact = expanding.accept(row, MODERATOR)
    assert artifact == artifacts[0]
    assert artifact.origin == "original"
    assert artifact.sources.get().text == "glow  LOAF"


def test_a_dismissed_proposal_leaves_the_list_alone_and_can_be_listed_after_an_undo(proposal):
    _sitting, row = confirmed(proposal)
    expanding.dismiss(row, MODERATOR)
    expanding.dismiss(row, MODERATOR)
    assert not Artifact.objects.filter(origin="expanded").exists()
    assert (row.verdict, row.decided_by) == ("refused", MODERATOR)
    expanding.undo(row, MODERATOR)
    assert expanding.accept(row, MODERATOR).status == "listed"


def test_undoing_takes_what_rests_on_the_proposal_alone_off_the_list_and_it_comes_back(proposal):
    _sitting, row = confirmed(proposal)
    artifact = expanding.accept(row, MODERATOR)
    expanding.undo(row, MODERATOR)
    expanding.undo(row, MODERATOR)
    artifact.refresh_from_db()
    row.refresh_from_db()
    assert (artifact.status, row.verdict, row.artifact) == ("left_out", "confirmed", None)
    assert not ArtifactSource.objects.filter(artifact=artifact).exists()
    assert expanding.accept(row, MODERATOR) == artifact
    assert Artifact.objects.filter(origin="expanded").count() == 1


@pytest.mark.parametrize("before", ["left_out", "proposed", "listed"])
def test_undoing_leaves_an_artifact_of_that_name_as_it_was_before(proposal, artifacts, before):
    _sitting, row = confirmed(proposal)
    Utterance.objects.filter(pk=row.pk).update(text="Salt herring")
    Artifact.objects.filter(pk=artifacts[1].pk).update(status=before)
    assert expanding.accept(row, MODERATOR).status == "listed"
    expanding.undo(row, MODERATOR)
    artifacts[1].refresh_from_db()
    assert artifacts[1].status == before


def test_undoing_leaves_alone_what_somebody_has_decided_since(proposal, artifacts, study):
    _sitting, row = confirmed(proposal)
    Utterance.objects.filter(pk=row.pk).update(text="Salt herring")
    studies.leave_out(study, [artifacts[1].code], MODERATOR)
    artifact = expanding.accept(row, MODERATOR)
    for decide in (studies.leave_out, studies.list_again):
        decide(study, [artifact.code], MODERATOR)
    expanding.undo(row, MODERATOR)
    artifact.refresh_from_db()
    assert artifact.status == "listed"


def test_what_two_proposals_have_listed_stays_until_both_are_undone(proposal, artifacts):
    sitting, row = confirmed(proposal)
    sitting.say(1, Propose("salt  herring", "It keeps all winter."))
    sitting.say(0, Verify(1, True))
    Utterance.objects.filter(pk=row.pk).update(text="Salt herring")
    Artifact.objects.filter(pk=artifacts[1].pk).update(status="left_out")
    other = Utterance.objects.get(kind="proposal", seat=1)
    for each in (row, other):
        assert expanding.accept(each, MODERATOR) == artifacts[1]
    for each, status in ((row, "listed"), (other, "left_out")):
        expanding.undo(each, MODERATOR)
        artifacts[1].refresh_from_db()
        assert artifacts[1].status == status


def test_a_proposal_whose_words_are_gone_cannot_be_listed(proposal):
    sitting, row = confirmed(proposal)
    for seat in (0, 1):
        sitting.say(seat, Finish())
    Utterance.objects.filter(pk=row.pk).update(text="", removed=True)
    with pytest.raises(CommonplaceError) as refused:
        expanding.accept(row, MODERATOR)
    assert refused.value.code == "game.proposal_removed"
    expanding.dismiss(row, MODERATOR)


def test_a_proposal_that_no_artifact_can_be_called_stays_undecided_with_a_sentence(proposal):
    _sitting, row = confirmed(proposal)
    Utterance.objects.filter(pk=row.pk).update(text="a" * 201)
    with pytest.raises(CommonplaceError) as refused:
        expanding.accept(row, MODERATOR)
    assert refused.value.code == "artifact.name_too_long"
    row.refresh_from_db()
    assert row.verdict == "confirmed"


@pytest.mark.parametrize("belongs", [True, False])
def test_a_partner_who_answers_again_does_not_overturn_what_the_team_decided(proposal, belongs):
    sitting, row = confirmed(proposal)
    artifact = expanding.accept(row, MODERATOR)
    sitting.say(1, Verify(row.number, belongs))
    row.refresh_from_db()
    assert (row.verdict, row.decided_by) == ("allowed", MODERATOR)
    assert expanding.accept(row, MODERATOR) == artifact
    assert ArtifactSource.objects.filter(artifact=artifact).count() == 1


def test_a_clue_that_was_struck_waits_for_nobody_and_cannot_be_allowed(playing):
    sitting = playing()
    row = appealed(sitting)
    moderating.strike(sitting.game, "clue", 1, row.number, MODERATOR)
    with pytest.raises(CommonplaceError, match=r"game\.unknown"):
        moderating.rule(sitting.game, 1, row.number, True, MODERATOR)
    assert (sitting.state.phase, sitting.state.turn.said) == (Phase.CLUE, ())
    assert watching.waiting([sitting.game.activity.study_id]) == {}
