"""Tasks that somebody left or found fault with, and the way back to them."""

import pytest

from accounts.models import User
from annotation.models import Assignment, Decision, Judgement, PutBack, Task
from annotation.services import deciding, flagging, importing, judging, projects, queueing
from annotation.services.importing import Line
from collection.models import Answer
from core.errors import CommonplaceError
from core.models import AuditEntry
from tests.annotation import paged
from tests.annotation.conftest import NO_AGREEMENT, judge
from tests.annotation.paged import begin, filled, none, signed_in, task_of, text_of, where

pytestmark = pytest.mark.django_db

Status = Assignment.Status
NOTE = "two questions in one"


@pytest.fixture
def cast(world, people, django_user_model):
    """A team of two and who decides, in their browsers."""
    world.open()
    lea = paged.leader(world, django_user_model)
    return *(signed_in(user) for user in people("ann", "ben")), signed_in(lea)


@pytest.fixture
def key(world):
    return f"tea.{world.first}"


def flag(client, key, **more):
    return client.post(task_of(key), {"action": "flag", "note": NOTE, **more}, follow=True)


def undo(client, key):
    return client.post(task_of(key), {"action": "take_back"}, follow=True)


def put_back(client, key, word=""):
    client.post(where("read_flag", "agreement", key))
    return client.post(where("put_back", "agreement", key), {"word": word}, follow=True)


def row_of(name, key):
    return Assignment.objects.get(task__source_key=key, annotator__email=f"{name}@example.org")


# --- Undo -----------------------------------------------------------------------------------------


def test_a_skip_is_undone_from_the_line_that_says_it_with_what_was_written(world, cast, key):
    ann, _, _ = cast
    answers = world.answers("tea", world.first)
    begin(ann)
    page = ann.post(task_of(key), filled("Hot.", answers, action="skip"), follow=True)
    assert page.context["row"].task.source_key != key
    assert "Skipped. Somebody else gets it. Until then you can undo it." in text_of(page)
    page = undo(ann, key)
    assert page.context["writable"]
    assert page.context["value"]["concepts"][0]["text"] == "Hot."
    places = Assignment.objects.filter(task__source_key=key, slot__isnull=False)
    assert sorted(places.values_list("slot", flat=True)) == [1, 2]
    ann.post(task_of(key), none())
    assert Judgement.objects.count() == 1


def test_a_skip_stays_once_others_have_taken_the_task(world, cast, key, people):
    ann, ben, _ = cast
    begin(ann)
    ann.post(task_of(key), {"action": "skip"})
    (cem,) = people("cem")
    begin(ben), begin(signed_in(cem))
    address = where("projects") + f"?kind=agreement&after={key}"
    assert not ann.get(address).context["can_be_taken_back"]
    page = undo(ann, key)
    assert page.status_code == 409
    assert "Others have taken this task since" in text_of(page)
    assert row_of("ann", key).status == Status.SKIPPED


def test_a_flag_is_undone_until_it_is_put_back(cast, key):
    ann, _, _ = cast
    begin(ann)
    assert "You can undo it." in text_of(flag(ann, key))
    undo(ann, key), undo(ann, key)
    row = row_of("ann", key)
    assert (row.status, row.slot, row.note) == (Status.DRAFT, 1, NOTE)
    ann.post(task_of(key), none())
    assert row_of("ann", key).status == Status.SUBMITTED


# --- Put back -------------------------------------------------------------------------------------


def test_a_flag_is_not_undone_once_somebody_has_decided_the_task(cast, key):
    ann, *_ = cast
    begin(ann)
    flag(ann, key)
    Task.objects.filter(source_key=key).update(stale=True)
    task, decider = Task.objects.get(source_key=key), User.objects.get(email__startswith="lea")
    deciding.decide(task, NO_AGREEMENT, "It asks two things.", decider, task.inputs)
    assert undo(ann, key).status_code == 409
    assert row_of("ann", key).status == Status.FLAGGED
    assert not Judgement.objects.filter(assignment__task=task).exists()


def test_a_team_of_two_finishes_a_task_that_one_of_them_flagged(cast, key):
    ann, ben, lea = cast
    begin(ann)
    flag(ann, key)
    begin(ben)
    ben.post(task_of(key), none())
    put_back(lea, key, "Judge the first of the two.")
    ann.post(task_of(begin(ann)), none())  # what the queue had given her meanwhile
    assert begin(ann) == key
    page = text_of(ann.get(task_of(key)))
    assert NOTE in page
    assert "The study team answers: Judge the first of the two." in page
    ann.post(task_of(key), none())
    task = Task.objects.get(source_key=key)
    assert (task.status, task.decisions.get().by) == (Task.Status.DECIDED, Decision.By.RULE)
    (kept,) = PutBack.objects.all()
    assert (kept.note, kept.word, kept.by.email) == (
        NOTE,
        "Judge the first of the two.",
        "lea@example.org",
    )
    assert AuditEntry.objects.filter(action="task.put_back").count() == 1


def test_somebody_else_may_come_first_and_reads_neither_flag_nor_word(cast, key):
    ann, ben, lea = cast
    begin(ann)
    flag(ann, key)
    put_back(lea, key, "A word for Ann.")
    assert begin(ben) == key
    page = ben.get(task_of(key)).content.decode()
    assert NOTE not in page
    assert "A word for Ann." not in page


