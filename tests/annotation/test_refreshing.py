"""Bringing tasks up to date costs by batches, not by tasks."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Task
from annotation.services import projects
from collection.models import Answer
from tests.annotation.conftest import NO_AGREEMENT, judge
from tests.annotation.queued import many_tasks

pytestmark = pytest.mark.django_db


def queries(act):
    with CaptureQueriesContext(connection) as made:
        act()
    return len(made)


def without_sources(world, people, count):
    """Tasks that somebody has begun and whose answers are gone."""
    project = world.open()
    (user,) = people(f"ann{count}")
    many_tasks(project, count)
    begun = Assignment.objects.filter(task__source_key__startswith="more_", slot=1)
    begun.update(status="skipped", annotator=user, slot=None)
    return project


def test_thirty_tasks_without_answers_cost_as_many_queries_as_ten(world, people):
    counts = []
    for count in (10, 30):
        project = without_sources(world, people, count)
        counts.append(queries(lambda project=project: projects.refresh(project)))
        assert Task.objects.filter(inputs="").count() == count
        Task.objects.filter(source_key__startswith="more_").delete()
        project.study.questions.filter(key__startswith="more_").delete()
    assert counts[0] == counts[1]


def test_what_differs_and_nobody_decided_costs_no_query_a_task(world, people):
    project = world.open()
    (ann,) = people("ann")
    judge(project, ann, NO_AGREEMENT)
    unchanged = queries(lambda: projects.refresh(project))
    Answer.objects.filter(question__key__in=["tea", "gift"]).update(revision=7)
    assert queries(lambda: projects.refresh(project)) == unchanged + 3  # what was said, the rows
    assert Task.objects.filter(stale=True).count() == 1
    assert queries(lambda: projects.refresh(project)) == unchanged


def test_a_task_that_somebody_decided_is_left_and_one_nobody_began_goes(world, people):
    project = without_sources(world, people, 4)
    free = Task.objects.filter(source_key__startswith="more_").first()
    Assignment.objects.filter(task=free, annotator__isnull=False).delete()
    projects.refresh(project)
    assert not Task.objects.filter(pk=free.pk).exists()
    assert Task.objects.filter(source_key__startswith="more_", inputs="").count() == 3
