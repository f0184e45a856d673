"""Annotations made elsewhere: nothing of a file is left out in silence, and entering somebody's
judgements tells no more of them than reading them would."""

import pytest

from accounts.services import create_token
from accounts.tokens import Scope
from annotation.models import Assignment, Judgement, Suggestion, Task
from annotation.services import judging, projects, queueing
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge
from tests.annotation.paged import STUDY, leader
from tests.api.conftest import Program

pytestmark = pytest.mark.django_db

JUDGEMENTS = f"studies/{STUDY}/judgements/"
SUGGESTIONS = f"studies/{STUDY}/suggestions/"
NOTE = "They do not say when."
NONE = {"choice": ["none"]}


def program(user):
    return Program(create_token(user, "test", list(Scope), "test")[1])


def enter(sender, task, form, **more):
    """What becomes of one judgement: the values kept, and the codes of what is refused."""
    line = {"task": task.source_key, "form": form}
    body = {"kind": task.project.kind, "judgements": [line], **more}
    answer = program(sender).post(JUDGEMENTS, body)
    assert answer.status_code == 201, answer.content
    taken = answer.json()
    return [row["value"] for row in taken["kept"]], [row["code"] for row in taken["refused"]]


@pytest.fixture
def lea(world, django_user_model):
    return leader(world, django_user_model)


@pytest.fixture
def tea(world):
    world.open()
    return world.task("tea", world.first)


# --- Blind ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", [NO_AGREEMENT, agreement("It is drunk hot.", [])])
def test_who_has_a_task_before_them_learns_nothing_by_entering_it_for_another(
    tea, people, lea, said
):
    """Right or wrong, a guess at what Ann said is answered alike."""
    (ann,) = people("ann")
    judging.submit(queueing.take_task(tea, ann), said, NOTE)
    queueing.take_task(tea, lea)
    assert enter(lea, tea, NONE, annotator=ann.email) == ([], ["task.held"])
    assert Judgement.objects.get().value == said


def test_who_enters_what_another_says_does_not_judge_the_task_alone_any_more(tea, people, lea):
    ann, ben = people("ann", "ben")
    for _again in range(2):
        assert enter(lea, tea, NONE, annotator=ann.email) == ([NO_AGREEMENT], [])
    assert queueing.take_task(tea, lea) is None
    assert queueing.take(tea.project, lea).task != tea
    assert queueing.take_task(tea, ben) is not None


def test_who_enters_their_own_judges_on(tea, people):
    (ann,) = people("ann")
    assert enter(ann, tea, NONE, annotator=ann.email) == ([NO_AGREEMENT], [])
    judging.take_back(Assignment.objects.get(annotator=ann))
    assert enter(ann, tea, NONE) == ([NO_AGREEMENT], [])


def test_both_passes_of_a_task_are_entered_by_one_who_then_decides_it(tea, people, lea):
    ann, ben = people("ann", "ben")
    every = [str(each) for each in tea.payload["answers"]]
    hot = {"choice": ["agreement"], "concept-0": ["Hot."], "support-0": every}
    assert enter(lea, tea, NONE, annotator=ann.email)[1] == []
    assert enter(lea, tea, hot, annotator=ben.email)[1] == []
    tea.refresh_from_db()
    assert tea.status == Task.Status.DISPUTED


# --- Nothing left out -----------------------------------------------------------------------------


def wrong(task, other):
    """Forms of which something would be lost, by what it is."""
    every = [str(each) for each in task.payload["answers"]]
    hot = {"choice": ["agreement"], "concept-0": ["Hot."], "support-0": every}
    return {
        "a field with another name": NONE | {"concept_0": ["Hot."]},
        "a text too many": hot | {"concept-6": ["Sweet."], "support-6": every},
        "a field of the page beside the form": NONE | {"seen": [task.inputs]},
        "an answer there is not": hot | {"support-0": [*every, "999999"]},
        "an answer to something else": hot | {"support-0": [*every, str(other)]},
        "two choices": {"choice": ["none", "agreement"]},
        "two texts in one": hot | {"concept-0": ["Hot.", "Sweet."]},
    }


@pytest.mark.parametrize(
    "what",
    [
        "a field with another name",
        "a text too many",
        "a field of the page beside the form",
        "an answer there is not",
        "an answer to something else",
        "two choices",
        "two texts in one",
    ],
)
def test_a_line_with_something_the_form_does_not_have_is_refused_whole(tea, world, people, what):
    (ann,) = people("ann")
    form = wrong(tea, world.task("gift", world.first).payload["answers"][0])[what]
    assert enter(ann, tea, form) == ([], ["judgement.not_in_form"])
    assert not Judgement.objects.exists()
    assert not Assignment.objects.filter(annotator=ann).exists()


def test_so_is_a_suggestion(tea, lea):
    line = {"task": tea.source_key, "form": NONE | {"concept_0": ["Hot."]}}
    body = {"kind": "agreement", "name": "elsewhere", "suggestions": [line]}
    (refused,) = program(lea).post(SUGGESTIONS, body).json()["refused"]
    assert refused["code"] == "suggestion.not_in_form"
    assert "concept_0" in refused["reason"]
    assert not Suggestion.objects.exists()


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("pair", {"choice": ["agree"], "region": ["harbour"]}),
        ("universal", {"choice": ["partial"], "region": ["harbour", "terraces", "nowhere"]}),
        ("universal", {"choice": ["none"], "regions": ["harbour"]}),
    ],
)
def test_so_is_a_comparison_of_regions(world, people, kind, form):
    ann, ben = people("ann", "ben")
    world.study.regions.exclude(slug__in=[world.first, world.second]).delete()
    for user in (ann, ben):
        judge(world.open(), user, lambda task: agreement("Hot.", task.payload["answers"]))
        judge(world.open(), user, lambda task: agreement("Hot.", task.payload["answers"]))
    task = projects.open_project(world.study, kind, "test").tasks.get()
    assert enter(ann, task, form) == ([], ["judgement.not_in_form"])
