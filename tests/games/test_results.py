"""What games tell: guesses, votes and descriptions, with what they rest on."""

import re

import pytest
from django.urls import reverse

from core import clock
from games import figures, scores
from games.machine import Outcome, Player
from games.models import Game, GameEvent, Seat, Turn, Utterance, Vetting
from games.scores import Guessed
from games.selectors import results
from studies.models import Activity, Artifact, Participant


def turned(artifact, outcome, right=0, game=1):
    return Guessed(game, artifact, 1, "original", outcome, right)


@pytest.fixture
def game(sit):
    """A game of two people in which turns are written down as the test wants them."""
    return sit().game


@pytest.fixture
def played(game, artifacts):
    """Writes a turn: its artifact, how it ended, the verdicts of its guesses, clues."""

    def played(artifact, outcome, guesses=(), clues=("It is sweet",), of=game, **more):
        number = of.turns.count() + 1
        turn = Turn.objects.create(
            game=of, number=number, giver=0, artifact=artifacts[artifact], outcome=outcome, **more
        )
        for place, text in enumerate(clues, 1):
            Utterance.objects.create(
                game=of, turn=number, kind="clue", number=place, seat=0, text=text,
                artifact=artifacts[artifact], verdict="said",
            )  # fmt: skip
        for place, verdict in enumerate(guesses, 1):
            Utterance.objects.create(
                game=of, turn=number, kind="guess", number=place, seat=1, text="?",
                artifact=artifacts[artifact], verdict=verdict,
            )  # fmt: skip
        return turn

    return played


def cell(study, region="Harbour", origin="original", recorded=False):
    told = results.results(study)
    cells = told.recorded if recorded else told.cells
    (found,) = [each for each in cells if (each.region, each.origin) == (region, origin)]
    return found.accuracy


def test_the_rates_are_those_the_models_are_measured_by():
    told = scores.accuracy(
        [
            turned(1, "guessed", 1),
            turned(2, "guessed", 1),
            turned(3, "guessed", 2),
            turned(4, "missed"),
            turned(5, "passed"),
        ]
    )
    assert (told.guess1.value, told.guess1.n) == (2 / 5, 5)
    assert (told.guess2.value, told.guess2.n) == (1 / 3, 3)
    assert (told.overall.value, told.overall.n) == (3 / 5, 5)


@pytest.mark.parametrize("first", range(5))
@pytest.mark.parametrize("second", range(5))
def test_overall_is_always_guess_1_and_what_guess_2_adds(first, second):
    turns = [turned(n, "guessed", 1) for n in range(first)]
    turns += [turned(10 + n, "guessed", 2) for n in range(second)]
    turns += [turned(20, "missed")]
    told = scores.accuracy(turns)
    g1, g2 = told.guess1.value, told.guess2.value
    assert told.overall.value == pytest.approx(g1 + (1 - g1) * g2)


def test_where_nothing_was_left_to_guess_there_is_a_reason_and_no_number():
    told = scores.accuracy([turned(1, "guessed", 1), turned(2, "guessed", 1)])
    assert told.guess2.as_dict() == {"value": None, "reason": "nothing_left_to_guess"}
    assert (told.guess1.value, told.overall.value) == (1.0, 1.0)
    assert told.guess1.low < 1


def test_turns_without_a_clue_and_those_cut_off_are_counted_and_in_no_rate():
    told = scores.accuracy(
        [turned(n, outcome, int(outcome == "guessed")) for n, outcome in enumerate(Outcome)]
    )
    assert told.outcomes == dict.fromkeys(Outcome, 1)
    assert (told.guess1.n, told.turns) == (3, 6)
    assert scores.accuracy([turned(1, "cut")]).overall.reason == "empty"


def test_a_region_of_which_nothing_was_played_is_not_zero(study, game):
    told = cell(study, "Marsh")
    assert (told.overall.value, told.overall.reason, told.turns) == (None, "empty", 0)


def test_a_guess_counts_by_its_number_and_a_doubtful_one_as_wrong_until_it_is_judged(study, played):
    played(0, "guessed", ("wrong", "right"))
    played(1, "missed", ("wrong", "doubtful"))
    assert cell(study).guess2.value == 1 / 2
    assert results.results(study).waiting == 1
    Utterance.objects.filter(verdict="doubtful").update(verdict="right")
    assert cell(study).guess2.value == 1.0
    assert results.results(study).waiting == 0


