"""Judging answers by keyboard, and the pages of it: accessible, whole on a phone and on a desk,
light and dark."""

import io
import os

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from annotation.models import Judgement, Task
from annotation.services import judging, queueing
from tests.browser.test_annotation import Desk
from tests.evaluation.judged import CORRECT, PARTLY, WRONG, judged_run
from tests.evaluation.validation.conftest import STUDY, of_study, study, where

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps a loop in this thread
pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["of_study", "study"]


@pytest.fixture
def drawn(of_study, alice):
    alice.set_password("a password")
    alice.save()
    said = (CORRECT, PARTLY, WRONG)
    run = judged_run(of_study, {"mild": lambda place, region, which: said[which]})
    call_command("validate_judges", str(run.pk), "--sample", "9", "--json", stdout=io.StringIO())
    return run


def test_answers_are_judged_by_keyboard_and_every_page_of_it_is_accessible(
    browser, live_server, drawn, alice, django_user_model
):
    desk = Desk(browser, live_server.url, alice)
    page = desk.page
    page.goto(f"/studies/{STUDY}/annotation/")
    page.locator("#verdict button", has_text="Next task").press("Enter")
    page.wait_for_selector("#judging")
    desk.looks_right("validation-task")
    first = page.url
    desk.press("p")
    expect(page.get_by_label("Partially correct")).to_be_checked()
    desk.press("c", "Enter")
    page.wait_for_url(lambda url: url != first)
    assert Judgement.objects.get().value == {"choice": "correct"}
    desk.press("i", "Enter")
    expect(page.locator(".last")).to_contain_text("Sent")

    bea = django_user_model.objects.create_superuser("bea@example.org", "a password")
    for user, choice in ((alice, "correct"), (bea, "incorrect")):
        while row := queueing.take(Task.objects.first().project, user):
            judging.submit(row, {"choice": choice})
    cem = django_user_model.objects.create_superuser("cem@example.org", "a password")
    desk = Desk(browser, live_server.url, cem)
    key = Task.objects.filter(status="disputed").first().source_key
    addresses = {
        "annotation": f"/studies/{STUDY}/annotation/",
        "dispute": where("dispute", key),
        "trace": where("trace", key),
        "gold": where("gold"),
        "figures": f"/runs/{drawn.pk}/validation/",
    }
    for name, address in addresses.items():
        assert desk.page.goto(address).status == 200, name
        assert desk.page.locator("h1").count() == 1, name
        desk.looks_right(f"validation-{name}")
    assert desk.faults == []


def test_the_form_that_draws_is_accessible(browser, live_server, of_study, alice):
    alice.set_password("a password")
    alice.save()
    run = judged_run(of_study, {"mild": lambda place, region, which: CORRECT})
    desk = Desk(browser, live_server.url, alice)
    desk.page.goto(f"/runs/{run.pk}/validation/")
    desk.looks_right("validation-form")
    desk.page.get_by_role("button", name="Draw the sample").click()
    expect(desk.page.locator(".notice.ok")).to_contain_text("Drawn")
    desk.looks_right("validation-drawn")
