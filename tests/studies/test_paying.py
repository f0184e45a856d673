"""The ledger owes once and pays once, in whole minor units."""

import pytest
from django.db import IntegrityError, transaction

from core.errors import CommonplaceError
from core.models import AuditEntry
from studies import services
from studies.models import Activity, LedgerEntry, Study
from studies.participation import Action, Pay, Status
from studies.services import paying
from studies.services.moving import move

pytestmark = pytest.mark.django_db


@pytest.fixture
def flat(study):
    Activity.objects.filter(study=study).update(reward="flat", amount_minor=600, minutes=30)
    return study


def entries(row):
    return list(row.ledger.values_list("kind", "amount_minor", "currency"))


def test_an_hourly_reward_is_for_the_time_worked_rounded_up(somebody):
    row = somebody(Status.ACCEPTED, minutes=25)
    assert entries(row) == [("reward", 521, "EUR")]  # 12.50 an hour


def test_a_flat_reward_is_whole_however_long_it_took(flat, somebody):
    assert entries(somebody(Status.ACCEPTED, minutes=3)) == [("reward", 600, "EUR")]


def test_who_is_cut_short_earns_the_share_of_a_flat_reward_they_worked_for(flat, somebody):
    assert entries(somebody(Status.CUT_SHORT, minutes=0)) == []
    row = somebody(Status.ACTIVE, minutes=10)
    move(row, Action.CUT_SHORT)
    assert entries(row) == [("reward", 200, "EUR")]


def test_a_currency_without_minor_units_is_paid_in_whole_ones(study, somebody):
    Study.objects.filter(pk=study.pk).update(currency="JPY")
    Activity.objects.filter(study=study).update(amount_minor=1500)
    study.refresh_from_db()
    row = somebody(Status.ACCEPTED, minutes=25)
    assert entries(row) == [("reward", 625, "JPY")]
    services.mark_paid(study, {row.code: 625}, "a" * 16, "test")
    assert AuditEntry.objects.get(action="payments.entered").data["amount"] == "625 JPY"


@pytest.mark.parametrize("status", [Status.DECLINED, Status.REJECTED])
def test_some_endings_earn_nothing_by_themselves(somebody, status):
    assert entries(somebody(status)) == []


def test_who_withdraws_after_acceptance_is_owed_nothing_more(somebody):
    row = somebody(Status.ACCEPTED, minutes=20)
    move(row, Action.WITHDRAW)
    assert paying.earned(row) == 417
    assert len(entries(row)) == 1


def test_withdrawing_pays_the_time_unless_it_was_already_decided_not_to(somebody):
    for status, withheld, earned in (
        (Status.SUBMITTED, "", 250),
        (Status.TIMED_OUT, "", 250),
        (Status.REJECTED, "", 250),
        (Status.REJECTED, "withhold", 0),
        (Status.RETURNED, "", 250),
    ):
        row = somebody(Status.ACTIVE, minutes=12)
        for action in {
            Status.SUBMITTED: [Action.SUBMIT],
            Status.TIMED_OUT: [Action.TIME_OUT],
            Status.REJECTED: [Action.SUBMIT, Action.REJECT],
            Status.RETURNED: [Action.GIVE_BACK],
        }[status]:
            move(row, action)
        row.paid_decision = withheld
        row.save()
        move(row, Action.WITHDRAW)
        assert paying.earned(row) == earned, status


def test_owing_the_same_again_enters_nothing(somebody):
    row = somebody(Status.ACCEPTED, minutes=20)
    assert paying.owe(row, Pay.REWARD) is None
    assert len(entries(row)) == 1


def test_a_bonus_before_acceptance_takes_nothing_from_the_reward(somebody):
    row = somebody(Status.SUBMITTED, minutes=20)
    assert services.add_bonus(row, 100, "a long talk", "a" * 16, "test")
    move(row, Action.ACCEPT)
    assert paying.earned(row) == 517


def test_a_bonus_sent_twice_is_owed_once_and_its_reason_is_in_the_trail(somebody):
    row = somebody(Status.ACCEPTED, minutes=20)
    assert services.add_bonus(row, 100, "kind words", "a" * 16, "test")
    assert not services.add_bonus(row, 100, "kind words", "a" * 16, "test")
    assert paying.earned(row) == 517
    assert AuditEntry.objects.get(action="bonus.added").data["why"] == "kind words"
    with pytest.raises(CommonplaceError) as error:
        services.add_bonus(row, 0, "nothing", "b" * 16, "test")
    assert error.value.code == "bonus.amount"


@pytest.mark.parametrize(
    ("reward", "most"), [({"reward": "hourly"}, 52100), ({"reward": "flat"}, 125000)]
)
def test_a_bonus_of_a_hundred_rewards_is_the_most_there_is(somebody, reward, most):
    Activity.objects.update(**reward)
    row = somebody(Status.ACCEPTED)
    assert services.add_bonus(row, most, "kind words", "a" * 16, "test")
    with pytest.raises(CommonplaceError, match=r"A bonus is at most .*00 EUR") as error:
        services.add_bonus(row, most + 1, "kind words", "b" * 16, "test")
    assert error.value.code == "bonus.amount"


def test_an_order_pays_once_however_often_it_comes(study, somebody):
    row = somebody(Status.ACCEPTED, minutes=20)
    for _ in range(3):
        assert services.mark_paid(study, {row.code: 417}, "a" * 16, "test") == []
    assert entries(row)[1:] == [("payment", 417, "EUR")]
    assert AuditEntry.objects.filter(action="payments.entered").count() == 1


def test_two_people_who_pay_the_same_list_enter_it_once(study, somebody):
    row = somebody(Status.ACCEPTED, minutes=20)
    services.mark_paid(study, {row.code: 417}, "a" * 16, "one")
    assert services.mark_paid(study, {row.code: 417}, "b" * 16, "other") == [row.participant.code]
    assert paying.paid(row) == 417


def test_an_amount_that_changed_since_the_list_was_read_is_left_out(study, somebody):
    row, other = somebody(Status.ACCEPTED, minutes=20), somebody(Status.ACCEPTED, minutes=10)
    services.add_bonus(row, 100, "more", "b" * 16, "test")
    amounts = {row.code: 417, other.code: 209, "0000000000": 5}
    assert services.mark_paid(study, amounts, "a" * 16, "test") == [
        row.participant.code,
        "0000000000",
    ]
    assert (paying.paid(row), paying.paid(other)) == (0, 209)


def test_a_key_is_paid_once_and_other_faults_are_not_taken_for_a_repetition(somebody):
    row = somebody(Status.ACCEPTED)
    assert paying.pay(row, 5, "k") is not None
    assert paying.pay(row, 5, "k") is None
    with pytest.raises(IntegrityError), transaction.atomic():
        paying.pay(row, -5, "another")
    assert LedgerEntry.objects.filter(kind="payment").count() == 1
