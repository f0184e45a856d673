"""Who has played is decided on and paid, through the pages of the review and of the payments."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.urls import reverse

from core import clock
from core.models import AuditEntry
from games.machine.commands import Clue, Finish, Guess, Leave, Rate
from games.models import Ticket, Turn
from games.selectors import gathered, reviewing
from games.services import lobby, moderating, moves, presence, rounds
from studies import links, services, steps
from studies.models import LedgerEntry, Participation
from studies.participation import Status
from studies.permissions import Role
from tests.games.test_presence import again

REWARD = 1200  # cents
AFTER = "A person of the study team read what you wrote in the game and could not use it."
SAYING = "Your clues were about something else than the word on your card."


@pytest.fixture
def played(playing, activity):
    """Two who have played to the end, each for ten minutes of an hour that a flat reward is for."""
    activity.reward = "flat"
    activity.save()

    def played(**rules):
        sitting = playing(**{"deck": 1, **rules})
        for _turn in range(2):
            giver, word = sitting.giver, sitting.word
            people = sitting.people
            moves.move(people[giver], Clue("We see it at the harbour"))
            moves.move(people[1 - giver], Guess(word))
            moves.move(people[1 - giver], Rate(4, 5))
        Participation.objects.filter(pk__in=[who.pk for who in people]).update(worked_ms=600_000)
        for who in people:
            moves.move(again(who), Finish())
        return sitting

    return played


def at(name, study, *more):
    return reverse(f"games:{name}", args=(study.slug, *more))


def words(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def codes(response):
    return [line.row.code for line in response.context["lines"]]


def owed(who):
    return sum(LedgerEntry.objects.filter(participation=who).values_list("amount_minor", flat=True))


def test_who_has_played_waits_for_a_decision_on_the_study_s_page(played, study, alice, as_alice):
    sitting = played()
    assert {again(who).status for who in sitting.people} == {Status.SUBMITTED}
    rooms = {room.url_name: waits for room, waits in steps.rooms_of_work()}
    assert rooms["games:review"].counts([study.pk], alice) == {study.pk: 2}
    assert rooms["collection:review"].counts([study.pk], alice) == {}
    assert "2 wait for review" in words(as_alice.get(reverse("studies:detail", args=(study.slug,))))


def test_those_ticked_are_accepted_and_their_reward_is_owed(played, study, as_alice):
    sitting = played()
    page = as_alice.get(at("review", study))
    assert sorted(codes(page)) == sorted(who.code for who in sitting.people)
    assert "2 of 2" in words(page)
    ticked = {"code": codes(page)}
    for _twice in range(2):
        as_alice.post(at("review_accept_many", study), ticked)
    for who in sitting.people:
        row = again(who)
        assert (row.status, row.included, owed(row)) == (Status.ACCEPTED, True, REWARD)
    entries = AuditEntry.objects.filter(action="participation.accepted")
    assert entries.count() == 2
    assert not codes(as_alice.get(at("review", study)))


def test_those_of_one_of_several_games_are_listed_alone(played, study, activity, as_alice):
    played()
    assert "all activities" not in words(as_alice.get(at("review", study)))
    activity.pk, activity.slug, activity.position = None, "evening", 10
    activity.save(force_insert=True)
    page = as_alice.get(at("review", study))
    assert "all activities" in words(page)
    assert [each.slug for each in page.context["activities"]] == ["taboo", "evening"]
    assert len(codes(as_alice.get(at("review", study), {"activity": "taboo"}))) == 2
    assert codes(as_alice.get(at("review", study), {"activity": "evening"})) == []


def test_whom_a_moderator_had_to_write_to_is_looked_at_first(played, study, as_alice):
    sitting = played()
    moderating.strike(sitting.game, "clue", 1, 1, "test")
    giver = again(sitting.people[Turn.objects.get(game=sitting.game, number=1).giver])
    page = as_alice.get(at("review", study))
    assert f'value="{giver.code}"' not in page.content.decode()
    both = {"code": [who.code for who in sitting.people]}
    answer = as_alice.post(at("review_accept_many", study), both, follow=True)
    assert f"Left for you to look at: {giver.participant.code}" in words(answer)
    assert again(giver).status == Status.SUBMITTED


def test_a_reviewer_is_told_the_language_of_who_is_decided_on_and_not_their_own(
    played, study, as_alice
):
    row = played().people[0]
    row.participant.language = "bn"
    row.participant.save()
    assert "They read Bengali (bn)." in words(as_alice.get(at("review_one", study, row.code)))


def test_a_reviewer_reads_turn_by_turn_what_was_played(played, study, as_alice):
    sitting = played()
    row = sitting.people[0]
    page = words(as_alice.get(at("review_one", study, row.code)))
    turn = Turn.objects.get(game=sitting.game, number=1)
    assert turn.artifact.names.get(kind="name").text in page
    assert page.count("We see it at the harbour") == 2
    assert "Rated 4 for accuracy, 5 for quality" in page
    assert "played to the end" in page
    assert "10 min" in page
    assert "median 10 min, n 2" in page


def test_a_rejection_needs_words_and_pays_the_time(played, study, as_alice):
    sitting = played()
    row = again(sitting.people[0])
    address = at("review_reject", study, row.code)
    short = as_alice.post(address, {"reason": "off_topic", "text": "Bad.", "pay": "time"})
    assert short.status_code == 422
    assert "at least 20 characters" in words(short)
    withheld = as_alice.post(address, {"reason": "off_topic", "text": SAYING, "pay": "nothing"})
    assert again(row).status == Status.SUBMITTED
    assert withheld.status_code == 422
    foreign = as_alice.post(address, {"reason": "speed", "text": SAYING, "pay": "time"})
    assert again(row).status == Status.SUBMITTED
    assert foreign.status_code == 422
    done = as_alice.post(address, {"reason": "off_topic", "text": SAYING, "pay": "time"})
    assert done["Location"] == at("review_one", study, sitting.people[1].code)
    row = again(row)
    assert (row.status, row.included, row.message) == (Status.REJECTED, False, SAYING)
    assert owed(row) == REWARD // 6
    assert row.slot_region is None
    entry = AuditEntry.objects.get(action="participation.rejected")
    assert entry.data["reason"] == "off_topic"


def test_who_has_played_is_thanked_for_the_game(played, client):
    page = words(client.get(reverse("taking_part:home", args=(links.token(played().people[0]),))))
    assert "Thank you for playing What you wrote in the game is saved" in page
    assert "as soon as the study team has accepted your work." in page
    assert "answers" not in page


def test_who_has_withdrawn_after_a_game_reads_of_that_alone(played, study, client, as_alice):
    row = played().people[0]
    as_alice.post(at("review_accept", study, row.code), {"included": "yes"})
    services.withdraw(row.participant, "test")
    page = words(client.get(reverse("taking_part:home", args=(links.token(row),))))
    assert "You have withdrawn from this study" in page
    assert "Your game is accepted" not in page


@pytest.mark.parametrize(
    ("decision", "given", "told"),
    [
        ("accept", {"included": "yes"}, "Your game is accepted"),
        (
            "reject",
            {"reason": "off_topic", "text": SAYING, "pay": "time"},
            f"Your game was not accepted {AFTER} The study team wrote to you: {SAYING}",
        ),
    ],
)
def test_who_is_decided_on_reads_it_of_their_game(
    played, study, client, as_alice, decision, given, told
):
    row = played().people[0]
    as_alice.post(at(f"review_{decision}", study, row.code), given)
    page = words(client.get(reverse("taking_part:home", args=(links.token(row),))))
    assert told in page
    assert "Your answers" not in page
    assert ("write to the study team" in page) == (decision == "reject")


def test_pay_is_never_withheld_of_who_has_played_by_whatever_door(played):
    from core.errors import CommonplaceError
    from studies.participation import Pay, Rejection
    from studies.services import deciding

    row = again(played().people[0])
    with pytest.raises(CommonplaceError) as refused:
        deciding.reject(row, Rejection("other", SAYING, Pay.NOTHING), "test")
    assert refused.value.code == "review.not_fair"


def test_an_appeal_may_succeed_and_more_may_be_paid(played, study, as_alice):
    row, other = (again(who) for who in played().people)
    for who in (row, other):
        rejected = {"reason": "other", "text": SAYING, "pay": "time"}
        as_alice.post(at("review_reject", study, who.code), rejected)
    as_alice.post(at("review_pay", study, row.code), {"pay": "reward"})
    assert (again(row).status, owed(row)) == (Status.REJECTED, REWARD)
    as_alice.post(at("review_accept", study, other.code), {"included": "yes"})
    assert (again(other).status, owed(other)) == (Status.ACCEPTED, REWARD)


def test_who_is_left_out_of_the_results_is_in_no_release_and_the_partner_stays(
    played, study, as_alice
):
    sitting = played()
    out, stays = (again(who) for who in sitting.people)
    as_alice.post(at("review_accept", study, out.code), {"included": "no"})
    as_alice.post(at("review_accept", study, stays.code), {"included": "yes"})
    everybody = [who.participant_id for who in (out, stays)]
    shown = gathered.players(study, everybody)
    assert [player.person for player in shown.values()] == [stays.participant_id]
    assert (again(out).included, owed(out)) == (False, REWARD)
    as_alice.post(at("review_include", study, out.code), {"included": "yes"})
    assert len(gathered.players(study, everybody)) == 2


def test_only_who_may_review_sees_and_decides(played, study, client, django_user_model):
    row = played().people[0]
    user = django_user_model.objects.create_user("vera@example.org", "a password")
    services.invite(study, user.email, Role.MODERATOR, "test")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(at("review", study)).status_code == 403
    assert client.get(at("review_one", study, row.code)).status_code == 403
    for name in ("review_accept", "review_reject", "review_pay", "review_include"):
        assert client.post(at(name, study, row.code)).status_code == 403
    assert again(row).status == Status.SUBMITTED


def test_who_still_plays_is_not_to_be_decided_on(playing, study, as_alice):
    row = playing().people[0]
    assert as_alice.get(at("review_one", study, row.code)).status_code == 404
    assert reviewing.waiting([study.pk]) == {}


# --- what is paid ---------------------------------------------------------------------------------


def works(who, minutes):
    """Their device is heard every minute of so many."""
    for _minute in range(minutes):
        Participation.objects.filter(pk=who.pk).update(last_seen=clock.now() - timedelta(minutes=1))
        presence.seen(again(who))


def listed(client, study):
    """(minutes, cents) by participant, of the page and of the file of payments."""
    page = client.get(reverse("studies:payments", args=(study.slug,)))
    lines = {line.participant: (round(line.minutes), line.open) for line in page.context["lines"]}
    file = client.get(reverse("studies:payment_list", args=(study.slug, "csv")))
    text = b"".join(file.streaming_content).decode("utf-8-sig")
    rows = {row["participant"]: row["amount"] for row in csv.DictReader(io.StringIO(text))}
    assert rows == {who: amount for who, (_minutes, amount) in lines.items()}
    return {who: (minutes, float(amount) * 100) for who, (minutes, amount) in lines.items()}


def for_minutes(minutes):
    """By the hour, and for the moments that the test itself takes."""
    return minutes, pytest.approx(minutes * REWARD / 60, abs=3)


@pytest.fixture
def in_real_time(settings):
    settings.TIME_SCALE = 1


def test_a_normal_game_is_paid_with_the_time_it_took(in_real_time, playing, study, as_alice):
    sitting = playing(deck=1)
    for who in sitting.people:
        presence.seen(again(who))
        works(who, 6)
    for _turn in range(2):
        giver, word = sitting.giver, sitting.word
        moves.move(sitting.people[giver], Clue("We see it at the harbour"))
        moves.move(sitting.people[1 - giver], Guess(word))
        moves.move(sitting.people[1 - giver], Rate(4, 5))
    for who in sitting.people:
        moves.move(again(who), Finish())
    assert listed(as_alice, study) == {}  # until a person has decided
    rows = {"code": [who.code for who in sitting.people]}
    as_alice.post(at("review_accept_many", study), rows)
    expected = {who.participant.code: for_minutes(6) for who in sitting.people}
    assert listed(as_alice, study) == expected


def test_who_waited_in_vain_is_paid_for_the_wait(
    in_real_time, artifacts, somebody, study, as_alice
):
    who = somebody()
    lobby.enter(who)
    works(who, 5)
    Ticket.objects.update(deadline=clock.ago(1))
    rounds.look_round()
    lobby.stop(again(who))
    assert again(who).status == Status.CUT_SHORT
    assert listed(as_alice, study) == {who.participant.code: for_minutes(5)}


def test_who_is_cut_short_by_a_partner_s_leaving_is_paid_for_the_time(
    in_real_time, playing, study, as_alice
):
    sitting = playing(on_drop="end")
    gone, stays = sitting.people
    for who in sitting.people:
        works(who, 3)
    moves.move(gone, Leave("left"))
    rounds.look_round()
    assert again(stays).status == Status.CUT_SHORT
    assert again(gone).status == Status.RETURNED
    paid = listed(as_alice, study)
    assert paid == {who.participant.code: for_minutes(3) for who in sitting.people}
