"""What people decide about what participants sent: accept, ask again, reject, pay, include.

A decision is on a participation as a whole. Each is one transaction that moves the participation
first, by a conditional update, and its submissions after it. Said twice it is done once; where
another one stands already, `review.decided` (409) says which, and nothing changes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from collection import changes, fairness
from collection.models import QualityFlag, Submission
from collection.selectors import evidence, sheets
from core import audit, clock
from core.errors import CommonplaceError, NotFound
from core.text import clean
from studies import participation, payments
from studies.models import Participation
from studies.participation import Action, Pay, Status
from studies.services.moving import move
from studies.services.paying import owe, reward, rewarded

REPEATED = "participation.repeated"
PAYABLE = (Status.REJECTED, Status.TIMED_OUT)  # what a person may pay for without accepting it
DECIDED = ("status", "ended_reason", "included", "paid_decision", "message", "worked_ms")


@dataclass(frozen=True)
class Rejection:
    """`reason` is one of `fairness.Reason`, `text` what the participant reads; `pay` may be the
    time spent, the whole reward or, for some reasons, nothing."""

    reason: str
    text: str
    pay: Pay


def accept(row: Participation, actor: str, *, included: bool = True) -> None:
    """Accept all forms and owe the whole reward; an appeal turns a rejection into this.

    Whoever was rejected has lost the place and gets one again, even beyond the target."""
    region = None if row.slot_region_id else row.participant.region
    with transaction.atomic():
        pay = Participation.Paid.PAY
        if _moved(
            row, Action.ACCEPT, region=region, included=included, paid_decision=pay, message=""
        ):
            _submissions(row).update(status=Submission.Status.ACCEPTED, asked_again="")
            _record(row, actor, "participation.accepted", included=included)
        elif row.included != included:
            results = "in the results" if row.included else "left out of the results"
            raise _decided(f"accepted, {results}", included=row.included)


def accept_many(rows: Iterable[Participation], actor: str) -> tuple[list[str], list[str]]:
    """Accept those that wait for review and have no failed check but excused ones; the
    participants' codes of those accepted, and of those left for somebody to look at."""
    accepted: list[str] = []
    left: list[str] = []
    rows = list(rows)
    doubtful = evidence.with_failed_checks(rows)
    for row in rows:
        code = row.participant.code
        if row.pk in doubtful or Status(row.status) not in (Status.SUBMITTED, Status.ACCEPTED):
            left.append(code)
            continue
        try:
            accept(row, actor)
        except CommonplaceError:  # it has moved since the list was read
            left.append(code)
        else:
            accepted.append(code)
    return accepted, left


def ask_again(row: Participation, numbers: Iterable[int], text: str, actor: str) -> None:
    """Give forms back with a sentence of what is wanted, and time to do it.

    Raises `review.no_form` and `review.no_text`."""
    text, wanted = _said(text), sorted(set(numbers))
    chosen = _submissions(row).filter(number__in=wanted)
    if not wanted or chosen.count() != len(wanted):
        raise CommonplaceError(
            "review.no_form", "Choose at least one of the forms the participant has sent."
        )
    deadline = clock.later(row.activity.days * 24 * 3600)
    if row.deadline is not None:
        deadline = max(deadline, row.deadline)
    with transaction.atomic():
        if _moved(row, Action.ASK_AGAIN, deadline=deadline):
            _submissions(row).update(asked_again="")
            chosen.update(
                status=Submission.Status.REDO,
                asked_again=text,
                touched=clock.now(),
                first_submitted=Coalesce("first_submitted", "submitted"),
            )
            _record(row, actor, "participation.asked_again", forms=", ".join(map(str, wanted)))
        else:
            _compare_requests(row, dict.fromkeys(wanted, text))


