"""From artifacts and games to a release, its pages and its files."""

import csv
import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from core.errors import CommonplaceError
from games.machine import By
from games.machine.commands import Clue, End, Strike, Warn, Who
from games.models import Game, Utterance
from games.services import expanding
from games.services.playing import play
from releases import canonical, gathering, selectors, storing
from releases.card import fields
from releases.models import Release
from studies.models import Artifact
from tests.games.conftest import activity, artifacts, named, playing, sit, somebody, study
from tests.releases.played import (
    FIRST,
    SECOND,
    agree,
    clues,
    code,
    freeze,
    leave,
    moderate,
    play_through,
    played,
    rows,
    words,
)
from tests.releases.test_card import OF_ARTIFACTS, export, names_in

pytestmark = pytest.mark.django_db
__all__ = [
    "activity",
    "artifacts",
    "export",
    "play_through",
    "played",
    "playing",
    "sit",
    "somebody",
    "study",
]


# --- What is in it --------------------------------------------------------------------------------


def test_a_release_holds_every_listed_artifact_with_its_names(study, artifacts):
    named(artifacts[0], "Pan de farol", kind="translation")
    Artifact.objects.filter(pk=artifacts[1].pk).update(status=Artifact.Status.LEFT_OUT)
    release = freeze(study)
    assert [item.key for item in release.items.all()] == [
        each.code for each in artifacts if each != artifacts[1]
    ]
    payload = release.items.first().payload
    assert payload["region"] == "harbour"
    assert payload["name"] == {"en": "Lantern bread"}
    assert [(each["kind"], each["text"]) for each in payload["names"]] == [
        ("alias", "Glow loaf"),
        ("forbidden", "bakery"),
        ("translation", "Pan de farol"),
    ]
    assert (payload["origin"], payload["clues"], payload["ratings"]) == ("original", [], [])


def test_clues_come_with_giver_game_turn_and_the_guessers_rating(study, played):
    release = freeze(study)
    giver = played.first
    held = {
        row["text"]: (row["giver"], row["turn"], row["in_turn"]) for row in rows(release, "clues")
    }
    assert held == {
        FIRST[0]: (code(played, giver), 1, 1),
        FIRST[1]: (code(played, giver), 1, 2),
        SECOND: (code(played, 1 - giver), 2, 1),
    }
    ratings = [
        (each["turn"], each["accuracy"], each["quality"])
        for item in release.items.all()
        for each in item.payload["ratings"]
    ]
    assert sorted(ratings) == [(1, 4, 5), (2, 2, 3)]
    described = selectors.describe(release)
    assert described["artifacts"][0] == {"region": "harbour", "original": 6, "expanded": 0}
    assert sum(described["clues"].values()) == 3
    assert release.about["study"]["games"] == {"ended": 1, "players": 2}


def test_a_transcript_tells_the_whole_game_without_a_persons_address_or_clock(study, played):
    moderated = Game.objects.get()
    (row,) = rows(freeze(study), "transcripts")
    assert row["players"] == [code(played, 0), code(played, 1)]
    assert [event["kind"] for event in row["events"]] == list(
        moderated.events.order_by("seq").values_list("kind", flat=True)
    )
    texts = [(each["kind"], each["text"]) for each in row["words"]]
    assert texts[:4] == [
        ("clue", FIRST[0]),
        ("guess", "A herring gull"),
        ("clue", FIRST[1]),
        ("guess", texts[3][1]),
    ]
    assert ("proposal", "Tide clock") in texts
    keys = set(Artifact.objects.values_list("code", flat=True))
    assert {each["artifact"] for each in row["turns"]} <= keys
    dealt = row["events"][0]["data"]["decks"]
    assert {each for deck in dealt for each in deck} <= keys
    hours = timedelta(hours=12) / timedelta(milliseconds=1)
    for event in row["events"]:
        assert 0 <= event["ms"] < hours
        assert all(abs(event["data"].get(name) or 0) < hours for name in ("deadline", "over", "at"))


def test_a_moderators_words_stand_under_no_address(study, play_through):
    sitting = play_through()
    play(sitting.game.pk, By(Who.MODERATOR, 0), Warn("Be kind"), actor="mo@example.org")
    moderate(sitting, End())
    (row,) = told = rows(freeze(study), "transcripts")
    (warning,) = [each for each in row["words"] if each["kind"] == "warning"]
    assert (warning["text"], warning["player"]) == ("Be kind", code(sitting, 0))
    assert b"mo@example.org" not in canonical.lines(told)


