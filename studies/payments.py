"""What a study's participations have earned, what was paid, and what is open, to read."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from core.errors import CommonplaceError, NotFound
from core.tables import Table, Value
from studies import languages, money
from studies.models import LedgerEntry, Participation, Region, Study
from studies.participation import Pay, Status
from studies.setup import RewardKind

_MINUTE = 60_000
_EARNED = (LedgerEntry.Kind.REWARD, LedgerEntry.Kind.BONUS)


@dataclass(frozen=True)
class Amount:
    """Minor units, and of how many participations."""

    minor: int
    of: int


@dataclass(frozen=True)
class Totals:
    earned: Amount
    paid: Amount
    open: Amount


def accounts(study: Study, activity: str = "") -> QuerySet[Any]:
    """The participations of a study, or of one of its activities, that somebody has begun or is
    owed for, each with `earned`, `paid` and `open` in minor units. `open` is below zero where a
    recruiter paid before a person decided."""
    amount = "ledger__amount_minor"
    earned = Sum(amount, filter=Q(ledger__kind__in=_EARNED))
    paid = Sum(amount, filter=Q(ledger__kind=LedgerEntry.Kind.PAYMENT))
    rows = Participation.objects.filter(activity__study=study)
    if activity:
        rows = rows.filter(activity__slug=activity)
    return (
        rows.annotate(earned=Coalesce(earned, 0), paid=Coalesce(paid, 0))
        .annotate(open=F("earned") - F("paid"))
        .exclude(status=Status.INVITED, earned=0, paid=0)
        .select_related(
            *("activity__study", "slot_region"),
            *("participant__region", "participant__recruiter_identity"),
        )
        .order_by("pk")
    )


def unpaid(study: Study, activity: str = "") -> QuerySet[Any]:
    return accounts(study, activity).filter(open__gt=0)


def totals(study: Study, activity: str = "") -> Totals:
    """Sums are in the study's currency, the only one its ledger is in."""
    rows = list(accounts(study, activity).values_list("earned", "paid", "open"))
    return Totals(*(_amount([row[column] for row in rows]) for column in range(3)))


def _amount(amounts: list[int]) -> Amount:
    due = [amount for amount in amounts if amount > 0]
    return Amount(sum(due), len(due))


@dataclass(frozen=True)
class Sums:
    """What one participation's account holds, in minor units."""

    reward: int
    bonus: int
    paid: int


def sums(row: Participation) -> Sums:
    kinds = row.ledger.order_by().values_list("kind").annotate(sum=Sum("amount_minor"))
    found = {str(kind): amount for kind, amount in kinds}
    kind = LedgerEntry.Kind
    return Sums(*(found.get(each, 0) for each in (kind.REWARD, kind.BONUS, kind.PAYMENT)))


def in_words(row: Participation) -> str:
    """`paid 2.00 EUR, 0.50 EUR to be paid`; empty where nothing is owed, paid or withheld."""
    held, currency = sums(row), row.activity.study.currency
    still = held.reward + held.bonus - held.paid

    def said(amount: int) -> str:
        return f"{money.plain(amount, currency)} {currency}"

    parts = [
        "payment withheld" if row.paid_decision == Participation.Paid.WITHHOLD else "",
        f"paid {said(held.paid)}" if held.paid else "",
        f"{said(still)} to be paid" if still > 0 else "",
        f"{said(-still)} of it ahead" if still < 0 else "",
    ]
    return ", ".join(filter(None, parts))


def amounts(row: Participation) -> dict[Pay, str]:
    """What the whole reward, or pay for the time spent, comes to in all."""
    return {pay: _said_amount(row, owed) for pay, owed in _owed(row).items()}


def payable(row: Participation) -> dict[Pay, str]:
    """Those of `amounts` that are more than what was entered as reward already."""
    entered = sums(row).reward
    return {pay: _said_amount(row, owed) for pay, owed in _owed(row).items() if owed > entered}


