"""Answers, for programs."""

from typing import ClassVar

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.generics import ListAPIView

from accounts.tokens import Scope
from collection.models import Answer, Submission
from collection.selectors.answers import submitted_answers
from core.api.reading import Instant
from studies.api import StudyEndpoint
from studies.permissions import Capability


class AnswerLine(serializers.Serializer):
    """The columns of the long export; `value` is JSON by the question's kind."""

    participant = serializers.CharField(
        source="submission.participation.participant.code", help_text="The pseudonym."
    )
    activity = serializers.CharField(source="submission.participation.activity.slug")
    attempt = serializers.IntegerField(source="submission.participation.attempt")
    region = serializers.CharField(
        source="submission.participation.participant.region.slug", default=None, allow_null=True
    )
    form = serializers.IntegerField(source="submission.number")
    form_version = serializers.IntegerField(source="submission.form_version.version")
    submission_status = serializers.CharField(source="submission.status")
    participation_status = serializers.CharField(source="submission.participation.status")
    included = serializers.BooleanField(source="submission.participation.included", allow_null=True)
    language = serializers.CharField(source="submission.language")
    question = serializers.CharField(source="question.key")
    kind = serializers.CharField(source="question.kind")
    value = serializers.JSONField(allow_null=True)
    text = serializers.CharField(help_text="As typed, byte for byte.")
    skipped = serializers.BooleanField(help_text="They would rather not answer.")
    revision = serializers.IntegerField()
    submitted = Instant(source="submission.submitted", allow_null=True)


class AnswerFilters(serializers.Serializer):
    question = serializers.CharField(required=False, help_text="The question's key.")
    region = serializers.CharField(required=False, help_text="The region's short name.")
    status = serializers.ChoiceField(
        Submission.Status.values,
        required=False,
        help_text="Of the form; without it, all that was submitted.",
    )


class Answers(StudyEndpoint, ListAPIView):
    """Answers of everybody who has not withdrawn, one row an answer, drafts only if asked for
    and of people who are still at it."""

    scopes: ClassVar = {"GET": Scope.ANSWERS_READ}
    capability = Capability.EXPORT
    filters = AnswerFilters
    serializer_class = AnswerLine

    def get_queryset(self) -> QuerySet[Answer]:
        return submitted_answers(self.study, **self.asked)
