"""The demonstration: everything through the doors, once, and simulated wherever one looks."""

import json
from collections import Counter
from io import StringIO
from itertools import count

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import User
from annotation.models import GoldAnswer, Task
from collection.models import Submission
from console import services
from console.demo import asking, making, players
from console.demo.content import customs
from core.models import AuditEntry, Job
from evaluation import reports
from evaluation.models import Run
from games.models import Game, GameEvent, Seat, Utterance
from games.selectors import results, watching
from releases import canonical, storing
from releases.models import Release
from studies.models import Artifact, LedgerEntry, Participant, Participation, Study
from tests import sample_study

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


EVERYTHING = [
    model.objects for model in (Participation, Task, AuditEntry, Game, GameEvent, Utterance)
]


class BrokenOff(Exception):
    pass


def break_off_once_judged(step):
    if step.startswith("Agreement"):
        raise BrokenOff


def break_off_in_a_game(monkeypatch):
    """After forty things that players did."""
    acts, done = players.act, count()

    def act(player):
        if next(done) == 40:
            raise BrokenOff
        return acts(player)

    with monkeypatch.context() as broken:
        broken.setattr(players, "act", act)
        with pytest.raises(BrokenOff):
            making.make(lambda _step: None)


def demo():
    out = StringIO()
    call_command("demo", "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


def test_the_demonstration_goes_on_where_it_was_broken_off_and_is_made_once(as_alice, monkeypatch):
    break_off_in_a_game(monkeypatch)
    assert Game.objects.exclude(phase="ended").count() == 1
    with pytest.raises(BrokenOff):
        making.make(break_off_once_judged)
    made = demo()
    assert made == {
        "study": "lantern_demo",
        "release": "lantern_demo@1",
        "runs": [run.pk for run in Run.objects.order_by("pk")],
        "url": "/studies/lantern_demo/",
    }
    everybody_in_it_is_simulated()
    people_came_went_and_were_replaced()
    what_people_named_was_listed_and_played_with()
    nobody_was_stranded_in_a_game()
    the_team_has_moderated()
    figures_of_games_show_something()
    every_page_of_the_games_says_that_they_are_simulated(as_alice)
    the_release_holds_games_beside_questions()
    gold_is_what_most_people_keep_to()
    what_is_open_was_accepted_with_a_reason()
    each_model_leans_where_it_was_made_to()
    each_model_knows_best_what_it_was_made_to_know()
    before = [rows.count() for rows in EVERYTHING]
    assert demo() == made
    assert before == [rows.count() for rows in EVERYTHING]


def everybody_in_it_is_simulated():
    study = Study.objects.get()
    assert study.simulated
    assert (len(study.languages), study.regions.count()) == (2, 4)
    assert study.questions.filter(check_rule__isnull=True).count() >= 20
    assert not Participant.objects.filter(simulated=False).exists()
    assert not Release.objects.filter(simulated=False).exists()
    assert not Run.objects.filter(simulated=False).exists()
    for user in User.objects.exclude(email="alice@example.org"):
        assert user.email.startswith("simulated-")
        assert user.email.endswith("@example.org")
        assert not user.has_usable_password()


def people_came_went_and_were_replaced():
    answering = Participation.objects.filter(activity__kind="survey")
    statuses = Counter(answering.values_list("status", flat=True))
    left = {"screened_out": 1, "returned": 1, "rejected": 1, "withdrawn": 1}
    assert statuses == {"accepted": 20} | left
    accepted = answering.filter(status="accepted", included=True)
    assert set(Counter(accepted.values_list("slot_region__slug", flat=True)).values()) == {5}
    languages = Submission.objects.values_list("language", flat=True).distinct()
    assert set(languages) == {"en", "hi"}
    flow = Release.objects.get(name="lantern_demo").about["study"]["participants"]
    assert flow == {
        "invited": 44,
        "screened_out": 1,
        "declined": 0,
        "dropped": 4,
        "unfinished": 0,
        "awaiting_review": 0,
        "rejected": 1,
        "withdrawn": 1,
        "kept_out": 0,
        "kept": 37,
    }


def what_people_named_was_listed_and_played_with():
    """Each of four things of a region, under every spelling and in both languages."""
    listed = Artifact.objects.filter(status="listed")
    origins = listed.values_list("region__slug", "origin")
    assert Counter(origins) == {
        ("harbour", "original"): 4,
        ("harbour", "expanded"): 1,
        ("terraces", "original"): 4,
        ("marsh", "original"): 4,
        ("moor", "original"): 4,
    }
    assert Artifact.objects.filter(status="merged").exists()
    assert not Artifact.objects.filter(status="proposed").exists()
    for each in listed:
        assert each.names.exclude(kind="forbidden").count() >= 2
        assert each.turns.exists()


def nobody_was_stranded_in_a_game():
    """Two left, one of them while a game was played; whose partner left was paid, or played with
    recorded clues."""
    playing = Participation.objects.filter(activity__kind="game")
    ways = Counter(playing.values_list("status", "ended_reason"))
    assert ways == {
        ("accepted", "accepted"): 17,
        ("returned", "returned"): 2,
        ("cut_short", "game_partner_left"): 1,
    }
    assert LedgerEntry.objects.filter(participation__status="cut_short").exists()
    reasons = Counter(Game.objects.values_list("ended_reason", flat=True))
    assert reasons == {"played": 9, "partner_left": 1, "left_before": 1}
    assert Seat.objects.filter(player="recorded").count() == 1


def the_team_has_moderated():
    by = "simulated-moderator@example.org"
    decided = Utterance.objects.filter(decided_by=by).values_list("kind", "verdict")
    assert sorted(decided) == [("clue", "said"), ("guess", "right"), ("proposal", "allowed")]
    assert Utterance.objects.filter(kind="clue", verdict="blocked").exists()
    assert watching.proposed(Study.objects.get()) == 1  # for who looks around to decide on


def figures_of_games_show_something():
    study = Study.objects.get()
    found = {(each.region, each.origin): each.accuracy for each in results.results(study).cells}
    for region in ("Harbour", "Terraces", "Marsh", "High Moor"):
        accuracy = found[region, "original"]
        assert accuracy.guess1.n >= 8
        assert accuracy.guess1.low < accuracy.guess1.value < accuracy.overall.value < 1
    assert found["Harbour", "expanded"].guess1.value == 1
    rows = [row for each in results.described(study).values() for row in each]
    assert {row.games for row in rows} == {1, 2, 3}
    later = [step for row in rows for step in row.steps if not step.first]
    assert any(step.matched for step in later)
    assert any(step.matched < step.clues for step in later)
    recorded = results.results(study).recorded
    assert any(each.accuracy.guess1.n for each in recorded)


def every_page_of_the_games_says_that_they_are_simulated(client):
    for page in ("watch", "proposals", "transcripts", "results", "results_artifacts"):
        text = client.get(reverse(f"games:{page}", args=("lantern_demo",))).content.decode()
        assert "imulated" in text, page
    for game in Game.objects.all():
        address = reverse("games:watch_game", args=("lantern_demo", game.code))
        assert "imulated" in client.get(address).content.decode()


def the_release_holds_games_beside_questions():
    release = Release.objects.get(name="lantern_demo")
    kinds = Counter(release.items.values_list("kind", flat=True))
    assert (kinds["artifact"], kinds["question"]) == (17, 23)
    clues = list(canonical.rows(storing.read(release.parts.get(name="clues"))))
    games = list(canonical.rows(storing.read(release.parts.get(name="transcripts"))))
    assert len(clues) >= 50
    assert len(games) == Game.objects.exclude(turns=None).count()  # one was left before it began
    assert any(None in game["players"] for game in games)  # who did not agree to publication


def gold_is_what_most_people_keep_to():
    """As the file of their answers says, apart from the annotators' reading of them."""
    kept = {}
    for key, custom in customs().items():
        for region, seats in custom.regions.items():
            name, people = Counter(seats).most_common(1)[0]
            text = custom.practices[name].text
            kept[key, region] = [text] if people >= 4 and text else []
    gold = {(each.question.key, each.region.slug): each.texts for each in GoldAnswer.objects.all()}
    undecided = ("last_sheaf", "marsh")
    assert {pair: texts for pair, texts in kept.items() if texts or pair in gold} == gold
    assert undecided not in gold
    assert Task.objects.filter(decisions__by="person").distinct().count() >= 5


def what_is_open_was_accepted_with_a_reason():
    (finding,) = Release.objects.get(name="lantern_demo").findings.all()
    assert (finding.code, finding.item, finding.reason) == ("undecided", "last_sheaf", making.OPEN)


def each_model_knows_best_what_it_was_made_to_know():
    for run, region in zip(_of("rasa"), ("harbour", "moor"), strict=True):
        judges = reports.report(run)["judges"]
        assert list(judges) == list(asking.JUDGES)
        for found in judges.values():
            overall = {name: part["overall"] for name, part in found["by_region"].items()}
            assert max(overall, key=overall.get) == region


def _of(benchmark):
    return Run.objects.filter(benchmark=benchmark).order_by("pk")


def each_model_leans_where_it_was_made_to():
    for run, region in zip(_of("ra_mcq"), ("harbour", "moor"), strict=True):
        report = reports.report(run)
        assert report["questions"] >= 10
        assert reports.finding(report).startswith(f"{region} is chosen")


def test_a_newcomers_server_orders_the_demonstration_once_and_nobody_elses_does():
    services.order_demonstration()
    services.order_demonstration()
    assert Job.objects.filter(kind=services.DEMONSTRATION).count() == 1
    Job.objects.all().delete()
    sample_study.load()
    services.order_demonstration()
    assert not Job.objects.exists()
