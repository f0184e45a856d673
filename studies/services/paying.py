"""The ledger: what a participation is owed and what was paid for it."""

from django.db import IntegrityError, transaction
from django.db.models import Sum

from core import clock
from studies import money, participation
from studies.models import LedgerEntry, Participation
from studies.setup import RewardKind


def owe(row: Participation, pay: participation.Pay) -> LedgerEntry | None:
    """Enter what an ending earns, once: the whole reward, or pay for the time spent.

    Where the reward is flat, time earns its share of it. Nothing further is entered once a
    participation has its reward. Runs within the caller's transaction.
    """
    if pay not in (participation.Pay.TIME, participation.Pay.REWARD):
        return None
    activity = row.activity
    hourly = activity.reward == RewardKind.HOURLY
    amount = money.owed(
        activity.amount_minor,
        hourly=hourly,
        worked_ms=row.worked_ms,
        expected_ms=activity.minutes * 60_000,
        whole=pay == participation.Pay.REWARD,
    )
    amount -= earned(row)
    if amount <= 0:
        return None
    entry = LedgerEntry(
        participation=row,
        kind=LedgerEntry.Kind.REWARD,
        amount_minor=amount,
        currency=activity.study.currency,
        key=f"{row.code} {row.status} {pay}",
        at=clock.now(),
    )
    return _enter(entry)


def pay(row: Participation, amount_minor: int, key: str) -> LedgerEntry | None:
    """Enter a payment made, once per `key`, which names the order it was made by; None where the
    ledger holds that order already."""
    entry = LedgerEntry(
        participation=row,
        kind=LedgerEntry.Kind.PAYMENT,
        amount_minor=amount_minor,
        currency=row.activity.study.currency,
        key=key,
        at=clock.now(),
    )
    return _enter(entry)


def earned(row: Participation) -> int:
    """Minor units entered as reward or bonus so far."""
    return _sum(row, LedgerEntry.Kind.REWARD, LedgerEntry.Kind.BONUS)


def paid(row: Participation) -> int:
    return _sum(row, LedgerEntry.Kind.PAYMENT)


def _sum(row: Participation, *kinds: LedgerEntry.Kind) -> int:
    total = row.ledger.filter(kind__in=kinds).aggregate(total=Sum("amount_minor"))["total"]
    return total or 0


def _enter(entry: LedgerEntry) -> LedgerEntry | None:
    try:
        with transaction.atomic():
            entry.save()
    except IntegrityError:
        return None
    return entry
