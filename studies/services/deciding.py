"""What people decide about what was sent, whatever the kind: accept, reject, pay, include.

A decision is on a participation as a whole. Each is one transaction that moves the participation
first, by a conditional update, and tells its kind after it. Said twice it is done once; where
another one stands already, `review.decided` (409) says which, and nothing changes.
"""

from collections.abc import Collection, Iterable

from django.db import transaction

from core import audit
from core.errors import CommonplaceError
from core.text import clean
from studies import kinds, participation, payments
from studies.models import Participation
from studies.participation import Action, Pay, Rejection, Status
from studies.services.moving import move
from studies.services.paying import owe, reward, rewarded

REPEATED = "participation.repeated"
PAYABLE = (Status.REJECTED, Status.TIMED_OUT)  # what a person may pay for without accepting it
DECIDED = ("status", "ended_reason", "included", "paid_decision", "message", "worked_ms")


def accept(row: Participation, actor: str, *, included: bool = True) -> None:
    """Accept what was sent and owe the whole reward; an appeal turns a rejection into this.

    Whoever was rejected has lost the place and gets one again, even beyond the target."""
    region = None if row.slot_region_id else row.participant.region
    with transaction.atomic():
        pay = Participation.Paid.PAY
        if moved(
            row, Action.ACCEPT, region=region, included=included, paid_decision=pay, message=""
        ):
            record(row, actor, "participation.accepted", included=included)
        elif row.included != included:
            results = "in the results" if row.included else "left out of the results"
            raise stands(f"accepted, {results}", included=row.included)


def accept_many(
    rows: Iterable[Participation], actor: str, *, but: Collection[int] = ()
) -> tuple[list[str], list[str]]:
    """Accept those that wait for review, `but` those of these keys; the participants' codes of
    those accepted, and of those left for somebody to look at."""
    accepted: list[str] = []
    left: list[str] = []
    for row in rows:
        code = row.participant.code
        if row.pk in but or Status(row.status) not in (Status.SUBMITTED, Status.ACCEPTED):
            left.append(code)
            continue
        try:
            accept(row, actor)
        except CommonplaceError:  # it has moved since the list was read
            left.append(code)
        else:
            accepted.append(code)
    return accepted, left


def reject(row: Participation, rejection: Rejection, actor: str) -> None:
    """Reject what was sent, which frees the place, and pay what the rejection says.

    Raises `review.no_text`, and `review.not_fair` where the kind's rules (`kinds.Review`) forbid
    it or what it pays."""
    text = said(rejection.text)
    if not _done_already(row, Action.REJECT):
        _refuse_unfair(row, rejection)
    paid = Participation.Paid.WITHHOLD if rejection.pay is Pay.NOTHING else Participation.Paid.PAY
    with transaction.atomic():
        if moved(
            row,
            Action.REJECT,
            reason=rejection.reason,
            included=False,
            paid_decision=paid,
            message=text,
        ):
            owe(row, rejection.pay)
            record(row, actor, "participation.rejected", reason=rejection.reason, pay=rejection.pay)
        else:
            _compare_rejections(row, rejection, text)


def decide_pay(row: Participation, pay: Pay, actor: str) -> bool:
    """Pay for the time spent or the whole reward though nothing is accepted; whether anything more
    is owed by that.

    Once paid stays paid: a smaller sum cannot be decided later (`review.decided`). Raises
    `review.not_payable` for any other status, also one reached since `row` was read, and for paying
    nothing, which only a rejection can decide."""
    if pay is Pay.NOTHING or Status(row.status) not in PAYABLE:
        raise _not_payable()
    paid = Participation.Paid.PAY
    with transaction.atomic():
        rows = Participation.objects.filter(pk=row.pk, status=row.status)
        changed = rows.exclude(paid_decision=paid).update(paid_decision=paid)
        if not changed and not rows.update(paid_decision=paid):  # either of them locks the row
            row.refresh_from_db(fields=DECIDED)
            raise _not_payable()
        row.paid_decision = paid
        if rewarded(row) > reward(row, whole=pay is Pay.REWARD):
            raise stands(_payment(row), paid=row.paid_decision)
        entry = owe(row, pay)
        if entry or changed:
            record(row, actor, "participation.pay_decided", pay=pay)
    return entry is not None


def decide_inclusion(row: Participation, included: bool, actor: str) -> None:
    """Whether what was accepted counts in the results; raises `review.not_accepted`."""
    with transaction.atomic():
        rows = Participation.objects.filter(pk=row.pk, status=Status.ACCEPTED)
        if rows.exclude(included=included).update(included=included):
            record(row, actor, "participation.inclusion_decided", included=included)
        elif not rows.exists():
            raise CommonplaceError(
                "review.not_accepted",
                "Only what was accepted can be in the results. Accept it first.",
                http_status=409,
            )
    row.included = included


def moved(row: Participation, action: Action, **values: object) -> bool:
    """Move the row; False, with `row` as it stands, where that has happened already."""
    try:
        move(row, action, **values)  # type: ignore[arg-type]
    except CommonplaceError as error:
        if error.code != REPEATED:
            raise
        row.refresh_from_db(fields=DECIDED)
        return False
    return True


def said(text: str) -> str:
    """What a participant is going to read. Raises `review.no_text`, `text.not_storable`."""
    if not text.strip():
        raise CommonplaceError("review.no_text", "Write a sentence to the participant.")
    return clean(text.strip())


def record(row: Participation, actor: str, action: str, **data: object) -> None:
    """Enter a decision in the history, and tell the participation's kind of it."""
    audit.record(
        actor,
        action,
        "participation",
        row.code,
        study=row.activity.study.slug,
        participant=row.participant.code,
        **data,
    )
    _review(row).decided(row)


def stands(what: str, **data: object) -> CommonplaceError:
    """The refusal of a decision beside another one."""
    return CommonplaceError(
        "review.decided",
        f"Another decision stands already: {what}. Nothing was changed. Look at it before you "
        "decide anything else.",
        http_status=409,
        **data,
    )


def _review(row: Participation) -> kinds.Review:
    kind = kinds.of(row.activity)
    return kind.review if kind else kinds.Review()


def _refuse_unfair(row: Participation, rejection: Rejection) -> None:
    why = _review(row).unfair(row, rejection)
    if why is not None:
        raise CommonplaceError("review.not_fair", why, http_status=422, reason=rejection.reason)


def _compare_rejections(row: Participation, rejection: Rejection, text: str) -> None:
    """Raises `review.decided` where another reason, other words or another sum stand."""
    withheld = rejection.pay is Pay.NOTHING
    wanted = (
        rejection.reason,
        text,
        Participation.Paid.WITHHOLD if withheld else Participation.Paid.PAY,
        0 if withheld else reward(row, whole=rejection.pay is Pay.REWARD),
    )
    if (row.ended_reason, row.message, row.paid_decision, rewarded(row)) != wanted:
        why = _review(row).reasons.get(row.ended_reason, row.ended_reason)
        raise stands(f"rejected ({why}), {_payment(row)}", reason=row.ended_reason)


def _payment(row: Participation) -> str:
    return payments.in_words(row) or "nothing to be paid"


def _not_payable() -> CommonplaceError:
    return CommonplaceError(
        "review.not_payable",
        "What was rejected or ran out of time can be paid for here, in part or whole. Pay is "
        "withheld only together with a rejection.",
        http_status=409,
    )


def _done_already(row: Participation, action: Action) -> bool:
    """Raises where the table does not allow the action at all."""
    try:
        participation.after(Status(row.status), action)
    except CommonplaceError as error:
        if error.code != REPEATED:
            raise
        return True
    return False
