"""What the card tells of games: how well people guessed, and what further games added."""

import pytest
from django.urls import reverse

from games.machine.commands import End
from games.models import Game, GameEvent, Seat, Utterance
from games.selectors import results
from releases import canonical, guessing, presenting, selectors, storing
from studies.models import Artifact
from tests.games.conftest import activity, artifacts, playing, sit, somebody, study
from tests.releases.played import FIRST, freeze, leave, moderate, play_through, played, rows
from tests.releases.test_card import export, section

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
TITLE = "How people guessed"
NOTHING = "NA, nothing was played to the end"


def told(release):
    items, names = selectors.rows(release), presenting.names(release)
    return guessing.told(rows(release, "transcripts"), items, names)


def card(export, label="harbour"):
    return export(label)[0]["README.md"]


def test_the_card_tells_peoples_guesses_with_denominators_and_intervals(study, played, export):
    freeze(study)
    guessed = section(card(export), TITLE)
    assert "Counted over 1 game of this release" in guessed
    assert (
        "| Harbour | from the survey | 50.0 % (0.2 % to 99.8 %) | 2 | 100.0 % (only one artifact) "
        "| 1 | 100.0 % (34.2 % to 100.0 %) | 2 |"
    ) in guessed
    assert f"| Marsh | from the survey | {NOTHING} | 0 | {NOTHING} | 0 | {NOTHING} | 0 |" in guessed
    assert "| Harbour | from the survey | 2 | 0 | 0 | 0 | 0 | 0 | 2 |" in guessed
    assert "simulated" not in guessed
    assert "In no rate" not in guessed


def test_it_is_on_the_page_of_the_card_too(study, played, as_alice):
    freeze(study)
    page = as_alice.get(reverse("releases:card", args=("harbour", 1))).content.decode()
    assert TITLE in page
    assert "What each further game of an artifact added" in page


def test_what_is_counted_from_the_frozen_parts_is_what_the_study_counts(
    study, played, play_through
):
    moderate(play_through(), End())
    assert told(freeze(study)).cells == results.results(study).cells


def test_who_did_not_agree_to_publication_counts_in_the_rates(study, play_through):
    moderate(play_through(publish=(True, False)), End())
    assert told(freeze(study)).cells == results.results(study).cells


def test_turns_that_began_with_a_recorded_player_are_in_no_rate(study, played, export):
    ended = Game.objects.get()
    began = ended.events.get(kind="turn_begun", data__number=2)
    for event in reversed(ended.events.filter(seq__gte=began.seq).order_by("seq")):
        type(event).objects.filter(pk=event.pk).update(seq=event.seq + 1)
    GameEvent.objects.create(
        game=ended, seq=began.seq, seat=1, kind="replaced", data={"deck": []}, at=began.at
    )
    found = told(freeze(study))
    assert (sum(cell.accuracy.turns for cell in found.cells), found.others) == (1, 1)
    assert "In no rate: 1 turn with recorded clues or a bot." in section(card(export), TITLE)


def test_a_seat_that_was_recorded_from_the_beginning_is_nobodys_guess(study, played):
    dealt = GameEvent.objects.get(kind="dealt")
    GameEvent.objects.filter(pk=dealt.pk).update(
        data=dealt.data | {"players": ["human", "recorded"]}
    )
    found = told(freeze(study))
    assert (sum(cell.accuracy.turns for cell in found.cells), found.others) == (0, 2)


def test_a_turn_whose_clues_are_repeated_is_recorded_play(study, played, play_through):
    moderate(again := play_through(), End())
    repeat = Utterance.objects.filter(game=again.game, text=FIRST[0])
    repeat.update(source=Utterance.objects.get(game=played.game, text=FIRST[0]))
    found = told(freeze(study))
    assert (sum(cell.accuracy.turns for cell in found.cells), found.others) == (3, 1)
    assert found.cells == results.results(study).cells


def test_games_with_a_single_guess_a_turn_are_left_out_and_counted(study, played, export):
    game = Game.objects.get()
    Game.objects.filter(pk=game.pk).update(rules=game.rules | {"guesses": 1})
    release = freeze(study)
    assert rows(release, "transcripts")[0]["guesses"] == 1
    assert (told(release).single, told(release).games) == (1, 1)
    guessed = section(card(export), TITLE)
    assert "In no rate: 1 game with a single guess a turn." in guessed
    assert f"| Harbour | from the survey | {NOTHING} | 0 |" in guessed


def test_turns_of_what_is_not_in_the_release_are_counted_apart(study, played, export):
    Artifact.objects.filter(turns__number=1).update(status=Artifact.Status.LEFT_OUT)
    assert told(freeze(study)).beyond == 1
    assert "In no rate: 1 turn of artifacts that are not in the release." in (
        section(card(export), TITLE)
    )


def test_transcripts_of_an_earlier_version_say_why_there_is_no_figure(study, played, export):
    part = freeze(study).parts.get(name="transcripts")
    (row,) = canonical.rows(storing.read(part))
    del row["guesses"]
    sha256 = storing.write(canonical.lines([row]))
    type(part).objects.filter(pk=part.pk).update(sha256=sha256)
    guessed = section(card(export), TITLE)
    assert "transcripts did not say how many guesses the rules gave." in guessed
    assert "| game 1 |" in guessed


def test_further_games_tell_what_they_added_and_what_was_heard_before(
    study, played, play_through, export
):
    moderate(again := play_through(), End())
    described = Artifact.objects.get(turns__game=played.game, turns__number=1)
    now = Artifact.objects.get(turns__game=again.game, turns__number=1)
    if now != described:
        Artifact.objects.filter(pk=now.pk).update(
            status=Artifact.Status.MERGED, merged_into=described.pk
        )
    new = Utterance.objects.filter(game=again.game, text=FIRST[1])
    new.update(text="It is sold by the harbour wall")
    names = presenting.names(release := freeze(study))
    ((region, games),) = guessing.saturated(selectors.rows(release), names)
    assert region == "Harbour"
    added = {each.number: each for each in games}
    assert added[1].heard.reason == "nothing_before"
    assert added[2].clues - added[2].new == (1 if added[2].artifacts == 1 else 2)
    assert added[2].heard.value == (added[2].clues - added[2].new) / added[2].clues
    assert "| Harbour | game 2 |" in section(card(export), TITLE)


def test_after_a_withdrawal_the_successor_counts_and_the_old_card_names_it(study, played, export):
    release = freeze(study)
    before = told(release).cells
    leave(played.people[played.first])
    release.refresh_from_db()
    assert told(release.superseded_by).cells == before
    old = section(card(export, "harbour@1"), TITLE)
    assert "were erased: somebody withdrew. The card of harbour@2 counts those" in old
    new = section(card(export, "harbour@2"), TITLE)
    assert "| Harbour | from the survey | 50.0 % (0.2 % to 99.8 %) | 2 |" in new
    assert "| Harbour | game 1 | 1 | 1 | 1 |" in new


def test_simulated_players_are_marked_where_their_figures_stand(study, played, export):
    type(study).objects.filter(pk=study.pk).update(simulated=True)
    study.refresh_from_db()
    freeze(study)
    assert section(card(export), TITLE).count("Its players are simulated.") == 2


def test_a_release_without_games_has_no_such_section(study, artifacts, sample, export):
    freeze(study)
    for label in ("harbour", sample.label):
        assert f"## {TITLE}" not in card(export, label)
    assert not Seat.objects.exists()
