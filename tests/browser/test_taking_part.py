"""What participants go through, from the link they are sent to the code they hand in."""

import gettext
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE

LOCALE = Path(__file__).resolve().parents[2] / "locale"
JOIN = "/join/two_shores/everyday/"
FOCUS = "getComputedStyle(document.activeElement)"

# Conjuncts, joiners, dandas, emoji of several code points, and blanks somebody meant.
TYPED = {
    "hi": {
        "guests_arrive": "पहले पानी, फिर श्रीखंड। क्\u200dष और क्ष दो हैं॥\n\n  दूसरी पंक्ति 👩🏽\u200d🌾🙏",
        "greeting": "राम-राम जी! र्\u200d",
        "market": "ऊपर वाला बाज़ार",
        "dish": "खीर",
        "about": "दूध और चावल",
    },
    "bn": {
        "guests_arrive": "প্রথমে পানি, পরে মিষ্টি। র\u200d্যাব আর ক্ষ॥\n\n  দ্বিতীয় লাইন 👩🏽\u200d🌾🙏",
        "greeting": "কেমন আছেন? ক্\u200cষ",
        "market": "উপরের হাট",
        "dish": "ক্ষীর",
        "about": "দুধ আর চাল",
    },
}
MORE = " … 🪔"


def say(language):
    """The product's own words in a language; a sentence without a translation fails."""
    words = gettext.translation("django", LOCALE, [language])

    def said(sentence, **values):
        assert words.gettext(sentence) != sentence, f"not in {language}: {sentence}"
        return words.gettext(sentence) % values

    return said


def arrive(page, person, language):
    page.goto(f"{JOIN}?PROLIFIC_PID={person}&STUDY_ID=study-1&SESSION_ID=session-{person}")
    if language != "bn":
        page.locator(f"button[lang={language}]").click()
    expect(page.locator("html")).to_have_attribute("lang", language)


def agree_and_fit(page, said):
    """From the invitation to the first form."""
    page.get_by_role("button", name=said("Begin")).click()
    page.check("[name=take_part]")
    page.get_by_role("button", name=said("I agree and go on")).click()
    page.fill("[name=born]", "1980")
    page.select_option("[name=stay-0-place]", "Brassgate")
    page.fill("[name=stay-0-from_year]", "1980")
    page.fill("[name=stay-0-to_year]", "2010")
    page.select_option("[name=stay-1-place]", "-")
    page.fill("[name=stay-1-from_year]", "2010")
    page.fill("[name=stay-1-to_year]", "2020")
    page.get_by_role("button", name=said("Go on"), exact=True).last.click()
    page.get_by_role("button", name=said("Start")).click()
    expect(page).to_have_url(re.compile("/forms/1/"))


def choose_the_rest_of_form_1(page):
    page.check("#answer-shoes-1")
    page.check("#answer-gifts-1")
    page.check("#answer-gifts-2")
    page.fill("#answer-visit_hours", "2.5")
    page.check("#answer-shoes_again-1")


def fill_form_2(page, typed):
    page.fill("#answer-first_lantern", "1820")
    page.fill("#answer-lantern_night", "2026-11-08")
    page.fill("#answer-market", typed["market"])
    page.fill("#name-dishes-1", typed["dish"])
    page.locator("[name=about-dishes]").first.fill(typed["about"])
    page.check("#answer-reading_check-4")


def state(page):
    return page.locator(".save-state")


def send(page):
    page.locator("button[value=send]").click()


def holds_what_was_typed(stored, typed, first):
    """`first` is the answer to the first question, which may have grown."""
    given = {key: (each["value"], each["text"]) for key, each in stored["answers"].items()}
    assert given == {
        "guests_arrive": (None, first),
        "greeting": (None, typed["greeting"]),
        "shoes": ("outside", ""),
        "gifts": (["sweets", "fruit"], ""),
        "visit_hours": ("2.5", "2.5"),
        "shoes_again": ("outside", ""),
        "first_lantern": (1820, ""),
        "lantern_night": ("2026-11-08", ""),
        "market": (None, typed["market"]),
        "dishes": ([{"name": typed["dish"], "about": typed["about"]}], typed["dish"]),
        "reading_check": ("often", ""),
    }
    assert (stored["status"], stored["flags"]) == ("submitted", [])
    assert stored["forms"] == [[1, "submitted"], [2, "submitted"]]


