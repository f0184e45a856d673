"""A game in Bengali, Hindi and Urdu at the product's own server, and who sits at it in a browser.

The server runs in the process of the test, since players' sockets need one.
"""

import os
import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Page, expect

from games.machine import Player
from games.machine.commands import Ready
from games.models import GamePlan
from games.rules import Rules
from games.services import starting
from studies import links, services
from studies.models import Activity, Artifact, Membership, Participant, Participation, Study
from studies.participation import Status
from studies.permissions import Role
from tests.browser.axe import COLOURS, violations
from tests.browser.conftest import PHONE, SHOTS, WIDE, WIDTHS
from tests.browser.test_taking_part import Keys
from tests.games.conftest import Sitting, named
from tests.games.serving import serving
from tests.system.conftest import until

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps a loop in this thread
STUDY = Path(__file__).with_name("study.yaml")
LANGUAGES = ("bn", "hi", "ur")
# name, alias, what else must not be said
THINGS = (
    ("ছাতিম ফুল", "Chhatim", "শরৎকাল"),
    ("পাটিসাপটা", "Patishapta", "পৌষ"),
    ("বাতিঘরের মেলা", "Batighar mela", "আলো"),
    ("নৌকাবাইচ", "Nouka baich", "দাঁড়"),
)
# What is gone for a while says so in the console of the browser, and a refusal in the page.
EXPECTED = ("responded with a status of 4", "net::ERR_", "WebSocket connection to")
SMALL = """() => [...document.querySelectorAll(
  "main button, main a[role=button], main input:not([type=hidden]), main textarea, main select")]
  .filter(each => each.checkVisibility() && !each.classList.contains("visually-hidden"))
  .map(each => [each.closest("label") || each])
  .map(([each]) => [each.getBoundingClientRect(), each.outerHTML.slice(0, 120)])
  .filter(([box]) => box.height < 43.5 || box.width < 43.5)
  .map(([box, html]) => `${box.width} x ${box.height} ${html}`)"""


class Wire:
    """What lies between phones and the server: it can be cut, let through only what is sent and
    nothing that is answered, and refuse sockets."""

    def __init__(self, server: tuple[str, int]) -> None:
        self.server = server
        self.is_cut = self.is_deaf = self.without_sockets = False
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.open: set[socket.socket] = set()
        self._start(self._accept)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def cut(self) -> None:
        self.is_cut = True
        for end in list(self.open):
            self._close(end)

    def restore(self) -> None:
        self.is_cut = self.is_deaf = False

    def close(self) -> None:
        self.cut()
        self._close(self.listening)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                phone, _address = self.listening.accept()
                self.open.add(phone)
                self._start(self._join, phone)

    def _join(self, phone: socket.socket) -> None:
        with suppress(OSError):
            first = b"" if self.is_cut else phone.recv(65_536)
            if first and not (self.without_sockets and first.startswith(b"GET /ws/")):
                server = socket.create_connection(self.server)
                self.open.add(server)
                server.sendall(first)
                self._start(self._pump, phone, server, False)
                return self._pump(server, phone, True)
        return self._close(phone)

    def _pump(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        with suppress(OSError):
            while piece := source.recv(65_536):
                if not (answers and self.is_deaf):
                    target.sendall(piece)
        for end in (source, target):
            self._close(end)

    def _close(self, end: socket.socket) -> None:
        self.open.discard(end)
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()

    def _start(self, work: Callable[..., None], *given: object) -> None:
        threading.Thread(target=work, args=given, daemon=True).start()


class Held:
    """Somebody's page in a browser of their own; what it says in its console is a fault."""

    def __init__(self, browser, url: str, **options) -> None:
        self.faults, self.heard, self.sent = [], [], []
        self.context = browser.new_context(base_url=url, **options)
        self.page = self.open()

    def open(self) -> Page:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._console)
        page.on("websocket", self._listen)
        self.page = page
        return page

    def _console(self, message) -> None:
        known = any(each in message.text for each in EXPECTED)
        if message.type in ("error", "warning") and not known:
            self.faults.append(message.text)

    def _listen(self, socket) -> None:
        socket.on("framereceived", lambda text: self.heard.append(str(text)))
        socket.on("framesent", lambda text: self.sent.append(str(text)))

    def look(self, name: str) -> None:
        look(self.page, name)

    def photograph(self, name: str) -> None:
        photograph(self.page, name)


def look(page: Page, name: str) -> None:
    """Fail unless the page is accessible, fits on a phone and a desk, light and dark, and has
    nothing too small for a thumb. One column has no other colours on a desk than on a phone."""
    before = page.viewport_size
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            photograph(page, f"{name}-{width}-{theme}")
            if theme == "light" or width == min(WIDTHS):
                faults = violations(page, COLOURS if theme == "dark" else {})
                assert faults == [], (name, width, theme)
            assert page.evaluate(WIDE) == 0, (name, width, theme)
        assert page.evaluate(SMALL) == [], (name, width)
    page.set_viewport_size(before)
    page.emulate_media(color_scheme="light")


def photograph(page: Page, name: str) -> None:
    if SHOTS:
        path = Path(SHOTS) / f"{name}.png"
        page.screenshot(path=path, full_page=True, animations="disabled")


