"""Suggestions, for programs."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import once
from accounts.tokens import Scope
from annotation.api import MOST_JUDGEMENTS, JudgementSent, Refused
from annotation.models import Suggestion
from annotation.selectors import projects, suggestions
from annotation.services import suggesting
from annotation.services.importing import Line
from core.api.reading import Instant, Strict
from studies.api import StudyEndpoint
from studies.permissions import Capability


class SuggestionLine(serializers.Serializer):
    """What a machine or a file would say; nobody's answer."""

    kind = serializers.CharField(source="task.project.kind")
    task = serializers.CharField(source="task.source_key")
    suggested_by = serializers.CharField(source="by", help_text="rule, endpoint/model or file:…")
    outcome = serializers.CharField(
        help_text="usable, no_consent, unreadable, unsupported or refused."
    )
    value = serializers.SerializerMethodField(help_text="Null unless usable, and while hidden.")
    hidden = serializers.BooleanField(
        help_text="You may still judge the task yourself, so what was suggested is kept from you."
    )
    checks = serializers.DictField(help_text="Attempts, quotes kept and invented; numbers only.")
    inputs_sha256 = serializers.CharField(source="inputs", help_text="Of what it was made from.")
    simulated = serializers.SerializerMethodField()
    made = Instant(source="at")

    @extend_schema_field(serializers.DictField(allow_null=True))
    def get_value(self, row: Any) -> dict[str, Any] | None:
        return None if row.hidden else row.value

    def get_simulated(self, row: Suggestion) -> bool:
        return bool(row.model and row.model.simulated)


class SuggestionFilters(serializers.Serializer):
    kind = serializers.CharField(required=False, help_text="agreement, pair or universal.")
    task = serializers.CharField(required=False, help_text="The task's key.")
    suggested_by = serializers.CharField(required=False)


class SuggestionsSent(Strict):
    kind = serializers.CharField(help_text="agreement, pair or universal.")
    name = serializers.CharField(max_length=120, help_text="Who or what made them.")
    suggestions = JudgementSent(many=True, allow_empty=False, max_length=MOST_JUDGEMENTS)


class SuggestionTaken(serializers.Serializer):
    """Without its value: what is answered once is kept for a repetition, and holds no words."""

    task = serializers.CharField(source="task.source_key")
    suggested_by = serializers.CharField(source="by")


class SuggestionsTaken(serializers.Serializer):
    read = serializers.IntegerField()
    kept = SuggestionTaken(many=True)
    refused = Refused(many=True)


class Suggestions(StudyEndpoint, ListAPIView):
    """What was suggested, its value once you may no longer judge the task yourself. It moves no
    progress and no gold; people decide."""

    scopes: ClassVar = {"GET": Scope.ANNOTATION_READ, "POST": Scope.ANNOTATION_WRITE}
    capability = Capability.ADJUDICATE
    filters = SuggestionFilters
    serializer_class = SuggestionLine

    def get_queryset(self) -> QuerySet[Suggestion]:
        return suggestions.of_study(self.study, self.request.user, **self.asked)

    @extend_schema(request=SuggestionsSent, responses={201: SuggestionsTaken})
    def post(self, request: Request, study: str) -> Response:
        """Enter suggestions made elsewhere, in the fields of the form on the task's page."""
        return once(request, lambda _nonce: self._bring(request))

    def _bring(self, request: Request) -> Response:
        sent = SuggestionsSent(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        project = projects.access_project(self.study, given["kind"])
        lines = [
            Line(each["task"], each["form"], seen=each["inputs_sha256"])
            for each in given["suggestions"]
        ]
        result = suggesting.bring(project, given["name"], lines, request.user.email)
        shown = SuggestionsTaken(result, context=self.get_serializer_context())
        return Response(shown.data, status=201)
