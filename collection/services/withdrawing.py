"""What a withdrawal deletes of the survey: a participant's words; rows and counts stay."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from collection import changes
from collection.models import Answer, QualityFlag, Submission
from studies.models import Participant

AT_ONCE = 50  # rows a transaction; participants' own writes wait behind it


def forget(participant: Participant) -> dict[str, int]:
    """Delete what the participant wrote and chose, what it is remembered as evidence of, and what
    a reviewer asked about it. May run again; counts the rows it changed."""
    changes.tell(participant.study)
    submissions = Submission.objects.filter(participation__participant=participant)
    return {
        "answers": _empty(
            Answer.objects.filter(submission__in=submissions, removed=False),
            value=None,
            text="",
            folded="",
            signals={},
            removed=True,
        ),
        "flags": _empty(
            QualityFlag.objects.filter(submission__in=submissions).exclude(detail={}), detail={}
        ),
        "requests": _empty(submissions.exclude(asked_again=""), asked_again=""),
    }


def _empty(rows: QuerySet[Any], **values: object) -> int:
    """Set columns so that the rows are no longer among those looked for, a batch at a time."""
    changed = 0
    while batch := list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        with transaction.atomic():
            changed += rows.model.objects.filter(pk__in=batch).update(**values)
    return changed
