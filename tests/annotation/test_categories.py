"""What categories are called changes no figure, and none that is in use goes (case 35).

Labels that people edit are topics, regions and questions; what annotators choose among is fixed.
"""

from dataclasses import replace

import pytest
from django.urls import reverse

from annotation.models import Assignment, GoldAnswer, Judgement, Task
from annotation.selectors import agreeing
from annotation.services import projects, queueing
from collection import selectors as collection
from collection import services
from collection.models import Question, Topic
from core.errors import CommonplaceError
from core.models import AuditEntry
from releases.gathering import gather
from releases.statistics import describe_questions
from studies import services as study_services
from studies.models import Region
from tests.annotation import paged
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge
from tests.annotation.paged import none, signed_in, task_of, text_of, where

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(world, people):
    """Tea stands under Food, gifts under Visiting; two have judged all tasks and differ on one."""
    for key, topic in (("tea", "table"), ("gift", "visiting")):
        Question.objects.filter(key=key).update(topic=Topic.objects.get(code=topic))
    project = world.open()
    ann, ben = people("ann", "ben")
    for _task in range(3):
        judge(project, ann, lambda task: agreement("The same.", task.payload["answers"]))
        judge(
            project,
            ben,
            lambda task: (
                NO_AGREEMENT
                if task.source_key == f"tea.{world.second}"
                else agreement("The same.", task.payload["answers"])
            ),
        )
    return world, project


@pytest.fixture
def lea(world, django_user_model):
    return signed_in(paged.leader(world, django_user_model))


def figures(world, project):
    """Everything that is counted, without what categories are called."""
    regions = list(world.study.regions.values_list("slug", flat=True))
    described = describe_questions(gather(world.study).items, regions)
    for row in described["domains"]:
        row.pop("domain")
    gold = GoldAnswer.objects.values_list("question__key", "region__slug", "texts", "n", "stale")
    return (
        described,
        list(gold),
        agreeing.annotators(project),
        agreeing.respondents(project),
        list(Task.objects.values_list("source_key", "inputs", "status", "stale")),
    )


def at(page, *further):
    return reverse(f"collection:{page}", args=(paged.STUDY, *further))


def rename(client, code, name):
    page = client.get(at("topic", code))
    given = {bound.html_name: bound.value() for bound in page.context["form"] if bound.value()}
    return client.post(at("topic", code), given | {"names-en": name})


# --- Topics ---------------------------------------------------------------------------------------


def test_another_name_of_a_domain_changes_no_figure(judged, lea):
    before = figures(*judged)
    assert [row["labels"]["domain"] for row in gather(judged[0].study).items] == [
        "Food and table",
        "Being with others",
    ]
    assert rename(lea, "table", "At the table").status_code == 302
    assert gather(judged[0].study).items[0]["labels"]["domain"] == "At the table"
    projects.refresh(judged[1])
    assert figures(*judged) == before


def test_two_domains_of_one_name_would_be_counted_as_one_and_are_refused(judged, lea):
    before = figures(*judged)
    page = rename(lea, "table", "being  with others")
    assert page.status_code == 422
    assert "merge the two" in text_of(page)
    assert figures(*judged) == before
    new = {"code": "food", "names-en": "Food and table", "position": "9"}
    assert lea.post(at("topic_new"), new).status_code == 422


def test_a_topic_in_use_is_not_removed_and_the_refusal_offers_a_merge(judged, lea):
    before = figures(*judged)
    page = lea.post(at("topic_remove", "table"))
    assert page.status_code == 409
    assert "Merge it into another topic" in text_of(page)
    assert "Merge it into another" in text_of(lea.get(at("topic", "table")))
    assert figures(*judged) == before


def test_a_topic_that_only_a_plan_names_is_in_use(judged, lea):
    study, survey = judged[0].study, judged[0].activity
    named = replace(collection.plan(survey), topics=["getting_about", "table"])
    services.save_plan(survey, named, "test")
    study.questions.filter(topic__code="getting_about").update(topic=None)
    assert lea.post(at("topic_remove", "getting_about")).status_code == 409
    lea.post(at("topic_merge", "getting_about"), {"into": "table"})
    assert collection.plan(survey).topics == ["table"]


def test_a_merged_topic_moves_its_questions_and_what_stands_below_it(judged, lea):
    world, _ = judged
    tasks = figures(*judged)[1:]
    lea.post(at("topic_merge", "people"), {"into": "table"})
    assert not Topic.objects.filter(code="people").exists()
    assert Topic.objects.get(code="visiting").parent.code == "table"
    assert [row["labels"]["domain"] for row in gather(world.study).items] == ["Food and table"] * 2
    lea.post(at("topic_merge", "visiting"), {"into": "table"})
    assert set(Question.objects.values_list("topic__code", flat=True)) == {"table"}
    assert figures(*judged)[1:] == tasks
    entry = AuditEntry.objects.filter(action="topic.merged").latest("pk")
    assert (entry.object_id, entry.data["into"]) == ("visiting", "table")