def test_a_third_guess_is_in_no_rate(study, played):
    played(0, "guessed", ("wrong", "wrong", "right"))
    assert cell(study).overall.value == 0.0
    assert cell(study).outcomes["guessed"] == 1


def test_a_game_with_one_guess_a_turn_is_left_out_and_said_to_be(study, played, game):
    played(0, "guessed", ("right",))
    game.rules["guesses"] = 1
    game.save()
    told = results.results(study)
    assert (told.left_out, cell(study).turns) == (1, 0)


def test_pilot_and_main_phase_are_never_counted_together(study, played, activity):
    played(0, "guessed", ("right",))
    Activity.objects.filter(pk=activity.pk).update(phase="pilot")
    assert cell(study).turns == 0
    assert results.results(study, "pilot").games == 1


def test_recorded_play_stands_apart(study, played, game):
    turn = played(0, "guessed", ("right",))
    source = Utterance.objects.get(turn=turn.number, kind="clue")
    source.pk, source.number = None, 7
    source.save()
    Utterance.objects.filter(turn=turn.number, kind="clue", number=1).update(source=source)
    Seat.objects.filter(game=game, number=0).update(player=Player.RECORDED)
    assert cell(study).turns == 0
    assert cell(study, recorded=True).guess1.value == 1.0


def test_turns_before_a_recorded_player_took_the_seat_are_those_of_two_people(study, played, game):
    before = played(0, "guessed", ("right",))
    after = played(1, "passed")
    Seat.objects.filter(game=game, number=1).update(player=Player.RECORDED)
    GameEvent.objects.create(game=game, seq=900, kind="replaced", data={}, at=clock.ago(60))
    Turn.objects.filter(pk=before.pk).update(begun=clock.ago(120))
    Turn.objects.filter(pk=after.pk).update(begun=clock.ago(10))
    assert cell(study).outcomes["guessed"] == 1
    assert cell(study).turns == 1


def test_turns_with_a_bot_are_nobodys(study, played, game):
    played(0, "guessed", ("right",))
    Seat.objects.filter(game=game, number=1).update(player=Player.BOT)
    assert cell(study).turns == cell(study, recorded=True).turns == 0


def test_what_players_added_is_a_row_of_its_own_and_merged_artifacts_are_one(
    study, played, artifacts
):
    played(0, "guessed", ("right",))
    played(1, "missed", ("wrong", "wrong"))
    Artifact.objects.filter(pk=artifacts[1].pk).update(origin="expanded")
    assert cell(study).turns == cell(study, origin="expanded").turns == 1
    Artifact.objects.filter(pk=artifacts[1].pk).update(
        status=Artifact.Status.MERGED, merged_into=artifacts[0]
    )
    told = cell(study)
    assert (told.turns, told.overall.value, told.overall.reason) == (2, 0.5, "one_cluster")


def test_votes_are_shares_with_intervals_by_artifact(study, game, artifacts):
    for place, (known, shared) in enumerate(
        [(True, "ours"), (True, "everywhere"), (True, "ours"), (False, "unsure")]
    ):
        Vetting.objects.create(
            game=game, seat=0, artifact=artifacts[place], known=known, shared=shared
        )
    (harbour,) = [each for each in results.results(study).vetted if each.region == "Harbour"]
    assert (harbour.known.value, harbour.known.n) == (0.75, 4)
    assert {name: share.value for name, share in harbour.shared.items()} == {
        "ours": 0.5,
        "everywhere": 0.25,
        "unsure": 0.25,
    }
    assert harbour.known.low < 0.75 < harbour.known.high


# --- artifacts ----------------------------------------------------------------------------------


def listed(study, region="Harbour"):
    return {each.name: each for each in results.described(study)[region]}


def another(game):
    """A further game of the same people's region."""
    copy = Game.objects.get(pk=game.pk)
    copy.pk, copy.code, copy._state.adding = None, f"{game.code[:8]}Z{game.pk % 10}", True
    copy.save(force_insert=True)
    Seat.objects.bulk_create(Seat(game=copy, number=n, player="human") for n in (0, 1))
    return copy


def test_artifacts_with_too_few_games_come_first(study, played, game):
    played(5, "guessed", ("right",))
    first, *rest = results.described(study)["Harbour"]
    assert first.short
    assert [each.games for each in rest] == [0, 0, 0, 0, 1]
    assert rest[-1].name == "Fog horn"
    assert rest[-1].wanted == 3