def test_what_was_struck_is_in_no_clue_and_empty_in_the_transcript(study, play_through):
    sitting = play_through()
    moderate(sitting, Strike(1, "clue", 2))
    moderate(sitting, End())
    release = freeze(study)
    assert clues(release) == {FIRST[0], SECOND}
    assert FIRST[1] not in words(release)
    (struck,) = [
        each for each in rows(release, "transcripts")[0]["words"] if each["left_out"] == "struck"
    ]
    assert (struck["turn"], struck["number"], struck["decided_by"]) == (1, 2, "moderator")


def test_a_clue_that_was_refused_is_no_clue_and_stays_in_the_transcript(study, playing):
    sitting = playing(deck=1)
    for person in sitting.people:
        agree(person.participant, "take_part", "publish")
    refused = f"Everybody says {sitting.word} to it"
    sitting.say(sitting.giver, Clue(refused))
    moderate(sitting, End())
    release = freeze(study)
    assert clues(release) == set()
    assert refused in words(release)


def test_a_game_that_goes_on_is_not_in_it(study, play_through):
    play_through()
    release = freeze(study)
    assert (clues(release), rows(release, "transcripts")) == (set(), [])


def test_a_game_that_was_left_before_its_first_turn_is_not_in_it(study, played, sit):
    left = sit()
    for person in left.people:
        agree(person.participant, "take_part", "publish")
    moderate(left, End())
    release = freeze(study)
    assert [row["game"] for row in rows(release, "transcripts")] == [played.game.code]
    assert release.about["study"]["games"] == {"ended": 1, "players": 2}


def test_a_pilots_games_are_not_in_it(study, activity, played):
    type(activity).objects.filter(pk=activity.pk).update(phase="pilot")
    release = freeze(study)
    assert (clues(release), rows(release, "transcripts")) == (set(), [])


def test_who_did_not_agree_to_publication_has_no_word_and_no_pseudonym_in_it(study, play_through):
    sitting = play_through(publish=(True, False))
    moderate(sitting, End())
    release = freeze(study)
    (row,) = rows(release, "transcripts")
    assert row["players"] == [code(sitting, 0), None]
    theirs = [each for each in row["words"] if each["seat"] == 1]
    assert theirs
    assert {(each["text"], each["left_out"]) for each in theirs} == {("", "not_published")}
    assert {each["giver"] for each in rows(release, "clues")} == {code(sitting, 0)}
    for part in release.parts.all():
        assert code(sitting, 1).encode() not in storing.read(part)


def test_whoever_was_rejected_or_kept_out_of_the_results_is_not_published(study, played):
    person = played.people[1]
    type(person).objects.filter(pk=person.pk).update(included=False)
    release = freeze(study)
    assert {each["giver"] for each in rows(release, "clues")} == {code(played, 0)}


def test_a_proposal_is_in_it_once_the_team_has_listed_it(study, played):
    assert not freeze(study).items.filter(payload__origin="expanded").exists()
    expanding.accept(Utterance.objects.get(kind="proposal"), "mo@example.org")
    release = Release.objects.get(pk=freeze(study).pk)
    (item,) = release.items.filter(payload__origin="expanded")
    assert item.payload["name"] == {"en": "Tide clock"}
    (clue,) = item.payload["clues"]
    assert (clue["text"], clue["turn"]) == ("It tells the boats when to leave", 0)
    assert clue["giver"] == code(played, 0)


def test_clues_of_what_was_merged_describe_what_stands_for_it(study, played, artifacts):
    described = Artifact.objects.get(turns__number=1)
    whole = next(each for each in artifacts if not each.turns.exists())
    middle = next(each for each in artifacts if not each.turns.exists() and each != whole)
    for row, into in ((described, middle), (middle, whole)):
        Artifact.objects.filter(pk=row.pk).update(
            status=Artifact.Status.MERGED, merged_into=into.pk
        )
    release = freeze(study)
    assert not release.items.filter(key=described.code).exists()
    payload = release.items.get(key=whole.code).payload
    assert [clue["text"] for clue in payload["clues"]] == list(FIRST)
    assert rows(release, "transcripts")[0]["turns"][0]["artifact"] == whole.code


def test_what_a_recorded_player_repeats_is_no_new_clue_and_names_who_gave_it(
    study, played, play_through
):
    first = Utterance.objects.get(text=FIRST[0])
    moderate(again := play_through(), End())
    repeat = Utterance.objects.filter(game=again.game, text=FIRST[0])
    repeat.update(source=first, seat=1)
    release = freeze(study)
    assert [row["text"] for row in rows(release, "clues")].count(FIRST[0]) == 1
    said = rows(release, "transcripts")[1]["words"][0]
    assert said["player"] == code(played, played.first)
    assert said["repeats"] == {"game": played.game.code, "turn": 1, "number": 1}