def _owed(row: Participation) -> dict[Pay, int]:
    activity = row.activity
    return {
        pay: money.owed(
            activity.amount_minor,
            hourly=activity.reward == RewardKind.HOURLY,
            worked_ms=row.worked_ms,
            expected_ms=activity.minutes * 60_000,
            whole=pay is Pay.REWARD,
        )
        for pay in (Pay.REWARD, Pay.TIME)
    }


def _said_amount(row: Participation, minor: int) -> str:
    currency = row.activity.study.currency
    return f"{money.plain(minor, currency)} {currency}"


@dataclass(frozen=True)
class Line:
    """An account as its page shows it: `region` by its name, amounts as plain decimals in the
    study's currency. `code` is the participation's, which tells accounts of one participant
    apart."""

    code: str
    participant: str
    activity: str
    region: str
    status: str
    minutes: float
    earned: str
    paid: str
    open: str
    open_minor: int
    recruiter_id: str


def line(row: Any, study: Study) -> Line:
    """Of one of `accounts`."""
    region = row.slot_region or row.participant.region
    return Line(
        code=row.code,
        participant=row.participant.code,
        activity=row.activity.name,
        region=_name(region, study),
        status=row.status,
        minutes=row.worked_ms / _MINUTE,
        earned=money.plain(row.earned, study.currency),
        paid=money.plain(row.paid, study.currency),
        open=money.plain(row.open, study.currency),
        open_minor=row.open,
        recruiter_id=recruiter_id(row),
    )


def _name(region: Region | None, study: Study) -> str:
    if region is None:
        return ""
    return languages.choose(region.names, study.languages)[1] or region.slug


def access_account(study: Study, code: str) -> Participation:
    """A participation of a study already accessed, by its own code or that of a participant who
    has no other. Raises `participation.unknown` and `participation.several`."""
    rows = Participation.objects.filter(activity__study=study).select_related(
        "activity__study", "participant"
    )
    found = list(rows.filter(Q(code=code) | Q(participant__code=code)).order_by("pk"))
    named = [row for row in found if row.code == code] or found
    if not named:
        raise NotFound(
            "participation.unknown",
            f"Nobody in this study has the code “{code}”. Copy it from the list.",
            value=code,
        )
    if len(named) > 1:
        each = "; ".join(f"{row.code} for {row.activity.name}, {_attempt(row)}" for row in named)
        raise CommonplaceError(
            "participation.several",
            f"{code} has taken part more than once. Write which one is meant: {each}.",
            value=code,
        )
    return named[0]


def _attempt(row: Participation) -> str:
    return f"attempt {row.attempt}, {row.status.replace('_', ' ')}"


def payment_list(study: Study, activity: str = "") -> Table:
    """Who is to be paid what: `participant` (the code they see), `activity` (its short name),
    `attempt`, `recruiter_id` (empty where none is kept), `amount` as a plain decimal, `currency`,
    and `key`, which tells the payment from any other."""
    columns = ["participant", "activity", "attempt", "recruiter_id", "amount", "currency", "key"]
    return Table("payments", columns, _payment_rows(study, activity))


def _payment_rows(study: Study, activity: str) -> Iterator[list[Value]]:
    for row in unpaid(study, activity).iterator():
        amount = money.plain(row.open, study.currency)
        key = f"{row.code}-{row.earned}"
        about = (row.participant.code, row.activity.slug, row.attempt)
        yield [*about, recruiter_id(row), amount, study.currency, key]


def bulk_lines(study: Study, activity: str = "") -> Iterator[bytes]:
    """`id,amount` lines, as recruiters' bulk payment takes them: one a person, without those of
    whom no recruiter's id is kept."""
    sums: dict[str, int] = {}
    for row in unpaid(study, activity).iterator():
        if known := recruiter_id(row):
            sums[known] = sums.get(known, 0) + row.open
    for known, amount in sums.items():
        yield f"{known},{money.plain(amount, study.currency)}\n".encode()


def recruiter_id(row: Participation) -> str:
    identity = getattr(row.participant, "recruiter_identity", None)
    return identity.external_id if identity else ""
