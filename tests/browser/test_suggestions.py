"""A suggestion beside a task, in Bengali and by keyboard: folded, looked at, written in, sent."""

import os

import pytest

from annotation.models import Judgement
from annotation.services import suggesting
from collection.models import Submission
from tests.annotation import paged
from tests.annotation.conftest import people, world
from tests.annotation.paged import where
from tests.annotation.spelt import lets_a_model_read, ordered
from tests.browser.test_annotation import Desk
from tests.evaluation.conftest import stub

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps a loop in this thread
pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["people", "stub", "world"]

GIFTS = ["সুতির শাড়ি।", "সুতির শাড়ি", "সুতির  শাড়ি!", "সুতির শাড়ি।", "মিষ্টি।"]


def test_a_suggestion_is_looked_at_and_sent_by_keyboard_alone(
    browser, live_server, world, people, stub, django_user_model
):
    world.study.regions.exclude(slug__in=[world.first, world.second]).delete()
    Submission.objects.all().delete()
    for text in GIFTS:
        row = lets_a_model_read(world.come(world.first, gift=text))
        row.submissions.update(language="bn")
    stub({})
    project = world.open()
    suggesting.hide(project, 0, "test")
    assert ordered(project, "stub/one").status == "done"
    assert ordered(project).status == "done"
    ann = Desk(browser, live_server.url, people("ann")[0])
    ann.next_task()
    ann.looks_right("suggestion-folded")
    ann.press("g")
    ann.page.wait_for_selector("text=Suggested by")
    assert ann.page.input_value("#concept-0") == ""
    ann.looks_right("suggestion-unfolded")
    ann.page.locator("button[value=take_over]").press("Enter")
    ann.page.wait_for_selector(".ticks input:checked", state="attached")
    assert ann.page.input_value("#concept-0") == GIFTS[0]
    ann.press("Enter")
    ann.page.wait_for_selector("text=Take back")
    assert Judgement.objects.get().beside == "unfolded"
    lea = Desk(browser, live_server.url, paged.leader(world, django_user_model))
    lea.page.goto(where("suggestions", "agreement"))
    lea.looks_right("suggestions")
    assert [ann.faults, lea.faults] == [[], []]
