"""What people have done is told alike on page, API and export: how far it is (case 34), and by whom
it was done (case 32)."""

import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command

from accounts.services import create_token
from accounts.tokens import Scope
from annotation.models import Assignment, Task
from annotation.services import deciding, flagging, judging, projects, queueing
from core import clock
from studies import services
from studies.permissions import Role
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge
from tests.annotation.paged import STUDY, signed_in, where
from tests.api.conftest import Program

pytestmark = pytest.mark.django_db

PARTS = ("pending", "draft", "submitted", "skipped", "flagged")
SAID = {
    "agreement": NO_AGREEMENT,
    "pair": {"choice": "differ"},
    "universal": {"choice": "none", "regions": []},
}

OTHER = {
    "agreement": agreement("So.", []),
    "pair": {"choice": "agree"},
    "universal": {"choice": "partial", "regions": ["nowhere"]},
}


@pytest.fixture
def opened(world, people):
    """A kind that has tasks nobody has judged yet: two regions, and for what compares them two
    questions on which each agrees."""
    world.study.regions.exclude(slug__in=[world.first, world.second]).delete()
    for number in range(3):
        world.come(world.second, gift=f"A mat ({number}).")

    def of(kind):
        project = world.open()
        if kind == "agreement":
            return project
        for user in people("fay", "gus"):
            for _task in range(4):
                judge(project, user, lambda task: agreement("So.", task.payload["answers"]))
        return projects.open_project(world.study, kind, "test")

    return of


@pytest.fixture
def lea(world, django_user_model):
    user = django_user_model.objects.create_user("lea@example.org", "a password")
    services.invite(world.study, user.email, Role.RESEARCHER, "test")
    return user


def act(project, people, lea):
    """Of every kind one of each: sent, left, flagged, put back, written at, merely opened."""
    ann, ben, cem = people
    first = queueing.take(project, ann)
    queueing.flag(first, "cut off")
    flagging.read(first.task, lea)
    if project.kind == "agreement":
        flagging.put_back(first.task, "", lea)
    queueing.skip(queueing.take(project, ben), "")
    judging.submit(queueing.take(project, cem), SAID[project.kind])
    if row := queueing.take(project, cem):
        judging.save_draft(row, SAID[project.kind])
    queueing.take(project, ben)


def on_page(client, kind):
    lines = client.get(where("projects")).context["lines"]
    line = next(each for each in lines if each.kind.name == kind)
    return line.overall.as_dict(), line.mine.as_dict()


def by_program(user, kind):
    program = Program(create_token(user, "test", list(Scope), "test")[1])
    rows = program.get(f"studies/{STUDY}/annotation/").json()
    row = next(each for each in rows if each["kind"] == kind)
    return row["overall"], row["mine"], program


def exported(tmp_path):
    path, out = tmp_path / "a.jsonl", StringIO()
    order = (STUDY, "--format", "jsonl", "--out", str(path), "--json")
    call_command("export_annotations", *order, stdout=out, stderr=StringIO())
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return json.loads(out.getvalue())["progress"], rows


@pytest.mark.parametrize("kind", ["agreement", "pair", "universal"])
def test_the_five_are_the_total_and_equal_on_page_api_and_export(
    opened, people, lea, kind, tmp_path
):
    project = opened(kind)
    users = people("ann", "ben", "cem")
    act(project, users, lea)
    progress, rows = exported(tmp_path)
    sums = Counter()
    for user in (*users, lea):
        overall, mine = on_page(signed_in(user), kind)
        told_overall, told_mine, program = by_program(user, kind)
        assert (told_overall, told_mine) == (overall, mine)
        for each in (overall, mine):
            assert sum(each[part] for part in PARTS) == each["total"]
        assert progress[kind]["overall"] == overall
        if user != lea:
            assert progress[kind]["people"][user.email] == mine
            sums.update({part: mine[part] for part in PARTS[1:]})
    assert {part: sums[part] for part in PARTS[1:]} == {part: overall[part] for part in PARTS[1:]}
    tasks = program.rows(f"studies/{STUDY}/tasks/", kind=kind)
    placed = Counter()
    for task in tasks:
        placed.update(task["places"])
    assert dict(placed) == {part: overall[part] for part in PARTS}
    done = Counter(
        row["row"] for row in rows if row["kind"] == kind and row["status"] != "put back"
    )
    assert done["first pass"] == overall["submitted"] == 1
    assert done["skip"] == overall["skipped"] == 1
    assert done["flag"] == overall["flagged"] == (0 if kind == "agreement" else 1)


