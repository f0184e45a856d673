"""Topics, plans and previews through their pages."""

import pytest

from collection import topic_templates
from collection.models import SurveyPlan, Topic
from core.models import AuditEntry
from tests.collection.question_pages import at, text_of, typed

pytestmark = pytest.mark.django_db


def test_topics_show_their_counts_and_which_carry_too_few(as_alice, study):
    lines = as_alice.get(at("topics")).context["topics"]
    found = {line.code: (line.level, line.accepted, line.short) for line in lines}
    assert found["people"] == (1, 0, False)
    assert found["visiting"] == (2, 5, True)
    assert "below 15" in text_of(as_alice.get(at("questions")))
    page = text_of(as_alice.get(at("questions"), {"topic": "people"}))
    assert "neighbour_key" in page
    assert "breakfast" not in page


def test_the_ready_tree_has_8_domains_18_subcategories_and_39_topics(as_alice, study):
    as_alice.post(at("topics_load"), {"template": "ocm"})
    lines = as_alice.get(at("topics")).context["topics"]
    new = [line for line in lines if line.code in {t.code for t in topic_templates.read("ocm")}]
    assert [sum(line.level == level for line in new) for level in (1, 2, 3)] == [8, 18, 39]
    assert all(line.about for line in new)
    before = Topic.objects.count()
    as_alice.post(at("topics_load"), {"template": "ocm"})
    assert Topic.objects.count() == before
    assert as_alice.post(at("topics_load"), {"template": "none"}).status_code == 400


def test_a_topic_is_added_changed_and_removed_and_never_lies_below_itself(as_alice, study):
    new = {"code": "guests", "names-en": "Guests", "parent": "visiting", "position": "9"}
    as_alice.post(at("topic_new"), new)
    assert study.topics.get(code="guests").parent.code == "visiting"
    deeper = new | {"code": "deeper", "parent": "guests"}
    response = as_alice.post(at("topic_new"), deeper)
    assert response.status_code == 422
    assert "deeper than 3 levels" in text_of(response)
    people = typed(as_alice.get(at("topic", "people"))) | {"parent": "guests"}
    assert as_alice.post(at("topic", "people"), people).status_code == 422
    assert as_alice.post(at("topic_remove", "visiting")).status_code == 409
    as_alice.post(at("topic_remove", "guests"))
    assert not study.topics.filter(code="guests").exists()


def test_the_plan_is_changed_and_a_prefix_without_its_place_is_refused(as_alice, study):
    where = at("plan", "everyday_life")
    given = typed(as_alice.get(where))
    before = AuditEntry.objects.count()
    as_alice.post(where, given)
    assert AuditEntry.objects.count() == before
    bad = as_alice.post(where, given | {"prefix-es": "En su región"})
    assert bad.status_code == 422
    assert 'href="#id_prefix-es"' in bad.content.decode()
    as_alice.post(where, given | {"per_form": "15", "topics": ["table"]})
    plan = SurveyPlan.objects.get()
    assert (plan.per_form, plan.topics) == (15, ["table"])


def test_the_preview_shows_every_form_in_the_language_asked_for(as_alice, study):
    page = as_alice.get(at("preview", "everyday_life"), {"language": "es"})
    assert "Form 3 of 3" in text_of(page)
    assert "En su región, ¿cómo avisa" in text_of(page)
    assert 'lang="es"' in page.content.decode()
    study.questions.update(status="draft")
    assert "There is no preview yet" in text_of(as_alice.get(at("preview", "everyday_life")))


def test_the_preview_shows_the_fields_limits_and_places_a_participant_gets(as_alice, study):
    response = as_alice.get(at("preview", "everyday_life"), {"language": "es"})
    page = response.content.decode()
    form = response.context["forms"][0]
    assert page.count("<fieldset disabled") == sum(
        len(f.questions) for f in response.context["forms"]
    )
    for field in ("<textarea", 'type="radio"', 'type="checkbox"', 'list="places"'):
        assert field in page
    assert "Prefiero no responder" in page
    assert '<strong aria-current="true">Spanish (es)</strong>' in page
    assert "In your region" not in page
    assert any(each.places for each in response.context["forms"])
    assert form.number == 1


def test_a_topic_is_called_by_its_name(as_alice, study):
    name = study.topics.get(code="table").names["en"]
    page = as_alice.get(at("topic", "table"))
    assert f"<h1>{name}</h1>" in page.content.decode()
    assert page.context["crumbs"][-1][0] == name
