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
from evaluation.forms import MOST_JUDGES
from evaluation.models import Outcome, Run, Sample
from evaluation.services import LARGEST, Order
from evaluation.validation import draws
from evaluation.viewing import ledger, viewer
from evaluation.viewing.viewer import Filters


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
    stage = serializers.IntegerField(help_text="0: generating; k: its k-th judge.")
    judge = serializers.CharField(allow_null=True, help_text="Who judges now.")
    done = serializers.IntegerField(help_text="Samples, or distinct replies judged.")
    total = serializers.IntegerField()
    rate = serializers.FloatField(help_text="Samples or replies a second.")
    left = serializers.FloatField(allow_null=True, help_text="Seconds.")
    cost = serializers.IntegerField(allow_null=True, help_text="Micro-USD; null without a price.")
    calls = serializers.IntegerField()
    worker = serializers.BooleanField(help_text="Whether a worker lives.")


class Spend(serializers.Serializer):
    """What one model of the run was asked for."""

    stage = serializers.CharField()
    model = serializers.CharField()
    exchanges = serializers.IntegerField()
    failed = serializers.IntegerField(help_text="Exchanges that brought no reply.")
    replies = serializers.IntegerField()
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost = serializers.IntegerField(
        source="cost_micro", allow_null=True, help_text="Micro-USD; null without a price."
    )
    kept = serializers.IntegerField(help_text="Replies kept from before.")


class RunInFull(RunLine):
    settings = serializers.DictField()
    seed = serializers.IntegerField()
    max_cost = serializers.IntegerField(source="cap_micro", allow_null=True, help_text="Micro-USD.")
    judges = serializers.SerializerMethodField(help_text="In the order they judge.")
    progress = serializers.SerializerMethodField()
    spend = serializers.SerializerMethodField()

    def get_judges(self, run: Run) -> list[str]:
        return [str(judge) for judge in selectors.judges_of(run)]

    @extend_schema_field(Spend(many=True))
    def get_spend(self, run: Run) -> list[dict[str, Any]]:
        return [Spend(line).data for line in ledger.by_stage(run)]

    @extend_schema_field(Progress)
    def get_progress(self, run: Run) -> dict[str, Any]:
        return selectors.progress(run)


class RunOrder(Strict):
    benchmark = serializers.CharField(max_length=20)
    release = serializers.CharField(max_length=100, help_text="name@version, or a bare name.")
    model = serializers.CharField(max_length=300, help_text="endpoint/model")
    judges = serializers.ListField(
        child=serializers.CharField(max_length=300),
        required=False,
        max_length=MOST_JUDGES,
        help_text="endpoint/model, each once.",
    )
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


class VerdictGiven(serializers.Serializer):
    judge = serializers.CharField(source="judge.label")
    outcome = serializers.CharField(help_text="ok, unparsed or failed.")
    value = serializers.CharField(help_text="Empty unless the outcome is ok.")


class SampleLine(serializers.Serializer):
    sample = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="item.key")
    variant = serializers.CharField(help_text="The region asked for, where one is named.")
    repeat = serializers.IntegerField()
    outcome = serializers.SerializerMethodField()
    choice = serializers.IntegerField(allow_null=True, help_text="The option, as the item counts.")
    reply = serializers.IntegerField(
        source="reply_id", allow_null=True, help_text="The same for samples with the same reply."
    )
    text = serializers.CharField(source="reply.text", default=None, allow_null=True)
    verdicts = serializers.SerializerMethodField(help_text="On this reply, by judge.")

    @extend_schema_field(serializers.ChoiceField(Outcome.choices))
    def get_outcome(self, sample: Sample) -> str:
        return sample.reply.outcome if sample.reply else Outcome.FAILED

    @extend_schema_field(VerdictGiven(many=True))
    def get_verdicts(self, sample: Sample) -> list[dict[str, Any]]:
        given = sample.reply.verdicts.all() if sample.reply else ()
        return [VerdictGiven(verdict).data for verdict in given]


