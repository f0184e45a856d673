"""What people decide about what participants sent: accept, ask again, reject, pay, include.

A decision is on a participation as a whole. Each is one transaction that moves the participation
first, by a conditional update, and its submissions after it; said twice, it is done once.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from collection import fairness
from collection.models import QualityFlag, Submission
from collection.selectors import evidence, sheets
from core import audit, clock
from core.errors import CommonplaceError, NotFound
from core.text import clean
from studies import participation
from studies.models import Participation
from studies.participation import Action, Pay, Status
from studies.services.moving import move
from studies.services.paying import owe

REPEATED = "participation.repeated"
PAYABLE = (Status.REJECTED, Status.TIMED_OUT)  # what a person may pay for without accepting it


@dataclass(frozen=True)
class Rejection:
    """`reason` is one of `fairness.Reason`, `text` what the participant reads; `pay` may be
    nothing, the time spent or the whole reward."""

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
            chosen.update(status=Submission.Status.REDO, asked_again=text, touched=clock.now())
            _record(row, actor, "participation.asked_again", forms=", ".join(map(str, wanted)))


def reject(row: Participation, rejection: Rejection, actor: str) -> None:
    """Reject all forms, which frees the place, and pay what the rejection says.

    Raises `review.no_text`, and `review.not_fair` where the rules of `fairness` forbid it."""
    text = _said(rejection.text)
    if not _done_already(row, Action.REJECT):
        _refuse_unfair(row, rejection.reason, text)
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


def decide_pay(row: Participation, pay: Pay, actor: str) -> None:
    """Pay for the time spent or the whole reward though nothing is accepted.

    Once paid stays paid: a smaller sum or none cannot be decided later. Raises `review.not_payable`
    for any other status and for paying nothing, which only a rejection can decide."""
    if pay is Pay.NOTHING or Status(row.status) not in PAYABLE:
        raise CommonplaceError(
            "review.not_payable",
            "What was rejected or ran out of time can be paid for here, in part or whole. Pay is "
            "withheld only together with a rejection.",
            http_status=409,
        )
    with transaction.atomic():
        rows = Participation.objects.filter(pk=row.pk, status=row.status)
        changed = rows.exclude(paid_decision=Participation.Paid.PAY).update(
            paid_decision=Participation.Paid.PAY
        )
        row.paid_decision = Participation.Paid.PAY
        if owe(row, pay) or changed:
            _record(row, actor, "participation.pay_decided", pay=pay)


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


def _refuse_unfair(row: Participation, reason: str, text: str) -> None:
    why = fairness.refusal(reason, sheets.sheet(row).evidence, text)
    if why is not None:
        raise CommonplaceError("review.not_fair", why, http_status=422, reason=reason)


def _moved(row: Participation, action: Action, **values: object) -> bool:
    """Move the row; False where that has happened already."""
    try:
        move(row, action, **values)  # type: ignore[arg-type]
    except CommonplaceError as error:
        if error.code != REPEATED:
            raise
        return False
    return True


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
