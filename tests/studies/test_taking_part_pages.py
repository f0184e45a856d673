"""A participant's pages: a screen and a next step in every status, whatever is pressed."""

import itertools
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core import clock
from studies import kinds, services
from studies.models import (
    ConsentDocument,
    Participation,
    Study,
)
from studies.participation import ENDINGS, OPEN, STATUSES, Action, Code, Status
from studies.services import moving, paying
from studies.setup import ActivityKind
from tests.studies.reading import HISTORY, words

pytestmark = pytest.mark.django_db
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


def test_who_declined_by_mistake_may_decide_anew(collecting, somebody, reading):
    person = reading(somebody(Status.DECLINED))
    assert "I chose this by mistake" in person.page()
    assert person.post()["Location"] == person.address("home")
    assert person.status == Status.CONSENTING
    person.post("decline")
    assert person.status == Status.DECLINED


@pytest.mark.parametrize(
    ("session", "deadline"), [("s1", 0), ("", 1)], ids=["recruiter has the code", "too late"]
)
def test_who_declined_for_good_stays_so(collecting, somebody, reading, session, deadline):
    person = reading(somebody(Status.DECLINED, session=session))
    Participation.objects.update(deadline=clock.ago(1) if deadline else None)
    assert "by mistake" not in person.page()
    assert person.post().status_code == 303
    assert person.status == Status.DECLINED


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
    assert "You earn 6.00 EUR as soon as the study team has accepted your work." in page
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
