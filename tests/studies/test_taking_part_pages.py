"""A participant's pages: a screen and a next step in every status, whatever is pressed."""

import html
import itertools
import json
import logging
import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from logging.config import DictConfigurator

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core import clock
from core.models import AuditEntry
from studies import kinds, links, services
from studies.models import (
    Consent,
    ConsentDocument,
    Participant,
    Participation,
    Region,
    Residence,
    Study,
)
from studies.participation import ENDINGS, OPEN, STATUSES, Action, Code, Status
from studies.permissions import Role
from studies.services import moving, paying
from studies.setup import ActivityKind, Purpose
from studies.taking_part import screens

pytestmark = pytest.mark.django_db
HISTORY = {
    "born": "1980",
    "rows": "4",
    "stay-0-place": "Windlow",
    "stay-0-from_year": "1980",
    "stay-0-to_year": "2020",
}
PRESSED = {
    "go on": ("home", {}),
    "agree": ("consent", {"take_part": "on"}),
    "decline": ("decline", {}),
    "screening": ("screening", HISTORY),
    "more rows": ("screening", {"more": "1", "born": "1980"}),
    "language": ("language", {"language": "es"}),
    "give back": ("leave", {"choice": "give_back"}),
    "withdraw": ("leave", {"choice": "withdraw"}),
    "nonsense": ("leave", {"choice": "everything"}),
}


class Reading:
    """Somebody with a personal link and a browser."""

    def __init__(self, client, row):
        self.client, self.row, self.token = client, row, links.token(row)

    def address(self, name):
        return reverse(f"taking_part:{name}", args=(self.token,))

    def get(self, name="home"):
        return self.client.get(self.address(name))

    def post(self, name="home", data=None, **more):
        return self.client.post(self.address(name), data or {}, **more)

    def page(self, name="home"):
        return words(self.get(name))

    def agree(self, **ticks):
        document = ConsentDocument.objects.first()
        return self.post("consent", {"document": document.pk, "take_part": "on"} | ticks)

    @property
    def status(self):
        self.row.refresh_from_db()
        return self.row.status


def words(response):
    """What a response says, as text."""
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(html.unescape(text).split())


@pytest.fixture
def reading(client):
    return lambda row: Reading(client, row)


@pytest.fixture
def newcomer(invited, reading):
    return reading(invited)


@pytest.fixture
def screened(newcomer):
    """Somebody who has agreed and is asked where they have lived."""
    newcomer.post()
    newcomer.agree()
    return newcomer


@pytest.mark.parametrize("status", Status)
def test_every_status_has_a_screen_with_the_next_step(collecting, somebody, reading, status):
    response = reading(somebody(status, session="s1")).get()
    assert response.status_code == 200
    assert STATUSES[status].next_step in words(response)
    assert STATUSES[status].reason in words(response)
    assert response["Cache-Control"] == "private, no-cache"
    assert response["X-Robots-Tag"] == "noindex"
    assert not response.cookies


@pytest.mark.parametrize("status", Status)
def test_who_came_by_a_personal_link_is_not_sent_to_a_service_that_invited_them(
    collecting, somebody, reading, status
):
    page = reading(somebody(status)).page()
    assert "the service that invited you" not in page
    assert (STATUSES[status].by_link or STATUSES[status].next_step) in page


@pytest.mark.parametrize("status", Status)
def test_a_screen_shows_the_code_of_its_status_and_no_other(collecting, somebody, reading, status):
    page = reading(somebody(status)).page()
    codes = collecting.activities.get().codes
    shown = {kind for kind in Code if codes[kind] in page}
    assert shown == ({STATUSES[status].code} if STATUSES[status].code else set())


@pytest.mark.parametrize("status", ENDINGS)
def test_every_ending_says_what_is_paid(collecting, somebody, reading, status):
    row = somebody(status)
    page = reading(row).page()
    assert re.search(r"paid|You have earned \d", page)
    if earned := paying.earned(row):
        assert f"You have earned {earned / 100:.2f} EUR." in page


