"""What a participant has before them: their forms, what is stored in them, how far they are."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from collection.answers import Given
from collection.models import Answer, FormVersion, Submission
from core.prepared import Prepared
from studies.kinds import Progress
from studies.models import Participation
from studies.participation import Status

ANSWERING = (Status.ACTIVE, Status.REDO)  # statuses in which somebody may write


_form_of: Prepared[Submission] = Prepared(
    lambda participation, number: (
        Submission.objects.filter(participation=participation, number=number)
        .select_related("form_version")
        .defer("form_version__document")
    ),
    int,
    int,
)
_answers_of: Prepared[Answer] = Prepared(
    lambda submission: Answer.objects.filter(submission=submission), int
)


@dataclass(frozen=True, slots=True)
class Form:
    """A participant's one form and the document it is answered from, which is never changed."""

    participation: Participation
    submission: Submission
    document: dict[str, Any]

    @property
    def writable(self) -> bool:
        return (
            self.participation.status in ANSWERING and self.submission.status in Submission.WRITABLE
        )


def form_of(participation: Participation, number: int) -> Form | None:
    """The participant's form of that number; None where they have not come to it."""
    submission = _form_of.first(participation.pk, number)
    if submission is None:
        return None
    return Form(participation, submission, document_of(submission.form_version))


def document_of(version: FormVersion) -> dict[str, Any]:
    return document(version.pk, version.sha256)


@lru_cache(maxsize=256)
def document(version: int, sha256: str) -> dict[str, Any]:
    """A published document, parsed once per process: nobody may change what this returns."""
    return FormVersion.objects.values_list("document", flat=True).get(pk=version)


def first_version(activity_id: int) -> int | None:
    """The id of the newest version of the first form; None while nothing is published."""
    versions = FormVersion.objects.filter(activity=activity_id, number=1)
    return versions.order_by("-version").values_list("pk", flat=True).first()


def version_after(submission: Submission) -> int | None:
    """The id of the next form's version for who sends this one: the newest that was published
    when they began, so that moved questions are asked nobody twice, and nobody too little."""
    began = Submission.objects.filter(participation=submission.participation_id, number=1)
    return (
        FormVersion.objects.filter(
            activity=submission.form_version.activity_id,
            number=submission.number + 1,
            published__lte=began.values("started"),
        )
        .order_by("-version")
        .values_list("pk", flat=True)
        .first()
    )


def answers_of(form: Form) -> dict[str, Answer]:
    """What is stored of a form, by question key."""
    keys = {question["id"]: question["key"] for question in form.document["questions"]}
    return {keys[row.question_id]: row for row in _answers_of.all(form.submission.pk)}


def given(row: Answer | None) -> Given:
    return Given(row.value, row.text, row.skipped) if row else Given()


def said_before(participation: Participation, key: str) -> Given:
    """What the participant answered to a question of any of their forms."""
    rows = Answer.objects.filter(submission__participation=participation, question__key=key)
    return given(rows.order_by("submission__number").first())


def next_number(participation: Participation) -> int | None:
    """The first form that waits for the participant; None where none does."""
    return (
        Submission.objects.filter(
            participation=participation,
            participation__status__in=ANSWERING,
            status__in=Submission.WRITABLE,
        )
        .order_by("number")
        .values_list("number", flat=True)
        .first()
    )


def progress(participation: Participation) -> Progress:
    """Forms sent, of how many, and minutes left by the activity's expected time."""
    rows = list(
        participation.submissions.select_related("form_version").defer("form_version__document")
    )
    of = document_of(rows[-1].form_version)["of"] if rows else 0
    done = sum(row.status not in Submission.WRITABLE for row in rows)
    return Progress(done, of, minutes_left(participation.activity.minutes, done, of))


def minutes_left(minutes: int, done: int, of: int) -> int | None:
    """The share of the expected minutes that the forms left stand for, at least one."""
    left = of - done
    return max(1, round(minutes * left / of)) if left > 0 else None
