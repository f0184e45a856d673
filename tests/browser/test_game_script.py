"""What the script of the game's page owes who writes there: nothing typed is lost and nothing is
said twice, whatever happens to the network between."""

import json

import pytest
from playwright.sync_api import expect

from games.machine.commands import Clue, Guess
from games.models import GameEvent, Utterance
from tests.browser.table import game, phones, seat, somebody, study, url, wire
from tests.browser.test_taking_part import say
from tests.system.conftest import until

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["game", "phones", "seat", "somebody", "study", "url", "wire"]

bn = say("bn")
CLUE, NEXT = "সন্ধ্যায় দূর থেকে এর গন্ধ পাওয়া যায়।", "সবাই একসঙ্গে এটা দেখতে যায়।"
HALF = "হয়তো শিউ"
UNSENT = "No connection just now. What you sent is kept here, and goes out as soon as it is back."
FIELD = "#game [name=text]"
WAITS = """
  const later = window.setTimeout;
  Math.random = () => 0;
  window.waits = [];
  window.setTimeout = (work, wait) => {
    if (work.name === "connect") waits.push(wait);
    return later(work, wait);
  };"""
CHANGES = """zones => {
  window.changes = [];
  for (const zone of zones) new MutationObserver(all => window.changes.push(...all.map(each =>
    `${zone} -${each.removedNodes.length} +${each.addedNodes.length} ${each.type}`)))
    .observe(document.querySelector(`[data-zone=${zone}]`),
             { childList: true, characterData: true, subtree: true });
}"""


@pytest.fixture
def pair(phones, seat, wire):
    """(the game, the giver's phone, the guesser's), each before their page."""
    sitting = seat()
    opened = [phones(row, url=wire.url).go() for row in sitting.people]
    giver, guesser = opened if sitting.giver == 0 else reversed(opened)
    return sitting, giver, guesser


def types(phone, text):
    phone.page.locator(FIELD).click()
    phone.page.keyboard.insert_text(text)


def test_half_a_guess_outlives_updates_a_refresh_and_a_lost_connection(pair, wire):
    _sitting, giver, guesser = pair
    types(guesser, HALF)
    guesser.page.keyboard.press("ArrowLeft")
    giver.do("clue", text=CLUE)
    guesser.sees(CLUE)
    guesser.page.keyboard.insert_text("!")  # where they were, with the focus they had
    expect(guesser.page.locator(FIELD)).to_have_value(f"{HALF[:-1]}!{HALF[-1]}")
    guesser.page.reload()
    expect(guesser.page.locator(FIELD)).to_have_value(f"{HALF[:-1]}!{HALF[-1]}")
    wire.cut()
    expect(guesser.page.locator("[data-connection]")).to_have_text(
        bn("No connection just now. What you write stays here.")
    )
    guesser.write(text=HALF)
    wire.restore()
    expect(guesser.page.locator("[data-connection]")).not_to_contain_text(
        bn("No connection just now. What you write stays here.")
    )
    expect(guesser.page.locator(FIELD)).to_have_value(HALF)
    guesser.do("next")
    expect(guesser.page.locator(FIELD)).to_have_value(HALF)


def test_a_field_in_which_a_word_is_being_composed_is_left_alone_until_it_is(pair):
    _sitting, giver, guesser = pair
    field = guesser.page.locator(FIELD)
    field.click()
    field.evaluate("each => { each.same = true; }")
    keyboard = guesser.context.new_cdp_session(guesser.page)
    composed = {"selectionStart": 3, "selectionEnd": 3}
    keyboard.send("Input.imeSetComposition", {"text": "শিউ", **composed})
    giver.do("clue", text=CLUE)
    guesser.sees(CLUE)
    expect(guesser.button("guess")).to_have_count(0)
    assert field.input_value() == "শিউ"
    keyboard.send("Input.imeSetComposition", {"text": "শিউলি", **composed})
    keyboard.send("Input.insertText", {"text": "শিউলি"})
    expect(guesser.button("guess")).to_be_visible()
    assert field.evaluate("each => [each.same, each.value]") == [True, "শিউলি"]
    guesser.press("guess")
    guesser.sees(bn("Not it"))


