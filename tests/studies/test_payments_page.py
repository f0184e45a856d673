"""The accounts of a study: who is owed what, marking it paid, bonuses and the payment list."""

import re

import pytest
from django.urls import reverse

from core.models import AuditEntry
from studies import services
from studies.models import Activity, LedgerEntry, Participation, Study
from studies.participation import Status
from studies.permissions import Role
from studies.services import paying

pytestmark = pytest.mark.django_db


def address(study, page="payments", *further):
    return reverse(f"studies:{page}", args=(study.slug, *further))


def text_of(response):
    words = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", words)


def content(response):
    return b"".join(response.streaming_content).decode()


@pytest.fixture
def team(owner, signed_in):
    return signed_in(owner)


def form_of(team, study):
    """What the page would send with every open account chosen."""
    page = team.get(address(study), {"choose": "all"}).content.decode()
    return {
        "order": re.search(r'name="order" value="(\w+)"', page)[1],
        "paid": re.findall(r'name="paid" value="([\w:]+)" checked', page),
    }


def test_the_page_adds_up_what_was_earned_paid_and_is_open(study, somebody, team):
    first, second = somebody(Status.ACCEPTED, minutes=25), somebody(Status.ACCEPTED, minutes=12)
    somebody(Status.ACTIVE)
    paying.pay(first, 521, "k")
    page = text_of(team.get(address(study)))
    assert "Earned 7.71 EUR in 2 accounts" in page
    assert "Paid 5.21 EUR in 1 account" in page
    assert "Open 2.50 EUR in 1 account" in page
    assert second.participant.code in page
    assert first.participant.code not in page
    everybody = text_of(team.get(address(study), {"show": "all"}))
    assert f"{first.participant.code} Harbour accepted 25.0 5.21 5.21 0.00" in everybody
    assert "active" in everybody


def test_where_everybody_is_paid_there_is_nothing_to_mark_or_choose(study, somebody, team):
    row = somebody(Status.ACCEPTED, minutes=12)
    marking = ("Mark the chosen as paid", "Choose all of this page")
    before = text_of(team.get(address(study), {"show": "all"}))
    assert all(words in before for words in marking)
    paying.pay(row, 250, "k")
    after = text_of(team.get(address(study), {"show": "all"}))
    assert row.participant.code in after
    assert not any(words in after for words in marking)


def test_statuses_and_regions_are_those_of_the_review(study, somebody, team):
    waiting, again = somebody(Status.SUBMITTED), somebody(Status.REDO, region="moor")
    page = text_of(team.get(address(study), {"show": "all"}))
    assert f"{waiting.participant.code} Harbour waits for review" in page
    assert f"{again.participant.code} High Moor asked again" in page


def test_who_has_only_been_invited_has_no_account(study, somebody, team):
    row = somebody(Status.INVITED)
    assert row.participant.code not in text_of(team.get(address(study), {"show": "all"}))


def test_the_chosen_are_marked_as_paid_and_a_double_click_pays_once(study, somebody, team):
    rows = [somebody(Status.ACCEPTED, minutes=12) for _ in range(3)]
    given = form_of(team, study)
    assert len(given["paid"]) == 3
    for _ in range(2):
        response = team.post(address(study, "payments_paid"), given, follow=True)
        assert response.status_code == 200
    assert [paying.paid(row) for row in rows] == [250, 250, 250]
    assert "Nothing is open" in text_of(response)
    trail = text_of(team.get(address(study, "audit")))
    assert "entered 3 payments, 7.50 EUR in all" in trail


def test_an_amount_that_grew_meanwhile_is_said_and_not_entered(study, somebody, team):
    row = somebody(Status.ACCEPTED, minutes=12)
    given = form_of(team, study)
    services.add_bonus(row, 100, "more", "b" * 16, "test")
    page = text_of(team.post(address(study, "payments_paid"), given, follow=True))
    assert f"another amount is open by now: {row.participant.code}" in page
    assert paying.paid(row) == 0


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"order": "a" * 16},
        {"order": "a" * 16, "paid": "nonsense"},
        {"order": "x", "paid": "0000000000:5"},
        {"order": "a" * 16, "paid": "0000000000:-5"},
        {"order": "a" * 16, "paid": "0000000000:५"},
    ],
)
def test_what_the_page_would_not_send_enters_nothing(study, somebody, team, given):
    somebody(Status.ACCEPTED)
    response = team.post(address(study, "payments_paid"), given, follow=True)
    assert response.status_code == 200
    assert not LedgerEntry.objects.filter(kind="payment").exists()


