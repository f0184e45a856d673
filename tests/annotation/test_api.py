"""Annotation for programs: blind as the pages are, and judgements made elsewhere."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.services import create_token
from accounts.tokens import Scope
from annotation.models import Assignment, Judgement, Task
from annotation.selectors import projects
from annotation.services import deciding, importing, judging, queueing
from annotation.services import projects as refreshing
from annotation.services.importing import Line
from core.models import AuditEntry, Job
from studies import services
from studies.permissions import Role
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge
from tests.api.conftest import Program, error

pytestmark = pytest.mark.django_db

STUDY = "studies/lantern_coast/"
TASKS, JUDGEMENTS, GOLD = f"{STUDY}tasks/", f"{STUDY}judgements/", f"{STUDY}gold/"
SHARE = f"{STUDY}annotation/share/"
SECRET = "Tea, and never before noon."


def program(user):
    return Program(create_token(user, "test", list(Scope), "test")[1])


def all_of(task):
    return agreement(SECRET, task.payload["answers"])


def form(task):
    """The value of `all_of` as the page's form sends it."""
    return {
        "choice": ["agreement"],
        "concept-0": [SECRET],
        "support-0": [str(answer) for answer in task.payload["answers"]],
    }


@pytest.fixture
def researcher(world, django_user_model):
    user = django_user_model.objects.create_user("rita@example.org", "a password")
    services.invite(world.study, user.email, Role.RESEARCHER, "test")
    return user


def test_before_all_are_in_nothing_of_a_first_pass_is_in_any_answer(world, people, researcher):
    ann, ben = people("ann", "ben")
    project = world.open()
    row = queueing.take(project, ann)
    judging.submit(row, all_of(row.task), "a note of hers")
    queueing.take(project, ben)
    for reader in (ben, researcher):
        reads = program(reader)
        shown = "".join(reads.get(each).content.decode() for each in (TASKS, JUDGEMENTS))
        for hidden in (SECRET, "a note of hers", ann.email):
            assert hidden not in shown
    assert program(ben).rows(JUDGEMENTS) == []
    error(program(ben).get(GOLD), 403, "study.not_allowed")
    (own,) = program(ann).rows(JUDGEMENTS)
    assert (own["annotator"], own["value"]["concepts"][0]["text"]) == (ann.email, SECRET)
    assert (own["category"], own["guideline_version"]) == ("agreement", 1)


def test_who_may_decide_reads_first_passes_once_all_are_in_and_names_once_decided(
    world, people, researcher
):
    ann, ben = people("ann", "ben")
    project = world.open()
    task = world.task("tea", world.first)
    judge(project, ann, all_of)
    judge(project, ben, NO_AGREEMENT)
    reads = program(researcher)
    rows = reads.rows(JUDGEMENTS, task=task.source_key)
    assert [row["annotator"] for row in rows] == [None, None]
    assert [row["category"] for row in rows] == ["agreement", "none"]
    task.refresh_from_db()
    deciding.decide(task, all_of(task), "they mean the same", researcher, task.inputs)
    rows = reads.rows(JUDGEMENTS, kind="agreement")
    assert [row["annotator"] for row in rows] == [ann.email, ben.email]
    assert [row["annotator"] for row in program(ann).rows(JUDGEMENTS)] == [ann.email]


def test_who_holds_a_place_at_a_task_reads_nothing_of_it_even_when_it_is_decided(
    world, people, researcher
):
    ann, cem = people("ann", "cem")
    project = world.open()
    sent = judge(project, ann, all_of)
    queueing.take(project, researcher)
    Task.objects.filter(pk=sent.task_id).update(stale=True)
    deciding.decide(sent.task, NO_AGREEMENT, "a mistake", cem, sent.task.inputs)
    assert program(researcher).rows(JUDGEMENTS) == []


