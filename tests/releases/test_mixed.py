"""A release that holds questions and artifacts: each is counted by its own, and neither as the
other."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from releases import selectors, services
from studies.models import Artifact
from tests.annotation.conftest import people, world
from tests.games.conftest import named
from tests.releases.test_card import export
from tests.releases.test_freezing import decided

pytestmark = pytest.mark.django_db
__all__ = ["decided", "export", "people", "world"]


@pytest.fixture
def mixed(decided):
    """Two questions with gold, and three artifacts of one of the two regions."""
    region = decided.study.regions.get(slug=decided.first)
    for name in ("Salt herring", "Fog horn", "Reed boat"):
        row = Artifact.objects.create(study=decided.study, region=region, status="listed")
        named(row, name)
    return services.freeze_study(decided.study, "both", actor="test")[0]


def page(client, name, *more, **asked):
    answer = client.get(reverse(f"releases:{name}", args=("both", 1, *more)), asked)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_it_is_described_as_both(mixed):
    described = selectors.describe(mixed)
    assert (described["items"], described["questions"]) == (5, 2)
    assert all(each["of"] == 2 for each in described["coverage"].values())
    assert sum(each["original"] for each in described["artifacts"]) == 3
    out = StringIO()
    call_command("describe_release", "both", "--json", stdout=out)
    assert json.loads(out.getvalue()) == json.loads(json.dumps(described))


def test_rates_of_questions_are_out_of_questions(mixed, as_alice):
    text = page(as_alice, "detail")
    assert "2 questions with 3 gold answers of 2 regions." in text
    assert "3 original and 0 expanded artifacts" in text
    assert "Of all 2 questions" in text
    assert "Read the items" in text
    answer = as_alice.get(reverse("releases:statistics", args=("both", 1, "csv")))
    rows = b"".join(answer.streaming_content).decode()
    assert '"universal, of all questions",all,1,2,' in rows
    assert '"artifacts, original"' in rows


def test_its_items_are_narrowed_by_kind_and_each_has_its_page(mixed, as_alice):
    assert "5 in all" in page(as_alice, "questions")
    assert "3 found" in page(as_alice, "questions", kind="artifact")
    assert "2 found" in page(as_alice, "questions", kind="question")
    for item in mixed.items.all():
        text = page(as_alice, "item", item.key)
        assert ("Which regions agree" in text) == (item.kind == "question")


def test_its_card_and_tables_hold_both(mixed, export):
    texts = export("both", "csv")[0]
    assert texts.keys() >= {"gold.csv", "relations.csv", "artifacts.csv", "responses.csv"}
    card = texts["README.md"]
    assert "2 questions about what people take for granted" in card
    assert "Beside them stand 3 original and 0 expanded artifacts" in card
    assert "3 gold answers of 4 question–region pairs" in card


def test_items_built_of_it_are_built_of_its_questions(mixed, as_alice):
    """None of the two has answers enough; the artifacts are no reason to refuse it as a source."""
    answer = as_alice.post(
        reverse("releases:build"), {"release": "both", "name": "x", "preset": "agreement"}
    )
    assert "so there is nothing to build" in answer.content.decode()


def test_only_responses_are_erased_for_who_answered_and_did_not_play(mixed, decided):
    gone = decided.people[0].participant
    services.forget(gone)
    erased = mixed.parts.exclude(purged_at=None).values_list("name", flat=True)
    assert list(erased) == ["responses"]