def test_frozen_again_without_a_change_it_is_the_same_release(study, played):
    assert freeze(study) == freeze(study)


def test_without_gold_or_artifacts_there_is_nothing_to_freeze(study, activity):
    with pytest.raises(CommonplaceError) as refused:
        freeze(study)
    assert refused.value.code == "release.no_gold"


# --- The page and the files -----------------------------------------------------------------------


def test_the_page_before_freezing_counts_artifacts_clues_and_games(study, played, as_alice):
    address = reverse("study_freeze", args=(study.slug,))
    text = " ".join(as_alice.get(address).content.decode().split())
    assert "Ready to freeze" in text
    assert '<dt>Artifacts</dt><dd>6 <span class="quiet small">2 of them with clues' in text
    assert '<dt>Clues</dt><dd>3 <span class="quiet small">and 1 of 1 games in full' in text
    assert "Questions with gold" not in text
    done = as_alice.post(address, {"name": "harbour", "licence": "", "reason": ""})
    assert done.status_code == 302
    assert "6 artifacts" in as_alice.get(address).content.decode()


def test_a_finding_of_an_artifact_leads_to_its_page(study, artifacts, as_alice):
    other = Artifact.objects.create(
        study=study, region=study.regions.exclude(slug="harbour").first(), status="listed"
    )
    named(other, "fog horn")
    (finding,) = gathering.gather(study).findings
    assert (finding["code"], finding["item"]) == ("in_two_regions", artifacts[5].code)
    text = as_alice.get(reverse("study_freeze", args=(study.slug,))).content.decode()
    assert reverse("collection:artifact", args=(study.slug, artifacts[5].code)) in text
    release = freeze(study, accepted="both have it")
    assert release.findings.get().reason == "both have it"


def test_the_words_of_games_are_a_table(study, played, tmp_path):
    freeze(study)
    call_command("export_release", "harbour", "--format", "csv", "--out", str(tmp_path / "t"))
    lines = (tmp_path / "t" / "words.csv").read_text().splitlines()
    assert lines[0].startswith("game,turn,kind,number,seat,player,artifact,text,about,verdict")
    assert any(FIRST[0] in line and code(played, played.first) in line for line in lines)
    ratings = (tmp_path / "t" / "ratings.csv").read_text()
    assert ",1,4,5" in ratings


def test_the_page_of_an_artifact_shows_who_gave_a_clue_and_how_it_was_rated(
    study, played, as_alice
):
    release = freeze(study)
    item = release.items.get(payload__clues__0__text=FIRST[0])
    text = as_alice.get(reverse("releases:item", args=("harbour", 1, item.key))).content.decode()
    assert "2 clues of 1 game, in the order they were given" in text
    there = reverse("releases:transcript", args=("harbour", 1, played.game.code))
    assert f'<a href="{there}#turn-1">game {played.game.code}</a>, turn 1, clue 2' in text
    assert code(played, played.first) in text
    assert "How guessers rated the clues" in text


def test_every_field_of_a_release_of_artifacts_is_described_and_nothing_else(
    play_through, study, export
):
    """Beside the files it shares with releases of questions."""
    sitting = play_through()
    moderate(sitting, End())
    freeze(study)
    texts, tables = export("harbour")[0], export("harbour", "csv")[0]
    items = [json.loads(line) for line in texts["items.jsonl"].splitlines()]
    held = {"items.jsonl": {each for row in items for each in names_in(row)}}
    for name in ("clues.jsonl", "transcripts.jsonl"):
        held[name] = {each for line in texts[name].splitlines() for each in json.loads(line)}
    for name in OF_ARTIFACTS & tables.keys():
        held[name] = set(next(csv.reader(StringIO(tables[name]))))
    assert held.keys() == {*OF_ARTIFACTS, "items.jsonl"}
    for name, found in held.items():
        assert found == set(fields.of(name, {"artifact"}, {})), name


def test_the_card_tells_of_games_and_of_whose_words_are_published(study, played, export):
    card = (freeze(study), export("harbour")[0]["README.md"])[1]
    assert "6 original and 0 expanded artifacts" in card
    assert "1 game of the main phase had ended, with 2 players." in card
    assert "The words of 2 people who agreed to publication are part of it: 3 clues and 1 game" in (
        card
    )
    assert "Nothing in it was annotated." in card
    leave(played.people[0])
    old = export("harbour@1")[0]["README.md"]
    assert "clues.jsonl is not among them any more." in old
    assert "harbour@2 holds what is left of those who stayed." in old
    assert export("harbour@2")[0].keys() >= {"items.jsonl", "clues.jsonl", "transcripts.jsonl"}
