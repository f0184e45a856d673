"""What people decide about the answers of a survey: what is decided on every participation
(`studies.services.deciding`), and what only answers have: asking again, attention checks.
"""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from collection import changes, fairness
from collection.models import QualityFlag, Submission
from collection.selectors import evidence, sheets
from core import clock
from core.errors import CommonplaceError, NotFound
from studies.models import Participation
from studies.participation import Action, Pay, Rejection, Status
from studies.services import deciding
from studies.services.deciding import PAYABLE, accept, decide_inclusion, decide_pay, reject

__all__ = [
    "PAYABLE",
    "Rejection",
    "accept",
    "accept_many",
    "ask_again",
    "decide_flag",
    "decide_inclusion",
    "decide_pay",
    "follow",
    "reject",
    "unfair",
]

_STATUSES = {
    Status.ACCEPTED: Submission.Status.ACCEPTED,
    Status.REJECTED: Submission.Status.REJECTED,
}


def accept_many(rows: Iterable[Participation], actor: str) -> tuple[list[str], list[str]]:
    """Accept those that wait for review and have no failed check but excused ones; the
    participants' codes of those accepted, and of those left for somebody to look at."""
    rows = list(rows)
    doubtful = evidence.with_failed_checks(rows)
    return deciding.accept_many(rows, actor, but=doubtful)


def ask_again(row: Participation, numbers: Iterable[int], text: str, actor: str) -> None:
    """Give forms back with a sentence of what is wanted, and time to do it.

    Raises `review.no_form` and `review.no_text`."""
    text, wanted = deciding.said(text), sorted(set(numbers))
    chosen = _submissions(row).filter(number__in=wanted)
    if not wanted or chosen.count() != len(wanted):
        raise CommonplaceError(
            "review.no_form", "Choose at least one of the forms the participant has sent."
        )
    deadline = clock.later(row.activity.days * 24 * 3600)
    if row.deadline is not None:
        deadline = max(deadline, row.deadline)
    with transaction.atomic():
        if deciding.moved(row, Action.ASK_AGAIN, deadline=deadline):
            _submissions(row).update(asked_again="")
            chosen.update(
                status=Submission.Status.REDO,
                asked_again=text,
                touched=clock.now(),
                first_submitted=Coalesce("first_submitted", "submitted"),
            )
            forms = ", ".join(map(str, wanted))
            deciding.record(row, actor, "participation.asked_again", forms=forms)
        else:
            _compare_requests(row, dict.fromkeys(wanted, text))


def decide_flag(row: Participation, check: str, decision: str, actor: str) -> None:
    """Let a failed attention check count, or excuse it; raises `flag.unknown`, `flag.decision`."""
    if decision not in QualityFlag.Decision.values:
        raise CommonplaceError("flag.decision", "Decide whether the check counts or is excused.")
    with transaction.atomic():
        flags = QualityFlag.objects.filter(submission__participation=row, check_name=check)
        if flags.exclude(decision=decision).update(decision=decision):
            deciding.record(row, actor, "flag.decided", check=check, decision=decision)
        elif not flags.exists():
            raise NotFound("flag.unknown", "There is no such failed check here.", check=check)


def unfair(row: Participation, rejection: Rejection) -> str | None:
    """The sentence why answers may not be rejected like this (`collection.fairness`)."""
    why = fairness.refusal(rejection.reason, sheets.sheet(row).evidence, rejection.text)
    if why is None and rejection.pay is Pay.NOTHING:
        return fairness.withholding_refusal(rejection.reason)
    return why


def follow(row: Participation) -> None:
    """A person has decided: the forms are what the participation is, and results may differ."""
    status = _STATUSES.get(Status(row.status))
    if status is not None:
        forms = _submissions(row).exclude(status=status, asked_again="")
        forms.update(status=status, asked_again="")
    changes.tell(row.activity.study)


def _compare_requests(row: Participation, wanted: dict[int, str]) -> None:
    """Raises `review.decided` where other forms were asked for again, or with other words."""
    asked = row.submissions.exclude(asked_again="").order_by("number")
    standing = dict(asked.values_list("number", "asked_again"))
    if standing != wanted:
        forms = ", ".join(map(str, standing))
        raise deciding.stands(f"asked again (form {forms})", forms=list(standing))


def _submissions(row: Participation) -> QuerySet[Submission]:
    return row.submissions.exclude(status=Submission.Status.DRAFT)
