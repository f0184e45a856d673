"""The rules of a game: chosen on a page or in a file, kept by each game, shown where they stand."""

from pathlib import Path

import pytest
from django.urls import reverse

from core.models import AuditEntry
from games import rules_file
from games.models import Game, GamePlan
from games.rules import BOUNDS, Rules
from games.rules_form import LABELS, RulesForm
from games.selectors import plans
from games.services import ruling
from studies import services, study_file
from studies.models import Study
from tests.sample_study import SAMPLE
from tests.studies.test_study_file import refusal

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "study-file.md"
GAME = """
  taboo:
    kind: game
    names: {en: A game of clues, es: Un juego de pistas}
    reward: {kind: hourly, amount: "12.00", minutes: 60}
consent:"""
pytestmark = pytest.mark.django_db


def with_game(section):
    text = SAMPLE.read_text()
    head, tail = text.split("\nconsent:", 1)
    return f"{head}{GAME}{tail}\ngame:\n{section}".encode()


def load(tmp_path, section):
    path = tmp_path / "study.yaml"
    path.write_bytes(with_game(section))
    return services.load_file(path, "test")


@pytest.fixture
def page(study, activity, client, alice):
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    where = reverse("games:rules", args=(study.slug,))
    form = RulesForm(study=study, rules=Rules(), fixed=ruling.FIXED)
    given = {name: field.initial for name, field in form.fields.items()}

    def send(**changes):
        sent = {k: ("on" if v is True else v) for k, v in (given | changes).items() if v != ""}
        return client.post(where, {k: v for k, v in sent.items() if v is not False})

    return send


def test_a_rule_is_changed_on_the_page_and_the_history_names_it(page, activity, study):
    assert page(wait_seconds=900, on_drop="requeue", practice=False).status_code == 302
    assert plans.rules(activity) == Rules(wait_seconds=900, on_drop="requeue", practice=False)
    entry = AuditEntry.objects.get(action="game.rules_changed")
    assert sorted(entry.data["fields"]) == ["on_drop", "practice", "wait_seconds"]
    assert (entry.study, entry.object_id) == (study.slug, "taboo")


def test_a_rule_out_of_its_bounds_is_put_right_on_the_page(page, activity):
    answer = page(wait_seconds=5)
    assert answer.status_code == 422
    assert answer.context["form"].errors["wait_seconds"]
    assert not GamePlan.objects.exists()


def test_of_an_open_study_clues_and_guesses_stay_as_they_are(page, activity):
    answer = page(clues=3)
    assert answer.status_code == 422
    assert plans.rules(activity).clues == 5


def test_every_rule_has_a_name_on_the_page_and_every_number_bounds():
    names = set(Rules().as_json())
    assert set(LABELS) == names
    assert set(BOUNDS) == {name for name, value in Rules().as_json().items() if type(value) is int}


def test_a_game_keeps_the_rules_it_began_with(sit, activity):
    sitting = sit(clue_seconds=99)
    ruling.set_rules(activity, Rules(clue_seconds=50), "test")
    assert Rules.read(Game.objects.get(pk=sitting.game.pk).rules).clue_seconds == 99


def test_choosing_the_same_rules_again_changes_nothing(activity):
    assert ruling.set_rules(activity, Rules(deck=4), "test") == ["deck"]
    assert ruling.set_rules(activity, Rules(deck=4), "test") == []
    assert AuditEntry.objects.filter(action="game.rules_changed").count() == 1


def test_a_file_gives_the_rules_of_its_games_and_loaded_again_changes_nothing(tmp_path, alice):
    section = "  wait_seconds: 300\n  on_drop: recorded\n  practice: false\n"
    assert "game taboo: wait_seconds" in load(tmp_path, section).changes
    game = Study.objects.get().activities.get(slug="taboo")
    assert plans.rules(game) == Rules(wait_seconds=300, on_drop="recorded", practice=False)
    assert load(tmp_path, section).changes == []


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ("  wait_seconds: 3", "game.wait_seconds"),
        ("  on_drop: explode", "game.on_drop"),
        ("  practice: maybe", "game.practice"),
        ("  wait: 300", "game.wait"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_with_its_line(section, key):
    data = with_game(section)
    error = refusal(data)
    assert error.data["key"] == key
    assert error.data["line"] == len(data.decode().splitlines())


def test_the_document_lists_every_rule():
    keys = DOCUMENT.read_text().split("## Keys")[1].split("## ")[0]
    rows = [line for line in keys.splitlines() if line.startswith("| `game")]
    told = set(" ".join(rows).replace("`", " ").replace(".", " ").replace(",", " ").split())
    assert set(rules_file.GAME) <= told
    assert "game" in study_file.sections


def test_who_may_not_set_up_may_not_see_the_rules(study, activity, client, django_user_model):
    bob = django_user_model.objects.create_user("b@example.org", "a password")
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(reverse("games:rules", args=(study.slug,))).status_code == 404


def test_a_study_without_a_game_has_no_rules(study, client, alice):
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(reverse("games:rules", args=(study.slug,))).status_code == 404
