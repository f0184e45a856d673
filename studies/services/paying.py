"""The ledger: what a participation is owed and what was paid for it."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import QuerySet, Sum

from core import audit, clock
from core.errors import CommonplaceError
from core.prepared import Prepared
from studies import money, participation
from studies.models import LedgerEntry, Participation, Study
from studies.participation import STATUSES, Status
from studies.services import retention
from studies.setup import RewardKind

_entries: Prepared[LedgerEntry] = Prepared(
    lambda participation: (
        LedgerEntry.objects.filter(participation=participation)
        .order_by()
        .values_list("kind", "amount_minor")
    ),
    int,
)
MOST_BONUS = 100  # times the reward


def owe(row: Participation, pay: participation.Pay) -> LedgerEntry | None:
    """Enter what an ending earns, once: the whole reward, or pay for the time spent.

    Where the reward is flat, time earns its share of it. Nothing further is entered once a
    participation has its reward. Runs within the caller's transaction and locks the participation
    first: two who sum up before either has entered would both enter the whole difference.
    """
    if pay not in (participation.Pay.TIME, participation.Pay.REWARD):
        return None
    row = _locked().get(pk=row.pk)
    amount = reward(row, whole=pay == participation.Pay.REWARD) - rewarded(row)
    if amount <= 0:
        return None
    return _enter(row, LedgerEntry.Kind.REWARD, amount, f"{row.code} {row.status} {pay}")


def pay(row: Participation, amount_minor: int, key: str) -> LedgerEntry | None:
    """Enter a payment made, once per `key`, which names the order it was made by; None where the
    ledger holds that order already."""
    return _enter(row, LedgerEntry.Kind.PAYMENT, amount_minor, key)


def earned(row: Participation) -> int:
    """Minor units entered as reward or bonus so far."""
    return _sum(row, LedgerEntry.Kind.REWARD, LedgerEntry.Kind.BONUS)


def rewarded(row: Participation) -> int:
    """As `earned`, without bonuses."""
    return _sum(row, LedgerEntry.Kind.REWARD)


def paid(row: Participation) -> int:
    return _sum(row, LedgerEntry.Kind.PAYMENT)


def mark_paid(study: Study, amounts: Mapping[str, int], order: str, actor: str) -> list[str]:
    """Enter payments made outside: {code of a participation: minor units}, as they stood on the
    list somebody paid by. The participants' codes of those that were left out, since another
    amount is open by now; an unknown code stands for itself.

    `order` names the list: sent twice it pays once. Locks the participations it pays.
    """
    left, entered = [], []
    with transaction.atomic():
        rows = _locked().filter(activity__study=study, code__in=amounts).order_by("pk")
        found = {row.code: row for row in rows}
        for code, amount in amounts.items():
            row, key = found.get(code), f"{order} {code}"
            if LedgerEntry.objects.filter(key=key).exists():
                continue
            if row is None or not 0 < amount == earned(row) - paid(row):
                left.append(row.participant.code if row else code)
                continue
            pay(row, amount, key)
            entered.append(amount)
            retention.forget_paid(row.participant_id)
        if entered:
            total = _shown(sum(entered), study.currency)
            data = {"count": len(entered), "amount": total}
            audit.record(actor, "payments.entered", "payment", order, study=study.slug, **data)
    return left


def add_bonus(row: Participation, amount_minor: int, why: str, order: str, actor: str) -> bool:
    """Owe something beyond the reward; False where this `order` was entered already.

    `why` goes into the history. Raises `bonus.amount` for nothing, and for more than `MOST_BONUS`
    times what the activity pays, which is a slip of the hand.
    """
    if amount_minor <= 0:
        raise CommonplaceError("bonus.amount", "A bonus is more than nothing. Write an amount.")
    most = MOST_BONUS * _usual(row)
    if most and amount_minor > most:
        raise CommonplaceError(
            "bonus.amount",
            f"A bonus is at most {_shown(most, row.activity.study.currency)}, {MOST_BONUS} times "
            "what this activity pays. Look at the amount again; what is meant to be more can be "
            "entered as several bonuses.",
        )
    with transaction.atomic():
        entry = _enter(row, LedgerEntry.Kind.BONUS, amount_minor, f"{order} bonus {row.code}")
        if entry is not None:
            amount = _shown(amount_minor, entry.currency)
            _note(row, actor, "bonus.added", amount=amount, why=why)
    return entry is not None


def settle_reward(row: Participation, key: str, actor: str) -> LedgerEntry | None:
    """Enter that a recruiter paid the reward, once per `key`; None where nothing of it was open.

    While a person has still to decide, that is what acceptance would earn, so that what was paid
    early is not owed again later. Bonuses are paid apart. Locks the participation.
    """
    with transaction.atomic():
        row = _locked().get(pk=row.pk)
        about = STATUSES[Status(row.status)]
        due = rewarded(row)
        if about.pay == participation.Pay.DECISION or about.holds_slot:
            due = max(due, reward(row, whole=True))
        amount = due - paid(row)
        entry = pay(row, amount, key) if amount > 0 else None
        if entry is not None:
            shown = _shown(amount, entry.currency)
            _note(row, actor, "payment.entered", amount=shown)
            retention.forget_paid(row.participant_id)
    return entry


def _locked() -> QuerySet[Participation]:
    rows = Participation.objects.select_related("activity__study", "participant")
    return rows.select_for_update(of=("self",), no_key=True)


def reward(row: Participation, *, whole: bool) -> int:
    """Minor units of the reward by the time worked so far: the `whole`, or what time earns."""
    activity = row.activity
    return money.owed(
        activity.amount_minor,
        hourly=activity.reward == RewardKind.HOURLY,
        worked_ms=row.worked_ms,
        expected_ms=activity.minutes * 60_000,
        whole=whole,
    )


def _usual(row: Participation) -> int:
    """Minor units of the reward of who works as long as is expected."""
    activity, expected = row.activity, row.activity.minutes * 60_000
    hourly = activity.reward == RewardKind.HOURLY
    return money.owed(
        activity.amount_minor, hourly=hourly, worked_ms=expected, expected_ms=expected, whole=True
    )


def entered(row: Participation) -> tuple[int, int]:
    """Minor units (earned, paid), read at once."""
    sums = {True: 0, False: 0}
    for kind, amount in _entries.rows(row.pk):
        sums[kind == LedgerEntry.Kind.PAYMENT] += amount
    return sums[False], sums[True]


def _sum(row: Participation, *kinds: LedgerEntry.Kind) -> int:
    total = row.ledger.filter(kind__in=kinds).aggregate(total=Sum("amount_minor"))["total"]
    return total or 0


def _enter(
    row: Participation, kind: LedgerEntry.Kind, amount_minor: int, key: str
) -> LedgerEntry | None:
    """The entry, or None where the ledger holds one under this key."""
    entry = LedgerEntry(
        participation=row,
        kind=kind,
        amount_minor=amount_minor,
        currency=row.activity.study.currency,
        key=key,
        at=clock.now(),
    )
    try:
        with transaction.atomic():
            entry.save()
    except IntegrityError:
        if LedgerEntry.objects.filter(key=key).exists():
            return None
        raise
    return entry


def _shown(amount: int, currency: str) -> str:
    return f"{money.plain(amount, currency)} {currency}"


def _note(row: Participation, actor: str, action: str, **data: object) -> None:
    study, who = row.activity.study.slug, row.participant.code
    audit.record(actor, action, "payment", row.code, study=study, participant=who, **data)
