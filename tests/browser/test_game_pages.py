"""Every screen of the game and every page on which it is watched: accessible, whole on a phone and
on a desk, light and dark, in Bengali, Hindi and Urdu."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from core import clock
from games.machine import MODERATOR, By
from games.machine.commands import (
    Appeal,
    Clue,
    Confirm,
    Drop,
    Finish,
    Guess,
    Halt,
    Leave,
    Meant,
    Next,
    Propose,
    Rate,
    Ready,
    Shared,
    Verify,
    Vet,
    Warn,
    Who,
)
from games.machine.state import Phase
from games.models import Game, Utterance
from games.services import endings, lobby, moves
from games.services.playing import play, settle_clock
from studies import links, services
from studies.models import ArtifactName, Membership
from studies.participation import Action
from studies.permissions import Role
from studies.services.moving import move
from tests.browser.table import Held, game, look, phones, photograph, seat, somebody, study, url
from tests.browser.test_annotation import Desk

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["game", "phones", "seat", "somebody", "study", "url"]

SLOW = {"clue_seconds": 1800, "guess_seconds": 1800, "rate_seconds": 600, "grace_seconds": 1800}
CLUES = (
    "সন্ধ্যায় দূর থেকে এর গন্ধ পাওয়া যায়, আর শীতের আগে এটি চারদিকে ছড়িয়ে থাকে।",
    "لوگ شام کو اسے دور سے پہچان لیتے ہیں۔",
    "शाम को दूर से इसकी महक आती है।",
)
ASIDE = ("কুয়াশা ভোর", "শীতের সকালে নদীর ধারে সবাই যা দেখে।")
UNTRANSLATED = """() => [...document.querySelectorAll(
  "#game :is(.word, .forbidden li, .slip .people, .slip.people, .told-word, .guesses .people)")]
  .filter(each => each.translate).map(each => each.outerHTML)"""


@pytest.fixture
def screens(seat, somebody, game, study):
    """Rows of people who each have another screen before them, by its name."""
    return {name: make(seat, somebody, game, study) for name, make in SCREENS.items()}


def _instructions(_seat, somebody, _game, _study):
    return somebody("ur")


def _waiting(_seat, somebody, _game, _study):
    row = somebody("hi")
    lobby.enter(row)
    return row


def _choosing(_seat, somebody, _game, _study):
    row = somebody("ur")
    lobby.enter(row)
    row.tickets.update(deadline=clock.ago(1))
    return row


def _gathering(seat, *_rest):
    return seat("hi", "hi", ready=False).people[0]


def _giver(seat, *_rest):
    sitting = _described(seat, "bn")
    sitting.say(1 - sitting.giver, Next())
    name = ArtifactName.objects.get(artifact=sitting.state.turn.artifact, kind="forbidden").text
    sitting.say(sitting.giver, Clue(f"{name} ছাড়া এটা হয় না।"))
    return sitting.people[sitting.giver]


def _guesser(seat, *_rest):
    sitting = _described(seat, "ur")
    sitting.say(1 - sitting.giver, Guess("موتیا"))
    return sitting.people[1 - sitting.giver]


def _confirm(seat, *_rest):
    sitting = _described(seat, "ur")
    sitting.say(1 - sitting.giver, Guess(f"বড় {sitting.word}"))
    return sitting.people[sitting.giver]


def _rate(seat, *_rest):
    sitting = _described(seat, "hi")
    sitting.say(1 - sitting.giver, Guess(sitting.word))
    return sitting.people[1 - sitting.giver]


def _paused(seat, *_rest):
    sitting = _described(seat, "bn", on_drop="wait")
    play(sitting.game.pk, By(Who.SYSTEM, 1 - sitting.giver), Drop())
    return sitting.people[sitting.giver]


def _awaited(seat, *_rest):
    """Whoever let two deadlines pass, for whom the game waits."""
    sitting = seat("bn", "bn", deck=2)
    while sitting.state.phase is not Phase.PAUSED:
        late = sitting.state.as_json() | {"deadline": 1}
        Game.objects.filter(pk=sitting.game.pk).update(state=late, due=clock.ago(1))
        settle_clock(sitting.game.pk)
    return next(who for who, away in zip(sitting.people, sitting.state.away, strict=True) if away)


def _halted(seat, *_rest):
    sitting = _described(seat, "hi")
    play(sitting.game.pk, MODERATOR, Halt())
    return sitting.people[1 - sitting.giver]


def _warned(seat, *_rest):
    sitting = _described(seat, "bn")
    about = By(Who.MODERATOR, sitting.giver)
    play(sitting.game.pk, about, Warn("অনুগ্রহ করে একটি সরল বাক্যে লিখুন, আর ভদ্রভাবে।"))
    return sitting.people[sitting.giver]


def _doubtful(seat, *_rest):
    """A guess that the giver could not judge, and the last there was."""
    sitting = _described(seat, "bn")
    sitting.say(1 - sitting.giver, Guess(f"বড় {sitting.word}"))
    sitting.say(sitting.giver, Confirm(Meant.UNSURE))
    return sitting.people[1 - sitting.giver]


def _rated(seat, *_rest):
    """The giver, while their partner rates."""
    sitting = _described(seat, "ur")
    sitting.say(1 - sitting.giver, Guess(sitting.word))
    return sitting.people[sitting.giver]


def _second(seat, *_rest):
    """Whose turn it is after a word was missed."""
    sitting = _described(seat, "bn")
    for guess in ("শিউলি", "হাসনাহেনা"):
        sitting.say(1 - sitting.giver, Guess(guess))
    sitting.say(1 - sitting.giver, Rate(4, 5))
    return sitting.people[sitting.giver]


def _last(seat, *_rest):
    """A guesser who has heard every clue."""
    sitting = _described(seat, "hi")
    for clue in ("यह सफ़ेद है।", "यह पेड़ पर खिलता है।", "इसे सब पहचानते हैं।", "यह मीठा नहीं है।"):
        sitting.say(1 - sitting.giver, Next())
        sitting.say(sitting.giver, Clue(clue))
    return sitting.people[1 - sitting.giver]


def _left(seat, *_rest):
    """Somebody whose partner has left for good."""
    sitting = _described(seat, "ur", on_drop="requeue")
    sitting.say(sitting.giver, Leave())
    endings.settle(sitting.game.pk)
    return sitting.people[1 - sitting.giver]


def _stopped(_seat, somebody, _game, _study):
    row = somebody("bn")
    lobby.enter(row)
    lobby.stop(row)
    return row


def _after(seat, *_rest):
    sitting = _played(seat, "ur")
    return sitting.people[0]


def _proposing(seat, *_rest):
    sitting = _played(seat, "bn")
    _look_back(sitting, 0)
    sitting.say(0, Propose(*ASIDE))
    sitting.say(1, Propose("মেলার মুড়ি", ASIDE[1]))
    return sitting.people[0]


def _recorded(_seat, somebody, _game, _study):
    """Whoever plays with what was said in the games that are over."""
    row = somebody("bn")
    lobby.enter(row)
    row.tickets.update(deadline=clock.ago(1))
    lobby.play_recorded(row)
    moves.move(row, Ready(), "ready")
    return row


def _over(seat, *_rest):
    sitting = _played(seat, "hi")
    _look_back(sitting, 0)
    sitting.say(0, Propose(*ASIDE))
    sitting.say(1, Verify(1, True))
    for seat_number in (0, 1):
        sitting.say(seat_number, Finish())
    return sitting.people[0]


def _ended(seat, *_rest):
    row = _over(seat)
    endings.settle(row.seats.get().game_id)
    return row


def _described(seat, language, **rules):
    sitting = seat(language, language, **SLOW, **rules)
    sitting.say(sitting.giver, Clue(CLUES[{"bn": 0, "ur": 1, "hi": 2}[language]]))
    return sitting


def _played(seat, language):
    sitting = seat(language, language, **SLOW)
    for _turn in range(2):
        sitting.say(sitting.giver, Clue(CLUES[0]))
        sitting.say(1 - sitting.giver, Guess(sitting.word))
        sitting.say(1 - sitting.giver, Rate(4, 5))
    return sitting


def _look_back(sitting, number):
    for artifact in sitting.game.turns.values_list("artifact", flat=True):
        sitting.say(number, Vet(artifact, known=True, shared=Shared.OURS))


SCREENS = {
    "instructions": _instructions,
    "choosing": _choosing,
    "gathering": _gathering,
    "giver": _giver,
    "guesser": _guesser,
    "confirm": _confirm,
    "rate": _rate,
    "paused": _paused,
    "halted": _halted,
    "warned": _warned,
    "awaited": _awaited,
    "doubtful": _doubtful,
    "rated": _rated,
    "second": _second,
    "last": _last,
    "left": _left,
    "stopped": _stopped,
    "after": _after,
    "proposing": _proposing,
    "over": _over,
    "recorded": _recorded,
    "waiting": _waiting,
}


@pytest.fixture
def held(browser, url):
    found = Held(browser, url)
    yield found
    found.context.close()
    assert found.faults == []


def test_every_screen_of_the_game_is_accessible_and_fits_wherever_it_is_read(held, screens):
    for name, row in screens.items():
        assert held.page.goto(reverse("games:play", args=(links.token(row),))).status == 200, name
        assert held.page.locator("h1").count() == 1, name
        held.look(f"game-{name}")
        assert held.page.evaluate(UNTRANSLATED) == [], name


def test_practice_and_the_choice_of_a_region_are_accessible_and_fit(held, game, study, somebody):
    row = somebody("ur")
    held.page.goto(reverse("games:play", args=(links.token(row),)) + "?practice")
    held.look("game-practice")
    held.page.fill("[name=text]", "یہ کھلتی اور بند ہوتی ہے۔")
    held.page.locator("[value=clue]").press("Enter")
    expect(held.page.locator(".slip")).to_have_count(1)
    held.look("game-practice-clue")
    for name, press in (("guess", "[value=no_more]"), ("over", "[value=next]")):
        held.page.locator(press).click()
        held.photograph(f"game-practice-{name}")
    (row,) = services.make_links(game, 1, "test")
    row.activity = game
    services.speak(row.participant, "ur")
    move(row, Action.OPEN)
    services.agree(row, study.consent_documents.get(), ["take_part"])
    held.page.goto(links.personal(row))
    expect(held.page.locator("[name=region]")).to_have_count(3)
    held.look("game-region")


PAGES = {
    "watch": ("watch",),
    "proposals": ("proposals",),
    "transcripts": ("transcripts",),
    "results": ("results",),
    "described": ("results_artifacts",),
    "rules": ("rules",),
}


@pytest.fixture
def desk(browser, url, study, django_user_model):
    user = django_user_model.objects.create_user("owner@example.org", "a password")
    Membership.objects.create(study=study, user=user, role=Role.OWNER)
    desk = Desk(browser, url, user)
    yield desk
    desk.context.close()
    assert desk.faults == []


def test_every_page_on_which_games_are_watched_says_what_comes_where_there_is_nothing_yet(
    desk, study
):
    for name, (view, *more) in PAGES.items():
        desk.page.goto(reverse(f"games:{view}", args=(study.slug, *more)))
        photograph(desk.page, f"games-{name}-empty")
        expect(desk.page.locator("h1")).to_have_count(1)


def test_every_page_on_which_games_are_watched_is_accessible_and_fits(desk, study, seat, somebody):
    over = Game.objects.get(seats__participation=_over(seat))
    _over(seat)
    for code in ("giver", "confirm", "paused", "warned", "proposing"):
        SCREENS[code](seat)
    _waiting(seat, somebody, None, study)
    appealed = Game.objects.get(pk=Utterance.objects.get(verdict="blocked").game_id)
    play(appealed.pk, By(Who.PLAYER, appealed.state["turn"]["giver"]), Appeal(2))
    for name, (view, *more) in PAGES.items():
        assert desk.page.goto(reverse(f"games:{view}", args=(study.slug, *more))).status == 200
        look(desk.page, f"games-{name}")
    for name, found in (("game", appealed), ("game-over", over)):
        desk.page.goto(reverse("games:watch_game", args=(study.slug, found.code)))
        look(desk.page, f"games-{name}")