def test_what_was_sent_as_the_network_went_is_sent_again_and_followed_once(pair, wire):
    _sitting, giver, guesser = pair
    giver.connects()
    wire.is_deaf = True  # it arrives, and nobody is told
    giver.do("clue", text=CLUE)
    until(Utterance.objects.exists)
    wire.cut()
    expect(giver.page.locator("[data-connection]")).to_have_text(bn(UNSENT))
    wire.restore()
    guesser.sees(CLUE)
    giver.sees(bn("You describe. Your partner is guessing, or asks for the next clue."))
    expect(giver.page.locator("[data-connection]")).not_to_contain_text(bn(UNSENT))
    sent = [each for each in map(json.loads, giver.sent) if each["do"] == "clue"]
    assert len(sent) >= 2
    assert len({each["nonce"] for each in sent}) == 1
    assert Utterance.objects.filter(kind="clue").count() == 1
    assert GameEvent.objects.filter(kind="clue_said").count() == 1


def test_what_is_sent_without_a_network_waits_and_a_second_click_adds_nothing(pair, wire):
    _sitting, giver, guesser = pair
    wire.cut()
    giver.write(text=CLUE)
    giver.press("clue")
    giver.press("clue")
    expect(giver.page.locator("[data-connection]")).to_have_text(bn(UNSENT))
    expect(giver.page.locator(FIELD)).to_have_value(CLUE)
    assert not Utterance.objects.exists()
    wire.restore()
    guesser.sees(CLUE)
    assert Utterance.objects.filter(kind="clue").count() == 1


def test_without_sockets_it_goes_on_by_the_page_s_own_requests(phones, seat, wire):
    wire.without_sockets = True
    sitting = seat()
    opened = [phones(row, url=wire.url) for row in sitting.people]
    for phone in opened:
        phone.page.clock.install()
        phone.go()
    giver, guesser = opened if sitting.giver == 0 else reversed(opened)
    giver.write(text=CLUE)
    giver.press("clue")
    for phone in (giver, guesser):
        phone.page.clock.fast_forward(5_000)
    guesser.sees(CLUE)
    types(guesser, HALF)
    guesser.press("guess")
    guesser.page.clock.fast_forward(2_000)
    guesser.sees(bn("Not it"))
    assert (giver.heard, guesser.heard) == ([], [])


def test_a_page_that_missed_something_sees_so_by_its_heartbeat_and_asks(pair):
    sitting, _giver, guesser = pair
    guesser.connects()
    sitting.say(sitting.giver, Clue(CLUE))  # nobody is told of it
    guesser.sees(CLUE)
    sitting.say(1 - sitting.giver, Guess(HALF))
    guesser.sees(HALF)


def test_what_is_read_aloud_changes_only_where_there_is_something_new(pair):
    _sitting, giver, guesser = pair
    giver.do("clue", text=CLUE)
    guesser.do("next")
    giver.sees(bn("Your turn: you describe. Write clue %(number)s of %(of)s.", number=2, of=5))
    guesser.sees(
        bn("Your partner describes: they are writing clue %(number)s of %(of)s.", number=2, of=5)
    )
    guesser.page.evaluate(CHANGES, ["turn", "partner", "clues"])
    giver.do("clue", text=NEXT)
    guesser.sees(NEXT)
    changes = guesser.page.evaluate("window.changes")
    assert [each for each in changes if each.startswith("partner")] == []
    assert [each for each in changes if "-1 " in each] == []
    assert changes.count("clues -0 +1 childList") == 1
    assert guesser.page.locator("#game [role=alert]").all_inner_texts() == [""]


def test_a_newer_page_plays_and_the_older_one_says_so_and_may_take_it_back(pair):
    _sitting, giver, _guesser = pair
    giver.connects()
    older = giver.page
    newer = giver.open()
    giver.go()
    taken = bn("The game is open in another tab or on another device.")
    expect(older.locator("[data-taken]")).to_contain_text(taken)
    expect(older.locator("[data-reload]")).to_be_focused()
    older.locator("[data-reload]").click()
    expect(newer.locator("[data-taken]")).to_contain_text(taken)
    expect(older.locator(FIELD)).to_be_visible()


def test_a_lost_page_asks_for_its_socket_less_and_less_often(pair, wire):
    _sitting, giver, guesser = pair
    giver.page.add_init_script(WAITS)
    giver.page.reload()
    wire.cut()
    until(lambda: giver.page.evaluate("waits.length") >= 3)
    assert giver.page.evaluate("waits.slice(0, 3)") == [250, 500, 1000]
    wire.restore()
    giver.do("clue", text=CLUE)
    guesser.sees(CLUE)
