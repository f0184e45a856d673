"""The games a release holds, read page by page; what was taken out says why."""

import re

import pytest
from django.urls import reverse

from games.machine.commands import End, Strike
from games.models import Game, Utterance
from releases import canonical, storing
from releases.models import Release
from tests.games.conftest import activity, artifacts, playing, sit, somebody, study
from tests.releases.played import (
    FIRST,
    SECOND,
    agree,
    code,
    freeze,
    leave,
    moderate,
    play_through,
    played,
)

pytestmark = pytest.mark.django_db
__all__ = ["activity", "artifacts", "play_through", "played", "playing", "sit", "somebody", "study"]


def at(name, *more, version=1):
    return reverse(f"releases:{name}", args=("harbour", version, *more))


def words(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_the_page_of_a_release_leads_to_its_games_and_they_to_what_was_said(
    study, played, as_alice
):
    freeze(study)
    assert at("transcripts") in as_alice.get(at("detail")).content.decode()
    listed = as_alice.get(at("transcripts"))
    assert "1 game in all" in words(listed)
    assert f"{code(played, 0)}, {code(played, 1)}" in words(listed)
    assert at("transcript", played.game.code) in listed.content.decode()
    read = words(as_alice.get(at("transcript", played.game.code)))
    said = [FIRST[0], "A herring gull", FIRST[1], SECOND, "It tells the boats when to leave"]
    places = [read.index(text) for text in said]
    assert places == sorted(places)
    assert "2 of 2 turns guessed" in read
    assert "Rated 4 for accuracy, 5 for quality" in read
    assert "Clue 1 of" in read
    assert "Guess 2 of" in read


def test_what_was_struck_or_may_not_be_published_says_so_in_its_place(
    study, play_through, as_alice
):
    sitting = play_through(publish=(True, False))
    published = 1 if sitting.first == 0 else 2  # the turn in which they gave the clues
    moderate(sitting, Strike(published, "clue", 1))
    moderate(sitting, End())
    freeze(study)
    read = words(as_alice.get(at("transcript", sitting.game.code)))
    assert "Struck by a moderator." in read
    assert "Not published: who wrote it did not agree to that." in read
    assert "somebody not named" in read.lower()
    assert code(sitting, 1) not in read


def test_words_removed_by_a_withdrawal_are_shown_as_removed(study, played, as_alice):
    freeze(study)
    gone, stays = code(played, played.first), code(played, 1 - played.first)
    leave(played.people[played.first])
    after = as_alice.get(at("transcript", played.game.code, version=2))
    assert words(after).count("Removed: who wrote it has withdrawn.") >= len(FIRST)
    assert SECOND in words(after)
    assert stays in words(after)
    assert gone not in words(after)
    assert not any(text in words(after) for text in FIRST)


@pytest.mark.parametrize("page", ["transcripts", "transcript"])
def test_erased_games_say_when_and_where_the_others_are(study, played, as_alice, page):
    freeze(study)
    leave(played.people[0])
    more = [played.game.code] if page == "transcript" else []
    erased = as_alice.get(at(page, *more))
    assert erased.status_code == 410
    assert "These games are erased" in words(erased)
    assert "words were in them has withdrawn, so the file with whole games was erased" in (
        words(erased)
    )
    assert at("transcripts", version=2) in erased.content.decode()
    assert as_alice.get(at("transcripts", version=2)).status_code == 200


def test_games_are_narrowed_by_region(study, played, as_alice):
    freeze(study)
    there = as_alice.get(at("transcripts"), {"region": "harbour"})
    assert "1 game found" in words(there)
    nothing = as_alice.get(at("transcripts"), {"region": "marsh"})
    assert "No game fits" in words(nothing)
    assert "1 game" in words(as_alice.get(at("transcripts"), {"region": "nowhere"}))


def test_a_game_leads_to_those_before_and_after_it(study, played, play_through, as_alice):
    again = play_through()
    moderate(again, End())
    freeze(study)
    first = as_alice.get(at("transcript", played.game.code))
    assert (first.context["before"], first.context["after"]) == ("", again.game.code)
    second = as_alice.get(at("transcript", again.game.code))
    assert (second.context["before"], second.context["after"]) == (played.game.code, "")
    assert as_alice.get(at("transcript", "NOSUCHGAME")).status_code == 404


def test_clues_that_a_recorded_player_repeats_name_the_game_they_are_of(
    study, played, play_through, as_alice
):
    moderate(again := play_through(), End())
    repeat = Utterance.objects.filter(game=again.game, text=FIRST[0])
    repeat.update(source=Utterance.objects.get(game=played.game, text=FIRST[0]), seat=1)
    freeze(study)
    read = words(as_alice.get(at("transcript", again.game.code)))
    assert f"first given in game {played.game.code} , turn 1" in read


def test_simulated_games_are_marked_on_both_pages(study, played, as_alice):
    type(study).objects.filter(pk=study.pk).update(simulated=True)
    study.refresh_from_db()
    assert freeze(study).simulated
    for page in (at("transcripts"), at("transcript", played.game.code)):
        assert 'class="simulated' in as_alice.get(page).content.decode()


def test_what_somebody_wrote_is_shown_as_text_in_its_language(study, played, as_alice):
    Utterance.objects.filter(text=FIRST[0]).update(text="<script>alert(1)</script>")
    Game.objects.update(language="ur")
    freeze(study)
    read = as_alice.get(at("transcript", played.game.code)).content.decode()
    assert "<script>alert(1)" not in read
    assert 'lang="ur" dir="rtl">&lt;script&gt;' in read


def test_a_release_without_a_published_game_has_an_empty_page_and_no_way_to_it(
    study, playing, as_alice
):
    sitting = playing(deck=1)
    for person in sitting.people:
        agree(person.participant, "take_part")
    moderate(sitting, End())
    freeze(study)
    assert at("transcripts") not in as_alice.get(at("detail")).content.decode()
    assert "No games are published" in words(as_alice.get(at("transcripts")))


def test_fifty_games_make_a_page(study, played, as_alice):
    release = freeze(study)
    part = release.parts.get(name="transcripts")
    (row,) = canonical.rows(storing.read(part))
    data = canonical.lines([{**row, "game": f"GAME{number:02}"} for number in range(53)])
    type(part).objects.filter(pk=part.pk).update(sha256=storing.write(data), rows=53)
    page = as_alice.get(at("transcripts"), {"region": "harbour"})
    assert (len(page.context["games"]), page.context["page"].paginator.count) == (50, 53)
    assert "region=harbour&amp;page=2" in page.content.decode()
    assert len(as_alice.get(at("transcripts"), {"page": 2}).context["games"]) == 3


def test_strangers_to_the_study_read_no_game(study, played, client, django_user_model):
    freeze(study)
    assert Release.objects.exists()
    stranger = django_user_model.objects.create_user("nobody@example.org", password="x" * 12)
    client.force_login(stranger, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(at("transcripts")).status_code == 404
    assert client.get(at("transcript", played.game.code)).status_code == 404