@pytest.mark.parametrize("kind", ["agreement", "pair", "universal"])
def test_two_items_three_people_a_skip_and_an_adjudication_wherever_it_is_told(
    opened, people, lea, kind, tmp_path
):
    """Case 32."""
    project = opened(kind)
    project.tasks.exclude(pk__in=project.tasks.values_list("pk", flat=True)[:2]).delete()
    more = [
        Assignment(task=task, project=project, position=task.position, slot=3)
        for task in project.tasks.all()
    ]
    Assignment.objects.bulk_create(more)
    type(project).objects.filter(pk=project.pk).update(overlap=3)
    users, (dan,) = people("ann", "ben", "cem"), people("dan")
    queueing.skip(queueing.take(project, dan), "not my region")
    for user in users:
        for _task in range(2):
            judge(project, user, OTHER[kind] if user == users[0] else SAID[kind])
    tasks = list(project.tasks.all())
    assert {task.status for task in tasks} == {"disputed"}
    deciding.decide(tasks[0], SAID[kind], "two of three", lea, tasks[0].inputs)
    _, rows = exported(tmp_path)
    own = [row for row in rows if row["kind"] == kind]
    assert Counter(row["row"] for row in own) == {"first pass": 6, "skip": 1, "decision": 1}
    assert all(row["sent"] for row in own if row["row"] != "skip")
    passes = [row for row in own if row["row"] == "first pass"]
    assert {(row["annotator"], row["guideline_version"]) for row in passes} == {
        (user.email, 1) for user in users
    }
    program = by_program(lea, kind)[2]
    told = program.rows(f"studies/{STUDY}/judgements/", kind=kind)
    assert len(told) == 6
    assert all(row["sent"] and row["guideline_version"] == 1 for row in told)
    named = {row["annotator"] for row in told if row["task"] == tasks[0].source_key}
    assert named == {user.email for user in users}
    trail = signed_in(lea).get(where("trace", kind, tasks[0].source_key)).context["trace"]
    assert (len(trail.passes), trail.line.decision.decided_by) == (3, lea)


def test_places_left_free_at_a_task_a_person_decided_are_no_work_that_is_left(
    opened, people, lea, tmp_path
):
    """Case 34 where somebody decided a stale task before all had judged it."""
    project = opened("agreement")
    ann, ben, cem = people("ann", "ben", "cem")
    sent = judge(project, ann, NO_AGREEMENT)
    Task.objects.filter(pk=sent.task_id).update(stale=True)
    before = on_page(signed_in(ann), "agreement")[0]
    deciding.decide(sent.task, NO_AGREEMENT, "an answer has changed", cem, sent.task.inputs)
    overall, _ = on_page(signed_in(ann), "agreement")
    told, _, program = by_program(lea, "agreement")
    assert overall["pending"] == before["pending"] - 1
    assert overall["places"] == before["places"] - 1
    assert sum(overall[part] for part in PARTS) == overall["total"]
    assert told == overall == exported(tmp_path)[0]["agreement"]["overall"]
    placed = Counter()
    for task in program.rows(f"studies/{STUDY}/tasks/"):
        placed.update(task["places"])
    assert {part: placed[part] for part in PARTS} == {part: overall[part] for part in PARTS}
    while row := queueing.take(project, ben):
        judging.submit(row, NO_AGREEMENT)
    while row := queueing.take(project, ann):
        judging.submit(row, NO_AGREEMENT)
    line = signed_in(ann).get(where("projects")).context["lines"][0]
    assert (line.overall.pending, line.overall.percent) == (0, 100)


def test_a_place_somebody_let_lie_at_a_task_a_person_decided_is_none_that_is_left(
    opened, people, lea
):
    project = opened("agreement")
    ann, ben, cem = people("ann", "ben", "cem")
    sent = judge(project, ann, NO_AGREEMENT)
    queueing.take(project, ben)
    Task.objects.filter(pk=sent.task_id).update(stale=True)
    deciding.decide(sent.task, NO_AGREEMENT, "an answer has changed", cem, sent.task.inputs)
    held = by_program(ben, "agreement")[1]
    Assignment.objects.filter(annotator=ben).update(lease_until=clock.ago(1))
    late, _ = on_page(signed_in(ben), "agreement")[1], None
    assert (held["pending"], late["pending"]) == (4, 3)
    program = by_program(lea, "agreement")[2]
    decided = program.rows(f"studies/{STUDY}/tasks/", status="decided")
    assert [task["places"]["pending"] for task in decided] == [0]


def test_of_a_task_decided_with_no_place_taken_the_places_are_none_and_told(opened, people, lea):
    project = opened("agreement")
    (cem,) = people("cem")
    task = project.tasks.first()
    Task.objects.filter(pk=task.pk).update(stale=True)
    deciding.decide(task, NO_AGREEMENT, "nobody else has to", cem, task.inputs)
    program = by_program(lea, "agreement")[2]
    (row,) = program.rows(f"studies/{STUDY}/tasks/", status="decided")
    assert row["places"] == dict.fromkeys(PARTS, 0)
    annotates = by_program(cem, "agreement")[2]
    assert {each["places"] for each in annotates.rows(f"studies/{STUDY}/tasks/")} == {None}
