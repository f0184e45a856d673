"""One served installation and a real Chromium. Every page is watched: an error in its console,
a refused style or script, or a request to another host fails the test."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.system.conftest import Installation, _installed, stub_process  # noqa: F401

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PASSWORD = "a-first-password"


@dataclass
class Site:
    installation: Installation
    url: str
    state: dict  # cookies of the signed-in administrator


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    assert CHROMIUM, "no Chromium found: apt-get install chromium"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def site(browser, tmp_path_factory, stub_process) -> Iterator[Site]:  # noqa: F811
    """A newcomer's server; its administrator has come in by the one-time link."""
    folder = tmp_path_factory.mktemp("site")
    for installation in _installed(folder, stub_url=stub_process.url):
        line = installation.start("serve", "--port", "8066").ready()
        url, link = line.removeprefix("Ready: ").split("  admin: ")
        page = browser.new_page()
        page.goto(link)
        page.fill("[name=new_password1]", PASSWORD)
        page.fill("[name=new_password2]", PASSWORD)
        page.click("main button[type=submit]")
        page.wait_for_url(f"{url}/")
        yield Site(installation, url, page.context.storage_state())


class Watched:
    """Opens pages and remembers what went wrong on them."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.browser, self.site = browser, site
        self.contexts: list[BrowserContext] = []
        self.faults: list[str] = []

    def page(self, **options) -> Page:
        context = self.browser.new_context(
            base_url=self.site.url, storage_state=self.site.state, **options
        )
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self._request(request.url))
        return page

    def _console(self, message) -> None:
        refused = "responded with a status of 4" in message.text  # the page says it in words
        if message.type in ("error", "warning") and not refused:
            self.faults.append(message.text)

    def _request(self, url: str) -> None:
        if not url.startswith((self.site.url, "data:")):
            self.faults.append(f"asked another host: {url}")


@pytest.fixture
def watched(browser, site) -> Iterator[Watched]:
    opened = Watched(browser, site)
    yield opened
    for context in opened.contexts:
        context.close()
    assert opened.faults == []