def test_an_artifact_tells_its_games_clues_outcomes_and_ratings(study, played, game):
    played(0, "guessed", ("right",), ("It is sweet", "Eaten at dusk"), accuracy=4, quality=5)
    further = another(game)
    played(
        0, "missed", ("wrong", "wrong"), ("it is  sweet!", "Baked in ash"), of=further, accuracy=2
    )
    last = another(further)
    played(0, "cut", (), ("Baked in ash",), of=last)
    told = listed(study)["Lantern bread"]
    assert (told.games, told.clues) == (2, 5)
    assert told.outcomes == dict.fromkeys(Outcome, 0) | {"guessed": 1, "missed": 1, "cut": 1}
    assert (told.accuracy, told.quality) == ((3.0, 2), (5.0, 1))
    assert [(step.new, step.share) for step in told.steps] == [(2, None), (1, 0.5), (0, 1.0)]
    assert figures.saturation(told.steps) == "2, then 1 of 2, none of 1"


def test_what_was_struck_kept_back_or_removed_is_no_clue_of_an_artifact(study, played):
    played(0, "guessed", ("right",), ("It is sweet", "Rude", "The word", "Gone"))
    played(1, "passed", (), ("Repeated",))
    said = {row.text: row for row in Utterance.objects.filter(kind="clue")}
    Utterance.objects.filter(pk=said["Rude"].pk).update(struck=True)
    Utterance.objects.filter(pk=said["The word"].pk).update(verdict="blocked")
    Utterance.objects.filter(pk=said["Gone"].pk).update(text="", removed=True)
    Utterance.objects.filter(pk=said["Repeated"].pk).update(source=said["It is sweet"])
    assert listed(study)["Lantern bread"].clues == 1
    assert listed(study)["Salt herring"].clues == 0


def test_what_nobody_read_is_no_clue_of_an_artifact(study, played, game):
    played(0, "passed", (), ("It is sweet", "It is round", "It is warm"))
    assert listed(study)["Lantern bread"].clues == 3
    Seat.objects.filter(game=game, number=1).update(player=Player.RECORDED)
    told = listed(study)["Lantern bread"]
    assert (told.games, told.clues, told.steps) == (0, 0, [])


# --- pages --------------------------------------------------------------------------------------


def words(response):
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", text)


@pytest.fixture
def page(study, as_alice):
    def page(name="results", **about):
        return as_alice.get(reverse(f"games:{name}", args=(study.slug,)), about)

    return page


def test_a_study_without_a_game_says_why_the_page_is_empty(study, page):
    assert "No game of this phase yet" in words(page())


def test_the_page_says_what_it_found_and_what_it_rests_on(study, played, page):
    played(0, "guessed", ("right",))
    played(1, "guessed", ("wrong", "right"))
    played(2, "missed", ("wrong", "wrong"))
    told = words(page())
    assert "People of Harbour guess 67 % of artifacts from the survey" in told
    assert "NA, nothing was played to the end" in told
    assert "overall = guess 1 + (1 − guess 1) × guess 2" in told


def test_a_game_that_was_left_before_its_first_turn_is_none(study, played, game, page):
    played(0, "guessed", ("right",))
    another(game)
    assert results.results(study).games == 1
    assert "1 game of the main phase" in words(page())


def test_simulated_people_are_marked_on_every_page_of_results(study, played, page, game):
    played(0, "guessed", ("right",))
    assert "Simulated" not in words(page())
    Participant.objects.filter(participations__seats__game=game).update(simulated=True)
    assert "Simulated" in words(page())
    assert "Simulated" in words(page("results_artifacts"))


def test_the_page_of_artifacts_says_how_many_need_more_games(study, played, page):
    played(0, "guessed", ("right",))
    told = words(page("results_artifacts"))
    assert "6 of 6 artifacts need more games" in told
    assert "Lantern bread" in told
    assert "1 of 3" in told
    Artifact.objects.exclude(names__text="Lantern bread").update(status="left_out")
    assert "1 of 1 artifact needs more games" in words(page("results_artifacts"))


@pytest.mark.parametrize("table", figures.FILES)
def test_every_figure_comes_as_a_file(study, played, as_alice, table):
    played(0, "guessed", ("right",))
    response = as_alice.get(reverse("games:results_file", args=(study.slug, table, "csv")))
    lines = b"".join(response.streaming_content).decode().splitlines()
    assert lines[0].startswith("study,phase,region")
    assert len(lines) > 1
