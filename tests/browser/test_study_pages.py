"""Every page of a study that collects, for participants and for those who work on it, filled with
Bengali, Hindi and Urdu: accessible, light, fitting a phone and a desk."""

import re

import pytest
from playwright.sync_api import expect

PARTICIPANT, CONSOLE = 40_000, 150_000  # bytes gz of a page with all it loads
ARRIVAL = "/join/two_shores/everyday/?PROLIFIC_PID=looker-{n}&SESSION_ID=session-{n}"

STATUSES = (
    "invited",
    "consenting",
    "screening",
    "active",
    "submitted",
    "redo",
    "declined",
    "screened_out",
    "quota_full",
    "accepted",
    "rejected",
    "returned",
    "timed_out",
    "cut_short",
    "withdrawn",
    "late",
)
SCREENS = {
    **{name: f"{{{name}}}" for name in STATUSES},
    "join-bn": ARRIVAL.format(n=1),
    "join-hi": ARRIVAL.format(n=1) + "&language=hi",
    "who": "/join/two_shores/everyday/?language=ur",
    "form-1": "{active}forms/1/",
    "form-1-ur": "{begun}forms/1/",
    "form-redo": "{redo}forms/1/",
    "form-sent": "{redo}forms/2/",
    "stopped": "{active}forms/1/?stopped",
    "leave": "{active}leave/",
    "leave-withdrawn": "{withdrawn}leave/",
    "problem": "/p/nobody.nothing/",
}
CONSOLE_PAGES = (
    "/studies/two_shores/",
    "/studies/two_shores/questions/",
    "/studies/two_shores/questions/new/",
    "/studies/two_shores/questions/alike/",
    "/studies/two_shores/questions/copy/",
    "/studies/two_shores/questions/key/gifts/",
    "/studies/two_shores/questions/key/reading_check/",
    "/studies/two_shores/questions/topics/",
    "/studies/two_shores/questions/topics/new/",
    "/studies/two_shores/questions/topics/of/guests/",
    "/studies/two_shores/questions/of/everyday/plan/",
    "/studies/two_shores/questions/of/everyday/preview/",
    "/studies/two_shores/links/",
    "/studies/two_shores/review/",
    "/studies/two_shores/review/{submitted}/",
    "/studies/two_shores/review/{doubtful}/",
    "/studies/two_shores/review/{redo}/",
    "/studies/two_shores/review/{rejected}/",
    "/studies/two_shores/review/{accepted}/",
    "/studies/two_shores/monitor/",
    "/studies/two_shores/payments/",
    "/studies/two_shores/withdrawals/",
    "/studies/two_shores/answers/",
    "/studies/two_shores/audit/",
    "/accounts/tokens/",
)


@pytest.mark.parametrize("name", SCREENS)
def test_a_participants_page_is_accessible_light_and_fits_wherever_it_is_read(watched, cast, name):
    links = {status: person["link"] for status, person in cast.people.items()}
    page = watched.stranger()
    status, weight = watched.weigh(page, SCREENS[name].format(**links))
    assert status == (404 if name == "problem" else 200)
    assert weight <= PARTICIPANT
    assert page.locator("h1").count() == 1
    watched.look(page, f"participant-{name}")


@pytest.mark.parametrize("address", CONSOLE_PAGES)
def test_a_page_of_those_who_work_on_it_is_accessible_light_and_fits(watched, cast, address):
    codes = {status: person["code"] for status, person in cast.people.items()}
    page = watched.page()
    status, weight = watched.weigh(page, address.format(**codes))
    assert status == 200
    assert weight <= CONSOLE
    if address.startswith("/studies/"):
        here = page.get_by_role("navigation", name="Main").locator("[aria-current]")
        expect(here).to_have_text("Studies")
    assert page.locator("h1").count() == 1
    watched.look(page, "study" + re.sub(r"\W+", "-", address).rstrip("-"))


def test_checks_are_decided_by_buttons_that_a_desk_shows_whole(watched, cast):
    page = watched.page(viewport={"width": 1280, "height": 800})
    page.goto(f"/studies/two_shores/review/{cast.people['doubtful']['code']}/")
    checks = page.get_by_role("region", name="Attention checks")
    for name in ("Let it count", "Excuse it"):
        expect(checks.get_by_role("button", name=re.compile(rf"^{name} \("))).to_have_count(2)
    assert checks.evaluate("region => region.scrollWidth - region.clientWidth") == 0


def test_what_a_rejection_lacks_is_said_before_it_is_asked_whether_it_is_meant(watched, cast):
    page, asked = watched.page(), []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.goto(f"/studies/two_shores/review/{cast.people['doubtful']['code']}/")
    reject = page.get_by_role("button", name="Reject")
    reject.click()
    expect(page.locator("[name=reason]").first).to_be_focused()
    assert asked == []
    page.check("[name=reason][value=off_topic]")
    page.locator("#reject_text").fill("আপনার উত্তর প্রশ্নের বিষয়ে নয়।")
    page.locator("[name=pay][value=time]").check()
    reject.click()
    assert asked == ["Reject these answers?"]
    expect(reject).to_be_visible()  # since it was not meant


def test_new_links_and_a_new_token_are_shown_on_accessible_pages(watched, cast):
    page = watched.page()
    page.goto("/studies/two_shores/links/")
    page.click("main button[type=submit]")
    expect(page.locator("main")).to_contain_text("/p/")
    watched.look(page, "study-links-made")
    page.goto("/accounts/tokens/")
    page.fill("[name=name]", "প্রতিলিপি")
    page.locator("[name=scopes]").first.check()
    page.click("main form button[type=submit]")
    expect(page.locator("#secret")).to_be_visible()
    watched.look(page, "token-made")


def test_faults_in_consent_screening_and_a_form_are_told_on_accessible_pages(watched, cast):
    page = watched.stranger()
    page.goto(ARRIVAL.format(n=2))
    page.locator(".send button").click()
    page.locator("form[action$='/consent/'] button").click()
    expect(page.locator("[role=alert]")).to_be_visible()
    watched.look(page, "participant-consent-faults")
    page.check("[name=take_part]")
    page.locator("form[action$='/consent/'] button").click()
    page.fill("[name=born]", "abc")
    page.fill("[name=stay-0-from_year]", "1980")
    page.locator("form#history .send button").click()
    expect(page.locator("[role=alert]")).to_be_visible()
    watched.look(page, "participant-screening-faults")

    page.goto(f"{cast.people['begun']['link']}forms/1/")
    page.locator("[value=send]").click()
    expect(page.locator("#faults")).to_be_visible()
    watched.look(page, "participant-form-faults")
