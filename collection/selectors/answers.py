"""Answers row by row."""

from django.db.models import Q, QuerySet

from collection.models import Answer, Submission
from studies.models import Participant, Study
from studies.participation import ENDINGS


def abandoned(submission: str = "") -> Q:
    """Drafts of those who gave the place back or ran out of time, which nobody was ever sent;
    `submission` is the way to the form, ending in `__`."""
    return Q(
        **{
            f"{submission}status": Submission.Status.DRAFT,
            f"{submission}participation__status__in": ENDINGS,
        }
    )


def submitted_answers(
    study: Study, *, question: str = "", region: str = "", status: str = ""
) -> QuerySet[Answer]:
    """Answers of everybody who has not withdrawn, with all that names them read along.

    Narrowed by question key, region and the form's status; drafts only where that asks for them,
    and of people who are still at it.
    """
    found = Answer.objects.filter(
        submission__participation__participant__study=study,
        submission__participation__participant__status=Participant.Status.TAKING_PART,
    ).select_related(
        "question",
        "submission__form_version",
        "submission__participation__activity",
        "submission__participation__participant__region",
    )
    if status:
        found = found.filter(submission__status=status).exclude(abandoned("submission__"))
    else:
        found = found.exclude(submission__status=Submission.Status.DRAFT)
    if question:
        found = found.filter(question__study=study, question__key=question)
    if region:
        found = found.filter(submission__participation__participant__region__slug=region)
    return found.defer("submission__form_version__document", "folded")
