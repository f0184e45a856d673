"""Every page of runs on a phone and a desk, light and dark: accessible and whole; and a run is
started, paused, taken up, judged again and looked into, with scripts and without."""

import os
import re

import pytest
from playwright.sync_api import expect

from core import clock
from evaluation import services
from evaluation.models import Run, Verdict
from inference.models import Lease
from tests.browser.test_annotation import Desk
from tests.evaluation.conftest import do, order, release, stub

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps a loop in this thread
pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["release", "stub"]

JUDGES = ("stub/judge-qwen", "stub/judge-b")
FAULTS = {
    "shares": {"refused": 0.05, "truncated": 0.05, "server_error": 0.1},
    "short": {"distinct": 4, "accuracy": 0.5},
    "n": "cap:4",
}


@pytest.fixture
def admin(django_user_model):
    return django_user_model.objects.create_superuser("alice@example.org", "a password")


@pytest.fixture
def desk(browser, live_server, admin):
    return Desk(browser, live_server.url, admin)


@pytest.fixture
def judged(release, stub):
    """A run of a model and a judge of one family, with replies and verdicts nobody can use."""
    stub(FAULTS)
    given = {"samples": 8}
    asked = services.Order(
        "rasa", release.label, "stub/qwen-7b", given, judges=JUDGES, cap_micro=9_000_000
    )
    run = do(services.start_run(asked, "test"))
    assert run.status == "finished", run.error
    judge_a, judge_b = (entry.judge for entry in run.run_judges.all())
    unread = Verdict.objects.filter(judge=judge_a)[:3].values("pk")
    Verdict.objects.filter(pk__in=list(unread.values_list("pk", flat=True))).update(
        outcome="unparsed", value="", text="I would say it is nearly right."
    )
    failed = list(Verdict.objects.filter(judge=judge_b).values_list("pk", flat=True)[:2])
    Verdict.objects.filter(pk__in=failed).update(outcome="failed", value="", text="")
    return run


def test_every_page_of_a_judged_run_is_accessible_and_fits(desk, judged, release):
    waiting = services.start_run(order(release), "test")
    sample = judged.samples.filter(reply__verdicts__outcome="ok").first()
    pages = {
        "list": "/runs/",
        "list-none": "/runs/?model=nobody",
        "new-rasa": "/runs/new/?benchmark=rasa&release=lantern_coast@1",
        "new-mcq": "/runs/new/?benchmark=ra_mcq",
        "finished": f"/runs/{judged.pk}/",
        "queued": f"/runs/{waiting.pk}/",
        "spend": f"/runs/{judged.pk}/spend/",
        "spend-empty": f"/runs/{waiting.pk}/spend/",
        "samples": f"/runs/{judged.pk}/samples/",
        "samples-none": f"/runs/{judged.pk}/samples/?item=nothing",
        "sample": f"/runs/{judged.pk}/samples/{sample.pk}/",
        "failures": f"/runs/{judged.pk}/failures/",
        "failures-none": f"/runs/{waiting.pk}/failures/",
    }
    for name, address in pages.items():
        assert desk.page.goto(address).status == 200, name
        assert desk.page.locator("h1").count() == 1, name
        desk.looks_right(f"runs-{name}")
    assert desk.faults == []


def test_a_run_under_way_and_one_that_has_paused_are_accessible_and_fit(desk, judged):
    job = judged.job
    job.status = "running"
    job.save()
    Lease.objects.create(
        endpoint=judged.model.endpoint,
        job=job,
        purpose=judged.purpose,
        places=8,
        seen=clock.later(600),
    )
    for status, name in (("running", "running"), ("paused", "paused"), ("failed", "failed")):
        desk.page.goto("about:blank")  # the page of a running run would load itself anew
        error = None if status == "running" else {"code": "run.paused", "message": "Somebody did."}
        Run.objects.filter(pk=judged.pk).update(status=status, stage=2, error=error)
        desk.page.goto(f"/runs/{judged.pk}/")
        expect(desk.page.locator("main")).to_contain_text("Judged by stub/judge-b")
        desk.looks_right(f"runs-{name}")
    assert desk.faults == []


def test_no_table_of_runs_stands_over_the_edge_of_a_desk(desk, judged):
    desk.page.set_viewport_size({"width": 1280, "height": 800})
    for address in ("/runs/", f"/runs/{judged.pk}/spend/", f"/runs/{judged.pk}/samples/"):
        desk.page.goto(address)
        region = desk.page.locator(".scroll").first
        assert region.evaluate("box => box.scrollWidth - box.clientWidth") == 0, address


def test_an_estimate_refused_and_given_is_accessible_and_fits(desk, release, stub):
    stub()
    page = desk.page
    page.goto("/runs/new/?benchmark=rasa")
    page.fill("[name=model]", "nowhere/model")
    page.fill("[name=judges]", "stub/judge-a\nstub/qwen-2")
    page.fill("[name=samples]", "3")
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator(".errorlist")).to_contain_text("There is no endpoint named")
    desk.looks_right("runs-new-refused")
    page.fill("[name=model]", "stub/qwen-7b")
    page.fill("[name=max_cost]", "0.000001")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What it will take")).to_be_visible()
    desk.looks_right("runs-estimate")
    page.get_by_role("button", name="Confirm and start").click()
    expect(page).to_have_url(re.compile(r"/runs/\d+/$"))
    assert Run.objects.get().run_judges.count() == 2
    assert desk.faults == []


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_run_is_paused_resumed_and_judged_again_from_its_page(
    browser, live_server, admin, release, stub, scripts
):
    stub({"short": {"distinct": 2}})
    desk = Desk.__new__(Desk)
    desk.context = browser.new_context(base_url=live_server.url, java_script_enabled=scripts)
    desk.page, desk.faults = desk.context.new_page(), []
    desk.sign_in(admin)
    page = desk.page
    asked = services.Order("rasa", release.label, "stub/one", {"samples": 2, "limit": 2})
    run = services.start_run(asked, "test")

    page.goto(f"/runs/{run.pk}/")
    page.get_by_role("button", name="Pause the run").click()
    expect(page.locator(".notice")).to_contain_text("Nothing is lost")
    page.get_by_role("button", name="Resume the run").click()
    expect(page.locator("#progress")).to_contain_text("Waiting for a worker")
    run.refresh_from_db()
    do(run)
    if not scripts:
        page.reload()
    expect(page.locator(".figure").first).to_be_visible(timeout=15_000)  # it refreshes itself

    page.click("summary:has-text('Judge or read again')")
    page.fill("[name=judges]", "stub/judge-a")
    page.get_by_role("button", name="Judge again").click()
    expect(page.locator("#progress")).to_contain_text("Judging by stub/judge-a")
    run.refresh_from_db()
    do(run)
    page.goto(f"/runs/{run.pk}/samples/")
    page.select_option("[name=verdict]", label="Correct")
    page.get_by_role("button", name="Show").click()
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", name="What judges say")).to_be_visible()
    page.click("summary:has-text('What stub/judge-a was asked')")
    expect(page.locator("article details pre").last).to_be_visible()
