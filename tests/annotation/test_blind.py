"""Before somebody has judged a task, no byte they can fetch depends on what another said (case 29).

Every address of the product that leads to the study is asked, of every kind of annotation, once
after each of two opposite judgements: what comes back is the same.
"""

import re

import pytest
from django.urls import get_resolver, reverse

from annotation import kinds
from annotation.models import Task
from annotation.selectors import told
from annotation.services import judging, projects, queueing, suggesting
from annotation.suggesting import Said
from tests.annotation import paged
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge
from tests.annotation.paged import signed_in
from tests.test_access import ALL

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

NOTE = "my own aunt does this"
SECRET = "Salt is stirred in thrice."
PEOPLE = {"studies:members", "studies:audit", "studies:detail"}  # who belongs to the study
FILTERS = {"annotation:disputes": ("?why=flagged",), "annotation:gold": ("?state=undecided",)}
ONCE = r'name="(csrfmiddlewaretoken|order)" value="[^"]+"'  # other ones each time


def values_of(kind, task):
    """Two opposite judgements."""
    if kind == "agreement":
        return agreement(SECRET, task.payload["answers"]), NO_AGREEMENT
    if kind == "pair":
        return {"choice": "agree"}, {"choice": "differ"}
    return {"choice": "universal", "regions": regions_of(task)}, {"choice": "none", "regions": []}


def regions_of(task):
    return list(task.project.study.regions.values_list("slug", flat=True))


@pytest.fixture
def opened(world, people):
    """All three kinds with tasks: two have judged what lies below the comparison of regions."""
    world.study.regions.exclude(slug__in=[world.first, world.second]).delete()
    project = world.open()
    for user in people("fay", "gus"):
        for _task in range(3):
            judge(project, user, lambda task: agreement("So.", task.payload["answers"]))
    for kind in ("pair", "universal"):
        projects.open_project(world.study, kind, "test")
    for number in range(3):
        world.come(world.second, gift=f"A mat ({number}).")
    projects.refresh(project)
    return world


def addresses(task):
    """Name -> address of everything that leads to the study, this task or its question."""
    values = {
        "study": paged.STUDY,
        "kind": task.project.kind,
        "source_key": task.source_key,
        "question": task.question.key,
        "region": task.project.study.regions.first().slug,
        "activity": task.project.study.activities.get().slug,
        "topic": "table",
        "table": "regions",
        "format": "csv",
        "code": task.project.study.participants.first().participations.get().code,
    }
    for name in ALL:
        keys = get_resolver()
        for part in name.split(":")[:-1]:
            keys = keys.namespace_dict[part][1]
        wanted = keys.reverse_dict.getlist(name.split(":")[-1])[0][0][0][1]
        if "study" in wanted and set(wanted) <= set(values):
            yield name, reverse(name, kwargs={key: values[key] for key in wanted})
    yield "home", "/"
    yield "studies", "/studies/"


def fetched(client, task):
    """Address -> what somebody gets there, without what differs from one time to the next."""
    found = {}
    for name, address in addresses(task):
        for query in ("", *FILTERS.get(name, ())):
            body = client.get(address + query).getvalue().decode(errors="replace")
            found[name, query] = re.sub(ONCE, "", body)
    return found


def suggest(task, value):
    about = kinds.of(task.project.kind).suggester.about(task, False)
    suggesting.keep(task, "pinned", about, Said(value), by="rule")


@pytest.mark.parametrize("holds", [False, True], ids=["may get it", "has it"])
@pytest.mark.parametrize("role", ["annotator", "leader"])
@pytest.mark.parametrize("kind", ["agreement", "pair", "universal"])
def test_no_byte_depends_on_what_another_has_said(
    opened, people, django_user_model, kind, role, holds
):
    project = opened.study.projects.get(kind=kind)
    (ann,) = people("ann")
    if role == "leader":
        paged.leader(opened, django_user_model)
    else:
        people("lea")
    lea = django_user_model.objects.get(email="lea@example.org")
    client = signed_in(lea)
    row = queueing.take(project, ann)
    task = Task.objects.select_related("project__study", "question").get(pk=row.task_id)
    first, second = values_of(kind, task)
    suggest(task, agreement("So.", []) if kind == "agreement" else first)
    judging.submit(row, first, NOTE)
    if holds:
        assert queueing.take(project, lea).task_id == task.pk
    before = fetched(client, task)
    assert len(before) > 40
    judging.take_back(row)
    row.refresh_from_db()
    judging.submit(row, second, NOTE)
    after = fetched(client, task)
    assert [name for name in before if before[name] != after[name]] == []
    for (name, _), body in before.items():
        assert NOTE not in body, name
        assert name in PEOPLE or "ann@example.org" not in body, name
        assert "1 of 2 agree" not in body, name
        assert SECRET not in body, name
    assert list(told.judgements(opened.study, lea, kind=kind, task=task.source_key)) == []
