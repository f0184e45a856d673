"""Messages of Prolific: genuine ones, once, however they come; everything else is refused."""

import base64
import hashlib
import hmac
import json

import pytest
from django.urls import reverse

from core.models import AuditEntry
from studies import services
from studies.models import Activity, LedgerEntry
from studies.participation import Action, Status
from studies.recruiter import Arrival
from studies.services import paying
from studies.services.entering import AGAIN
from studies.services.moving import move

pytestmark = pytest.mark.django_db

SECRET = "a secret of the workspace"
ADDRESS = "/hooks/prolific/"


@pytest.fixture(autouse=True)
def _secret(settings):
    settings.PROLIFIC_SECRET = SECRET


def sign(body, timestamp="1760000000", secret=SECRET):
    """As the recruiter documents it, written down a second time."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return {
        "X-Prolific-Request-Timestamp": timestamp,
        "X-Prolific-Request-Signature": base64.b64encode(digest).decode(),
    }


@pytest.fixture
def send(client):
    def send(status="APPROVED", session="s1", *, body=None, headers=None, **fields):
        event = {
            "event_type": "submission.status.change",
            "resource_id": session,
            "participant_id": "p1",
            "status": status,
        }
        body = json.dumps(event | fields).encode() if body is None else body
        headers = sign(body) if headers is None else headers
        response = client.post(ADDRESS, body, content_type="application/json", headers=headers)
        result = response.json()
        return response.status_code, result.get("outcome") or result["error"]["code"]

    return send


def payments(row):
    return list(row.ledger.filter(kind="payment").values_list("amount_minor", "key"))


def test_an_approval_is_one_ledger_line_however_often_it_comes(somebody, send):
    row = somebody(Status.ACCEPTED, minutes=25, session="s1")
    assert send() == (200, "done")
    assert send() == send() == (200, "unchanged")
    assert payments(row) == [(521, "prolific s1 approved")]


def test_an_approval_that_comes_late_out_of_order_or_with_an_old_stamp_counts(somebody, send):
    row = somebody(Status.ACCEPTED, minutes=25, session="s1")
    assert send("RETURNED") == (200, "ignored")
    body = b'{"event_type": "submission.status.change", "resource_id": "s1", "status": "APPROVED"}'
    assert send(body=body, headers=sign(body, timestamp="1000000000")) == (200, "done")
    assert send("TIMED-OUT") == (200, "ignored")
    assert payments(row) == [(521, "prolific s1 approved")]
    row.refresh_from_db()
    assert row.status == Status.ACCEPTED
    told = AuditEntry.objects.filter(action="recruiter.ignored")
    assert [entry.data["said"] for entry in told] == ["TIMED-OUT", "RETURNED"]


def test_an_approval_before_our_own_is_not_owed_again_afterwards(somebody, send):
    row = somebody(Status.SUBMITTED, minutes=25, session="s1")
    assert send() == (200, "done")
    move(row, Action.ACCEPT)
    assert send() == (200, "unchanged")
    assert paying.earned(row) == paying.paid(row) == 521


def test_an_approval_pays_what_is_open_and_leaves_bonuses_to_the_payment_list(somebody, send):
    row = somebody(Status.ACCEPTED, minutes=25, session="s1")
    services.add_bonus(row, 100, "more", "b" * 16, "test")
    paying.pay(row, 500, "by hand")
    send()
    assert payments(row)[1:] == [(21, "prolific s1 approved")]
    assert paying.earned(row) - paying.paid(row) == 100


def test_an_approval_of_somebody_already_paid_enters_nothing(study, somebody, send):
    row = somebody(Status.ACCEPTED, minutes=25, session="s1")
    services.mark_paid(study, {row.code: 521}, "a" * 16, "test")
    assert send() == (200, "unchanged")
    assert paying.paid(row) == 521


def test_an_approval_of_who_was_turned_away_pays_the_time_that_is_open(study, somebody, send):
    Activity.objects.update(reward="flat", amount_minor=600, minutes=24)
    row = somebody(Status.ACTIVE, minutes=12, session="s1")
    services.withdraw(row.participant, "test")
    send()
    assert payments(row) == [(300, "prolific s1 approved")]
    assert send("APPROVED", "s2") == (202, "unknown")


@pytest.mark.parametrize(
    ("said", "status"), [("RETURNED", Status.RETURNED), ("TIMED-OUT", Status.TIMED_OUT)]
)
def test_leaving_at_the_recruiters_gives_the_place_free_here(somebody, send, said, status):
    row = somebody(Status.ACTIVE, session="s1")
    assert send(said) == (200, "done")
    assert send(said) == (200, "unchanged")
    row.refresh_from_db()
    assert (row.status, row.slot_region) == (status, None)
    assert AuditEntry.objects.get(action="recruiter.ended").actor == "prolific"


@pytest.mark.parametrize("said", ["RETURNED", "TIMED-OUT"])
def test_what_was_submitted_here_stays_submitted_and_the_trail_says_so(somebody, send, said):
    row = somebody(Status.SUBMITTED, session="s1")
    assert send(said) == (200, "ignored")
    row.refresh_from_db()
    assert row.status == Status.SUBMITTED
    assert AuditEntry.objects.get(action="recruiter.ignored").data["status"] == "submitted"


@pytest.mark.parametrize("status", ["ACTIVE", "AWAITING REVIEW", "REJECTED", "", "SOMETHING NEW"])
def test_other_statuses_change_nothing(somebody, send, status):
    row = somebody(Status.SUBMITTED, session="s1")
    assert send(status) == (200, "unchanged")
    row.refresh_from_db()
    assert (row.status, LedgerEntry.objects.count()) == (Status.SUBMITTED, 0)


def test_other_events_and_sessions_nobody_has_are_taken_and_change_nothing(somebody, send):
    row = somebody(Status.ACCEPTED, session="s1")
    assert send(event_type="study.status.change") == (200, "unchanged")
    assert send(session="s2") == (202, "unknown")
    assert send(session="") == (200, "unchanged")
    assert payments(row) == []


def test_the_sessions_of_two_people_are_told_apart(somebody, send):
    first = somebody(Status.ACCEPTED, session="s1")
    second = somebody(Status.ACCEPTED, session="s2")
    send(session="s2")
    assert (payments(first), payments(second)) == ([], [(250, "prolific s2 approved")])


BODY = b'{"event_type": "submission.status.change", "resource_id": "s1", "status": "APPROVED"}'


@pytest.mark.parametrize(
    "headers",
    [
        {},
        sign(BODY, secret="another"),
        sign(BODY + b" "),
        sign(BODY) | {"X-Prolific-Request-Timestamp": "1760000001"},
        {"X-Prolific-Request-Signature": sign(BODY)["X-Prolific-Request-Signature"]},
        sign(BODY) | {"X-Prolific-Request-Signature": "pàs une signature"},
        sign(BODY, timestamp="") | {},
    ],
)
def test_a_message_with_a_bad_signature_is_refused_and_changes_nothing(somebody, send, headers):
    row = somebody(Status.ACCEPTED, session="s1")
    assert send(body=BODY, headers=headers) == (401, "webhook.signature")
    assert payments(row) == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b'{"event_type": 1}',
        b'{"event_type": "submission.status.change", "resource_id": null}',
        b'{"event_type": "x", "resource_id": "' + b"s" * 101 + b'"}',
        b"[" * 60_000,
    ],
)
def test_a_signed_message_nobody_can_read_is_refused_in_words(send, body):
    assert send(body=body) == (400, "webhook.unreadable")


@pytest.mark.parametrize("session", ["a\0b", "\ud800"])
def test_an_id_no_database_keeps_is_refused(send, session):
    assert send(session=session) == (400, "text.not_storable")


def test_a_message_longer_than_any_of_theirs_is_not_read_to_its_end(send):
    assert send(body=b" " * (64 * 1024 + 1)) == (413, "webhook.too_long")


def test_without_a_secret_nothing_is_believed(send, settings, somebody):
    row = somebody(Status.ACCEPTED, session="s1")
    settings.PROLIFIC_SECRET = ""
    assert send(body=BODY, headers=sign(BODY, secret="")) == (503, "webhook.off")
    assert payments(row) == []


def test_the_secret_is_in_no_answer_and_no_log(send, caplog):
    caplog.set_level("DEBUG")
    send(headers={})
    send(body=b"{")
    assert SECRET not in caplog.text


def test_the_hook_takes_messages_only(client):
    assert reverse("hook_prolific") == ADDRESS
    assert client.get(ADDRESS).status_code == 405


# --- who comes again with a newer session -------------------------------------------------------


@pytest.fixture
def comes(collecting):
    """Makes the person of an id come from the recruiter with a session."""
    activity = collecting.activities.select_related("study").get()
    return lambda session, person="p1": services.enter(activity, Arrival(person, "", session), "en")


def is_accepted(row):
    region = row.activity.study.regions.first()
    row.refresh_from_db()
    for action in (Action.CONSENT, Action.ADMIT, Action.SUBMIT, Action.ACCEPT):
        given = {"region": region, "worked_ms": 12 * 60_000} if action is Action.ADMIT else {}
        move(row, action, **given)


@pytest.mark.parametrize("sessions", [("s1", "s2"), ("s2", "s1"), ("s2", "s2"), ("s1", "s1")])
def test_an_approval_of_any_session_somebody_came_with_pays_once(comes, send, sessions):
    row = comes("s1")
    assert comes("s2") == row
    is_accepted(row)
    assert send("APPROVED", sessions[0]) == (200, "done")
    assert send("APPROVED", sessions[1]) == (200, "unchanged")
    assert payments(row) == [(250, f"prolific {sessions[0]} approved")]


def test_the_newest_session_speaks_for_a_participation(comes):
    comes("s1")
    comes("s2")
    row = comes("s1")  # the old tab again
    row.refresh_from_db()
    assert row.recruiter_session == "s2"
    assert list(row.sessions.values_list("session", flat=True)) == ["s1", "s2"]


@pytest.mark.parametrize("said", ["RETURNED", "TIMED-OUT"])
def test_an_old_session_that_is_given_back_ends_nothing_and_the_newest_does(comes, send, said):
    row = comes("s1")
    comes("s2")
    assert send(said, "s1") == (200, "ignored")
    row.refresh_from_db()
    assert row.status == Status.CONSENTING
    assert AuditEntry.objects.get(action="recruiter.ignored").data["status"] == "consenting"
    assert send(said, "s2") == (200, "done")
    row.refresh_from_db()
    assert row.status in AGAIN


def test_who_has_ended_and_comes_again_is_paid_by_the_session_they_came_with(comes, send):
    row = comes("s1")
    for action in (Action.CONSENT, Action.SCREEN_OUT):
        move(row, action, worked_ms=12 * 60_000)
    assert comes("s2") == row
    assert send("APPROVED", "s2") == (200, "done")
    assert paying.earned(row) == paying.paid(row) > 0


def test_a_session_of_somebody_else_is_not_taken_over(comes, send):
    mine, theirs = comes("s1", "p1"), comes("s2", "p2")
    assert comes("s2", "p1") == mine
    is_accepted(theirs)
    send("APPROVED", "s2")
    assert (payments(mine), payments(theirs)) == ([], [(250, "prolific s2 approved")])