def test_merged_twice_it_is_merged_once(judged, lea):
    for _click in range(2):
        assert lea.post(at("topic_merge", "visiting"), {"into": "table"}).status_code == 302
    assert AuditEntry.objects.filter(action="topic.merged").count() == 1


@pytest.mark.parametrize("into", ["people", "visiting", "nonsense", ""])
def test_a_topic_is_merged_neither_into_itself_nor_below_itself_nor_into_none(judged, lea, into):
    offered = dict(lea.get(at("topic", "people")).context["others"])
    assert into not in offered
    assert lea.post(at("topic_merge", "people"), {"into": into}).status_code in (404, 409)
    assert Topic.objects.filter(code="people").exists()
    assert Topic.objects.get(code="visiting").parent.code == "people"


def test_a_question_saved_into_a_topic_that_is_gone_keeps_what_was_typed(judged, lea):
    page = lea.get(at("question", "tea"))
    given = {bound.html_name: bound.value() for bound in page.context["form"] if bound.value()}
    lea.post(at("topic_merge", "table"), {"into": "occasions"})
    page = lea.post(at("question", "tea"), given | {"text-en": "When is tea drunk?"})
    assert page.status_code == 422
    assert "When is tea drunk?" in page.content.decode()
    assert Question.objects.get(key="tea").topic.code == "occasions"


def test_only_who_may_set_up_merges_topics(judged, people):
    (eve,) = people("eve")
    assert signed_in(eve).post(at("topic_merge", "table"), {"into": "people"}).status_code == 403
    assert Topic.objects.filter(code="table").exists()


# --- Regions and questions ------------------------------------------------------------------------


def test_a_region_that_was_annotated_is_neither_removed_nor_renamed(judged, lea):
    world, _ = judged
    before = figures(*judged)
    page = lea.post(reverse("studies:region_remove", args=(paged.STUDY, world.first)))
    assert page.status_code == 409
    with pytest.raises(CommonplaceError) as refused:
        study_services.remove_region(world.study, world.first, "test")
    assert refused.value.code == "study.not_in_set_up"
    world.study.status = "set_up"
    world.study.save()
    with pytest.raises(CommonplaceError) as refused:
        study_services.remove_region(world.study, world.first, "test")
    assert refused.value.code == "region.in_use"
    assert figures(*judged) == before


def test_a_region_called_otherwise_changes_no_figure(judged, lea):
    """No page allows it while answers are collected; its rows hold the region, not its name."""
    world, project = judged
    before = figures(*judged)
    Region.objects.filter(slug=world.first).update(names={"en": "The old harbour"})
    projects.refresh(project)
    assert figures(*judged) == before
    page = text_of(lea.get(where("gold", "agreement")))
    assert "The old harbour" in page


def test_a_question_written_anew_or_retired_keeps_its_tasks_and_gold(judged, lea):
    world, project = judged
    before = figures(*judged)
    tea = collection.access_question(world.study, "tea")
    facts = collection.facts(tea)
    anew = replace(facts, texts={"en": "How is tea drunk?"})
    newer = services.change_question(world.study, "tea", anew, "test")
    assert (newer.key, newer.replaces.key) == ("tea-2", "tea")
    services.set_status(world.study, "gift", "retired", "test")
    projects.refresh(project)
    after = figures(*judged)
    assert after[1:] == before[1:]
    assert after[0]["pairs"] == before[0]["pairs"]


# --- What annotators choose -----------------------------------------------------------------------


def test_a_choice_that_is_not_there_any_more_is_refused_and_the_rest_is_kept(world, people):
    project = world.open()
    (ann,) = people("ann")
    client = signed_in(ann)
    row = queueing.take(project, ann)
    key = row.task.source_key
    sent = paged.filled("Hot.", row.task.payload["answers"]) | {"choice": "partly"}
    page = client.post(task_of(key), sent)
    assert page.status_code == 422
    assert "Choose whether the answers agree." in text_of(page)
    assert page.context["value"]["concepts"][0]["text"] == "Hot."
    assert not Judgement.objects.exists()
    Assignment.objects.filter(pk=row.pk).update(draft={"choice": "partly", "concepts": []})
    assert client.get(task_of(key)).status_code == 200
    assert client.post(task_of(key), none()).status_code == 302