def test_another_studys_account_is_not_paid_here(study, somebody, team):
    row = somebody(Status.ACCEPTED, minutes=12)
    other = Study.objects.create(
        slug="other", names={"en": "O"}, languages=["en"], country="X", timezone="UTC",
        currency="EUR", created=study.created,
    )  # fmt: skip
    services.invite(other, "olga@example.org", Role.OWNER, "test")
    given = form_of(team, study)
    team.post(address(other, "payments_paid"), given)
    assert paying.paid(row) == 0
    assert team.get(address(other), {"show": "all"}).context["lines"] == []


def test_a_bonus_is_owed_and_its_reason_told(study, somebody, team):
    row = somebody(Status.ACCEPTED, minutes=12)
    page = team.get(address(study)).content.decode()
    order = re.findall(r'name="order" value="(\w+)"', page)[-1]
    given = {"order": order, "code": row.code.lower(), "amount": "1.50", "why": "a long talk"}
    for _ in range(2):
        team.post(address(study, "payment_bonus"), given)
    assert paying.earned(row) == 400
    assert AuditEntry.objects.get(action="bonus.added").data["amount"] == "1.50 EUR"


def test_people_read_and_write_the_code_the_participant_reads(study, somebody, team):
    row = somebody(Status.ACCEPTED, minutes=12)
    shown = text_of(team.get(address(study)))
    assert row.participant.code in shown
    assert row.code not in shown
    given = {"amount": "1.50", "why": "a long talk"}
    for order, code in (("a" * 16, row.participant.code), ("b" * 16, row.code)):
        sent = given | {"order": order, "code": f" {code.lower()} "}
        response = team.post(address(study, "payment_bonus"), sent, follow=True)
        assert f"The bonus for {row.participant.code} is entered" in text_of(response)
    assert paying.earned(row) == 550
    history = text_of(team.get(address(study, "audit")))
    assert f"added a bonus of 1.50 EUR for {row.participant.code}: a long talk" in history
    assert row.code not in history


def test_a_bonus_for_somebody_with_two_accounts_says_which_there_are(study, somebody, team):
    row = somebody(Status.TIMED_OUT, minutes=12)
    again = Participation.objects.create(
        participant=row.participant, activity=row.activity, attempt=2, status=Status.ACTIVE
    )
    given = {"order": "a" * 16, "amount": "2", "why": "a talk"}
    sent = given | {"code": row.participant.code}
    page = text_of(team.post(address(study, "payment_bonus"), sent))
    assert "has taken part more than once" in page
    assert f"{again.code} for" in page
    assert not LedgerEntry.objects.filter(kind="bonus").exists()
    team.post(address(study, "payment_bonus"), given | {"code": again.code})
    assert (paying.earned(again), paying.earned(row)) == (200, 0)


def test_one_of_anything_is_not_said_to_be_many(study, somebody, team):
    somebody(Status.ACCEPTED, minutes=12)
    page = team.post(address(study, "payments_paid"), form_of(team, study), follow=True)
    assert "1 payment is entered" in text_of(page)
    assert "entered 1 payment, 2.50 EUR in all" in text_of(team.get(address(study, "audit")))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"code": "NOBODYHERE"}, "Nobody in this study has the code"),
        ({"amount": "1.505"}, "not an amount in EUR"),
        ({"amount": "0"}, "more than nothing"),
        ({"why": ""}, "required"),
    ],
)
def test_a_bonus_that_cannot_be_is_refused_and_what_was_typed_stays(
    study, somebody, team, change, said
):
    row = somebody(Status.ACCEPTED)
    given = {"order": "a" * 16, "code": row.code, "amount": "2", "why": "a talk"} | change
    response = team.post(address(study, "payment_bonus"), given)
    assert response.status_code == 422
    assert said in text_of(response)
    assert given["amount"] in response.content.decode()
    assert not LedgerEntry.objects.filter(kind="bonus").exists()


