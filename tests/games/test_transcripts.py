"""Games that have ended: found by filters, read, and taken along as files without loss."""

import json
from datetime import datetime

import pytest
from django.urls import reverse

from games import exporting, machine
from games.machine import Event, Player, State
from games.machine.commands import Clue, Guess, Rate
from games.models import Game, Seat, Utterance
from games.selectors import transcripts
from games.selectors.transcripts import Filters
from games.services import moderating
from studies import services
from studies.models import Activity, Participant
from studies.permissions import Role

MODERATOR = "mo@example.org"


@pytest.fixture
def ended(playing):
    """A game of one turn that was guessed, a second one cut by a moderator."""
    sitting = playing()
    giver, word = sitting.giver, sitting.word
    sitting.say(giver, Clue("=1+1 lights are carried “home”, at dusk"))
    sitting.say(1 - giver, Guess(word))
    sitting.say(1 - giver, Rate(4, 5))
    moderating.end(sitting.game, MODERATOR)
    sitting.first = giver
    return sitting


def rows(study, name):
    table = exporting.table(study, name)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def found(study, **filters):
    return list(transcripts.ended(study, Filters(**filters)))


def test_games_that_have_ended_are_found_by_what_they_are(ended, study, activity):
    game = ended.game
    assert found(study) == [game]
    for name, value in (
        ("activity", activity.slug), ("region", "harbour"), ("reason", "moderator"),
        ("phase", "main"), ("play", "people"),
    ):  # fmt: skip
        assert found(study, **{name: value}) == [game], name
    for name, value in (
        ("activity", "other"), ("region", "marsh"), ("reason", "played"),
        ("phase", "pilot"), ("play", "recorded"),
    ):  # fmt: skip
        assert found(study, **{name: value}) == [], name
    Seat.objects.filter(game=game, number=1).update(player=Player.RECORDED)
    assert found(study, play="recorded") == [game]
    Activity.objects.filter(pk=activity.pk).update(phase="pilot")
    assert found(study, phase="pilot") == [game]


def test_a_game_that_goes_on_is_not_among_them(playing, study):
    playing()
    assert found(study) == []


def test_the_list_leads_to_the_transcript_by_fifties(ended, study, as_alice):
    address = reverse("games:transcripts", args=(study.slug,))
    page = as_alice.get(address, {"region": "harbour"}).content.decode()
    assert reverse("games:watch_game", args=(study.slug, ended.game.code)) in page
    assert "ended by a moderator" in page
    row = Game.objects.get(pk=ended.game.pk)
    for number in range(50):
        row.pk, row.code, row._state.adding = None, f"COPY{number:06}", True
        row.save(force_insert=True)
    page = as_alice.get(address).content.decode()
    assert "1 to 50 of 51 games" in page
    assert "COPY000049" in page
    assert ended.game.code not in page


def test_a_transcript_of_a_game_that_has_ended_has_no_button_that_moves_it(ended, study, as_alice):
    page = as_alice.get(reverse("games:watch_game", args=(study.slug, ended.game.code)))
    text = page.content.decode()
    assert 'value="end"' not in text
    assert 'value="halt"' not in text
    assert 'value="warn 0"' not in text
    assert 'value="strike clue 1 1"' in text
    assert "Rated 4 for accuracy, 5 for quality." in text


def test_the_files_are_the_game_without_loss(ended, study):
    (game,) = rows(study, "games")
    assert (game["game"], game["seat0_participant"], game["ended_reason"]) == (
        ended.game.code,
        ended.people[0].participant.code,
        "moderator",
    )
    assert json.loads(game["rules"])["clues"] == 5
    clue, guess = rows(study, "utterances")
    assert clue["text"] == Utterance.objects.get(kind="clue").text
    assert clue["participant"] == ended.people[ended.first].participant.code
    assert (guess["verdict"], guess["decided_by"]) == ("right", "rule")
    first, second = rows(study, "turns")
    assert (first["outcome"], first["accuracy"], first["quality"]) == ("guessed", 4, 5)
    assert (second["outcome"], second["recorded"]) == ("cut", False)
    events = [
        Event(row["kind"], row["seat"], json.loads(row["data"])) for row in rows(study, "events")
    ]
    assert machine.fold(events) == ended.state


def test_the_files_name_nobody_of_the_team(ended, study):
    moderating.strike(ended.game, "clue", 1, 1, MODERATOR)
    for name in exporting.TITLES:
        assert MODERATOR not in str(rows(study, name))
    assert rows(study, "utterances")[0]["decided_by"] == "moderator"
    assert rows(study, "events")[-1]["by_moderator"] is True


def test_every_line_of_a_file_says_whether_somebody_was_simulated(ended, study):
    assert not any(row["simulated"] for name in exporting.TITLES for row in rows(study, name))
    who = ended.people[1].participant
    Participant.objects.filter(pk=who.pk).update(simulated=True)
    assert all(row["simulated"] for name in exporting.TITLES for row in rows(study, name))


def test_who_has_withdrawn_is_in_no_file_in_words_even_before_the_removal_has_run(ended, study):
    services.withdraw(ended.people[ended.first].participant, "test")
    clue, guess = rows(study, "utterances")
    assert (clue["text"], clue["removed"]) == ("", True)
    assert (guess["removed"], bool(guess["text"])) == (False, True)


def test_what_a_recorded_player_repeats_points_to_where_it_comes_from(ended, study, sit):
    clue = Utterance.objects.get(kind="clue")
    other = sit().game
    Utterance.objects.create(
        game=other, turn=1, kind="clue", number=1, seat=0, text=clue.text, verdict="said",
        source=clue,
    )  # fmt: skip
    row = rows(study, "utterances")[-1]
    assert (row["participant"], row["repeats_game"], row["repeats_number"]) == (
        None,
        ended.game.code,
        1,
    )
    services.withdraw(ended.people[ended.first].participant, "test")
    assert rows(study, "utterances")[-1]["text"] == ""


def test_the_file_a_page_sends_has_utc_with_offset_and_the_words_as_they_are(
    ended, study, as_alice
):
    address = reverse("games:results_file", args=(study.slug, "utterances", "jsonl"))
    response = as_alice.get(address)
    lines = [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]
    assert lines[0]["text"] == Utterance.objects.get(kind="clue").text
    assert datetime.fromisoformat(lines[0]["at"]).utcoffset().total_seconds() == 0
    unknown = reverse("games:results_file", args=(study.slug, "nothing", "jsonl"))
    assert as_alice.get(unknown).status_code == 404


@pytest.mark.parametrize("role", Role)
def test_words_leave_by_who_may_export_and_numbers_by_who_may_watch(
    ended, study, bob, client, role
):
    services.invite(study, bob.email, role, "test")
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")

    def status(table):
        return client.get(
            reverse("games:results_file", args=(study.slug, table, "csv"))
        ).status_code

    words = role in (Role.OWNER, Role.RESEARCHER)
    numbers = role is not Role.ANNOTATOR
    assert status("utterances") == (200 if words else 403)
    assert status("results") == (200 if numbers else 403)


def test_the_state_shown_is_the_state_stored(ended):
    read = transcripts.transcript(ended.game)
    assert read.state == State.from_json(ended.game.state)
    assert [turn.outcome for turn in read.turns] == ["guessed", "cut"]
