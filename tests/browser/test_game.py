"""Two phones play a whole game in Bengali, by thumb and by keyboard, while a moderator watches."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from core import clock
from games.models import Game, Seat
from studies import services
from studies.models import Participation
from tests.browser.table import (
    THINGS,
    Keyed,
    Phone,
    game,
    moderator,
    phones,
    photograph,
    seat,
    somebody,
    study,
    url,
)
from tests.browser.test_annotation import Desk
from tests.browser.test_taking_part import say
from tests.games.conftest import Sitting

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["game", "moderator", "phones", "seat", "somebody", "study", "url"]

bn = say("bn")
CLUES = ("সন্ধ্যায় দূর থেকে এর গন্ধ পাওয়া যায়।", "সবাই একসঙ্গে এটা দেখতে যায়, ক্ষেত পেরিয়ে।")
GUESS, HALF = "পূজার মণ্ডপ", "হয়তো শিউলি"
WARNING = "অনুগ্রহ করে একটি সরল বাক্যে লিখুন।"
FORBIDDEN = {name: forbidden for name, _alias, forbidden in THINGS}
ASKED = (
    "A moderator is asked. Until they allow it, your partner does not read it; just give another "
    "clue."
)
LOOK_BACK = "The game is played. Look back with us: word %(number)s of %(of)s."
PROPOSED = ("কুয়াশা ভোর", "শীতের সকালে নদীর ধারে সবাই যা দেখে।")


def arrive(phone: Phone) -> None:
    """From the personal link to the instructions, by thumb."""
    page = phone.home().page
    page.get_by_role("button", name=bn("Go on"), exact=True).click()
    page.check("[name=take_part]")
    page.get_by_role("button", name=bn("I agree and go on")).click()
    page.get_by_role("button", name=bn("Go on"), exact=True).last.click()
    page.locator(".notice.bad a").click()
    page.check("[name=region][value=harbour]")
    page.get_by_role("button", name=bn("Go on"), exact=True).last.click()
    page.get_by_role("button", name=bn("Start")).click()
    phone.sees(bn("How the game goes"))


def practise(phone: Phone) -> None:
    """The round with a script: it guesses at the third clue, and is guessed at the first."""
    page = phone.page
    page.get_by_role("button", name=bn("Try it once with a practice partner")).click()
    for clue in ("এটি খোলা আর বন্ধ করা যায়।", "পথে চলতে এটি কাজে লাগে।", "মাথার উপরে ধরা হয়।"):
        phone.do("clue", text=clue)
    phone.do("guess", text="মই")
    phone.choose(accuracy="4", quality="5")
    phone.do("rate")
    phone.sees(bn("That is how it goes. The next round is with a real person."))


def arrive_by_keyboard(phone: Keyed) -> None:
    """From the personal link to the queue with Tab, Space and Enter, past the practice."""
    keys = phone.home().keys
    keys.press(".send button", then="[name=take_part]")
    keys.press("[name=take_part]", "Space")
    keys.press("form[action$='/consent/'] button", then="#region")
    keys.press("[name=region]", "Space")
    keys.press("#region .send button", then="main .send [role=button]")
    keys.press("main .send [role=button]", then="[data-key=instructions]")
    keys.press("[data-key=instructions] [role=button]", then=".skip-practice")
    keys.press(".skip-practice button", then="[data-key=waiting]")


def seated(game: Game, rows: list[Participation]) -> tuple[Sitting, int]:
    """The game as it is read from the database, and the place in `rows` of who gives first."""
    numbers = {seat.participation_id: seat.number for seat in game.seats.all()}
    people = sorted(rows, key=lambda row: numbers[row.pk])
    sitting = Sitting(game, people)
    return sitting, rows.index(people[sitting.giver])


def lose(phone: Phone, settings) -> None:
    """The phone is gone, and nothing has been heard of it for two hours."""
    phone.page.close()
    settings.GAME_IDLE_AFTER = 4
    Seat.objects.filter(participation=phone.row).update(last_seen=clock.ago(7200))


def test_two_phones_play_a_whole_game_in_bengali_and_a_moderator_rules_on_an_appeal(
    browser, url, game, phones, moderator, settings
):
    rows = services.make_links(game, 2, "test")
    for row in rows:
        row.activity = game
        services.speak(row.participant, "bn")
    thumb, typist = phones(rows[0]), phones(rows[1], Keyed)
    arrive(thumb)
    practise(thumb)
    arrive_by_keyboard(typist)
    thumb.do("enter")
    for phone in (thumb, typist):
        phone.sees(bn("We found a partner for you. Are you ready to play?"))
    typist.do("ready")
    thumb.do("ready")
    expect(thumb.page.locator(".clues")).to_be_visible()
    sitting, first = seated(Game.objects.get(), rows)
    giver, guesser = (thumb, typist) if first == 0 else (typist, thumb)
    desk = Watching(browser, url, moderator, sitting.game)

    word, blocked = sitting.word, f"{FORBIDDEN[sitting.word]} ছাড়া এটা ভাবাই যায় না।"
    giver.do("clue", text=blocked)
    giver.sees(bn("Your partner does not read this."))
    giver.do("appeal")
    giver.sees(bn(ASKED))
    giver.do("clue", text=CLUES[0])
    guesser.sees(CLUES[0])
    assert blocked not in guesser.ever()
    desk.refresh()
    desk.sees(blocked)
    photograph(desk.page, "game-moderator-appeal")

    guesser.page.fill("[name=text]", HALF)
    desk.click("Let it be said")
    guesser.sees(blocked)
    expect(guesser.page.locator("[name=text]")).to_have_value(HALF)
    guesser.page.reload()
    expect(guesser.page.locator("[name=text]")).to_have_value(HALF)
    guesser.do("next")
    expect(giver.button("clue")).to_be_visible()

    lose(giver, settings)
    guesser.sees(bn("Your partner’s connection is lost."))
    settings.GAME_IDLE_AFTER = 3600
    guesser.photograph("game-guesser-paused")
    giver.open()
    giver.home().page.get_by_role("button", name=bn("Continue")).click()
    guesser.sees(bn("Your partner is here."))
    expect(giver.page.locator("[name=text]")).to_be_editable()

    desk.warn(sitting.people[sitting.giver], WARNING)
    giver.sees(WARNING)
    guesser.sees_not(WARNING)
    giver.do("clue", text=CLUES[1])
    guesser.sees(CLUES[1])
    for phone, name in ((giver, "giver"), (guesser, "guesser")):
        phone.photograph(f"game-{name}-playing")
    guesser.do("guess", text=GUESS)
    guesser.sees(GUESS)
    assert word not in guesser.ever()
    giver.sees(GUESS)
    guesser.do("guess", text=word)
    guesser.sees(bn("The turn is over. How were the clues?"))
    guesser.choose(accuracy="4", quality="5")
    guesser.do("rate")

    guesser.do("clue", text=CLUES[0])
    giver.do("guess", text=sitting.word)
    giver.choose(accuracy="3", quality="3")
    giver.do("rate")
    for phone in (giver, guesser):
        look_back(phone)
    giver.do("propose", name=PROPOSED[0], about=PROPOSED[1])
    guesser.sees(PROPOSED[1])
    guesser.page.locator("[name=belongs][value=yes]").press("Enter")
    giver.sees(bn("Your partner agrees"))
    for phone in (giver, guesser):
        phone.do("finish")
        expect(phone.page.locator("#completion-code")).to_have_text("COMPLETE")
        phone.photograph("game-completed")
    assert desk.faults == []
    told = Game.objects.get()
    assert (told.ended_reason, told.turns.filter(outcome="guessed").count()) == ("played", 2)


def look_back(phone: Phone) -> None:
    for number in (1, 2):
        phone.sees(bn(LOOK_BACK, number=number, of=2))
        phone.choose(known="yes", shared="ours")
        phone.do("vet")
    phone.sees(bn("Thank you. What else belongs on the list?"))


class Watching(Desk):
    """A moderator's page of a game; its clock can be moved on."""

    def __init__(self, browser, url, user, game) -> None:
        super().__init__(browser, url, user)
        self.page.set_viewport_size({"width": 1280, "height": 800})
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.page.clock.install()
        self.page.goto(reverse("games:watch", args=(game.activity.study.slug,)))
        self.page.get_by_role("link", name=game.code).click()
        self.page.wait_for_load_state()

    def refresh(self) -> None:
        """Five seconds pass, after which the page asks what is new."""
        with self.page.expect_response(re.compile("/now/")):
            self.page.clock.fast_forward(5_500)

    def sees(self, words: str) -> None:
        expect(self.page.locator("main")).to_contain_text(words)

    def click(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def warn(self, row: Participation, text: str) -> None:
        label = f"A message that {row.participant.code} alone reads"
        self.page.get_by_label(label).fill(text)
        card = self.page.locator("aside .card", has=self.page.get_by_label(label))
        card.get_by_role("button", name="Send the message").click()
        self.sees("Messages to players")


def test_a_whole_turn_is_played_without_javascript(phones, seat):
    sitting = seat()
    one, other = (phones(row, java_script_enabled=False) for row in sitting.people)
    giver, guesser = (one, other) if sitting.giver == 0 else (other, one)
    giver.go().do("clue", text=CLUES[0])
    giver.sees(bn("You describe. Your partner is guessing, or asks for the next clue."))
    guesser.go().sees(CLUES[0])
    guesser.do("next")
    giver.go().do("clue", text=CLUES[1])
    guesser.go().do("guess", text=GUESS)
    guesser.sees(bn("Not it"))
    guesser.do("guess", text=sitting.word)
    guesser.do("rate")
    expect(guesser.page.locator("#act-fault")).to_have_text(
        bn("Something is not filled in or chosen yet. Complete it, then send it again.")
    )
    guesser.choose(accuracy="5", quality="4")
    guesser.do("rate")
    guesser.sees(bn("Your turn: you describe. Write clue %(number)s of %(of)s.", number=1, of=5))
    giver.go().sees(
        bn("Your partner describes: they are writing clue %(number)s of %(of)s.", number=1, of=5)
    )
