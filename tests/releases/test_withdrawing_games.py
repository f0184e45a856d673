"""What a withdrawal in a shared game does to the releases that hold it."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from core.errors import CommonplaceError
from games.machine.commands import End
from games.models import Utterance
from releases import services, storing
from releases.models import Release
from studies.models import Artifact
from studies.services import withdraw
from tests.games.conftest import activity, artifacts, playing, sit, somebody, study
from tests.releases.played import (
    FIRST,
    SECOND,
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
from tests.releases.test_card import export

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


def test_a_withdrawal_takes_one_side_out_and_keeps_the_partners(study, played):
    old = freeze(study)
    giver, partner = played.first, 1 - played.first
    gone, stays = code(played, giver), code(played, partner)
    done = leave(played.people[giver])
    assert done == {"successors": 1, "parts": 3}
    old.refresh_from_db()
    new = old.superseded_by
    assert new.label == "harbour@2"
    assert clues(new) == {SECOND}
    (row,) = rows(new, "transcripts")
    assert row["players"][giver] is None
    assert row["players"][partner] == stays
    assert {SECOND, "A herring gull"} <= words(new)
    assert not words(new) & set(FIRST)
    assert {each["left_out"] for each in row["words"] if each["seat"] == giver} == {"removed"}
    for part in new.parts.all():
        assert gone.encode() not in storing.read(part)
    assert new.items.count() == old.items.count() == 6


def test_every_release_that_held_the_transcript_is_superseded_and_holds_no_word_of_it(
    study, played, artifacts
):
    first = freeze(study)
    Artifact.objects.filter(pk=artifacts[5].pk).update(status=Artifact.Status.LEFT_OUT)
    second = freeze(study)
    apart = services.freeze_study(study, "apart", actor="test")[0]
    leave(played.people[played.first])
    for release in (first, second, apart):
        release.refresh_from_db()
        assert release.superseded_by is not None
        for part in ("clues", "transcripts", "items"):
            with pytest.raises(CommonplaceError) as erased:
                rows(release, part)
            assert erased.value.http_status == 410
        kept = [clue["text"] for item in release.items.all() for clue in item.payload["clues"]]
        assert kept == [SECOND]
        assert not release.items.filter(folded__contains="dusk").exists()
        assert release.items.count() in (5, 6)


def test_the_answers_of_others_are_not_erased_with_a_players_words(study, played):
    release = freeze(study)
    leave(played.people[0])
    assert release.parts.get(name="responses").purged_at is None
    assert release.parts.get(name="findings").purged_at is None


def test_when_both_have_left_the_game_is_in_no_successor(study, played):
    freeze(study)
    for person in played.people:
        leave(person)
    newest = Release.objects.get(superseded_by=None)
    assert (clues(newest), rows(newest, "transcripts")) == (set(), [])
    assert not newest.contributions.exists()


def test_repeated_words_go_with_who_gave_them_first(study, played, play_through):
    first = Utterance.objects.get(text=FIRST[0])
    moderate(again := play_through(), End())
    Utterance.objects.filter(game=again.game, text=FIRST[0]).update(source=first, seat=1)
    freeze(study)
    leave(played.people[played.first])
    newest = Release.objects.get(superseded_by=None)
    said = rows(newest, "transcripts")[1]["words"][0]
    assert (said["text"], said["left_out"]) == ("", "removed")


def test_a_worker_that_died_while_erasing_is_followed_by_one_that_does(study, played, monkeypatch):
    release = freeze(study)
    gone = played.people[0].participant
    withdraw(gone, "test")

    class Died(Exception):
        pass

    def die(_sha256):
        raise Died

    with monkeypatch.context() as dying:
        dying.setattr(storing, "erase", die)
        with pytest.raises(Died):
            services.forget(gone)
    services.forget(gone)
    for part in release.parts.filter(name__in=("items", "clues", "transcripts")):
        assert not storing._store().exists(storing._name(part.sha256))
    assert not gone.contributions.exists()


def test_an_erased_release_is_still_read_and_exported(study, played, as_alice, tmp_path):
    release = freeze(study)
    leave(played.people[played.first])
    for name in ("detail", "questions", "card", "readme", "findings"):
        address = reverse(f"releases:{name}", args=("harbour", 1))
        assert as_alice.get(address).status_code == 200
    item = release.items.get(payload__clues__0__text=SECOND)
    text = as_alice.get(reverse("releases:item", args=("harbour", 1, item.key))).content.decode()
    assert SECOND in text
    assert f"game {played.game.code}, turn 2" in text
    gone = as_alice.get(reverse("releases:part", args=("harbour", 1, "clues")))
    assert gone.status_code == 410
    assert "harbour@2" in gone.content.decode()
    for format in ("jsonl", "csv"):
        out, folder = StringIO(), tmp_path / format
        given = ("harbour@1", "--format", format, "--out", folder, "--json")
        call_command("export_release", *map(str, given), stdout=out)
        erased = {each["file"] for each in json.loads(out.getvalue())["erased"]}
        assert erased == {"items.jsonl", "clues.jsonl", "transcripts.jsonl"}
        for path in folder.iterdir():
            assert FIRST[0] not in path.read_text()
    assert "Salt herring" in (tmp_path / "csv" / "artifacts.csv").read_text()