def test_the_payment_list_has_who_is_to_be_paid_as_plain_decimals(study, somebody, team):
    row = somebody(Status.ACCEPTED, minutes=12, known_as="p1")
    nobody = somebody(Status.ACCEPTED, minutes=25)
    paying.pay(somebody(Status.ACCEPTED, minutes=12, known_as="p3"), 250, "k")
    lines = content(team.get(address(study, "payment_list", "csv"))).splitlines()
    assert lines == [
        "participant,activity,attempt,recruiter_id,amount,currency,key",
        f"{row.participant.code},everyday_life,1,p1,2.50,EUR,{row.code}-250",
        f"{nobody.participant.code},everyday_life,1,,5.21,EUR,{nobody.code}-521",
    ]


def test_the_lines_for_bulk_payment_are_one_a_person_the_recruiter_knows(study, somebody, team):
    row = somebody(Status.ACCEPTED, minutes=12, known_as="p1")
    services.add_bonus(row, 50, "more", "b" * 16, "test")
    somebody(Status.ACCEPTED, minutes=25)
    response = team.get(address(study, "payment_list", "txt"))
    assert content(response) == "p1,3.00\n"
    assert 'filename="lantern_coast-payments.txt"' in response["Content-Disposition"]


def test_lists_and_sums_of_a_currency_without_minor_units(study, somebody, team):
    Study.objects.filter(pk=study.pk).update(currency="JPY")
    Activity.objects.update(amount_minor=1500)
    study.refresh_from_db()
    somebody(Status.ACCEPTED, minutes=25, known_as="p1")
    assert content(team.get(address(study, "payment_list", "txt"))) == "p1,625\n"
    assert "Open 625 JPY in 1 account" in text_of(team.get(address(study)))


def test_a_list_is_of_one_activity_where_the_page_is(study, somebody, team):
    somebody(Status.ACCEPTED, known_as="p1")
    page = team.get(address(study), {"activity": "everyday_life"}).content.decode()
    assert "list.txt?activity=everyday_life" in page
    where = address(study, "payment_list", "txt")
    assert content(team.get(where, {"activity": "everyday_life"})) == "p1,2.50\n"
    assert content(team.get(where, {"activity": "another"})) == ""


def test_a_format_nobody_knows_is_refused_in_words(study, team):
    response = team.get(address(study, "payment_list", "runes"))
    assert (response.status_code, "download.unknown" in text_of(response)) == (404, True)


def test_recruiters_ids_are_shown_to_who_has_to_pay(study, somebody, team):
    somebody(Status.ACCEPTED, known_as="recruiters-id-of-one")
    assert "recruiters-id-of-one" in text_of(team.get(address(study)))


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.MODERATOR, Role.VIEWER])
def test_nobody_else_of_the_study_sees_accounts_or_ids(study, somebody, bob, signed_in, role):
    row = somebody(Status.ACCEPTED, known_as="p1")
    services.invite(study, bob.email, role, "test")
    client = signed_in(bob)
    for where in (address(study), address(study, "payment_list", "csv"),
                  address(study, "withdrawals")):  # fmt: skip
        assert client.get(where).status_code == 403
    given = {"order": "a" * 16, "paid": f"{row.code}:250"}
    assert client.post(address(study, "payments_paid"), given).status_code == 403
    assert client.post(address(study, "withdrawals"), {"code": row.code}).status_code == 403
    assert paying.paid(row) == 0


def test_who_was_paid_before_a_decision_is_shown_as_paid_ahead(study, somebody, team):
    row = somebody(Status.SUBMITTED, minutes=12)
    paying.settle_reward(row, "k", "prolific")
    assert "paid ahead" in text_of(team.get(address(study), {"show": "all"}))
    assert "Open 0.00 EUR in 0 accounts" in text_of(team.get(address(study)))