@pytest.mark.parametrize(("status", "pressed"), list(itertools.product(Status, PRESSED)))
def test_whatever_is_pressed_in_whatever_status_leads_to_a_screen(
    collecting, somebody, reading, status, pressed
):
    person = reading(somebody(status))
    name, data = PRESSED[pressed]
    response = person.post(name, data | {"document": ConsentDocument.objects.get().pk})
    assert response.status_code in (200, 303)
    assert person.get().status_code == 200
    again = person.post(name, data | {"document": ConsentDocument.objects.get().pk})
    assert again.status_code in (200, 303)


@pytest.mark.parametrize("name", ["home", "consent", "decline", "screening", "language", "leave"])
@pytest.mark.parametrize("status", Status)
def test_looking_changes_nothing(collecting, somebody, reading, status, name):
    person = reading(somebody(status))
    with CaptureQueriesContext(connection) as queries:
        person.get(name)
        person.client.head(person.address(name))
    assert not [q for q in queries if q["sql"].split()[0] in ("INSERT", "UPDATE", "DELETE")]


@pytest.mark.parametrize("status", [s for s in OPEN if s is not Status.SUBMITTED])
def test_when_time_is_up_the_page_says_so_and_the_next_press_ends_it(
    collecting, somebody, reading, status
):
    person = reading(somebody(status))
    Participation.objects.update(deadline=clock.ago(1))
    code = collecting.activities.get().codes[Code.TIMED_OUT]
    page = person.page()
    assert "The time for this activity is over" in page
    assert code not in page
    assert person.status == status
    assert person.post().status_code == 303
    assert person.status == Status.TIMED_OUT
    assert code in person.page()


def test_who_has_submitted_is_not_timed_out_and_who_withdraws_late_still_withdraws(
    collecting, somebody, reading
):
    done, late = reading(somebody(Status.SUBMITTED)), reading(somebody(Status.ACTIVE))
    Participation.objects.update(deadline=clock.ago(1))
    assert "your answers have arrived" in done.page()
    late.post("leave", {"choice": "withdraw"})
    assert late.status == Status.WITHDRAWN
    assert "You have withdrawn" in late.page()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda token, other: token[:-1],
        lambda token, other: token.split(".")[0],
        lambda token, other: "A" * 10 + token[10:],
        lambda token, other: token.split(".")[0] + "." + other.split(".")[1],
        lambda token, other: token + "x",
        lambda token, other: "क" + token,
    ],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_link_that_is_not_whole_or_not_ours_is_said_to_be_so(
    collecting, somebody, client, spoil, method
):
    token, other = (links.token(somebody(Status.ACTIVE)) for _number in range(2))
    for name in ("home", "consent", "screening", "leave", "language", "decline"):
        where = reverse(f"taking_part:{name}", args=(spoil(token, other),))
        response = getattr(client, method)(where)
        assert response.status_code == 404
        assert "Open it again from the message it came in" in words(response)
        assert "Sign in" not in words(response)


def test_from_the_link_to_a_place_with_one_thing_at_a_time(newcomer, collecting):
    page = newcomer.page()
    assert "about 25 minutes" in page
    assert "12.50 EUR an hour, by measured time: 5.21 EUR for 25 minutes" in page
    assert collecting.ethics_number in page
    assert newcomer.post()["Location"] == newcomer.address("home")
    assert "We keep a code in place of your name" in newcomer.page()
    newcomer.agree(publish="on")
    assert "Where have you lived?" in newcomer.page()
    newcomer.post("screening", HISTORY)
    page = newcomer.page()
    assert "3 of 12 forms done, about 25 minutes left" in page
    assert newcomer.client.get("/").status_code == 302  # the console is for others
    assert f"http://testserver{newcomer.address('home')}" in page
    assert newcomer.row.participant.region is None or newcomer.status == Status.ACTIVE
    assert Residence.objects.get().place.name == "Windlow"
    assert Participant.objects.get().region.slug == "moor"


