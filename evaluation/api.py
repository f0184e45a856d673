"""Benchmark runs, for programs."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import Endpoint, once
from accounts.tokens import Scope
from core.api.reading import Instant, Strict
from evaluation import reports, selectors, services
from evaluation.models import Run
from evaluation.services import LARGEST, Order


class RunLine(serializers.Serializer):
    run = serializers.IntegerField(source="pk")
    benchmark = serializers.CharField()
    release = serializers.CharField(source="release.label", help_text="The items it asks.")
    asked_release = serializers.CharField(help_text="The release that was ordered.")
    model = serializers.CharField(source="model_label")
    status = serializers.CharField()
    simulated = serializers.BooleanField()
    planned = serializers.IntegerField(source="samples_planned", help_text="Samples.")
    error = serializers.JSONField(allow_null=True, help_text="Why it paused or failed.")
    created = Instant()
    finished = Instant(allow_null=True)


class Progress(serializers.Serializer):
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    rate = serializers.FloatField(help_text="Samples a second.")
    left = serializers.FloatField(allow_null=True, help_text="Seconds.")
    cost = serializers.IntegerField(allow_null=True, help_text="Micro-USD; null without a price.")
    calls = serializers.IntegerField()
    worker = serializers.BooleanField(help_text="Whether a worker lives.")


class RunInFull(RunLine):
    settings = serializers.DictField()
    seed = serializers.IntegerField()
    max_cost = serializers.IntegerField(source="cap_micro", allow_null=True, help_text="Micro-USD.")
    progress = serializers.SerializerMethodField()

    @extend_schema_field(Progress)
    def get_progress(self, run: Run) -> dict[str, Any]:
        return selectors.progress(run)


class RunOrder(Strict):
    benchmark = serializers.CharField(max_length=20)
    release = serializers.CharField(max_length=100, help_text="name@version, or a bare name.")
    model = serializers.CharField(max_length=300, help_text="endpoint/model")
    settings = serializers.DictField(
        required=False, help_text="Of the benchmark: preset, samples, temperature, limit, …"
    )
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST, required=False)
    max_cost = serializers.IntegerField(
        min_value=0, max_value=LARGEST, required=False, help_text="Pause before it, in micro-USD."
    )
    use_cache = serializers.BooleanField(required=False, help_text="Use replies kept before.")


class Runs(Endpoint, ListAPIView):
    """Benchmark runs, in the order they were started."""

    scopes: ClassVar = {"GET": Scope.RUNS_READ, "POST": Scope.RUNS_WRITE}
    serializer_class = RunLine

    def get_queryset(self) -> QuerySet[Run]:
        return selectors.visible_runs(self.request.user)

    @extend_schema(request=RunOrder, responses={201: RunInFull})
    def post(self, request: Request) -> Response:
        """Start a benchmark run. For administrators."""
        selectors.refuse_unless_may_run(request.user)
        return once(request, lambda nonce: _start(request, nonce))


class RunDetail(Endpoint):
    """A run with its settings and how far it is."""

    scopes: ClassVar = {"GET": Scope.RUNS_READ}

    @extend_schema(responses=RunInFull)
    def get(self, request: Request, run: int) -> Response:
        return Response(RunInFull(selectors.access_run(request.user, run)).data)


class RunReport(Endpoint):
    """What a run came to, as `report` prints it: outcomes, and the figures of its benchmark."""

    scopes: ClassVar = {"GET": Scope.RUNS_READ}

    @extend_schema(responses={200: {"type": "object", "additionalProperties": {}}})
    def get(self, request: Request, run: int) -> Response:
        return Response(reports.report(selectors.access_run(request.user, run)))


def _start(request: Request, nonce: str | None) -> Response:
    order = RunOrder(data=request.data)
    order.is_valid(raise_exception=True)
    given = order.validated_data
    run = services.start_run(
        Order(
            benchmark=given["benchmark"],
            release=given["release"],
            model=given["model"],
            given=given.get("settings", {}),
            seed=given.get("seed", 0),
            cap_micro=given.get("max_cost"),
            use_cache=given.get("use_cache", True),
            nonce=nonce,
        ),
        request.user.email,
    )
    return Response(RunInFull(run).data, status=201)
