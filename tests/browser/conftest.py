"""One served installation and a real Chromium. Every page is watched: an error in its console,
a refused style or script, or a request to another host fails the test.

With COMMONPLACE_SHOTS set to a folder, every page that is looked at is also photographed there,
as `<name>-<width>-<theme>.png`.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.axe import COLOURS, violations
from tests.system.conftest import (  # noqa: F401
    ROOT,
    Installation,
    _installed,
    free_port,
    stub_process,
)

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
PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
WIDTHS = {360: 800, 1280: 800}
SHOTS = os.environ.get("COMMONPLACE_SHOTS")
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass
class Site:
    installation: Installation
    url: str
    state: dict  # cookies of the signed-in administrator


@dataclass
class Cast:
    """The open study `two_shores` and its people: `people` has {status: {"link", "code"}}."""

    installation: Installation
    people: dict[str, dict[str, str]]

    def stored(self, address: str) -> dict:
        """What the database holds of whose personal link begins the address."""
        code = address.split("/p/")[1].partition(".")[0]
        return _inside(self.installation, "stored", code)


def _inside(installation: Installation, *arguments: str) -> dict:
    command = [sys.executable, "-m", "tests.browser.cast", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=installation.env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


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
        line = installation.start("serve", "--port", str(free_port())).ready()
        url, link = line.removeprefix("Ready: ").split("  admin: ")
        page = browser.new_page()
        page.goto(link)
        page.fill("[name=new_password1]", PASSWORD)
        page.fill("[name=new_password2]", PASSWORD)
        page.click("main button[type=submit]")
        page.wait_for_url(f"{url}/")
        yield Site(installation, url, page.context.storage_state())


@pytest.fixture(scope="session")
def cast(site) -> Cast:
    """A study in Bengali, Hindi and Urdu that collects, with somebody in every status."""
    for command in (("load_study", "tests/browser/study.yaml"), ("open_study", "two_shores")):
        code, done = site.installation.manage(*command)
        assert code == 0, done
    return Cast(site.installation, _inside(site.installation, "people"))


class Watched:
    """Opens pages and remembers what went wrong on them."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.browser, self.site = browser, site
        self.contexts: list[BrowserContext] = []
        self.strangers: list[BrowserContext] = []
        self.faults: list[str] = []

    def page(self, **options) -> Page:
        """A new page of the signed-in administrator."""
        return self._opened(storage_state=self.site.state, **options)

    def stranger(self, **options) -> Page:
        """A new page in a browser that has never been here, and must be given no cookie."""
        page = self._opened(**options)
        self.strangers.append(page.context)
        return page

    def tab(self, page: Page) -> Page:
        """One more page in the same browser."""
        opened = page.context.new_page()
        self._watch(opened)
        return opened

    def weigh(self, page: Page, address: str) -> tuple[int, int]:
        """Open an address in a new page: its HTTP status, and the bytes gz of all it loads."""
        answers = []
        page.on("response", lambda answer: answers.append(answer))
        status = page.goto(address).status
        return status, sum(len(gzip.compress(answer.body())) for answer in answers)

    def look(self, page: Page, name: str) -> None:
        """Fail unless the page is accessible and fits on a phone and a desk, light and dark."""
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            for theme in ("light", "dark"):
                page.emulate_media(color_scheme=theme)
                self.photograph(page, f"{name}-{width}-{theme}")
                assert violations(page, COLOURS if theme == "dark" else {}) == [], (width, theme)
                assert page.evaluate(WIDE) == 0, (width, theme)

    def photograph(self, page: Page, name: str) -> None:
        if SHOTS:
            path = Path(SHOTS) / f"{name}.png"
            page.screenshot(path=path, full_page=True, animations="disabled")

    def leave(self, page: Page) -> None:
        """Close the browser; who opens another has nothing but the link."""
        assert page.context.cookies() == []
        self.contexts.remove(page.context)
        self.strangers.remove(page.context)
        page.context.close()

    def _opened(self, **options) -> Page:
        context = self.browser.new_context(base_url=self.site.url, **options)
        self.contexts.append(context)
        page = context.new_page()
        self._watch(page)
        return page

    def _watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self._request(request.url))

    def _console(self, message) -> None:
        # A refusal is said in words by the page, and a network that is gone was taken by the test.
        known = ("responded with a status of 4", "net::ERR_INTERNET_DISCONNECTED")
        if message.type in ("error", "warning") and not any(each in message.text for each in known):
            self.faults.append(message.text)

    def _request(self, url: str) -> None:
        if not url.startswith((self.site.url, "data:")):
            self.faults.append(f"asked another host: {url}")


@pytest.fixture
def watched(browser, site) -> Iterator[Watched]:
    opened = Watched(browser, site)
    yield opened
    cookies = [context.cookies() for context in opened.strangers]
    for context in opened.contexts:
        context.close()
    assert opened.faults == []
    assert not any(cookies)