def test_agreeing_twice_is_one_consent_with_what_was_ticked(newcomer):
    newcomer.post()
    assert newcomer.agree(publish="on", outside_model="on").status_code == 303
    assert newcomer.agree().status_code == 303
    consent = Consent.objects.get()
    assert consent.purposes == [Purpose.TAKE_PART, Purpose.PUBLISH, Purpose.OUTSIDE_MODEL]
    assert newcomer.status == Status.SCREENING


def test_without_the_first_tick_nobody_is_in_and_the_page_says_where_to_look(newcomer):
    newcomer.post()
    document = ConsentDocument.objects.get()
    response = newcomer.post("consent", {"document": document.pk, "publish": "on"})
    page = response.content.decode()
    assert response.status_code == 422
    assert '<a href="#id_take_part">' in page
    assert 'aria-describedby="id_take_part_error"' in page
    assert re.search(r'name="publish"[^>]*checked', page)
    assert not Consent.objects.exists()


def test_a_document_that_changed_meanwhile_is_shown_before_anybody_agrees_to_it(newcomer):
    newcomer.post()
    old = ConsentDocument.objects.get()
    ConsentDocument.objects.create(
        study=old.study,
        version=2,
        texts={"en": "It takes an hour."},
        purposes=old.purposes,
        sha256="2" * 64,
        created=clock.now(),
    )
    response = newcomer.post("consent", {"document": old.pk, "take_part": "on"})
    assert "This text has changed" in words(response)
    assert "It takes an hour." in words(response)
    assert "checked" not in response.content.decode()
    assert newcomer.status == Status.CONSENTING
    newcomer.agree()
    assert Consent.objects.get().document.version == 2


def test_declining_is_a_button_and_keeps_no_consent(newcomer, collecting):
    newcomer.post()
    newcomer.post("decline")
    assert newcomer.status == Status.DECLINED
    assert collecting.activities.get().codes[Code.NO_CONSENT] in newcomer.page()
    assert not Consent.objects.exists()


def test_the_consent_text_is_shown_in_the_language_and_direction_it_has(newcomer, collecting):
    document = ConsentDocument.objects.get()
    texts = {"en": "Welcome.\n\nThank you.", "ur": "خوش آمدید"}
    ConsentDocument.objects.filter(pk=document.pk).update(texts=texts)
    Study.objects.update(languages=["en", "ur", "hi"])
    newcomer.post()
    assert "<p>Welcome.</p>" in newcomer.get().content.decode()
    newcomer.post("language", {"language": "ur"})
    page = newcomer.get().content.decode()
    assert '<html lang="ur" dir="rtl">' in page
    assert 'lang="ur" dir="rtl"><p>خوش آمدید</p>' in page
    newcomer.post("language", {"language": "hi"})
    page = newcomer.get().content.decode()
    assert '<html lang="hi" dir="ltr">' in page
    assert 'lang="en" dir="ltr"><p>Welcome.</p>' in page


def test_places_are_listed_by_the_alphabet_and_no_region_is_named(screened):
    page = screened.get().content.decode()
    options = re.findall(r'<option value="([^"]+)"', page.split("</select>")[0])
    assert options == [*sorted(options[:-1]), "-"]
    assert len(options) == 13
    for region in Region.objects.all():
        assert region.names["en"] not in page
    assert "optgroup" not in page


