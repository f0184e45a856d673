"""The language a release says its artifacts' names are in, and what it says where only they are."""

import csv
from io import StringIO

import pytest
from django.urls import reverse

from games.models import Utterance
from games.services import expanding
from studies import services
from studies.services.artifacts import Called
from tests.collection.question_pages import text_of
from tests.games.conftest import activity, artifacts, playing, sit, somebody, study
from tests.releases.played import freeze, play_through, played
from tests.releases.test_card import export, front_matter

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
CAKE = "পাটিসাপটা"


@pytest.fixture
def of_bengali_people(study, artifacts):
    """The study is set up in English and one region's people speak Bengali."""
    study.languages = ["en", "bn"]
    study.save()
    study.regions.filter(slug="harbour").update(language="bn")
    artifacts[1].names.update(text=CAKE)
    return study


def names(release):
    return [item.payload["name"] for item in release.items.all()]


def test_a_name_is_tagged_as_its_region_writes_and_else_by_its_script_alone(of_bengali_people):
    assert names(freeze(of_bengali_people))[:2] == [{"und-Latn": "Lantern bread"}, {"bn": CAKE}]


def test_a_name_somebody_gave_a_language_keeps_it(of_bengali_people, artifacts):
    for language in ("en", ""):  # first as a translation, then it is the name that is shown
        kind = "translation" if language else "name"
        services.add_name(artifacts[1], Called("Rice roll", kind, language), "test")
    assert names(freeze(of_bengali_people))[1] == {"en": "Rice roll"}


def test_card_pages_and_tables_say_what_is_known(of_bengali_people, export, as_alice):
    release = freeze(of_bengali_people)
    texts, _ = export("harbour")
    card = " ".join(texts["README.md"].split())
    assert "Names are as people wrote them; clues are in the language of the game." in card
    assert "Names are in" not in card
    assert front_matter(texts["README.md"])["language"] == ["bn"]
    table = csv.DictReader(StringIO(export("harbour", "csv")[0]["artifacts.csv"]))
    assert [(row["name"], row["language"]) for row in table][:2] == [
        ("Lantern bread", "und-Latn"),
        (CAKE, "bn"),
    ]
    shown = as_alice.get(reverse("releases:questions", args=("harbour", 1))).content.decode()
    assert '<h2 lang="bn">' in shown
    (item,) = release.items.filter(payload__name__bn=CAKE)
    shown = as_alice.get(reverse("releases:item", args=("harbour", 1, item.key)))
    assert f'<h1 class="people" lang="bn">{CAKE}</h1>' in shown.content.decode()


def test_a_release_of_artifacts_alone_is_offered_no_benchmark(study, activity, artifacts, as_alice):
    freeze(study)
    page = text_of(as_alice.get(reverse("releases:detail", args=("harbour", 1))))
    assert "No benchmark uses artifacts alone yet." in page
    assert "Benchmark a model" not in page
    path = text_of(as_alice.get(reverse("studies:detail", args=(study.slug,))))
    assert "no benchmark uses artifacts alone yet" in path
    assert "Benchmark a model" not in path


def test_before_freezing_a_clue_of_a_proposal_is_told_apart(study, played, as_alice):
    expanding.accept(Utterance.objects.get(kind="proposal"), "mo@example.org")
    page = text_of(as_alice.get(reverse("study_freeze", args=(study.slug,))))
    assert "4 1 of them written with a proposal, and 1 of 1 games in full" in page