def test_the_places_of_all_tasks_sum_up_to_what_the_page_says(world, people, researcher):
    ann, ben, cem = people("ann", "ben", "cem")
    project = world.open()
    queueing.flag(queueing.take(project, ann), "cut off")
    queueing.skip(queueing.take(project, ben), "")
    judge(project, cem, all_of)
    judging.save_draft(queueing.take(project, cem), NO_AGREEMENT)
    rows = program(researcher).rows(TASKS)
    names = ("pending", "draft", "submitted", "skipped", "flagged")
    sums = {name: sum(row["places"][name] for row in rows) for name in names}
    page = projects.progress(project)
    assert sums == {name: getattr(page, name) for name in names}
    assert sum(sums.values()) == page.total == Assignment.objects.count()
    theirs = program(cem).rows(TASKS)
    assert {row["places"] for row in theirs} == {None}
    assert sorted(row["mine"] or "" for row in theirs) == ["", "draft", "submitted"]


def test_gold_tells_its_texts_and_whose_answers_say_them(world, people, researcher):
    project = world.open()
    for user in people("ann", "ben"):
        judge(project, user, all_of)
    (gold,) = program(researcher).rows(GOLD)
    assert gold | {"support": None, "decided": None} == {
        "level": "region",
        "question": "tea",
        "regions": [world.first],
        "texts": [SECRET],
        "support": None,
        "value": None,
        "n": 5,
        "threshold": 4,
        "stale": False,
        "decided_by": "rule",
        "decided": None,
    }
    assert [len(codes) for codes in gold["support"]] == [5]
    assert program(researcher).rows(GOLD, level="pair") == []


# --- Judgements made elsewhere --------------------------------------------------------------------


def sent(*judgements, **more):
    return {"kind": "agreement", "judgements": list(judgements)} | more


def test_judgements_made_elsewhere_are_entered_as_if_sent_from_their_pages(
    world, people, researcher
):
    ann, ben = people("ann", "ben")
    world.open()
    task = world.task("tea", world.first)
    line = {"task": task.source_key, "form": form(task), "inputs_sha256": task.inputs}
    for user in (ann, ben):
        answer = program(researcher).post(
            JUDGEMENTS, sent(line, annotator=user.email), key=user.email
        )
        assert answer.status_code == 201, answer.content
        taken = answer.json()
        assert (taken["read"], len(taken["kept"]), taken["refused"]) == (1, 1, [])
    task.refresh_from_db()
    assert task.status == Task.Status.DECIDED
    assert {row.value["concepts"][0]["text"] for row in Judgement.objects.all()} == {SECRET}


def test_what_is_refused_is_listed_with_its_line_and_keeps_nothing_back(world, people):
    (ann,) = people("ann")
    world.open(1)
    tea, gift = world.task("tea", world.first), world.task("gift", world.first)
    few = form(tea) | {"support-0": form(tea)["support-0"][:2]}
    answer = (
        program(ann)
        .post(
            JUDGEMENTS,
            sent(
                {"task": "nothing.here", "form": {}},
                {"task": tea.source_key, "form": {}},
                {"task": tea.source_key, "form": few},
                {"task": tea.source_key, "form": form(tea), "inputs_sha256": "of something else"},
                {"task": gift.source_key, "form": {"choice": ["none"]}, "note": "nothing shared"},
                {"task": gift.source_key, "form": form(gift)},
            ),
        )
        .json()
    )
    assert [(line["line"], line["code"]) for line in answer["refused"]] == [
        (1, "task.unknown"),
        (2, "judgement.incomplete"),
        (3, "judgement.incomplete"),
        (4, "judgement.inputs_changed"),
        (6, "assignment.lost"),
    ]
    assert "4 are needed" in answer["refused"][2]["reason"]
    assert [row.note for row in Judgement.objects.all()] == ["nothing shared"]
    assert Assignment.objects.filter(task=tea).get().status == Assignment.Status.FREE