class SampleFilters(serializers.Serializer):
    outcome = serializers.ChoiceField(Outcome.choices, required=False)
    region = serializers.CharField(required=False, help_text="Asked for, or chosen.")
    domain = serializers.CharField(required=False)
    item = serializers.CharField(required=False)
    text = serializers.CharField(required=False, help_text="In the reply, as it came.")


class Samples(Endpoint, ListAPIView):
    """The samples of a run with their replies and verdicts, in the order they came."""

    scopes: ClassVar = {"GET": Scope.RUNS_READ}
    serializer_class = SampleLine
    filters = SampleFilters

    def get_queryset(self) -> QuerySet[Sample]:
        run = selectors.access_run(self.request.user, self.kwargs["run"])
        draws.refuse_who_may_judge(self.request.user, run)
        found = viewer.samples(run, Filters.read(self.asked))
        return found.prefetch_related("reply__verdicts__judge")


class RunReport(Endpoint):
    """What a run came to, as `report` prints it: outcomes, and the figures of its benchmark."""

    scopes: ClassVar = {"GET": Scope.RUNS_READ}

    @extend_schema(responses={200: {"type": "object", "additionalProperties": {}}})
    def get(self, request: Request, run: int) -> Response:
        return Response(reports.report(selectors.access_run(request.user, run)))


class JudgesOrder(Strict):
    judges = serializers.ListField(
        child=serializers.CharField(max_length=300),
        min_length=1,
        max_length=MOST_JUDGES,
        help_text="endpoint/model, each once.",
    )


class Rejudge(Endpoint):
    """The stored replies of a run, judged by further judges; nothing is generated."""

    scopes: ClassVar = {"POST": Scope.RUNS_WRITE}

    @extend_schema(request=JudgesOrder, responses=RunInFull)
    def post(self, request: Request, run: int) -> Response:
        """Have stored replies judged by further judges. For administrators."""
        found = _led(request, run)
        order = JudgesOrder(data=request.data)
        order.is_valid(raise_exception=True)
        judges = order.validated_data["judges"]
        return once(request, lambda _: _shown(services.rejudge(found, judges, request.user.email)))


class NewCap(Strict):
    max_cost = serializers.IntegerField(
        min_value=0, max_value=LARGEST, required=False, help_text="Of all of the run, micro-USD."
    )


class Resume(Endpoint):
    """A run that has stopped, going on."""

    scopes: ClassVar = {"POST": Scope.RUNS_WRITE}

    @extend_schema(request=NewCap, responses=RunInFull)
    def post(self, request: Request, run: int) -> Response:
        """Go on with a run that has stopped, perhaps under another cap. For administrators."""
        found = _led(request, run)
        order = NewCap(data=request.data)
        order.is_valid(raise_exception=True)
        cap = order.validated_data.get("max_cost")
        return once(
            request, lambda _: _shown(services.resume_run(found, request.user.email, cap_micro=cap))
        )


class Cancel(Endpoint):
    """A run, stopped for good unless it is resumed."""

    scopes: ClassVar = {"POST": Scope.RUNS_WRITE}

    @extend_schema(request=Strict, responses=RunInFull)
    def post(self, request: Request, run: int) -> Response:
        """Stop a run; what it has is kept. For administrators."""
        found = _led(request, run)
        Strict(data=request.data).is_valid(raise_exception=True)
        return once(request, lambda _: _shown(services.cancel_run(found, request.user.email)))


def _led(request: Request, run: int) -> Run:
    selectors.refuse_unless_may_run(request.user)
    return selectors.access_run(request.user, run)


def _shown(run: Run) -> Response:
    return Response(RunInFull(run).data)


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
            judges=given.get("judges", ()),
            nonce=nonce,
        ),
        request.user.email,
    )
    return Response(RunInFull(run).data, status=201)
