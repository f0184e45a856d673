"""Reliability of first passes, and respondents' own agreement beside it."""

import re

import pytest
from django.urls import reverse

from annotation.models import Assignment, Judgement, Task
from annotation.reliability import reliability
from annotation.selectors import agreeing
from annotation.services import deciding, projects
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge
from tests.annotation.queued import many_tasks

pytestmark = pytest.mark.django_db


def all_of(task):
    return agreement("It is drunk hot.", task.payload["answers"])


SOMETHING = agreement("something", [])


def of_everybody(project):
    return agreeing.annotators(project)[0]


def page(client, project):
    address = reverse("annotation:reliability", args=(project.study.slug, project.kind))
    return client.get(address).content.decode()


def only_many(world, count, overlap=2):
    """A project of `count` tasks and nothing else."""
    project = world.open(overlap)
    many_tasks(project, count)
    Task.objects.exclude(source_key__startswith="more_").delete()
    return project


def test_one_category_alone_is_undefined_with_its_n_and_all_of_them(world, people, as_alice):
    project = only_many(world, 4)
    for user in people("ann", "ben"):
        for _task in range(4):
            judge(project, user, NO_AGREEMENT)
    line = of_everybody(project)
    assert (line.found.alpha.value, line.found.alpha.reason) == (None, "single_category")
    assert (line.found.percent.value, line.found.percent.n) == (1, 4)
    shown = page(as_alice, project)
    assert shown.count("undefined: single category") == 4
    assert "100.0 %" in shown
    assert not re.search(r"\bnan\b", shown, re.IGNORECASE)


def test_two_halves_judged_by_one_each_are_undefined(world, people, as_alice):
    project = only_many(world, 10, overlap=1)
    for user in people("ann", "ben"):
        for _task in range(5):
            judge(project, user, NO_AGREEMENT)
    assert of_everybody(project).found.percent.reason == "nothing_co_rated"
    assert page(as_alice, project).count("undefined: nothing co-rated") == 5


def test_one_dissent_of_twenty_is_zero_beside_a_high_ac1_and_a_sentence_why(
    world, people, as_alice
):
    project = only_many(world, 20)
    ann, ben = people("ann", "ben")
    for task in range(20):
        judge(project, ann, NO_AGREEMENT)
        judge(project, ben, SOMETHING if task == 7 else NO_AGREEMENT)
    found = of_everybody(project).found
    assert (found.percent.value, found.cohen.value, found.alpha.value) == (0.95, 0, 0)
    assert round(found.ac1.value, 3) == 0.947
    shown = page(as_alice, project)
    assert "Annotators agree on 95.0 % of 20 shared tasks, yet kappa is 0.00" in shown


def test_each_version_of_the_guideline_has_its_own_line(world, people, as_alice):
    project = only_many(world, 4)
    ann, ben = people("ann", "ben")
    for task in range(4):
        if task == 2:
            projects.write_guideline(project, "Read them twice.", "test")
        judge(project, ann, NO_AGREEMENT)
        judge(project, ben, SOMETHING if task < 2 else NO_AGREEMENT)
    lines = agreeing.annotators(project)
    assert [line.guideline for line in lines] == [None, 2, 1]
    assert [line.found.percent.value for line in lines] == [0.5, 1, 0]
    assert [line.found.units for line in lines] == [4, 2, 2]
    shown = page(as_alice, project)
    assert "Version 2" in shown
    assert "All versions" in shown


def test_what_was_decided_and_what_was_skipped_change_nothing(world, people):
    project = world.open()
    ann, ben, cem = people("ann", "ben", "cem")
    judge(project, ann, all_of)
    judge(project, ben, NO_AGREEMENT)
    before = of_everybody(project).found
    task = world.task("tea", world.first)
    deciding.decide(task, all_of(task), "they do", cem, task.inputs)
    assert of_everybody(project).found == before
    assert (before.percent.value, before.co_rated) == (0, 1)


def test_two_who_judged_different_answers_of_a_task_are_not_compared(world, people):
    project = world.open()
    ann, ben = people("ann", "ben")
    judge(project, ann, NO_AGREEMENT)
    world.come(world.first, tea="It is drunk cold.")
    projects.refresh(project)
    judge(project, ben, NO_AGREEMENT)
    found = of_everybody(project).found
    assert (found.units, found.co_rated, found.percent.reason) == (2, 0, "nothing_co_rated")


def test_it_is_what_the_formulas_say_of_the_rows_there_are(world, people):
    project = only_many(world, 12, overlap=3)
    for place, user in enumerate(people("ann", "ben", "cem")):
        for task in range(12 - place):
            judge(project, user, SOMETHING if (task * 7 + place) % 3 else NO_AGREEMENT)
    units = {}
    for row in Judgement.objects.exclude(assignment__task__status="open").select_related(
        "assignment"
    ):
        said = "agreement" if row.value["concepts"] else "none"
        units.setdefault(row.assignment.task_id, {})[row.assignment.annotator_id] = said
    assert len(units) == 10  # of the others somebody has still to say what they see
    assert of_everybody(project).found == reliability(units.values())
    assert Assignment.objects.filter(status="submitted").count() == 33


def test_respondents_agreement_is_another_figure(world, people, as_alice):
    project = world.open()

    def nearly_all(task):
        return agreement("It is drunk hot.", task.payload["answers"][: task.payload["needed"]])

    said = {"tea": all_of, "gift": nearly_all}
    for user in people("ann", "ben"):
        for _task in range(3):
            judge(
                project,
                user,
                lambda task: (
                    NO_AGREEMENT
                    if task.region.slug == world.second
                    else said[task.question.key](task)
                ),
            )
    found = agreeing.respondents(project)
    assert found.gold == 3
    assert found.agreeing.value == pytest.approx(2 / 3)
    assert found.unanimous.value == pytest.approx(1 / 3)
    assert of_everybody(project).found.percent.value == 1
    shown = page(as_alice, project)
    assert shown.index("Annotators</h2>") < shown.index("Respondents</h2>")
    assert "66.7 %" in shown[shown.index("Respondents</h2>") :]