def test_places_are_called_and_ordered_as_in_the_participants_language(screened, collecting):
    called = {"Brassgate": "Zaguán", "Windlow": "Ávila", "Three Wells": "Tres Pozos"}
    for name, text in called.items():
        collecting.places.filter(name=name).update(names={"en": name, "es": text})
    page = screened.post("screening", HISTORY | {"language": "es"}).content.decode()
    options = re.findall(
        r'<option value="([^"]+)"(?: selected)?>([^<]+)<', page.split("</select>")[0]
    )
    assert options[0] == ("Windlow", "Ávila")
    assert options[1] == ("Eelfoot", "Eelfoot")  # no Spanish name: that of the study's first
    assert options[-2] == ("Brassgate", "Zaguán")
    assert '<option value="Windlow" selected>Ávila<' in page
    screened.post("screening", HISTORY)
    assert Residence.objects.get().place.name == "Windlow"


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"born": ""}, "id_born", "Write the year you were born."),
        ({"born": "80"}, "id_born", "with four digits"),
        ({"born": "soon"}, "id_born", "Write the year in digits"),
        ({"born": "2999"}, "id_born", "with four digits"),
        ({"stay-0-place": ""}, "id_stay-0-place", "Choose a place"),
        ({"stay-0-place": "Atlantis"}, "id_stay-0-place", "Choose a place"),
        ({"stay-0-from_year": ""}, "id_stay-0-from_year", "Write the year you came here."),
        ({"stay-0-to_year": ""}, "id_stay-0-to_year", "Write the year you left"),
        ({"stay-0-from_year": "1979"}, "id_stay-0-from_year", "before the year you were born"),
        ({"stay-0-to_year": "1979"}, "id_stay-0-to_year", "before the year you came here"),
        ({"stay-0-to_year": "9" * 400}, "id_stay-0-to_year", "has not come yet"),
        ({"stay-3-to_year": "1990"}, "id_stay-3-place", "Choose a place"),
    ],
)
def test_a_fault_stands_beside_its_field_and_on_top_and_nothing_typed_is_lost(
    screened, change, field, said
):
    sent = HISTORY | {"stay-1-place": "-", "stay-1-from_year": "2020", "stay-1-to_year": "2021"}
    response = screened.post("screening", sent | change)
    page = response.content.decode()
    assert response.status_code == 422
    assert f'<a href="#{field}">' in page.split("<form id=")[0]
    assert re.search(rf'aria-describedby="[^"]*\b{field}_error"', page)
    assert said in words(response)
    for name, value in (sent | change).items():
        if value and value != "Atlantis":
            assert value in page, name
    assert screened.status == Status.SCREENING


def test_a_history_without_a_place_is_asked_for_one(screened):
    response = screened.post("screening", {"born": "1980", "rows": "4"})
    assert response.status_code == 422
    assert "one place at least" in words(response)


def test_more_rows_come_with_what_was_typed_and_without_complaint(screened):
    response = screened.post("screening", HISTORY | {"born": "198", "more": "1"})
    page = response.content.decode()
    assert response.status_code == 200
    assert page.count("<fieldset") == 8
    assert 'value="198"' in page
    assert '<option value="Windlow" selected>' in page
    assert 'role="alert"' not in page
    assert (
        screened.post("screening", {"rows": "9" * 9, "more": "1"}).content.count(b"<fieldset") == 40
    )


def test_switching_the_language_while_typing_keeps_what_was_typed(screened):
    response = screened.post("screening", HISTORY | {"language": "es"})
    page = response.content.decode()
    assert '<html lang="es"' in page
    assert '<option value="Windlow" selected>' in page
    assert Participant.objects.get().language == "es"
    assert screened.status == Status.SCREENING


def test_years_may_be_typed_in_the_digits_of_any_script(screened):
    screened.post("screening", HISTORY | {"born": "१९८०", "stay-0-from_year": "১৯৮০"})
    assert screened.status == Status.ACTIVE


def test_who_has_no_region_is_thanked_and_told_they_did_nothing_wrong(screened, collecting):
    screened.post("screening", HISTORY | {"stay-0-place": "-"})
    assert screened.status == Status.SCREENED_OUT
    page = screened.page()
    assert "You did nothing wrong." in page
    assert collecting.activities.get().codes[Code.SCREENED_OUT] in page
    assert not Residence.objects.exists()


def test_where_no_place_is_left_the_page_says_so(screened, collecting):
    Region.objects.update(target=0)
    screened.post("screening", HISTORY)
    assert screened.status == Status.QUOTA_FULL
    assert collecting.activities.get().codes[Code.QUOTA_FULL] in screened.page()


