"""Every change of a participation's status goes through `move`, by the table of
`studies.participation`."""

from functools import partial

from django.db import transaction

from core import clock
from core.errors import CommonplaceError
from studies import kinds, participation
from studies.models import Participation, Region
from studies.participation import STATUSES, Action, Pay, Status
from studies.services import paying


def move(
    row: Participation,
    action: Action,
    *,
    reason: str = "",
    region: Region | None = None,
    **values: object,
) -> Participation:
    """Do what the table allows in the status the row has now, and bring `row` up to date.

    A conditional update repeats the status, so of two movers at once one is refused. An ending
    gets its `reason` (a code; the status by default), its time, and what it earns (`earns`); a
    slot is taken with `region` and falls free in a status that holds none. `values` are further
    columns to set. Raises `participation.repeated`, `participation.ended`, `participation.not_now`.
    """
    before = Status(row.status)
    after = participation.after(before, action)
    about = STATUSES[after]
    now = clock.now()
    changes: dict[str, object] = {
        "status": after,
        "ended_reason": (reason or after.value) if about.ending else "",
        "ended": now if about.ending else None,
        "opened": row.opened or (None if action is Action.TIME_OUT else now),
        **values,
    }
    if region is not None:
        changes["slot_region"] = region
    elif not about.holds_slot:
        changes["slot_region"] = None
    with transaction.atomic():
        moved = Participation.objects.filter(pk=row.pk, status=before).update(**changes)
        if not moved:
            row.refresh_from_db(fields=["status"])
            participation.after(Status(row.status), action)  # says why, unless it went in a circle
            raise CommonplaceError(
                "participation.not_now",
                "Something else happened at the same moment. Look again, then repeat it.",
                http_status=409,
            )
        for name, value in changes.items():
            setattr(row, name, value)
        if about.ending:
            row.refresh_from_db(fields=["worked_ms", "paid_decision"])  # `row` may be a while old
            if earns(after, withheld=row.paid_decision == Participation.Paid.WITHHOLD):
                paying.owe(row, about.pay)
            _tell_kind(row)
    return row


def _tell_kind(row: Participation) -> None:
    kind = kinds.of(row.activity)
    if kind is not None:
        transaction.on_commit(partial(kind.left, row), robust=True)


def earns(after: Status, *, withheld: bool) -> bool:
    """Whether a move to this status enters pay in the ledger: endings that pay do.

    Who leaves while nobody has decided is paid for the time; who leaves after somebody decided to
    pay nothing does not earn by leaving.
    """
    about = STATUSES[after]
    if not about.ending:
        return False
    return about.pay == Pay.REWARD or (about.pay == Pay.TIME and not withheld)


def admit(row: Participation, region: Region, *, worked_ms: int = 0) -> Participation:
    """Give the participant a place of the region, or turn them away where none is left, paid for
    the `worked_ms` they spent on coming so far.

    A place is counted per activity. Locks the region's row, so that of several who reach for the
    last place exactly one gets it; nothing else locks a region.
    """
    with transaction.atomic():
        region = Region.objects.select_for_update(no_key=True).get(pk=region.pk)
        taken = Participation.objects.filter(activity=row.activity_id, slot_region=region).count()
        if taken >= region.target:
            return move(row, Action.TURN_AWAY, worked_ms=worked_ms)
        deadline = clock.later(row.activity.days * 24 * 3600)
        move(row, Action.ADMIT, region=region, deadline=deadline)
        kind = kinds.of(row.activity)
        if kind is not None:
            kind.begin(row)
    return row
