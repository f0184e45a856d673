"""Tasks, judgements and gold, for programs."""

import math
from collections import Counter
from dataclasses import replace
from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import once
from accounts.tokens import Scope
from annotation import kinds, regional
from annotation.models import Assignment, GoldAnswer, GoldRelation, Judgement, Task
from annotation.selectors import hanging, projects, told
from annotation.services import importing
from annotation.services.importing import Line
from annotation.services.projects import set_share
from core.api.reading import Instant, Strict
from studies.api import StudyEndpoint
from studies.permissions import Capability

MOST_JUDGEMENTS = 500  # of one request
Status = Assignment.Status


class Places(serializers.Serializer):
    """Turns at a task; their sum is all there have been."""

    pending = serializers.IntegerField(
        help_text="Free, or opened and not written at; nothing is free at a decided task."
    )
    draft = serializers.IntegerField()
    submitted = serializers.IntegerField()
    skipped = serializers.IntegerField()
    flagged = serializers.IntegerField()


class TaskLine(serializers.Serializer):
    kind = serializers.CharField(source="project.kind")
    task = serializers.CharField(source="source_key")
    question = serializers.CharField(source="question.key", default=None, allow_null=True)
    region = serializers.CharField(
        source="region.slug", default=None, allow_null=True, help_text="Null for more than one."
    )
    status = serializers.CharField(help_text="open, disputed or decided.")
    stale = serializers.BooleanField(help_text="What is judged has changed since it was.")
    inputs_sha256 = serializers.CharField(source="inputs", help_text="Of what is to be judged.")
    payload = serializers.DictField(help_text="Ids and numbers; its shape depends on the kind.")
    mine = serializers.SerializerMethodField(help_text="The status of your own turn, or null.")
    places = serializers.SerializerMethodField(help_text="Null unless you may decide.")

    def get_mine(self, task: Any) -> str | None:
        return task.mine[0].status if task.mine else None

    @extend_schema_field(Places(allow_null=True))
    def get_places(self, task: Any) -> dict[str, int] | None:
        if not hasattr(task, "places"):
            return None
        counted = Counter(row.status for row in task.places)
        pending = counted[Status.FREE] + counted[Status.LEASED]
        settled = (Status.DRAFT, Status.SUBMITTED, Status.SKIPPED, Status.FLAGGED)
        return {"pending": pending} | {status.value: counted[status] for status in settled}


class HowFar(Places):
    total = serializers.IntegerField()
    places = serializers.IntegerField(help_text="Judgements there shall be.")


class KindLine(serializers.Serializer):
    """A kind of annotation that is open in the study."""

    kind = serializers.CharField(source="kind.name")
    people_per_task = serializers.IntegerField(source="project.overlap")
    share = serializers.FloatField(
        source="project.share",
        allow_null=True,
        help_text="Of more than five answers, from 0 to 1, that has to agree; null for the "
        "threshold alone.",
    )
    guideline_version = serializers.IntegerField(source="guideline")
    tasks = serializers.IntegerField()
    decided = serializers.IntegerField()
    overall = HowFar()
    mine = HowFar(help_text="Yours; pending is what the queue still holds for you.")


class TaskFilters(serializers.Serializer):
    kind = serializers.CharField(required=False, help_text="agreement, pair, universal or verdict.")
    question = serializers.CharField(required=False, help_text="The question's key.")
    region = serializers.CharField(required=False, help_text="The region's short name.")
    status = serializers.ChoiceField(Task.Status.values, required=False)


class JudgementLine(serializers.Serializer):
    """A first pass, as it was sent."""

    kind = serializers.CharField(source="assignment.task.project.kind")
    task = serializers.CharField(source="assignment.task.source_key")
    question = serializers.CharField(
        source="assignment.task.question.key", default=None, allow_null=True
    )
    region = serializers.CharField(
        source="assignment.task.region.slug", default=None, allow_null=True
    )
    annotator = serializers.SerializerMethodField(
        help_text="Who judged; of others null while their task is not decided."
    )
    category = serializers.SerializerMethodField(help_text="What reliability is computed on.")
    value = serializers.DictField(help_text="Its shape depends on the kind.")
    note = serializers.CharField()
    guideline_version = serializers.IntegerField(source="guideline.version")
    inputs_sha256 = serializers.CharField(source="inputs", help_text="Of what was judged.")
    ms = serializers.IntegerField(help_text="From opening to sending.")
    opened = Instant(source="assignment.opened", allow_null=True)
    sent = Instant(source="at")

    def get_annotator(self, row: Judgement) -> str | None:
        own = row.assignment.annotator == self.context["request"].user
        named = own or told.is_decided(row.assignment.task)
        return row.assignment.annotator.email if named and row.assignment.annotator else None

    def get_category(self, row: Judgement) -> str:
        return kinds.of(row.assignment.task.project.kind).category(row.value)