@pytest.mark.parametrize("language", ["hi", "bn"])
def test_a_phone_goes_from_link_to_code_over_two_visits_with_a_network_drop(
    watched, cast, language
):
    said, typed = say(language), TYPED[language]
    phone = watched.stranger(**PHONE)
    arrive(phone, f"phone-{language}", language)
    watched.photograph(phone, f"phone-{language}-1-join")
    agree_and_fit(phone, said)
    form = phone.url

    phone.fill("#answer-guests_arrive", typed["guests_arrive"])
    expect(state(phone)).to_have_text(said("Saved"))
    phone.context.set_offline(True)
    phone.locator("#answer-guests_arrive").press("Control+End")
    phone.keyboard.insert_text(MORE)
    phone.fill("#answer-greeting", typed["greeting"])
    expect(state(phone)).to_have_text(said("Saved on this phone, waiting for network"))
    watched.photograph(phone, f"phone-{language}-2-offline")
    phone.context.set_offline(False)
    expect(state(phone)).to_have_text(said("Saved"))
    watched.leave(phone)

    phone = watched.stranger(**PHONE)
    phone.goto(form.split("forms/")[0])
    phone.get_by_role("button", name=said("Continue")).click()
    expect(phone.locator("#answer-guests_arrive")).to_have_value(typed["guests_arrive"] + MORE)
    expect(phone.locator("#answer-greeting")).to_have_value(typed["greeting"])
    choose_the_rest_of_form_1(phone)
    send(phone)
    expect(phone).to_have_url(re.compile("/forms/2/"))
    fill_form_2(phone, typed)
    watched.photograph(phone, f"phone-{language}-3-form-2")
    phone.get_by_role("button", name=said("Send and finish")).dblclick()
    expect(phone.get_by_role("heading", name=said("Your completion code"))).to_be_visible()
    watched.photograph(phone, f"phone-{language}-4-code")
    stored = cast.stored(form)
    expect(phone.locator("#completion-code")).to_have_text(stored["code"])
    holds_what_was_typed(stored, typed, typed["guests_arrive"] + MORE)


def test_without_javascript_in_urdu_empty_answers_are_told_and_may_be_left_out(watched, cast):
    said = say("ur")
    page = watched.stranger(java_script_enabled=False, **PHONE)
    arrive(page, "plain-ur", "ur")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    agree_and_fit(page, said)
    form = page.url
    send(page)
    expect(page.locator("#faults li")).to_have_count(6)
    expect(page.locator("#faults")).to_contain_text(said("Please answer this question."))
    watched.photograph(page, "plain-ur-faults")
    page.fill("#answer-guests_arrive", "پہلے پانی۔ 🙏")
    for key in ("greeting", "shoes", "gifts", "visit_hours"):
        page.check(f"[name=skip-{key}]")
    page.get_by_role("button", name=said("Save and stop for now")).click()
    page.get_by_role("button", name=said("Go on answering")).click()
    expect(page.locator("#answer-guests_arrive")).to_have_value("پہلے پانی۔ 🙏")
    page.check("#answer-shoes_again-2")
    send(page)
    page.get_by_role("button", name=said("Save and add more lines")).click()
    page.fill("#name-dishes-6", "زردہ")
    for key in ("first_lantern", "lantern_night", "market"):
        page.check(f"[name=skip-{key}]")
    page.check("#answer-reading_check-1")
    send(page)
    stored = cast.stored(form)
    expect(page.locator("#completion-code")).to_have_text(stored["code"])
    skipped = {key for key, each in stored["answers"].items() if each["skipped"]}
    assert skipped == {
        "greeting", "shoes", "gifts", "visit_hours", "first_lantern", "lantern_night", "market"
    }  # fmt: skip
    assert stored["answers"]["guests_arrive"]["text"] == "پہلے پانی۔ 🙏"
    assert stored["answers"]["dishes"]["text"] == "زردہ"
    assert stored["flags"] == ["attention:reading_check"]


class Keys:
    """A person who has a keyboard and nothing else, and has to see where they are."""

    def __init__(self, page):
        self.page = page

    def reach(self, selector):
        for _ in range(80):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("s => document.activeElement.matches(s)", selector):
                break
        else:
            raise AssertionError(f"Tab does not reach {selector} on {self.page.url}")
        ring = self.page.evaluate(f"[{FOCUS}.outlineStyle, {FOCUS}.outlineWidth]")
        assert "none" not in ring, selector
        assert "0px" not in ring, selector

    def press(self, selector, key="Enter", then=None):
        """`then` is what shows that the next page is there."""
        self.reach(selector)
        self.page.keyboard.press(key)
        if then:
            expect(self.page.locator(then)).to_be_visible()

    def type(self, selector, text):
        self.reach(selector)
        self.page.keyboard.insert_text(text)

    def choose(self, selector, downs):
        """Of radio buttons: the first with Space, those below it with arrows."""
        self.press(selector, "Space")
        for _ in range(downs):
            self.page.keyboard.press("ArrowDown")