def test_the_language_is_switched_from_any_page_and_leads_back_to_it(newcomer):
    leave = f"http://testserver{newcomer.address('leave')}"
    response = newcomer.post("language", {"language": "es"}, headers={"Referer": leave})
    assert response["Location"] == newcomer.address("leave")
    for strange in ("http://elsewhere.example/", f"//elsewhere.example{leave}", "::", ""):
        response = newcomer.post("language", {"language": "en"}, headers={"Referer": strange})
        assert response["Location"] == newcomer.address("home")
    newcomer.post("language", {"language": "xx"})
    assert Participant.objects.get().language == "en"


def test_the_way_back_to_the_recruiter_is_a_link_with_the_code(collecting, somebody, reading):
    ours, theirs = somebody(Status.SUBMITTED), somebody(Status.SUBMITTED, session="s1")
    code = collecting.activities.get().codes[Code.COMPLETED]
    there = f'href="https://app.prolific.com/submissions/complete?cc={code}"'
    assert there in reading(theirs).get().content.decode()
    assert there not in reading(ours).get().content.decode()


def test_leaving_offers_what_the_status_allows(collecting, somebody, reading):
    page = reading(somebody(Status.ACTIVE)).page("leave")
    for offered in ("Come back later", "Give my place back", "Withdraw and remove"):
        assert offered in page
    page = reading(somebody(Status.ACCEPTED)).page("leave")
    assert "Withdraw and remove" in page
    assert "Give my place back" not in page
    assert "You have left this study already" in reading(somebody(Status.DECLINED)).page("leave")


def test_a_withdrawn_persons_links_show_that_they_have_withdrawn(
    collecting, somebody, reading, newcomer
):
    person = reading(somebody(Status.ACTIVE))
    assert person.post("leave", {"choice": "withdraw"}).status_code == 303
    assert "You have withdrawn from this study" in person.page()
    assert collecting.activities.get().codes[Code.WITHDRAWN] in person.page()
    assert person.post("screening", HISTORY)["Location"] == person.address("home")
    declined = reading(somebody(Status.DECLINED))
    services.withdraw(declined.row.participant, "test")
    assert "You have withdrawn from this study" in declined.page()
    assert newcomer.post().status_code == 303


def test_an_invitation_that_is_too_old_says_so(newcomer):
    Participation.objects.update(deadline=clock.ago(1))
    assert "The time for this activity is over" in newcomer.page()
    newcomer.agree()
    assert newcomer.status == Status.TIMED_OUT


def test_links_are_made_by_the_command_and_each_is_somebody_of_their_own(collecting, client):
    result = command("lantern_coast", "--count", "3", "--origin", "https://study.example/")
    assert (result["study"], result["activity"]) == ("lantern_coast", "everyday_life")
    urls = [link["url"] for link in result["links"]]
    assert len(set(urls)) == 3
    assert {link["participant"] for link in result["links"]} == set(
        Participant.objects.values_list("code", flat=True)
    )
    for url in urls:
        assert client.get(url.removeprefix("https://study.example")).status_code == 200
    assert AuditEntry.objects.get(action="links.made").data == {"count": 3}


def test_links_of_a_simulated_study_are_for_simulated_participants(collecting):
    Study.objects.update(simulated=True)
    command("lantern_coast")
    assert Participant.objects.get().simulated


@pytest.mark.parametrize(
    ("arguments", "change", "code"),
    [
        ((), {"status": Study.Status.SET_UP}, "study.not_collecting"),
        (("--count", "0"), {}, "links.count"),
        (("--count", "1001"), {}, "links.count"),
        (("--activity", "nothing"), {}, "activity.unknown"),
    ],
)
def test_links_are_refused_in_words(collecting, arguments, change, code):
    if change:
        Study.objects.update(**change)
    assert command("lantern_coast", *arguments)["error"]["code"] == code
    assert not Participant.objects.exists()