def test_entered_twice_they_are_entered_once(world, people):
    (ann,) = people("ann")
    world.open()
    task = world.task("tea", world.first)
    body = sent({"task": task.source_key, "form": form(task)})
    answers = [program(ann).post(JUDGEMENTS, body, key=key) for key in ("one", "one", None)]
    assert [answer.json()["refused"] for answer in answers] == [[], [], []]
    assert answers[1]["Idempotent-Replay"] == "true"
    assert Judgement.objects.count() == 1


def test_many_are_told_with_as_many_queries_as_one(
    world, people, monkeypatch, django_assert_max_num_queries
):
    """What entering them takes apart, since each goes through the queue by itself."""
    (ann,) = people("ann")
    project = world.open(1)
    places = (("tea", world.first), ("gift", world.first), ("tea", world.second))
    tasks = [world.task(*place) for place in places]
    lines = [Line(task.source_key, form(task)) for task in tasks]
    result, reads = importing.enter(project, ann, lines, "test"), program(ann)
    assert len(result.kept) == 3
    body = sent({"task": lines[0].task, "form": {}})

    def taken(kept):
        monkeypatch.setattr(importing, "enter", lambda *_: replace(result, kept=kept))
        return reads.post(JUDGEMENTS, body).json()["kept"]

    taken(result.kept[:1])
    with CaptureQueriesContext(connection) as of_one:
        taken(result.kept[:1])
    with django_assert_max_num_queries(len(of_one)):
        rows = taken(result.kept)
    assert [row["task"] for row in rows] == [line.task for line in lines]
    assert {row["annotator"] for row in rows} == {ann.email}


# --- How many answers have to agree ---------------------------------------------------------------


def test_the_share_is_set_once_by_who_may_decide_and_stands_beside_its_kind(
    world, people, researcher
):
    for number in range(5, 8):
        world.come(world.first, tea=f"It is drunk hot ({number}).")
    error(program(researcher).post(SHARE, {"share": 0.8}), 404, "annotation.not_open")
    world.open()
    (ann,) = people("ann")
    error(program(ann).post(SHARE, {"share": 0.8}), 403, "study.not_allowed")
    leads = program(researcher)
    answers = [leads.post(SHARE, {"share": 0.8}, key="one") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[1]["Idempotent-Replay"] == "true"
    assert answers[0].json() == answers[1].json()
    assert (answers[0].json()["kind"], answers[0].json()["share"]) == ("agreement", 0.8)
    (line,) = leads.get(f"{STUDY}annotation/").json()
    assert line["share"] == 0.8
    (entry,) = AuditEntry.objects.filter(action="annotation.share_set")
    assert (entry.actor, entry.data["share"]) == (researcher.email, "80%")
    assert Job.objects.filter(kind=refreshing.REFRESH).count() == 1
    assert leads.post(SHARE, {"share": None}).json()["share"] is None


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "api.invalid"),
        ({"share": "most"}, "api.invalid"),
        ({"share": "nan"}, "api.invalid"),
        ({"share": 0.5}, "annotation.share_unusable"),
        ({"share": 1.1}, "annotation.share_unusable"),
        ({"share": 0.8, "kind": "pair"}, "api.unknown_field"),
    ],
)
def test_a_share_that_cannot_be_is_refused_and_changes_nothing(world, researcher, body, code):
    project = world.open()
    error(program(researcher).post(SHARE, body), 400, code)
    project.refresh_from_db()
    assert project.share is None


def test_only_who_may_decide_enters_what_others_have_judged(world, people, researcher, bob):
    ann, ben = people("ann", "ben")
    world.open()
    task = world.task("tea", world.first)
    line = {"task": task.source_key, "form": form(task)}
    refused = program(ann).post(JUDGEMENTS, sent(line, annotator=ben.email))
    error(refused, 403, "study.not_allowed")
    stranger = program(researcher).post(JUDGEMENTS, sent(line, annotator=bob.email))
    error(stranger, 400, "annotation.no_annotator")
    unopened = program(ann).post(JUDGEMENTS, sent(line) | {"kind": "pair"})
    error(unopened, 404, "annotation.not_open")
    assert not Judgement.objects.exists()