def test_the_keyboard_alone_goes_from_the_link_to_the_code(watched, cast):
    page = watched.stranger(viewport={"width": 1280, "height": 800})
    page.goto(f"{JOIN}?PROLIFIC_PID=keys&SESSION_ID=keys")
    keys = Keys(page)
    keys.press(".send button", then="[name=take_part]")
    keys.press("[name=take_part]", "Space")
    keys.press("form[action$='/consent/'] button", then="#history")
    keys.type("[name=born]", "1980")
    keys.reach("[name=stay-0-place]")
    page.keyboard.type("Brass")
    keys.type("[name=stay-0-from_year]", "1980")
    keys.type("[name=stay-0-to_year]", "2020")
    keys.press("#history .send button", then="main .send [role=button]")
    keys.press("main .send [role=button]", then="#answer-guests_arrive")
    form = page.url
    keys.type("#answer-guests_arrive", "পানি")
    keys.press("[name=skip-greeting]", "Space")
    keys.choose("[name=answer-shoes]", downs=1)
    keys.press("#answer-gifts-1", "Space")
    keys.type("#answer-visit_hours", "২")
    keys.choose("[name=answer-shoes_again]", downs=1)
    keys.press("button[value=send]", then="#answer-first_lantern")
    for key in ("first_lantern", "lantern_night"):
        keys.press(f"[name=skip-{key}]", "Space")
    keys.choose("[name=answer-reading_check]", downs=3)
    for key in ("market", "dishes"):
        keys.press(f"[name=skip-{key}]", "Space")
    keys.press("button[value=send]", then="#completion-code")
    keys.reach("[data-copy='#completion-code']")
    stored = cast.stored(form)
    assert (stored["status"], stored["flags"]) == ("submitted", [])
    assert stored["answers"]["shoes"]["value"] == "inside"
    assert stored["answers"]["visit_hours"]["value"] == "2"


def test_two_tabs_of_one_form_end_on_a_page_that_holds_both_answers(watched, cast):
    said, one, other = say("hi"), "पहले पानी।", "पहले चाय।"
    first = watched.stranger(**PHONE)
    arrive(first, "two-tabs", "hi")
    agree_and_fit(first, said)
    second = watched.tab(first)
    second.goto(first.url)
    first.fill("#answer-guests_arrive", one)
    expect(state(first)).to_have_text(said("Saved"))
    second.fill("#answer-guests_arrive", other)
    expect(state(second)).to_contain_text(
        said(
            "You also changed this form in another tab or on another device. Send or save it here "
            "to see both."
        )
    )
    send(second)
    expect(second.get_by_role("heading", name=said("Two different answers"))).to_be_visible()
    expect(second.locator("blockquote")).to_have_text(one)
    expect(second.locator("#answer-guests_arrive")).to_have_value(other)
    watched.look(second, "participant-conflict")
    second.get_by_role("button", name=said("Save and go back to the form")).click()
    expect(second.locator("#answer-guests_arrive")).to_have_value(other)
    assert cast.stored(first.url)["answers"]["guests_arrive"]["text"] == other


def test_offline_at_the_last_form_nothing_is_lost_and_only_the_retry_gives_a_code(watched, cast):
    said, typed = say("hi"), TYPED["hi"]
    phone = watched.stranger(**PHONE)
    arrive(phone, "offline-at-last", "hi")
    agree_and_fit(phone, said)
    form = phone.url
    phone.fill("#answer-guests_arrive", typed["guests_arrive"])
    phone.fill("#answer-greeting", typed["greeting"])
    choose_the_rest_of_form_1(phone)
    send(phone)
    expect(phone).to_have_url(re.compile("/forms/2/"))
    fill_form_2(phone, typed)
    phone.context.set_offline(True)
    send(phone)
    expect(state(phone)).to_have_text(
        said(
            "There is no network. Your answers are kept on this phone; "
            "please send them again later."
        )
    )
    watched.photograph(phone, "phone-hi-unsent")
    expect(phone.locator("#answer-market")).to_have_value(typed["market"])
    expect(phone.locator("#completion-code")).to_have_count(0)
    assert cast.stored(form)["status"] == "active"
    phone.context.set_offline(False)
    send(phone)
    stored = cast.stored(form)
    expect(phone.locator("#completion-code")).to_have_text(stored["code"])
    holds_what_was_typed(cast.stored(form), typed, typed["guests_arrive"])


def test_what_comes_after_the_form_was_sent_elsewhere_is_shown_to_be_copied(watched, cast):
    said, late = say("hi"), "बाद में लिखा गया।"
    first = watched.stranger(**PHONE)
    arrive(first, "sent-elsewhere", "hi")
    agree_and_fit(first, said)
    second = watched.tab(first)
    second.goto(first.url)
    first.fill("#answer-guests_arrive", "पहले पानी।")
    first.check("[name=skip-greeting]")
    choose_the_rest_of_form_1(first)
    send(first)
    expect(first).to_have_url(re.compile("/forms/2/"))
    second.fill("#answer-guests_arrive", late)
    expect(state(second).locator("a")).to_have_text(said("This form cannot be changed any more."))
    send(second)
    heading = said("This form cannot be changed any more")
    expect(second.get_by_role("heading", name=heading)).to_be_visible()
    expect(second.locator("blockquote").first).to_have_text(late)
    watched.look(second, "participant-closed")
    assert cast.stored(first.url)["answers"]["guests_arrive"]["text"] == "पहले पानी।"