def test_the_activity_is_named_where_there_are_several(collecting):
    activity = collecting.activities.get()
    activity.pk, activity.slug = None, "second"
    activity.save()
    refused = command("lantern_coast")["error"]
    assert refused["code"] == "activity.not_named"
    assert "everyday_life, second" in refused["message"]
    assert command("lantern_coast", "--activity", "second")["activity"] == "second"


def test_a_researcher_copies_the_address_and_makes_links_that_are_shown_once(
    collecting, signed_in, django_user_model
):
    user = django_user_model.objects.create_user("rosa@example.org", "a password")
    services.invite(collecting, user.email, Role.RESEARCHER, "test")
    client, where = signed_in(user), reverse("studies:links", args=(collecting.slug,))
    page = words(client.get(where))
    assert "/join/lantern_coast/everyday_life/?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID=" in page
    assert all(code in page for code in collecting.activities.get().codes.values())
    page = words(client.post(where, {"activity": "everyday_life", "count": "2"}))
    rows = list(Participation.objects.select_related("participant"))
    assert len(rows) == 2
    for row in rows:
        assert f"{row.participant.code} http://testserver{links.personal(row)}" in page
        assert links.personal(row) not in words(client.get(where))
    assert client.post(where, {"activity": "everyday_life", "count": "0"}).status_code == 422
    Study.objects.update(status=Study.Status.SET_UP)
    assert "is not open yet" in words(client.get(where))
    refused = client.post(where, {"activity": "everyday_life", "count": "2"})
    assert refused.status_code == 422
    assert Participation.objects.count() == 2


def test_whoever_may_not_recruit_does_not_see_the_page(collecting, signed_in, django_user_model):
    user = django_user_model.objects.create_user("vera@example.org", "a password")
    services.invite(collecting, user.email, Role.VIEWER, "test")
    assert signed_in(user).get(f"/studies/{collecting.slug}/links/").status_code == 403


def test_who_gave_a_place_back_is_paid_for_the_time_once_and_frees_it(
    collecting, somebody, reading
):
    person = reading(somebody(Status.ACTIVE))
    person.post("leave", {"choice": "give_back"})
    assert person.status == Status.RETURNED
    assert person.row.slot_region is None
    assert "You have earned 2.50 EUR." in person.page()
    moving.move(person.row, Action.WITHDRAW)
    assert paying.earned(person.row) == 250


def test_giving_a_place_back_is_asked_about_once_more(collecting, somebody, reading):
    person = reading(somebody(Status.ACTIVE))
    leave = person.get("leave").content.decode()
    offered = next(form for form in leave.split("<form")[1:] if "Give my place back" in form)
    assert offered.lstrip().startswith('method="get"')
    asked = person.client.get(person.address("leave"), {"choice": "give_back"})
    assert "Do you want to give your place back?" in words(asked)
    assert "The time you have worked is paid." in words(asked)
    assert person.status == Status.ACTIVE
    declined = reading(somebody(Status.ACCEPTED))
    asked = declined.client.get(declined.address("leave"), {"choice": "give_back"})
    assert "Do you want to give your place back?" not in words(asked)


def test_what_acceptance_will_pay_is_what_it_then_pays(collecting, somebody, reading):
    person = reading(somebody(Status.ACTIVE))
    Participation.objects.update(worked_ms=65_900)
    moving.move(person.row, Action.SUBMIT)
    told = "You worked 1 min 5 s; at 12.50 EUR an hour that is 0.23 EUR, as soon as"
    assert told in person.page()
    services.add_bonus(person.row, 100, "a long talk", "a" * 16, "test")
    page = person.page()
    assert told in page
    assert "You have earned 1.00 EUR." in page
    moving.move(person.row, Action.ACCEPT)
    assert "You have earned 1.23 EUR." in person.page()


