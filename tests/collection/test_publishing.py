"""Questions become frozen forms; what was published keeps its words."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction

from collection import documents, selectors, services
from collection.models import FormVersion, Question
from collection.questionnaire import PlanFacts
from core.errors import CommonplaceError
from core.models import AuditEntry
from studies.models import Study

pytestmark = pytest.mark.django_db


@pytest.fixture
def activity(study):
    return study.activities.get()


def publish(activity):
    return [(form.number, form.version) for form in services.publish(activity, "test")]


def facts(study, key):
    return selectors.facts(selectors.access_question(study, key))


def change(study, key, **fields):
    return services.change_question(study, key, replace(facts(study, key), **fields), "test")


def test_forms_hold_what_their_hash_says_also_once_read_back(activity):
    assert publish(activity) == [(1, 1), (2, 1), (3, 1)]
    for form in FormVersion.objects.all():
        assert documents.sha256(form.document) == form.sha256
        assert form.document["of"] == 3
        assert form.document["languages"] == ["en", "es"]
        assert sum(question["check"] is None for question in form.document["questions"]) <= 8
    places = FormVersion.objects.first().document["places"]
    assert places[0] == {"name": "Brassgate", "texts": {"en": "Brassgate"}}
    assert places[1]["texts"] == {"en": "Lower Quay", "es": "Muelle Bajo"}


@pytest.mark.parametrize(
    "words",
    [
        "=1+1",
        '"q", \\ /',
        "a\x0bb\u2028c",
        "क्\u200dष क\u093c \u0958",
        "👨‍👩‍👧",
        "1e5",
        "true",
        "é e\u0301",
    ],
)
def test_any_words_survive_the_database_under_their_hash(study, activity, words):
    option = {"id": "x", "texts": {"en": words}}
    change(
        study,
        "neighbour_help",
        texts={"en": words, "es": words},
        options=[option, {"id": "y", "texts": {"en": f"{words} 2"}}],
        help={"en": words},
        limits={"least": 0},
    )
    services.publish(activity, "test")
    form = FormVersion.objects.get(number=1)
    assert documents.sha256(form.document) == form.sha256
    held = {question["key"]: question for question in form.document["questions"]}
    assert held["neighbour_help"]["texts"]["en"] == words
    assert held["neighbour_help"]["options"][0] == option


def test_publishing_again_makes_no_version_and_a_change_only_that_of_its_form(study, activity):
    publish(activity)
    entries = AuditEntry.objects.filter(action="forms.published").count()
    assert publish(activity) == []
    assert AuditEntry.objects.filter(action="forms.published").count() == entries
    change(study, "breakfast", texts={"en": "What is breakfast?", "es": "¿Qué se desayuna?"})
    assert publish(activity) == [(2, 2)]
    assert [form.version for form in selectors.current_forms(activity)] == [1, 2, 1]


def test_forms_published_with_mere_names_of_places_are_published_anew_only_for_new_words(
    study, activity
):
    for place in study.places.all():
        place.names = {"en": place.name}
        place.save()
    publish(activity)
    for form in FormVersion.objects.all():
        old = form.document | {"schema": 1}
        old["places"] = [place["name"] for place in old["places"]]
        FormVersion.objects.filter(pk=form.pk).update(document=old, sha256=documents.sha256(old))
    assert publish(activity) == []
    place = study.places.get(name="Three Wells")
    place.names = {"en": "Three Wells", "es": "Tres Pozos"}
    place.save()
    assert publish(activity) == [(1, 2), (2, 2), (3, 2)]


def test_a_form_that_is_published_never_changes(activity):
    publish(activity)
    form = FormVersion.objects.first()
    form.document = {}
    with pytest.raises(CommonplaceError) as refused:
        form.save()
    assert refused.value.code == "form.frozen"
    with transaction.atomic(), pytest.raises(IntegrityError):
        FormVersion.objects.create(
            activity=activity, number=1, version=1, document={}, sha256="", published=form.published
        )


def test_before_publication_an_edit_changes_the_question_itself(study):
    row = selectors.access_question(study, "soup")
    now = change(study, "soup", texts={"en": "Which fish?", "es": "¿Qué pescado?"})
    assert (now.pk, now.key) == (row.pk, "soup")
    assert study.questions.count() == 21


def test_once_published_an_edit_of_words_makes_another_question_in_its_place(study, activity):
    publish(activity)
    old = selectors.access_question(study, "soup")
    now = change(study, "soup", texts={"en": "Which fish?", "es": "¿Qué pescado?"})
    old.refresh_from_db()
    assert (now.key, now.replaces, now.position) == ("soup-2", old, old.position)
    assert old.status == Question.Status.RETIRED
    assert facts(study, "soup").texts["en"].startswith("Which fish goes")
    assert publish(activity) == [(2, 2)]
    third = change(study, "soup-2", texts={"en": "Fish?", "es": "¿Pez?"})
    assert third.key == "soup-3"


def test_dropping_an_option_of_a_published_question_keeps_the_ids_of_the_others(study, activity):
    publish(activity)
    options = facts(study, "shoes").options
    with pytest.raises(CommonplaceError) as refused:
        change(study, "shoes_again", options=options[1:])
    assert refused.value.code == "check.of"
    services.set_status(study, "shoes_again", "retired", "test")
    now = change(study, "shoes", options=[options[0], options[2]])
    assert now.key == "shoes-2"
    assert [option["id"] for option in now.options] == ["outside", "on"]
    first = FormVersion.objects.get(number=1, version=1).document["questions"]
    assert [o["id"] for o in next(q for q in first if q["key"] == "shoes")["options"]] == [
        "outside",
        "inside",
        "on",
    ]
    publish(activity)
    second = FormVersion.objects.get(number=1, version=2).document["questions"]
    assert "shoes" not in {question["key"] for question in second}


def test_a_replaced_question_is_edited_no_more_and_not_brought_back(study, activity):
    publish(activity)
    change(study, "soup", texts={"en": "Which fish?", "es": "¿Qué pescado?"})
    for act in (
        lambda: change(study, "soup", texts={"en": "Fish?"}),
        lambda: services.set_status(study, "soup", "accepted", "test"),
    ):
        with pytest.raises(CommonplaceError) as refused:
            act()
        assert refused.value.code == "question.replaced"
        assert refused.value.data["by"] == "soup-2"


def test_topic_and_place_are_no_words(study, activity):
    publish(activity)
    now = change(study, "soup", topic="occasions", position=1)
    assert (now.key, now.position) == ("soup", 1)
    positions = study.questions.exclude(status="retired").values_list("position", flat=True)
    assert list(positions) == list(range(1, 22))


def test_a_survey_that_becomes_shorter_leaves_out_its_last_form(study, activity):
    publish(activity)
    for key in ("market", "boat_seat", "boat_fare"):
        services.set_status(study, key, "retired", "test")
    assert publish(activity) == [(1, 2), (2, 2)]
    assert [form.number for form in selectors.current_forms(activity)] == [1, 2]
    assert FormVersion.objects.filter(number=3).count() == 1


def test_a_plan_takes_topics_with_all_below_them(study, activity):
    plan = replace(selectors.plan(activity), topics=["people"])
    services.save_plan(activity, plan, "test")
    keys = {question.key for question in selectors.asked(activity) if not question.check_rule}
    assert keys == {
        *("guests_arrive", "guests_bring", "guests_gifts", "guests_stay", "shoes"),
        *("neighbour_greeting", "neighbour_help", "neighbour_key"),
    }


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        (PlanFacts(prefix={"en": "In your region"}), "plan.prefix"),
        (PlanFacts(per_form=16), "plan.per_form"),
        (PlanFacts(per_form=0), "plan.per_form"),
        (PlanFacts(topics=["nothing"]), "topic.unknown"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(activity, plan, code):
    with pytest.raises(CommonplaceError) as refused:
        services.save_plan(activity, plan, "test")
    assert refused.value.code == code


def test_without_questions_or_words_in_the_first_language_nothing_is_published(study, activity):
    study.questions.get(key="soup").texts.get(language="en").delete()
    assert selectors.missing(activity) == ["the text in English (en) of soup"]
    with pytest.raises(CommonplaceError) as refused:
        services.publish(activity, "test")
    assert refused.value.code == "survey.not_ready"
    assert refused.value.data["missing"] == ["the text in English (en) of soup"]
    study.questions.filter(check_rule__isnull=True).update(status="draft")
    assert "an accepted question" in selectors.missing(activity)[0]
    assert not FormVersion.objects.exists()


def test_a_prefix_in_one_language_of_two_is_missing_in_the_other(study, activity):
    services.save_plan(activity, PlanFacts(prefix={"en": "Here, {question}"}), "test")
    assert selectors.missing(activity) == ["the prefix in Spanish (es)"]
    services.save_plan(activity, PlanFacts(), "test")
    assert selectors.missing(activity) == []


def test_a_check_whose_question_is_gone_is_named(study, activity):
    services.set_status(study, "shoes", "retired", "test")
    assert "“shoes_again” repeats “shoes”" in selectors.missing(activity)[0]


def test_a_next_version_can_be_published_while_the_study_collects(study, activity):
    publish(activity)
    Study.objects.update(status=Study.Status.COLLECTING)
    change(study, "soup", texts={"en": "Which fish?", "es": "¿Qué pescado?"})
    assert publish(activity) == [(2, 2)]