class Phone(Held):
    """A participant's; they have a thumb."""

    def __init__(self, browser, url: str, row: Participation, **options) -> None:
        self.row = row
        super().__init__(browser, url, **({**PHONE, **options}))

    def go(self, address: str = "") -> "Phone":
        self.page.goto(address or f"/p/{links.token(self.row)}/game/")
        return self

    def home(self) -> "Phone":
        return self.go(links.personal(self.row))

    def do(self, value: str, **fields: str) -> None:
        """Write what is given, and press the button whose value that is."""
        expect(self.button(value)).to_be_visible()
        self.write(**fields)
        self.press(value)

    def write(self, **fields: str) -> None:
        for name, text in fields.items():
            self.page.fill(f"main [name={name}]", text)

    def choose(self, **fields: str) -> None:
        for name, value in fields.items():
            self.page.check(f"main [name={name}][value='{value}']")

    def press(self, value: str) -> None:
        self.button(value).click()

    def button(self, value: str):
        return self.page.locator(f"main button[value={value}]:visible").first

    def connects(self) -> None:
        """Wait until something has come by the socket."""
        until(lambda: self.page.title() and self.heard)

    def ever(self) -> str:
        """All that has reached the phone since it was opened first."""
        return "\n".join([*self.heard, self.page.content()])

    def sees(self, words: str) -> None:
        expect(self.page.locator("main")).to_contain_text(words)

    def sees_not(self, words: str) -> None:
        expect(self.page.locator("main")).not_to_contain_text(words)


class Keyed(Phone):
    """As a phone, of somebody who has a keyboard and nothing else."""

    @property
    def keys(self) -> Keys:
        return Keys(self.page)

    def write(self, **fields: str) -> None:
        for name, text in fields.items():
            self.keys.reach(f"[name={name}]")
            self.page.keyboard.press("Control+A")
            self.page.keyboard.insert_text(text)

    def choose(self, **fields: str) -> None:
        for name, value in fields.items():
            self.keys.press(f"[name={name}]", "Space")
            for _down in range(9):
                if self.page.locator(f"[name={name}][value='{value}']").is_checked():
                    break
                self.page.keyboard.press("ArrowDown")

    def press(self, value: str) -> None:
        self.keys.press(f"button[value={value}]")


@pytest.fixture
def url(transactional_db, settings):
    settings.TIME_SCALE = 1
    settings.GAME_HEARTBEAT = 0.5
    settings.GAME_IDLE_AFTER = 3600  # nobody is lost while a test looks at something else
    with serving() as host:
        yield f"http://{host}"


@pytest.fixture
def study(transactional_db) -> Study:
    study = services.load_file(STUDY, "test").study
    study.status = Study.Status.COLLECTING
    study.save()
    for name, alias, forbidden in THINGS:
        artifact = Artifact.objects.create(
            study=study, region=study.regions.get(slug="harbour"), status=Artifact.Status.LISTED
        )
        named(artifact, name)
        named(artifact, alias, kind="alias")
        named(artifact, forbidden, kind="forbidden")
    return study


@pytest.fixture
def game(study) -> Activity:
    """A game of the study, which is open: two words in all."""
    activity = Activity.objects.create(
        study=study,
        slug="taboo",
        names={
            "bn": "সূত্রের খেলা",
            "hi": "सुराग़ों का खेल",
            "ur": "اشاروں کا کھیل",
            "en": "A game of clues",
        },
        kind="game",
        phase="main",
        reward="hourly",
        amount_minor=1200,
        minutes=60,
        position=9,
        codes={code: code.upper()[:8] for code in ("completed", "cut_short", "withdrawn")},
    )
    GamePlan.objects.create(activity=activity, rules=Rules(deck=1).as_json())
    return activity


@pytest.fixture
def somebody(study, game) -> Callable[..., Participation]:
    """Makes somebody who was let in to the game."""
    home = study.regions.get(slug="harbour")

    def somebody(language="bn"):
        who = Participant.objects.create(study=study, region=home, language=language)
        return Participation.objects.create(
            participant=who, activity=game, status=Status.ACTIVE, slot_region=home
        )

    return somebody


@pytest.fixture
def seat(game, somebody) -> Callable[..., Sitting]:
    """Makes a game of two people, both ready, dealt the same way every time."""

    def seat(*languages, ready=True, **rules) -> Sitting:
        people = [somebody(each) for each in (languages or ("bn", "bn"))]
        region = people[0].participant.region
        sitting = [(who, Player.HUMAN) for who in people]
        rules = Rules.read({"deck": 1, **rules})
        found = Sitting(starting.start(game, region, rules, sitting, Random(1)), people)
        for number in (0, 1) if ready else ():
            found.say(number, Ready())
        return found

    return seat


@pytest.fixture
def phones(browser, url):
    """Opens participants' phones; none of them may have had a fault."""
    with ExitStack() as opened:
        made: list[Phone] = []

        def phones(row, kind=Phone, **options) -> Phone:
            made.append(kind(browser, options.pop("url", url), row, **options))
            opened.callback(made[-1].context.close)
            return made[-1]

        yield phones
    assert [fault for each in made for fault in each.faults] == []


@pytest.fixture
def wire(url):
    laid = Wire(("127.0.0.1", int(url.rpartition(":")[2])))
    yield laid
    laid.close()


@pytest.fixture
def moderator(study, django_user_model):
    user = django_user_model.objects.create_user("mod@example.org", "a password")
    Membership.objects.create(study=study, user=user, role=Role.MODERATOR)
    return user
