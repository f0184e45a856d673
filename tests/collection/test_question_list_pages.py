"""The list of questions and what is done from it: retiring, moving, copying, publishing."""

import re

import pytest
from django.urls import reverse

from collection.models import FormVersion, Question
from core.models import AuditEntry
from studies.history import SENTENCES
from studies.services import create_study, open_study
from studies.setup import StudyFacts
from tests.collection.question_pages import at, shape, text_of, typed, written

pytestmark = pytest.mark.django_db


def listed(response):
    return [line.key for line in response.context["lines"]]


def test_an_edit_after_publication_makes_a_new_question_and_says_so_before(as_alice, study):
    open_study(study, "test")
    page = as_alice.get(at("question", "soup"))
    assert "A published form holds these words" in text_of(page)
    response = as_alice.post(at("question", "soup"), typed(page) | {"text-en": "Which fish?"})
    assert response["Location"] == at("question", "soup-2")
    assert "It replaces" in text_of(as_alice.get(response["Location"]))
    plan = text_of(as_alice.get(at("plan", "everyday_life")))
    assert "1 form differs from what is published" in plan
    as_alice.post(at("publish", "everyday_life"))
    assert FormVersion.objects.filter(number=2).count() == 2
    assert "Everything is published" in text_of(as_alice.get(at("plan", "everyday_life")))


def test_what_changed_after_the_opening_says_everywhere_that_nobody_is_asked_it_yet(
    as_alice, study
):
    detail = reverse("studies:detail", args=(study.slug,))
    pages = (at("questions"), at("question", "market"), detail)
    plan, said = at("plan", "everyday_life"), "from what people are asked"
    open_study(study, "test")
    assert not any(said in text_of(as_alice.get(page)) for page in pages)
    response = as_alice.post(at("question_new"), written("tea", "When is tea drunk?"), follow=True)
    assert "The question is saved; people are not asked it yet." in text_of(response)
    assert f'href="{plan}"' in response.content.decode()
    for page in pages:
        shown = as_alice.get(page)
        assert "3 forms of Questions about everyday life differ " + said in text_of(shown)
        assert f'href="{plan}"' in shown.content.decode()
    as_alice.post(at("publish", "everyday_life"))
    assert not any(said in text_of(as_alice.get(page)) for page in pages)
    study.questions.update(status="draft")
    assert "No forms can be made of the changed questions" in text_of(as_alice.get(detail))


def test_before_the_opening_nothing_waits_to_be_published(as_alice, study):
    response = as_alice.post(at("question_new"), written("tea", "When is tea drunk?"), follow=True)
    assert "The question is saved." in text_of(response)
    assert "differ" not in text_of(as_alice.get(at("questions")))


def test_an_edit_of_a_published_question_says_what_it_carries_over(as_alice, study):
    open_study(study, "test")
    page = as_alice.get(at("question", "soup"))
    before = text_of(page)
    assert "makes a new question, soup-2, that replaces this one" in before
    assert "words in English (en), Spanish (es): those you leave alone are carried over" in before
    given = typed(page) | {"text-en": "Which fish?"}
    after = text_of(as_alice.post(at("question", "soup"), given, follow=True))
    assert "yours are a new question, “soup-2”, which replaces it" in after
    assert "unchanged in Spanish (es)" in after
    alone = text_of(as_alice.get(at("question", "soup")))
    assert "makes a new question" not in alone  # replaced already, and changed no more


def test_the_pages_below_the_questions_say_where_they_are(as_alice, study):
    for page in ("question_new", "topics", "questions_alike", "questions_copy"):
        crumbs = as_alice.get(at(page)).context["crumbs"]
        assert ("Questions", at("questions")) in crumbs
    crumbs = as_alice.get(at("topic", "table")).context["crumbs"]
    assert [address for _, address in crumbs][-3:] == [at("questions"), at("topics"), ""]