def test_a_flat_reward_is_promised_whole(collecting, somebody, reading):
    collecting.activities.update(reward="flat", amount_minor=600)
    page = reading(somebody(Status.SUBMITTED, minutes=1)).page()
    assert "You earn 6.00 EUR as soon as the study team has accepted your answers." in page
    assert "You worked" not in page


def test_pay_that_was_withheld_is_said_to_be_so_before_and_after_withdrawing(
    collecting, somebody, reading
):
    person = reading(somebody(Status.SUBMITTED))
    moving.move(person.row, Action.REJECT, paid_decision=Participation.Paid.WITHHOLD)
    said = "Nothing is paid for this, by decision of the study team."
    assert said in person.page()
    services.withdraw(person.row.participant, "test")
    assert said in person.page()
    assert "working time" not in person.page()


@pytest.mark.parametrize("status", [*ENDINGS, Status.ACTIVE, Status.SUBMITTED, Status.REDO])
def test_the_text_about_the_study_with_its_address_stays_within_reach(
    collecting, somebody, reading, status
):
    page = reading(somebody(status)).page()
    assert "The text about the study" in page
    assert "listening@lantern-coast.example" in page


def test_the_text_that_stays_is_the_one_that_was_agreed_to(screened):
    old = ConsentDocument.objects.get()
    ConsentDocument.objects.create(
        study=old.study,
        version=2,
        texts={"en": "It takes an hour."},
        purposes=old.purposes,
        sha256="2" * 64,
        created=clock.now(),
    )
    screened.post("screening", HISTORY)
    assert "We keep a code in place of your name" in screened.page()
    assert "It takes an hour." not in screened.page()


def test_the_first_page_says_what_the_study_is_about(newcomer, collecting, client):
    joining = reverse("taking_part:join", args=("lantern_coast", "everyday_life"))
    about = "We ask what people in your part of the Lantern Coast take for granted"
    for page in (newcomer.page(), words(client.get(joining, {"PROLIFIC_PID": "A1"}))):
        assert about in page
        assert "We keep a code in place of your name" not in page
    in_spanish = client.get(joining, {"PROLIFIC_PID": "A1", "language": "es"})
    assert "Preguntamos qué da por sentado" in words(in_spanish)
    ConsentDocument.objects.update(texts={"en": "Information\n\nIt is about soup.\n\n" + "x" * 200})
    page = newcomer.page()
    assert "Information It is about soup." in page
    ConsentDocument.objects.all().delete()
    assert newcomer.get().status_code == 200


def test_who_comes_back_to_begun_answers_continues(collecting, somebody, reading, monkeypatch):
    room = kinds._kinds[ActivityKind.SURVEY]
    nothing_sent = replace(room, progress=lambda row: kinds.Progress(done=0, of=12, minutes_left=9))
    monkeypatch.setitem(kinds._kinds, ActivityKind.SURVEY, nothing_sent)
    person = reading(somebody(Status.ACTIVE))
    before = person.get().content.decode()
    assert ">Start</a>" in before
    assert "Go on where you stopped." not in before
    Participation.objects.update(last_seen=clock.now())
    after = person.get().content.decode()
    assert ">Continue</a>" in after
    assert "Go on where you stopped." in after


def test_until_when_a_place_is_kept_is_told_with_its_time_zone(collecting, somebody, reading):
    person = reading(somebody(Status.ACTIVE))
    Participation.objects.update(deadline=datetime(2999, 7, 5, 12, tzinfo=UTC))
    Study.objects.update(timezone="Asia/Kolkata")
    assert "until 5 July 2999, 17:30 (UTC+05:30)." in person.page()


def test_the_last_year_of_a_stay_says_what_to_write_of_a_place_somebody_lives_in(screened):
    page = screened.get().content.decode()
    assert "This year, if you still live there." in page
    assert 'aria-describedby="id_stay-0-to_year_helptext"' in page


