"""Players at their sockets, at the product's own server: what they are shown, what is refused."""

import asyncio
import json

import pytest
from channels.layers import get_channel_layer
from django.utils import translation
from django.utils.translation import gettext

from config.asgi import Application
from games import consumers, wire
from games.machine import Phase
from games.models import Game, GameEvent, Seat, Utterance
from studies import links
from studies.models import Participation
from studies.participation import Status
from tests.games.serving import Page, serving

pytestmark = pytest.mark.django_db(transaction=True)
CLUE = "You see it in the evening by the sea."


@pytest.fixture
def host(transactional_db, settings):
    settings.TIME_SCALE = 1  # nobody is lost while a test looks at something else
    with serving() as host:
        yield host


@pytest.fixture
def open_page(host):
    """Opens somebody's page; all are closed at the end."""
    pages = []

    def open_page(who, **options):
        pages.append(Page(host, who, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()


@pytest.fixture
def table(playing, open_page):
    """A game with both at their pages: (the game, the giver's page, the guesser's)."""
    sitting = playing()
    giver = sitting.giver
    pages = [open_page(sitting.people[seat]) for seat in (giver, 1 - giver)]
    for page in pages:
        page.next("view")
    return sitting, *pages


def test_who_opens_a_page_is_shown_where_they_stand(playing, open_page):
    sitting = playing()
    page = open_page(sitting.people[sitting.giver])
    view = page.next()
    assert view["type"] == "view"
    assert view["version"] == Game.objects.get().version
    assert sitting.word in view["html"]
    assert view["beat"] > 0


def test_a_clue_is_acknowledged_once_it_is_stored_and_reaches_the_partner(table):
    sitting, giver, guesser = table
    answer = giver.says("clue", text=CLUE)
    assert answer["type"] == "ack"
    assert Utterance.objects.get(kind="clue").text == CLUE
    assert guesser.until(CLUE)["version"] == answer["version"]
    assert giver.until(CLUE)["version"] == answer["version"]
    assert sitting.state.phase is Phase.GUESS


def test_no_byte_to_the_guesser_holds_the_word(table):
    sitting, giver, guesser = table
    word = sitting.word
    giver.says("clue", text=f"It is called {word}.")
    giver.says("clue", text=CLUE)
    guesser.until(CLUE)
    guesser.says("guess", text="A thing of glass")
    guesser.send("look")
    guesser.next("view")
    assert len(guesser.seen) >= 4
    assert not [text for text in guesser.seen if word in text or word.lower() in text.lower()]


def test_a_command_that_is_sent_again_is_followed_once_and_acknowledged_twice(table):
    _sitting, giver, _guesser = table
    first = giver.says("clue", nonce="once", text=CLUE)
    again = giver.says("clue", nonce="once", text=CLUE)
    assert [first["type"], again["type"]] == ["ack", "ack"]
    assert Utterance.objects.filter(kind="clue").count() == 1
    assert GameEvent.objects.filter(nonce="once").count() == 1


NONSENSE = [
    ("no message", "game.malformed"),
    ("[]", "game.malformed"),
    ('{"nonce": "a"}', "game.malformed"),
    ('{"do": 7}', "game.malformed"),
    ('{"do": "clue", "text": ["a"]}', "game.malformed"),
    ('{"do": "clue", "text": "\\ud800"}', "game.malformed"),
    ('{"do": "clue", "text": "\\u0000"}', "game.malformed"),
    (json.dumps({"do": "clue", "nonce": "n" * 41, "text": "a"}), "game.malformed"),
    ("[" * 5000, "game.malformed"),
    (json.dumps({"do": "clue", "text": "a" * 9000}), "game.oversized"),
    ('{"do": "win"}', "game.order"),
    ('{"do": "tick"}', "game.order"),
    ('{"do": "clue"}', "game.order"),
    ('{"do": "clue", "text": " "}', "game.empty"),
    ('{"do": "ready"}', "game.not_now"),
]


def test_what_makes_no_sense_is_refused_with_a_code_and_the_game_goes_on(table):
    _sitting, giver, _guesser = table
    before = Game.objects.get().version
    for text, code in NONSENSE:
        giver.socket.send(text)
        refused = giver.next("refused")
        assert (refused["code"], bool(refused["message"])) == (code, True), text
    assert Game.objects.get().version == before
    assert giver.says("clue", text=CLUE)["type"] == "ack"


def test_who_is_not_in_turn_is_refused_and_shown_what_there_is(table):
    _sitting, giver, guesser = table
    assert guesser.says("clue", text=CLUE)["code"] == "game.not_your_turn"
    assert guesser.next()["type"] == "view"
    giver.says("clue", text=CLUE)
    assert giver.says("guess", text="Bell night")["code"] == "game.not_your_turn"
    assert not Utterance.objects.filter(kind="guess").exists()


def test_too_much_at_once_is_refused_and_what_comes_later_is_not(table, monkeypatch):
    _sitting, giver, guesser = table
    monkeypatch.setattr(wire, "BURST", 3)
    monkeypatch.setattr(wire, "A_SECOND", 0.5)  # less than the busiest machine gets through
    for _message in range(20):
        guesser.send("look")
    assert guesser.next("refused")["code"] == "game.too_fast"
    assert giver.says("clue", text=CLUE)["type"] == "ack"


def test_bytes_and_what_is_far_too_long_close_the_socket_and_harm_nothing(table, open_page):
    sitting, giver, guesser = table
    guesser.socket.send(b"\x00\x01")
    giver.socket.send("a" * 100_000)
    assert guesser.closed() == 4400
    assert giver.closed() == 1009
    back = open_page(sitting.people[sitting.giver])
    assert back.says("clue", text=CLUE)["type"] == "ack"


def test_a_page_of_another_origin_gets_no_word(playing, open_page, host):
    sitting = playing()
    for origin in (
        f"https://{host}",
        "http://evil.example",
        "http://127.0.0.1:1",
        f"http://{host}.evil.example",
        "null",
    ):
        page = open_page(sitting.people[0], origin=origin)
        assert (page.closed(), page.seen) == (4403, []), origin


def test_a_link_that_is_not_ours_opens_nothing(playing, open_page):
    one, other = playing().people
    mixed = f"{one.code}.{links.token(other).partition('.')[2]}"
    for token in ("forged", f"{one.code}.forged", mixed):
        page = open_page(one, token=token)
        assert (page.closed(), page.seen) == (4404, []), token


def test_a_newer_tab_takes_over_and_the_older_says_so(table, open_page):
    sitting, giver, _guesser = table
    newer = open_page(sitting.people[sitting.giver], tab="newer")
    assert giver.next("taken") == {"type": "taken"}
    assert giver.closed() == 4409
    assert newer.says("clue", text=CLUE)["type"] == "ack"
    assert Seat.objects.get(participation=sitting.people[sitting.giver]).tab.endswith(".newer")


def test_a_tab_that_reconnects_takes_nothing_from_a_newer_one(playing, open_page):
    sitting = playing()
    who = sitting.people[sitting.giver]
    open_page(who, tab="older").close()
    newer = open_page(who, tab="newer")
    newer.next("view")
    older = open_page(who, tab="older", again=True)
    assert older.closed() == 4409
    assert newer.says("clue", text=CLUE)["type"] == "ack"


def test_five_refreshes_lead_back_to_the_same_game(table, open_page):
    sitting, giver, _guesser = table
    for number in range(5):
        giver.close()
        giver = open_page(sitting.people[sitting.giver], tab=f"t{number}")
        assert sitting.word in giver.next("view")["html"]
    assert giver.says("clue", text=CLUE)["type"] == "ack"


def test_a_heartbeat_is_answered_with_what_the_page_should_show(table):
    _sitting, giver, guesser = table
    giver.says("clue", text=CLUE)
    shown = guesser.until(CLUE)
    guesser.send("beat")
    beat = guesser.next("beat")
    assert (beat["version"], beat["tag"]) == (shown["version"], shown["tag"])


def test_who_has_nothing_to_play_is_told_where_to_go(playing, open_page):
    sitting = playing()
    who = sitting.people[0]
    Participation.objects.filter(pk=who.pk).update(status=Status.SUBMITTED)
    page = open_page(who)
    assert page.next()["type"] == "go"
    assert page.closed() == 4410


def test_a_refusal_is_in_the_participants_language(somebody, open_page):
    page = open_page(somebody(language="es"))
    assert page.next("view")["tag"].endswith(".es")
    page.socket.send("{")
    with translation.override("es"):
        sentence = gettext(wire.MALFORMED)
    assert page.next("refused")["message"] == sentence


def test_a_server_that_ends_closes_its_sockets_with_1012(playing, settings, transactional_db):
    settings.TIME_SCALE = 1
    sitting = playing()
    with serving() as host:
        page = Page(host, sitting.people[0])
        page.next("view")
    assert page.closed() == 1012


def test_a_page_that_takes_nothing_any_more_is_let_go_and_holds_up_nobody(
    playing, monkeypatch, transactional_db
):
    monkeypatch.setattr(consumers, "STALLED", 0.05)
    sitting = playing()
    path = f"/ws/p/{links.token(sitting.people[0])}/game/"
    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost")]
    scope = {"type": "websocket", "scheme": "ws", "path": path, "headers": headers}

    async def stall():
        sent = []

        async def receive():
            return {"type": "websocket.connect"} if not sent else await asyncio.Future()

        async def send(message):
            sent.append(message["type"])
            if message["type"] == "websocket.send":
                await asyncio.Future()

        async with asyncio.timeout(20):
            await Application()({**scope, "query_string": b""}, receive, send)
        return sent, get_channel_layer().groups

    sent, groups = asyncio.run(stall())
    assert sent == ["websocket.accept", "websocket.send"]
    assert groups == {}
