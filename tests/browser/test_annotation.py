"""Two annotators and an adjudicator in real browsers, by keyboard alone, from answers to gold."""

import os

import pytest
from playwright.sync_api import expect

from annotation.models import Decision, GoldAnswer, Judgement
from collection.models import Answer, Submission
from tests.annotation import paged
from tests.annotation.conftest import people, world
from tests.annotation.paged import task_of, where
from tests.browser.axe import COLOURS, violations
from tests.browser.conftest import SHOTS, WIDE, WIDTHS

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps a loop in this thread
pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["people", "world"]

TEXT = "Tea is drunk hot. 1 a n s f?"  # letters that are keys elsewhere
BENGALI = ["চা খুব গরম খাওয়া হয়।", "গরম চা, সকালে আর বিকেলে।", "চা গরম গরম খাই।", "গরম চা।", "ঠান্ডা চা।"]


class Desk:
    """A signed-in person's page, watched for errors."""

    def __init__(self, browser, url, user):
        self.context = browser.new_context(base_url=url)
        self.page = self.context.new_page()
        self.faults = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.sign_in(user)

    def sign_in(self, user):
        self.page.goto("/accounts/sign-in/")
        self.page.fill("[name=username]", user.email)
        self.page.fill("[name=password]", "a password")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("text=Studies")

    def press(self, *keys):
        """Keys mean nothing before the page's script has run, however much is seen of it."""
        self.page.wait_for_load_state()
        for key in keys:
            self.page.keyboard.press(key)

    def next_task(self):
        self.page.goto(where("projects"))
        self.page.locator("button", has_text="Next task").press("Enter")
        self.page.wait_for_selector("#judging")

    def looks_right(self, name):
        """Colours in the dark are the same at any width, so they are gone through at one."""
        for width, height in WIDTHS.items():
            self.page.set_viewport_size({"width": width, "height": height})
            for theme in ("light", "dark"):
                self.page.emulate_media(color_scheme=theme)
                if theme == "light" or width == min(WIDTHS):
                    found = violations(self.page, COLOURS if theme == "dark" else {})
                    assert found == [], (name, width, theme)
                assert not self.page.evaluate(WIDE), (name, width)
                if SHOTS:
                    path = f"{SHOTS}/{name}-{width}-{theme}.png"
                    self.page.screenshot(path=path, full_page=True, animations="disabled")


def test_two_annotators_and_an_adjudicator_make_gold_by_keyboard(
    browser, live_server, world, people, django_user_model
):
    _in_bengali(world)
    world.open()
    ann, ben = (Desk(browser, live_server.url, user) for user in people("ann", "ben"))
    lea = Desk(browser, live_server.url, paged.leader(world, django_user_model))

    ann.next_task()
    ann.looks_right("annotation-task")
    ann.press("a", "1", "2", "3", "4", "t")
    ann.page.keyboard.type(TEXT)
    ann.press("Escape")
    assert ann.page.input_value("#concept-0") == TEXT
    assert ann.page.locator(".ticks input:checked").count() == 4
    expect(ann.page.locator(".save-state")).to_have_text("Saved.")
    ann.press("1", "Enter")  # three support it, four are needed
    ann.page.wait_for_selector(".notice.bad")
    ann.press("1", "Enter")
    ann.page.wait_for_selector("text=Take back")
    assert Judgement.objects.count() == 1

    ben.next_task()
    ben.press("n", "Enter")
    ben.page.wait_for_selector("text=Sent.")

    lea.page.goto(where("dispute", "agreement", f"tea.{world.first}") + "?from=A")
    lea.looks_right("annotation-dispute")
    lea.page.focus("#reason")
    lea.page.keyboard.type("The fifth says cold tea.")
    lea.press("Control+Enter")
    lea.page.wait_for_selector("text=Decided.")
    assert Decision.objects.get(current=True).by == "person"
    gold = GoldAnswer.objects.get()
    assert (gold.texts, gold.support.count()) == ([TEXT], 4)
    for name, *key in (("gold",), ("trace", f"tea.{world.first}")):
        lea.page.goto(where(name, "agreement", *key))
        lea.looks_right(f"annotation-{name}")
    assert [desk.faults for desk in (ann, ben, lea)] == [[], [], []]


def test_what_was_typed_survives_a_lost_network_and_an_ended_session(
    browser, live_server, world, people
):
    world.open()
    (user,) = people("ann")
    ann = Desk(browser, live_server.url, user)
    ann.next_task()
    ann.press("a", "1", "2", "3", "4", "t")
    ann.page.keyboard.type("Tea is hot")
    ann.page.route("**/tasks/**", lose_what_is_sent)
    ann.page.keyboard.type(", always")
    expect(ann.page.locator(".save-state")).to_contain_text("Kept")
    ann.page.goto(task_of(f"tea.{world.first}"))
    expect(ann.page.locator("#concept-0")).to_have_value("Tea is hot, always")
    ann.page.unroute("**/tasks/**")

    ann.context.clear_cookies(name="sessionid")
    ann.press("Control+Enter")
    ann.page.wait_for_selector("[name=password]")
    ann.page.fill("[name=username]", user.email)
    ann.page.fill("[name=password]", "a password")
    ann.press("Enter")
    ann.page.wait_for_selector("text=You are signed in again")
    ann.page.locator("main form button[type=submit]").press("Enter")
    expect(ann.page.locator("#concept-0")).to_have_value("Tea is hot, always")
    ann.press("Control+Enter")
    ann.page.wait_for_selector("text=Take back")
    assert Judgement.objects.count() == 1
    assert ann.faults == []


def test_a_page_loaded_while_a_draft_is_saved_shows_what_was_typed(
    browser, live_server, world, people
):
    """The page is made before the draft arrives, and comes after it has been said to be saved."""
    world.open()
    ann = Desk(browser, live_server.url, *people("ann"))
    ann.next_task()
    ann.press("a", "t")
    page, saving = ann.page, []

    def overtake(route):
        if route.request.method == "POST":
            saving.append(route)
        else:
            loaded = route.fetch()
            saving[0].fulfill(response=saving[0].fetch())
            route.fulfill(response=loaded)

    page.route("**/tasks/**", overtake, times=2)
    with page.expect_request(lambda request: request.method == "POST"):
        page.keyboard.type("Tea is hot, always")
    with page.expect_navigation():
        page.evaluate("void setTimeout(() => location.reload())")
    expect(page.locator("#concept-0")).to_have_value("Tea is hot, always")
    assert ann.faults == []


def lose_what_is_sent(route):
    """The network takes nothing from the page; a page that is loaded still comes, as of a cache."""
    route.abort() if route.request.method == "POST" else route.continue_()


def _in_bengali(world):
    rows = Answer.objects.filter(pk__in=world.answers("tea", world.first)).order_by("pk")
    for row, text in zip(rows, BENGALI, strict=True):
        Answer.objects.filter(pk=row.pk).update(text=text)
        Submission.objects.filter(pk=row.submission_id).update(language="bn")