@pytest.mark.parametrize("page", ["questions", "review", "monitor", "export"])
def test_every_room_of_a_study_is_marked_in_the_navigation(as_alice, study, page):
    html = as_alice.get(at(page)).content.decode()
    assert re.search(r'<a href="/studies/" aria-current="true">Studies</a>', html)


def test_a_question_is_retired_listed_apart_and_accepted_again(as_alice, study):
    as_alice.post(at("status", "soup"), {"status": "retired"})
    assert "soup" not in listed(as_alice.get(at("questions")))
    assert listed(as_alice.get(at("questions"), {"status": "retired"})) == ["soup"]
    as_alice.post(at("status", "soup"), {"status": "accepted"})
    assert study.questions.get(key="soup").status == Question.Status.ACCEPTED
    assert as_alice.post(at("status", "soup"), {"status": "burnt"}).status_code == 400


def test_a_question_moves_and_the_others_make_room(as_alice, study):
    as_alice.post(at("move", "boat_fare"), {"to": "1"})
    order = list(study.questions.order_by("position").values_list("key", flat=True))
    assert order[:2] == ["boat_fare", "guests_arrive"]
    as_alice.post(at("move", "boat_fare"), {"to": "999"})
    assert study.questions.order_by("position").last().key == "boat_fare"
    assert as_alice.post(at("move", "boat_fare"), {"to": "up"}).status_code == 400


def test_near_duplicates_stand_side_by_side(as_alice, study):
    as_alice.post(at("question_new"), written("twin", "What is eaten on an ordinary evening?"))
    pairs = as_alice.get(at("questions_alike")).context["pairs"]
    assert [{one.key, other.key} for one, other, _ in pairs] == [{"breakfast", "twin"}]


def test_questions_are_copied_as_drafts_that_say_where_they_are_from(as_alice, alice, study):
    facts = StudyFacts(
        slug="inland",
        names={"en": "Inland"},
        languages=["en"],
        country="Coast",
        timezone="UTC",
        currency="EUR",
    )
    other = create_study(facts, alice, "test")
    where = reverse("collection:questions_copy", args=("inland",)) + "?from=lantern_coast"
    assert "Which fish goes" in text_of(as_alice.get(where))
    keys = ["soup", "shoes", "shoes_again"]
    as_alice.post(where, {"key": keys})
    as_alice.post(where, {"key": keys})
    rows = {row.key: (row.status, row.copied_from) for row in other.questions.all()}
    assert rows == {key: ("draft", f"lantern_coast/{key}") for key in ("soup", "shoes")}
    assert shape(other, "shoes")["options"] == shape(study, "shoes")["options"]


def test_questions_of_a_study_one_is_not_in_are_not_shown(signed_in_owner, study):
    where = reverse("collection:questions_copy", args=("mine",)) + "?from=lantern_coast"
    page = text_of(signed_in_owner.get(where))
    assert "There is no other study" in page
    assert "fish" not in page


@pytest.fixture
def signed_in_owner(client, bob):
    facts = StudyFacts(
        slug="mine",
        names={"en": "Mine"},
        languages=["en"],
        country="Coast",
        timezone="UTC",
        currency="EUR",
    )
    create_study(facts, bob, "test")
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_every_thing_done_has_a_sentence(as_alice, study):
    as_alice.post(at("question_new"), written("tea", "When is tea drunk?"))
    as_alice.post(at("status", "tea"), {"status": "draft"})
    as_alice.post(at("topics_load"), {"template": "ocm"})
    open_study(study, "test")
    actions = set(AuditEntry.objects.filter(study=study.slug).values_list("action", flat=True))
    assert {"question.added", "question.draft", "topics.loaded", "forms.published"} <= actions
    assert actions <= set(SENTENCES)
    page = text_of(as_alice.get(reverse("studies:audit", args=(study.slug,))))
    assert "published 3 forms of everyday_life" in page


def test_a_missing_language_is_named_in_the_list(as_alice, study):
    as_alice.post(at("question_new"), written("tea", "When is tea drunk?"))
    assert "not in Spanish (es)" in text_of(as_alice.get(at("questions")))
