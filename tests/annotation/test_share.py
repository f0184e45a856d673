"""How many of many answers have to agree: the threshold, or a share of them."""

import pytest

from annotation.models import GoldAnswer, Project
from annotation.services import projects
from core.errors import CommonplaceError
from core.models import AuditEntry, Job
from tests.annotation import paged
from tests.annotation.conftest import agreement, judge
from tests.annotation.paged import signed_in, text_of, where

pytestmark = pytest.mark.django_db


@pytest.fixture
def lea(world, django_user_model):
    return signed_in(paged.leader(world, django_user_model))


@pytest.fixture
def crowd(world):
    """Eight people of the harbour answer about tea."""
    for number in range(5, 8):
        world.come(world.first, tea=f"It is drunk hot ({number}).")
    return world


def work_off():
    for job in Job.objects.filter(kind=projects.REFRESH):
        projects.refresh_study(job.args["study"])


def set_to(client, percent):
    return client.post(where("share"), {"share": percent}, follow=True)


def test_where_four_of_eight_would_do_the_page_says_so_and_offers_a_share(crowd, lea):
    crowd.open()
    page = text_of(lea.get(where("projects")))
    assert "Four are few here." in page
    assert "up to 8 answers to a question, and 4 have to agree" in page
    page = text_of(set_to(lea, 80))
    assert Project.objects.get().share == 0.8
    assert "Four are few here." not in page
    assert "8 answers to a question, and 7 have to agree; without the share 4" in page


def test_five_answers_are_no_crowd(world, lea):
    world.open()
    assert "Four are few here." not in text_of(lea.get(where("projects")))


def test_a_share_makes_what_it_changes_stale_and_leaves_the_rest(crowd, lea, people):
    project = crowd.open()
    users = people("ann", "ben")
    for user in users:
        for _task in range(3):
            judge(project, user, lambda task: agreement("The same.", task.payload["answers"]))
    assert GoldAnswer.objects.count() == 3
    set_to(lea, 80)
    work_off()
    tea = crowd.task("tea", crowd.first)
    assert (tea.payload["needed"], tea.stale) == (7, True)
    stale = GoldAnswer.objects.filter(stale=True)
    assert [(row.question.key, row.region.slug) for row in stale] == [("tea", crowd.first)]
    set_to(lea, "")
    work_off()
    assert crowd.task("tea", crowd.first).payload["needed"] == 4
    assert not GoldAnswer.objects.filter(stale=True).exists()


def test_what_nobody_has_judged_is_asked_with_the_new_number_at_once(crowd, lea):
    crowd.open()
    set_to(lea, 100)
    work_off()
    tea, gift = crowd.task("tea", crowd.first), crowd.task("gift", crowd.first)
    assert (tea.payload["needed"], tea.stale) == (8, False)
    assert gift.payload["needed"] == 4  # of five


def test_saved_twice_it_is_written_down_once(crowd, lea):
    crowd.open()
    set_to(lea, 80), set_to(lea, 80)
    (entry,) = AuditEntry.objects.filter(action="annotation.share_set")
    assert entry.data["share"] == "80%"
    assert Job.objects.filter(kind=projects.REFRESH).count() == 1


@pytest.mark.parametrize("percent", ["50", "101", "most"])
def test_half_or_less_and_more_than_all_are_said_at_the_field(crowd, lea, percent):
    crowd.open()
    page = set_to(lea, percent)
    assert page.status_code == 422
    assert page.context["sharing"].errors.keys() == {"share"}
    assert Project.objects.get().share is None


def test_the_service_refuses_what_the_table_would(crowd):
    with pytest.raises(CommonplaceError) as refused:
        projects.set_share(crowd.open(), 0.5, "test")
    assert refused.value.code == "annotation.share_unusable"


def test_only_who_may_open_annotation_sees_and_sets_the_share(crowd, people):
    crowd.open()
    (ann,) = people("ann")
    client = signed_in(ann)
    assert "How many answers have to agree" not in text_of(client.get(where("projects")))
    assert set_to(client, 80).status_code == 403
    assert Project.objects.get().share is None


def test_a_change_while_tasks_are_being_refreshed_is_not_lost(crowd):
    project = crowd.open()
    projects.set_share(project, 0.8, "test")
    Job.objects.update(status=Job.Status.RUNNING)
    projects.set_share(project, 0.9, "test")
    assert Job.objects.filter(status=Job.Status.QUEUED, kind=projects.REFRESH).count() == 1
