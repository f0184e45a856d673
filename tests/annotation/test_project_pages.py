"""The list of what there is to annotate, and the guideline."""

import pytest
from django.urls import reverse

from annotation.models import Guideline, Judgement, Project
from annotation.selectors import projects as selectors
from tests.annotation import paged
from tests.annotation.paged import begin, filled, none, signed_in, task_of, text_of, where

pytestmark = pytest.mark.django_db


@pytest.fixture
def lea(world, django_user_model):
    return signed_in(paged.leader(world, django_user_model))


def test_a_leader_opens_a_kind_and_tasks_are_there(world, lea):
    assert "Open annotation" in text_of(lea.get(where("projects")))
    page = lea.post(where("open", "agreement"), {"overlap": 3}, follow=True)
    assert Project.objects.get().overlap == 3
    assert "0 of 9 judgements are sent, 0 of 3 tasks decided" in text_of(page)


@pytest.mark.parametrize("overlap", ["0", "10", "", "two"])
def test_an_overlap_nobody_can_have_is_said_at_its_field(world, lea, overlap):
    page = lea.post(where("open", "agreement"), {"overlap": overlap})
    assert page.status_code == 422
    assert page.context["form"].errors.keys() == {"overlap"}
    assert not Project.objects.exists()


def test_a_kind_nobody_knows_or_opened_is_not_there(world, lea):
    assert lea.post(where("open", "nonsense"), {"overlap": 2}).status_code == 404
    assert lea.get(where("gold", "agreement")).status_code == 404


def test_who_may_not_open_reads_who_does(world, people):
    (ann,) = people("ann")
    page = signed_in(ann).get(where("projects"))
    assert "Open annotation" not in text_of(page)
    assert "Whoever leads the study opens it." in text_of(page)


def test_one_who_finished_leaves_half_and_the_others_queue_full(world, people):
    """Case 27."""
    project = world.open()
    ann, ben = people("ann", "ben")
    client = signed_in(ann)
    for _task in range(3):
        client.post(task_of(begin(client)), none())
    theirs, others = selectors.progress_of(project, ann), selectors.progress_of(project, ben)
    assert (theirs.pending, others.pending) == (0, 3)
    assert selectors.progress(project).percent == 50
    assert "50 %: 3 of 6 judgements are sent" in text_of(client.get(where("projects")))
    assert "Nothing is left for you here" in text_of(client.get(where("projects")))


def test_the_five_parts_are_the_total_for_everybody_and_each(world, people):
    """Case 34."""
    project = world.open()
    ann, ben = people("ann", "ben")
    client = signed_in(ann)
    client.post(task_of(begin(client)), {"action": "skip"})
    client.post(task_of(begin(client)), {"action": "flag", "note": "unclear"})
    client.post(task_of(begin(client)), filled("a", [], action="draft"))
    other = signed_in(ben)
    other.post(task_of(begin(other)), none())
    for found in (selectors.progress(project), selectors.progress_of(project, ann)):
        parts = found.pending, found.draft, found.submitted, found.skipped, found.flagged
        assert sum(parts) == found.total
    mine = selectors.progress_of(project, ann)
    assert (mine.pending, mine.draft, mine.submitted, mine.skipped, mine.flagged) == (0, 1, 0, 1, 1)
    overall = selectors.progress(project)
    assert (overall.draft, overall.submitted, overall.skipped, overall.flagged) == (1, 1, 1, 1)
    assert (overall.pending, overall.total, overall.places) == (3, 7, 6)
    assert "3 1 1 1 1 7" in text_of(client.get(where("projects")))


def test_the_next_guideline_stands_beside_the_task_and_older_ones_are_read(world, people, lea):
    world.open()
    (ann,) = people("ann")
    client = signed_in(ann)
    lea.post(where("guideline", "agreement"), {"text": "Milk does not count.", "action": "save"})
    key = begin(client)
    page = client.get(task_of(key))
    assert "Guideline, version 2" in text_of(page)
    assert "Milk does not count." in text_of(page)
    client.post(task_of(key), none())
    assert Judgement.objects.get().guideline.version == 2
    old = Guideline.objects.get(version=1).text
    page = client.get(where("guideline", "agreement"))
    assert old in page.content.decode()
    assert "Write the next version" not in text_of(page)


def test_an_empty_guideline_is_refused(world, lea):
    world.open()
    sent = {"text": "  ", "action": "save"}
    assert lea.post(where("guideline", "agreement"), sent).status_code == 422
    assert Guideline.objects.count() == 1


def test_a_guideline_written_while_the_session_ended_is_there_after_the_sign_in(world, lea):
    project, address = world.open(), where("guideline", "agreement")
    lea.logout()
    sent = {"text": "Milk does not count.", "action": "save"}
    asked = lea.post(address, sent)
    assert (asked.status_code, "Milk does not count." in asked.content.decode()) == (403, True)
    carried = {f"sent-{name}": value for name, value in asked.context["sent"]}
    given = {"username": "lea@example.org", "password": "a password", "next": address}
    again = lea.post(reverse("accounts:sign_in"), given | carried)
    shown = lea.post(again.context["address"], dict(again.context["sent"]))
    assert (shown.status_code, "Milk does not count." in shown.content.decode()) == (200, True)
    assert project.guidelines.count() == 1
    for _twice in range(2):
        assert lea.post(address, sent).status_code == 302
    assert project.guidelines.count() == 2