def test_links_of_the_command_lead_to_the_port_that_is_served(collecting, monkeypatch, settings):
    settings.CSRF_TRUSTED_ORIGINS = []
    monkeypatch.setenv("PORT", "8282")
    assert command("lantern_coast")["links"][0]["url"].startswith("http://127.0.0.1:8282/p/")
    settings.CSRF_TRUSTED_ORIGINS = ["https://study.example"]
    assert command("lantern_coast")["links"][0]["url"].startswith("https://study.example/p/")


def command(*arguments):
    out = StringIO()
    with suppress(SystemExit):
        call_command("participant_links", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


# --- what no page sends, and programs do --------------------------------------------------------

FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("rows", ["9" * 5000, "٩" * 5000, "-1", "1e9", ""])
def test_a_strange_number_of_rows_is_a_page_with_the_usual_ones(screened, rows):
    page = screened.post("screening", {"rows": rows, "more": "1"}).content.decode()
    assert page.count("<fieldset") == 8


def test_more_places_than_are_kept_are_named_and_not_left_out_in_silence(screened):
    stays = {
        f"stay-{number}-{name}": value
        for number in range(41)
        for name, value in (("place", "Windlow"), ("from_year", "1980"), ("to_year", "2020"))
    }
    response = screened.post("screening", {"born": "1980", "rows": "41"} | stays)
    assert response.status_code == 422
    assert "At most 40 places can be given" in words(response)
    assert screened.status == Status.SCREENING


@pytest.mark.parametrize("referer", ["http://[bad", "//[", "http://h]/", "\x00", "p" * 5000])
def test_a_strange_referer_leads_to_the_first_page(newcomer, referer):
    response = newcomer.post("language", {"language": "es"}, headers={"Referer": referer})
    assert (response.status_code, response["Location"]) == (303, newcomer.address("home"))


@pytest.mark.parametrize("body", ["born=%ED%A0%80", "born=%FF", "born=%E0%A4", b"born=\xff"])
def test_bytes_that_are_no_text_are_refused_in_words(screened, body):
    response = screened.client.post(screened.address("screening"), body, content_type=FORM)
    assert response.status_code == 400
    assert "could not be read as text" in words(response)
    assert "form.not_text" in words(response)


def test_parts_that_are_no_text_are_refused_in_words(screened):
    body = b'--b\r\nContent-Disposition: form-data; name="born"\r\n\r\n\xff\r\n--b--\r\n'
    kind = "multipart/form-data; boundary=b"
    response = screened.client.post(screened.address("screening"), body, content_type=kind)
    assert response.status_code == 400
    assert "form.not_text" in words(response)
    response = screened.client.post(screened.address("screening"), b"x", content_type=kind[:19])
    assert response.status_code == 400


def test_more_than_can_be_sent_at_once_is_refused_in_words(screened, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3
    response = screened.post("screening", HISTORY)
    assert response.status_code == 413
    assert "form.too_large" in words(response)
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    response = screened.client.post(screened.address("screening"), "a=" * 20, content_type=FORM)
    assert response.status_code == 413
    assert screened.status == Status.SCREENING


def test_an_invitation_reads_text_only_as_well(client, collecting):
    where = reverse("taking_part:join", args=(collecting.slug, collecting.activities.get().slug))
    response = client.post(where, "PROLIFIC_PID=%ff", content_type=FORM)
    assert response.status_code == 400
    assert not Participant.objects.exists()


def test_a_page_that_fails_puts_no_personal_link_into_the_log(newcomer, monkeypatch, settings):
    written, logger = StringIO(), logging.getLogger("django.request")
    handler = logging.StreamHandler(written)
    line = settings.LOGGING["formatters"]["line"]
    handler.setFormatter(DictConfigurator(settings.LOGGING).configure_formatter(line))
    monkeypatch.setattr(screens, "show", lambda request, row: {}[request.path])
    newcomer.client.raise_request_exception = False
    logger.addHandler(handler)
    assert newcomer.get().status_code == 500
    logger.removeHandler(handler)
    assert newcomer.token not in written.getvalue()
    assert f"Internal Server Error: /p/{newcomer.token[:4]}…/" in written.getvalue()