def reject(row: Participation, rejection: Rejection, actor: str) -> None:
    """Reject all forms, which frees the place, and pay what the rejection says.

    Raises `review.no_text`, and `review.not_fair` where the rules of `fairness` forbid it or
    what it pays."""
    text = _said(rejection.text)
    if not _done_already(row, Action.REJECT):
        _refuse_unfair(row, rejection, text)
    paid = Participation.Paid.WITHHOLD if rejection.pay is Pay.NOTHING else Participation.Paid.PAY
    with transaction.atomic():
        if _moved(
            row,
            Action.REJECT,
            reason=rejection.reason,
            included=False,
            paid_decision=paid,
            message=text,
        ):
            _submissions(row).update(status=Submission.Status.REJECTED, asked_again="")
            owe(row, rejection.pay)
            _record(
                row, actor, "participation.rejected", reason=rejection.reason, pay=rejection.pay
            )
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
            raise _decided(_payment(row), paid=row.paid_decision)
        entry = owe(row, pay)
        if entry or changed:
            _record(row, actor, "participation.pay_decided", pay=pay)
    return entry is not None


def decide_inclusion(row: Participation, included: bool, actor: str) -> None:
    """Whether accepted answers count in the results; raises `review.not_accepted`."""
    with transaction.atomic():
        rows = Participation.objects.filter(pk=row.pk, status=Status.ACCEPTED)
        if rows.exclude(included=included).update(included=included):
            _record(row, actor, "participation.inclusion_decided", included=included)
        elif not rows.exists():
            raise CommonplaceError(
                "review.not_accepted",
                "Only accepted answers can be in the results. Accept them first.",
                http_status=409,
            )
    row.included = included


def decide_flag(row: Participation, check: str, decision: str, actor: str) -> None:
    """Let a failed attention check count, or excuse it; raises `flag.unknown`, `flag.decision`."""
    if decision not in QualityFlag.Decision.values:
        raise CommonplaceError("flag.decision", "Decide whether the check counts or is excused.")
    with transaction.atomic():
        flags = QualityFlag.objects.filter(submission__participation=row, check_name=check)
        if flags.exclude(decision=decision).update(decision=decision):
            _record(row, actor, "flag.decided", check=check, decision=decision)
        elif not flags.exists():
            raise NotFound("flag.unknown", "There is no such failed check here.", check=check)


def _refuse_unfair(row: Participation, rejection: Rejection, text: str) -> None:
    why = fairness.refusal(rejection.reason, sheets.sheet(row).evidence, text)
    if why is None and rejection.pay is Pay.NOTHING:
        why = fairness.withholding_refusal(rejection.reason)
    if why is not None:
        raise CommonplaceError("review.not_fair", why, http_status=422, reason=rejection.reason)


def _moved(row: Participation, action: Action, **values: object) -> bool:
    """Move the row; False, with `row` as it stands, where that has happened already."""
    try:
        move(row, action, **values)  # type: ignore[arg-type]
    except CommonplaceError as error:
        if error.code != REPEATED:
            raise
        row.refresh_from_db(fields=DECIDED)
        return False
    return True


def _compare_requests(row: Participation, wanted: dict[int, str]) -> None:
    """Raises `review.decided` where other forms were asked for again, or with other words."""
    asked = row.submissions.exclude(asked_again="").order_by("number")
    standing = dict(asked.values_list("number", "asked_again"))
    if standing != wanted:
        forms = ", ".join(map(str, standing))
        raise _decided(f"asked again (form {forms})", forms=list(standing))


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
        why = fairness.TITLES.get(row.ended_reason, row.ended_reason)
        raise _decided(f"rejected ({why}), {_payment(row)}", reason=row.ended_reason)


def _payment(row: Participation) -> str:
    return payments.in_words(row) or "nothing to be paid"


def _decided(what: str, **data: object) -> CommonplaceError:
    return CommonplaceError(
        "review.decided",
        f"Another decision stands already: {what}. Nothing was changed. Look at it before you "
        "decide anything else.",
        http_status=409,
        **data,
    )


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


def _submissions(row: Participation) -> QuerySet[Submission]:
    return row.submissions.exclude(status=Submission.Status.DRAFT)


def _said(text: str) -> str:
    if not text.strip():
        raise CommonplaceError("review.no_text", "Write a sentence to the participant.")
    return clean(text.strip())


def _record(row: Participation, actor: str, action: str, **data: object) -> None:
    audit.record(
        actor,
        action,
        "participation",
        row.code,
        study=row.activity.study.slug,
        participant=row.participant.code,
        **data,
    )
    changes.tell(row.activity.study)
