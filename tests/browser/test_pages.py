"""Every page on a phone and a desk, light and dark: accessible, nothing overflowing, light."""

import re

import pytest

from tests.browser.axe import violations

BUDGET = 150_000  # bytes gz of a console page with all it loads

PAGES = (
    "/",
    "/releases/",
    "/releases/import/",
    "/releases/lantern_coast/1/",
    "/releases/lantern_coast/1/questions/",
    "/releases/lantern_coast/1/findings/",
    "/releases/lantern_coast/1/items/lc_001/",
    "/studies/",
    "/studies/new/",
    "/studies/lantern_coast/",
    "/studies/lantern_coast/facts/",
    "/studies/lantern_coast/regions/",
    "/studies/lantern_coast/regions/new/",
    "/studies/lantern_coast/regions/marsh/",
    "/studies/lantern_coast/activities/",
    "/studies/lantern_coast/activities/everyday_life/",
    "/studies/lantern_coast/consent/",
    "/studies/lantern_coast/members/",
    "/studies/lantern_coast/audit/",
    "/runs/",
    "/runs/new/",
    "/runs/{run}/",
    "/runs/{run}/samples/",
    "/runs/{run}/samples/{sample}/",
    "/runs/compare/?run={run}&run={run}",
    "/runs/{paused}/",
    "/runs/99999/",
    "/models/",
    "/accounts/password/",
    "/nowhere/",
)


@pytest.fixture(scope="session")
def runs(site):
    """A finished run, and one that has paused because its endpoint has gone."""
    ask = ("run_benchmark", "ra_mcq", "--release", "lantern_coast", "--model", "stub/b")
    code, finished = site.installation.manage(*ask, "--samples", 3)
    assert code == 0, finished
    kept = site.installation.env["COMMONPLACE_ENDPOINTS"]
    site.installation.env["COMMONPLACE_ENDPOINTS"] = (
        '{"gone": {"base_url": "http://127.0.0.1:9/v1", "key_variable": "NOT_SET_ANYWHERE"}}'
    )
    code, paused = site.installation.manage(*ask[:-1], "gone/b", "--samples", 3)
    site.installation.env["COMMONPLACE_ENDPOINTS"] = kept
    assert code == 1, paused
    return {"run": finished["run"], "paused": paused["run"]}


@pytest.fixture(scope="session")
def study(site):
    """The sample study, set up and owned by the administrator."""
    code, loaded = site.installation.manage("load_study", "studies/samples/lantern_coast.yaml")
    assert code == 0, loaded


@pytest.fixture(scope="session")
def addresses(site, runs, study, browser):
    page = browser.new_context(base_url=site.url, storage_state=site.state).new_page()
    page.goto(f"/runs/{runs['run']}/samples/")
    sample = page.locator("tbody a").first.get_attribute("href").rstrip("/").split("/")[-1]
    page.context.close()
    return {address: address.format(**runs, sample=sample) for address in PAGES}


@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_accessible_light_and_fits_wherever_it_is_read(watched, addresses, address):
    page = watched.page()
    _, weight = watched.weigh(page, addresses[address])
    assert weight <= BUDGET
    watched.look(page, "console" + re.sub(r"\W+", "-", address).rstrip("-"))


def test_the_sign_in_page_is_accessible_to_a_stranger(browser, site):
    page = browser.new_page(base_url=site.url)
    page.goto("/accounts/sign-in/")
    assert violations(page) == []
    page.fill("[name=username]", "nobody@example.org")
    page.fill("[name=password]", "wrong")
    page.click("main button[type=submit]")
    assert page.locator("[role=alert]").count()
    assert violations(page) == []
    page.context.close()


def test_the_keyboard_reaches_the_content_first(watched):
    page = watched.page()
    page.goto("/runs/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"