def test_put_back_twice_is_put_back_once(cast, key):
    ann, _, lea = cast
    begin(ann)
    flag(ann, key)
    put_back(lea, key)
    assert put_back(lea, key).status_code == 404
    assert PutBack.objects.count() == 1
    assert Assignment.objects.filter(task__source_key=key, slot__isnull=False).count() == 2


# --- Who reads a flag does not judge --------------------------------------------------------------


def test_opening_the_page_of_a_flagged_task_shows_no_word_of_it_and_writes_nothing(cast, key):
    ann, _, lea = cast
    begin(ann)
    flag(ann, key)
    for address in (where("disputes", "agreement"), where("dispute", "agreement", key)):
        assert NOTE not in lea.get(address).content.decode()
    assert begin(lea) == key  # so that it is theirs to judge, alone


def test_who_has_read_a_flag_is_never_served_the_task(world, cast, key):
    ann, _, lea = cast
    begin(ann)
    flag(ann, key)
    lea.post(where("read_flag", "agreement", key))
    put_back(lea, key)
    lines = lea.get(where("projects")).context["lines"]
    assert next(line.mine.pending for line in lines if line.kind.name == "agreement") == 2
    served = []
    while "row" in (page := lea.post(where("next", "agreement"), follow=True)).context:
        served.append(page.context["row"].task.source_key)
        lea.post(task_of(served[-1]), none())
    assert sorted(served) == sorted([f"gift.{world.first}", f"tea.{world.second}"])


def test_who_has_read_a_flag_enters_no_judgement_made_elsewhere_either(world, cast, key):
    ann, _, lea = cast
    begin(ann)
    flag(ann, key)
    put_back(lea, key)
    task = Task.objects.get(source_key=key)
    user = PutBack.objects.get().by
    result = importing.enter(task.project, user, [Line(key, {"choice": ["none"]})], "test")
    assert [line["code"] for line in result.refused] == ["task.not_free"]


def test_who_holds_the_task_reads_no_flag_of_it(world, cast, key):
    ann, _, lea = cast
    begin(ann)
    flag(ann, key)
    assert begin(lea) == key
    assert lea.post(where("read_flag", "agreement", key)).status_code == 404
    task, user = Task.objects.get(source_key=key), row_of("lea", key).annotator
    with pytest.raises(CommonplaceError) as refused:
        flagging.read(task, user)
    assert refused.value.code == "task.held"


def test_who_sent_and_then_read_a_flag_cannot_take_back_what_they_sent(cast, key):
    ann, _, lea = cast
    begin(ann)
    flag(ann, key)
    begin(lea)
    lea.post(task_of(key), none())
    page = lea.post(where("read_flag", "agreement", key), follow=True)
    assert NOTE in text_of(page)
    assert not lea.get(task_of(key)).context["mine_to_take_back"]
    assert undo(lea, key).status_code == 409
    assert row_of("lea", key).status == Status.SUBMITTED


def test_nobody_puts_back_what_they_have_not_read(cast, key):
    ann, _, lea = cast
    begin(ann)
    flag(ann, key)
    page = lea.post(where("put_back", "agreement", key))
    assert page.status_code == 409
    assert row_of("ann", key).status == Status.FLAGGED


def test_who_decides_and_flagged_it_themselves_puts_it_back_and_goes_on(cast, key):
    _, _, lea = cast
    begin(lea)
    flag(lea, key)
    assert NOTE in text_of(lea.get(where("dispute", "agreement", key)))
    lea.post(where("put_back", "agreement", key), {"word": ""})
    lea.post(task_of(begin(lea)), none())
    assert begin(lea) == key


def test_of_two_flags_who_read_the_other_one_does_not_go_on(cast, key):
    ann, _, lea = cast
    begin(ann)
    flag(ann, key)
    begin(lea)
    flag(lea, key)
    put_back(lea, key)
    assert row_of("ann", key).status == Status.DRAFT
    assert row_of("lea", key).status == Status.SKIPPED
    assert undo(lea, key).status_code == 409


# --- Nothing left to judge ------------------------------------------------------------------------


def test_a_judged_task_without_answers_left_waits_on_the_page_and_can_be_closed(world, cast, key):
    ann, _, lea = cast
    begin(ann)
    ann.post(task_of(key), none())
    task = Task.objects.get(source_key=key)
    Answer.objects.filter(pk__in=task.payload["answers"]).update(removed=True)
    projects.refresh(task.project)
    address = where("dispute", "agreement", key)
    assert address in lea.get(where("disputes", "agreement"), {"why": "stale"}).content.decode()
    page = lea.get(address)
    assert "Nothing is left to judge here" in text_of(page)
    assert not page.context["passes"]
    sent = none("decide", reason="nobody's answers are left", seen="", decision="")
    assert lea.post(address, sent).status_code == 302
    assert Task.objects.get(source_key=key).status == Task.Status.DECIDED


def test_a_skip_or_flag_put_back_is_no_answer_and_enters_no_statistic(world, people):
    """Case 28."""
    project = world.open(1)
    ann, ben, cem = people("ann", "ben", "cem")
    row = queueing.take(project, ann)
    queueing.flag(row, NOTE)
    flagging.read(row.task, cem)
    flagging.put_back(row.task, "", cem)
    queueing.skip(queueing.take(project, ben), "")
    assert not Judgement.objects.exists()
    again = queueing.take(project, ann)
    assert again.task_id == row.task_id
    judging.submit(again, NO_AGREEMENT)
    assert judge(project, ben, NO_AGREEMENT).task_id != row.task_id
