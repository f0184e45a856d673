"""A withdrawal takes one side of a game: the other's words and every event stay."""

import pytest

from core import jobs
from core.models import AuditEntry, Job
from games import machine
from games.machine import Event
from games.machine.commands import Clue, Guess, Next, Shared
from games.models import Utterance, Vetting
from games.services import expanding, moderating, withdrawing
from studies import services, withdrawal
from studies.models import Artifact


def folded(game):
    rows = game.events.order_by("seq")
    return machine.fold(Event(row.kind, row.seat, row.data) for row in rows)


@pytest.fixture
def talk(playing):
    """Both players have written something, and one was written to."""
    sitting = playing()
    giver = sitting.giver
    sitting.say(giver, Clue("It is carried home at dusk"))
    sitting.say(1 - giver, Guess("A herring gull"))
    sitting.say(1 - giver, Next())
    sitting.say(giver, Clue("Children wait for it"))
    moderating.warn(sitting.game, giver, "Please keep to clues.", "mo@example.org")
    sitting.who = giver
    return sitting


def texts(seat, game):
    rows = Utterance.objects.filter(game=game, seat=seat).order_by("pk")
    return list(rows.values_list("text", flat=True))


def test_the_words_of_one_side_go_and_the_others_stay(talk):
    events = list(talk.game.events.values_list("seq", "kind", "data"))
    removed = withdrawing.forget(talk.people[talk.who].participant)
    assert removed == {"repeated_clues": 0, "utterances": 3}
    assert texts(talk.who, talk.game) == ["", "", ""]
    assert texts(1 - talk.who, talk.game) == ["A herring gull"]
    gone = Utterance.objects.filter(removed=True)
    assert set(gone.values_list("seat", "folded", "about")) == {(talk.who, "", "")}
    assert list(talk.game.events.values_list("seq", "kind", "data")) == events
    assert folded(talk.game) == talk.state


def test_it_may_run_again_and_then_finds_nothing(talk):
    who = talk.people[talk.who].participant
    withdrawing.forget(who)
    assert not any(withdrawing.forget(who).values())


def test_verdicts_and_numbers_stay_so_that_counts_do_not_change(talk):
    before = list(Utterance.objects.order_by("pk").values_list("kind", "number", "verdict"))
    withdrawing.forget(talk.people[talk.who].participant)
    assert list(Utterance.objects.order_by("pk").values_list("kind", "number", "verdict")) == before


def test_clues_that_a_recorded_player_repeats_elsewhere_go_with_their_source(talk, sit):
    clue = Utterance.objects.filter(kind="clue").first()
    other = sit().game
    repeated = Utterance.objects.create(
        game=other, turn=1, kind="clue", number=1, seat=0, text=clue.text, folded=clue.folded,
        artifact=clue.artifact, verdict="said", source=clue,
    )  # fmt: skip
    removed = withdrawing.forget(talk.people[talk.who].participant)
    repeated.refresh_from_db()
    assert removed["repeated_clues"] == 1
    assert (repeated.text, repeated.removed) == ("", True)


def test_clues_of_others_repeated_at_a_seat_they_left_stay(talk, sit):
    other = sit()
    source = Utterance.objects.create(
        game=other.game, turn=1, kind="clue", number=1, seat=0, text="Baked in ash", verdict="said"
    )
    Utterance.objects.create(
        game=talk.game, turn=2, kind="clue", number=1, seat=talk.who, text="Baked in ash",
        verdict="said", source=source,
    )  # fmt: skip
    withdrawing.forget(talk.people[talk.who].participant)
    assert list(
        Utterance.objects.filter(text="Baked in ash").values_list("removed", flat=True)
    ) == [
        False,
        False,
    ]


def test_votes_stay_and_an_artifact_they_proposed_stays_on_the_list_without_their_words(talk):
    who = talk.people[talk.who].participant
    row = Utterance.objects.create(
        game=talk.game, turn=0, kind="proposal", number=1, seat=talk.who, text="Lamp boats",
        about="Set on the water.", verdict="confirmed", decided_by="partner",
    )  # fmt: skip
    artifact = expanding.accept(row, "mo@example.org")
    Vetting.objects.create(
        game=talk.game, seat=talk.who, artifact=artifact, known=True, shared=Shared.OURS
    )
    for forget in withdrawal.handlers.values():
        forget(who)
    artifact.refresh_from_db()
    row.refresh_from_db()
    source = artifact.sources.get()
    assert (row.text, row.about, row.artifact) == ("", "", artifact)
    assert (artifact.status, artifact.names.get().text) == (Artifact.Status.LISTED, "Lamp boats")
    assert (source.participant, source.text, source.about) == (who, "", "")
    assert Vetting.objects.count() == 1


def test_withdrawing_from_the_study_reaches_games_by_a_job_that_says_what_it_did(talk):
    assert withdrawal.handlers["games"] is withdrawing.forget
    who = talk.people[talk.who].participant
    services.withdraw(who, "test")
    for job in Job.objects.filter(kind="studies.withdrawal", status="queued"):
        jobs.execute(job.pk)
    done = AuditEntry.objects.filter(action="participant.words_removed", object_id=who.code)
    (games,) = [entry.data for entry in done if entry.data["handler"] == "games"]
    assert games["removed"]["utterances"] == 3
    assert texts(1 - talk.who, talk.game) == ["A herring gull"]
    assert folded(talk.game) == talk.state