class JudgementFilters(serializers.Serializer):
    kind = serializers.CharField(required=False, help_text="agreement, pair, universal or verdict.")
    task = serializers.CharField(required=False, help_text="The task's key.")
    question = serializers.CharField(required=False, help_text="The question's key.")
    region = serializers.CharField(required=False, help_text="The region's short name.")


class JudgementSent(Strict):
    task = serializers.CharField(help_text="The task's key.")
    form = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField(allow_blank=True)),
        help_text="Fields of the form on the task's page, each with its values.",
    )
    note = serializers.CharField(default="", allow_blank=True)
    inputs_sha256 = serializers.CharField(
        default=None, allow_null=True, help_text="Of what was judged; refused if that has changed."
    )


class JudgementsSent(Strict):
    kind = serializers.CharField(help_text="agreement, pair, universal or verdict.")
    annotator = serializers.EmailField(
        default="", allow_blank=True, help_text="Whose they are; yours unless said."
    )
    judgements = JudgementSent(many=True, allow_empty=False, max_length=MOST_JUDGEMENTS)


class Refused(serializers.Serializer):
    line = serializers.IntegerField(help_text="From 1.")
    task = serializers.CharField()
    code = serializers.CharField()
    reason = serializers.CharField()


class JudgementsTaken(serializers.Serializer):
    read = serializers.IntegerField()
    kept = JudgementLine(many=True)
    refused = Refused(many=True)


class ShareSent(Strict):
    share = serializers.FloatField(
        allow_null=True,
        help_text="Of more than five answers, over 0.5 to 1, that has to agree; null for the "
        "threshold alone.",
    )

    def validate_share(self, share: float | None) -> float | None:
        if share is not None and not math.isfinite(share):
            raise serializers.ValidationError("Write a number, or null.")
        return share


class GoldLine(serializers.Serializer):
    """What was decided: of a region its texts, of a pair or of all regions their relation."""

    level = serializers.SerializerMethodField(help_text="region, pair or all.")
    question = serializers.CharField(source="question.key")
    regions = serializers.SerializerMethodField(help_text="Short names; none means all.")
    texts = serializers.SerializerMethodField(help_text="None where the region agrees on nothing.")
    support = serializers.SerializerMethodField(
        help_text="For each text the pseudonyms of those whose answers say it."
    )
    value = serializers.SerializerMethodField(help_text="The relation; null for a region.")
    n = serializers.IntegerField(default=None, allow_null=True, help_text="Answers in view.")
    threshold = serializers.IntegerField(
        default=None, allow_null=True, help_text="How many of them had to agree."
    )
    stale = serializers.BooleanField(help_text="An input has changed; a person has to decide anew.")
    decided_by = serializers.CharField(source="decision.by", help_text="rule or person.")
    decided = Instant(source="decision.at")

    def get_level(self, gold: GoldAnswer | GoldRelation) -> str:
        return gold.level if isinstance(gold, GoldRelation) else told.REGION

    def get_regions(self, gold: GoldAnswer | GoldRelation) -> list[str]:
        if isinstance(gold, GoldAnswer):
            return [gold.region.slug]
        return [region.slug for region in (gold.region_a, gold.region_b) if region]

    def get_texts(self, gold: GoldAnswer | GoldRelation) -> list[str]:
        return gold.texts if isinstance(gold, GoldAnswer) else []

    def get_support(self, gold: Any) -> list[list[str]]:
        said: list[list[str]] = [[] for _ in self.get_texts(gold)]
        for each in getattr(gold, "supporting", ()):
            said[each.concept].append(each.answer.submission.participation.participant.code)
        return said

    def get_value(self, gold: Any) -> dict[str, Any] | None:
        return gold.value if isinstance(gold, GoldRelation) else None


