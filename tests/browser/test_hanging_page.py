"""What gold hangs on, read on a phone and on a desk, and from a figure to the people behind it."""

import os

import pytest
from playwright.sync_api import expect

from annotation.services import projects
from tests.annotation import paged
from tests.annotation.conftest import people, world
from tests.annotation.paged import where
from tests.annotation.test_hanging_of_a_study import both_say, decided
from tests.browser.test_annotation import Desk

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps a loop in this thread
pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["decided", "people", "world"]


def test_it_is_accessible_fits_everywhere_and_leads_to_who_decided(
    browser, live_server, decided, people, django_user_model
):
    decided.study.regions.exclude(slug__in=[decided.first, decided.second]).delete()
    pair = projects.open_project(decided.study, "pair", "test")
    both_say(pair, people("eva", "fay"), {"choice": "agree"})
    lea = Desk(browser, live_server.url, paged.leader(decided, django_user_model))
    page = lea.page
    page.goto(where("hanging"))
    page.set_viewport_size({"width": 1280, "height": 800})
    for box in page.locator(".scroll").all():
        assert box.evaluate("box => box.scrollWidth - box.clientWidth") == 0
    lea.looks_right("annotation-hanging")
    page.locator("select[name=on]").select_option("reviewer")
    page.get_by_role("button", name="Show").click()
    listed = page.get_by_role("region", name="Gold answers that hang on something")
    expect(listed.get_by_role("link")).to_have_count(1)
    listed.get_by_role("link").click()
    expect(page.get_by_text("By cem@example.org.")).to_be_visible()
    assert lea.faults == []
