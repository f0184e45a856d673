"""Amounts of pay as people write them and as they are stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CommonplaceError
from studies import money


@pytest.mark.parametrize(
    ("text", "code", "minor"),
    [("9.50", "EUR", 950), ("9.5", "EUR", 950), ("12", "INR", 1200), ("500", "JPY", 500),
     ("1.005", "KWD", 1005), ("0", "USD", 0)],
)  # fmt: skip
def test_an_amount_becomes_minor_units(text, code, minor):
    assert money.minor(text, code) == minor


@pytest.mark.parametrize(
    ("text", "code"),
    [("9.505", "EUR"), ("1.5", "JPY"), ("-1", "EUR"), ("1,000", "EUR"), ("", "EUR"), ("1e3", "EUR"),
     ("९", "INR"), (".5", "EUR")],
)  # fmt: skip
def test_what_is_no_amount_of_the_currency_is_refused(text, code):
    with pytest.raises(CommonplaceError) as refused:
        money.minor(text, code)
    assert refused.value.code == "money.amount"


@given(st.integers(0, 10**9 - 1), st.sampled_from(sorted(money.DIGITS)))
def test_what_is_written_is_read_back(amount, code):
    assert money.minor(money.plain(amount, code), code) == amount


def test_a_currency_is_one_of_the_standard():
    assert money.currency(" eur ") == "EUR"
    with pytest.raises(CommonplaceError) as refused:
        money.currency("EURO")
    assert refused.value.code == "money.currency"


@given(st.integers(0, 10**6), st.integers(1, 1440))
def test_hourly_pay_never_loses_a_part_of_a_unit(amount, minutes):
    owed = money.owed(amount, hourly=True, worked_ms=minutes * 60_000, expected_ms=1)
    assert 0 <= owed * 60 - amount * minutes < 60


def test_a_flat_reward_does_not_depend_on_time():
    assert money.owed(700, hourly=False, worked_ms=3, expected_ms=10) == 700


def test_a_flat_reward_that_is_not_due_whole_pays_the_share_of_the_time_and_at_most_all():
    share = {"hourly": False, "expected_ms": 600_000, "whole": False}
    assert money.owed(700, worked_ms=60_001, **share) == 71
    assert money.owed(700, worked_ms=0, **share) == 0
    assert money.owed(700, worked_ms=900_000, **share) == 700