class GoldFilters(serializers.Serializer):
    level = serializers.ChoiceField(told.LEVELS, default=told.REGION)
    question = serializers.CharField(required=False, help_text="The question's key.")
    region = serializers.CharField(required=False, help_text="The region's short name.")


class Kinds(StudyEndpoint):
    """The kinds of annotation that are open, and how far they are."""

    scopes: ClassVar = {"GET": Scope.ANNOTATION_READ}
    capability = Capability.ANNOTATE

    @extend_schema(responses={200: KindLine(many=True)})
    def get(self, request: Request, study: str) -> Response:
        lines = projects.lines(self.study, request.user)
        return Response(KindLine([each for each in lines if each.project], many=True).data)


class Share(StudyEndpoint):
    """How many of more than five answers have to agree within a region."""

    scopes: ClassVar = {"POST": Scope.ANNOTATION_WRITE}
    capability = Capability.ADJUDICATE

    @extend_schema(request=ShareSent, responses={200: KindLine})
    def post(self, request: Request, study: str) -> Response:
        """Set it. Tasks it means another number for are brought up to date, and stale where they
        were judged."""
        return once(request, lambda _nonce: self._set(request))

    def _set(self, request: Request) -> Response:
        sent = ShareSent(data=request.data)
        sent.is_valid(raise_exception=True)
        project = projects.access_project(self.study, regional.NAME)
        set_share(project, sent.validated_data["share"], request.user.email)
        lines = projects.lines(self.study, request.user)
        return Response(KindLine(next(each for each in lines if each.project == project)).data)


class Tasks(StudyEndpoint, ListAPIView):
    """What there is to annotate, and how far it is."""

    scopes: ClassVar = {"GET": Scope.ANNOTATION_READ}
    capability = Capability.ANNOTATE
    filters = TaskFilters
    serializer_class = TaskLine

    def get_queryset(self) -> QuerySet[Task]:
        return told.tasks(self.study, self.request.user, **self.asked)


class Judgements(StudyEndpoint, ListAPIView):
    """First passes: your own, and for who may decide everybody's, once all of a task are in."""

    scopes: ClassVar = {"GET": Scope.ANNOTATION_READ, "POST": Scope.ANNOTATION_WRITE}
    capability = Capability.ANNOTATE
    filters = JudgementFilters
    serializer_class = JudgementLine

    def get_queryset(self) -> QuerySet[Judgement]:
        return told.judgements(self.study, self.request.user, **self.asked)

    @extend_schema(request=JudgementsSent, responses={201: JudgementsTaken})
    def post(self, request: Request, study: str) -> Response:
        """Enter judgements made elsewhere, each as if it had been sent from its page."""
        return once(request, lambda _nonce: self._enter(request))

    def _enter(self, request: Request) -> Response:
        sent = JudgementsSent(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        project = projects.access_project(self.study, given["kind"])
        user = importing.annotator(self.study, request.user, given["annotator"])
        lines = [
            Line(each["task"], each["form"], each["note"], each["inputs_sha256"])
            for each in given["judgements"]
        ]
        result = importing.enter(project, user, lines, request.user.email)
        told_of = replace(result, kept=told.entered(result.kept))
        shown = JudgementsTaken(told_of, context=self.get_serializer_context())
        return Response(shown.data, status=201)


class Gold(StudyEndpoint, ListAPIView):
    """What regions agree on as it was decided, or with `level` whether they agree."""

    scopes: ClassVar = {"GET": Scope.ANNOTATION_READ}
    capability = Capability.ADJUDICATE
    filters = GoldFilters
    serializer_class = GoldLine

    def get_queryset(self) -> QuerySet[Any]:
        return told.gold(self.study, **self.asked)


class GoldHangsOn(StudyEndpoint):
    """How much of what was decided hangs on one reviewer, one respondent or the threshold, as the
    manifest of a release states it."""

    scopes: ClassVar = {"GET": Scope.ANNOTATION_READ}
    capability = Capability.ADJUDICATE

    @extend_schema(responses={200: {"type": "object", "additionalProperties": {}}})
    def get(self, request: Request, study: str) -> Response:
        return Response(hanging.of_study(self.study).as_dict())
