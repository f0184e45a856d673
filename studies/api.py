"""Studies and who takes part, for programs. A participant is a pseudonym here and nothing else:
neither the code of the personal link nor a recruiter's id is ever shown."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import Endpoint, once
from accounts.authentication import limited_to
from accounts.tokens import Scope
from core.api.reading import Instant, Strict
from core.errors import NotFound
from studies import links, participation, selectors
from studies.models import Participation, Region, Study
from studies.permissions import Capability
from studies.services.entering import MOST_LINKS, make_links

TEXTS = serializers.DictField(child=serializers.CharField(), help_text="Texts by language tag.")


class StudyLine(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField(help_text="In the study's first language.")
    status = serializers.CharField()
    languages = serializers.ListField(child=serializers.CharField())
    country = serializers.CharField()
    timezone = serializers.CharField()
    currency = serializers.CharField()
    simulated = serializers.BooleanField(help_text="Its people are simulated.")
    created = Instant()


class RegionOfStudy(serializers.Serializer):
    slug = serializers.CharField()
    names = TEXTS
    language = serializers.CharField()
    target = serializers.IntegerField(help_text="Participants wanted.")
    places = serializers.SerializerMethodField()

    def get_places(self, region: Region) -> list[str]:
        return [place.name for place in region.places.all()]


class ActivityOfStudy(serializers.Serializer):
    slug = serializers.CharField()
    names = TEXTS
    kind = serializers.CharField()
    phase = serializers.CharField()
    reward = serializers.CharField()
    amount_minor = serializers.IntegerField(help_text="In minor units of the study's currency.")
    minutes = serializers.IntegerField()
    days = serializers.IntegerField(help_text="From entry until time is up.")


class StudyInFull(StudyLine):
    residency_percent = serializers.IntegerField()
    ethics_number = serializers.CharField()
    retention_days = serializers.IntegerField()
    regions = RegionOfStudy(many=True)
    activities = ActivityOfStudy(many=True)


class ParticipationLine(serializers.Serializer):
    participant = serializers.CharField(source="participant.code", help_text="The pseudonym.")
    activity = serializers.CharField(source="activity.slug")
    attempt = serializers.IntegerField()
    region = serializers.CharField(source="participant.region.slug", default=None, allow_null=True)
    language = serializers.CharField(source="participant.language")
    status = serializers.CharField()
    ended_reason = serializers.CharField(help_text="A code; empty while it goes on.")
    included = serializers.BooleanField(
        allow_null=True, help_text="In the results; null until somebody decides."
    )
    paid_decision = serializers.CharField(help_text="pay, withhold, or empty until decided.")
    worked_ms = serializers.IntegerField()
    opened = Instant(allow_null=True)
    ended = Instant(allow_null=True)


class ParticipationFilters(serializers.Serializer):
    activity = serializers.CharField(required=False, help_text="The activity's short name.")
    region = serializers.CharField(required=False, help_text="The region's short name.")
    status = serializers.ChoiceField(
        [status.value for status in participation.Status], required=False
    )


class LinksOrder(Strict):
    activity = serializers.CharField(max_length=60, help_text="The activity's short name.")
    count = serializers.IntegerField(min_value=1, max_value=MOST_LINKS)


class PersonalLink(serializers.Serializer):
    participant = serializers.CharField(help_text="The pseudonym.")
    link = serializers.URLField(help_text="For one person alone; whoever has it is that person.")


class PersonalLinks(serializers.Serializer):
    links = PersonalLink(many=True)


class StudyEndpoint(Endpoint):
    """Works in the study its address names, as far as token and role reach."""

    capability: ClassVar[Capability]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.study = reach_study(request, kwargs["study"], self.capability)


def reach_study(request: Request, slug: str, capability: Capability) -> Study:
    """As `selectors.access_study`, and within the studies the token is limited to."""
    limited = limited_to(request)
    if limited and slug not in limited:
        raise NotFound(
            "study.unknown", f"This token is limited to other studies than “{slug}”.", study=slug
        )
    return selectors.access_study(request.user, slug, capability)


class Studies(Endpoint, ListAPIView):
    """The studies you can see."""

    scopes: ClassVar = {"GET": Scope.STUDIES_READ}
    serializer_class = StudyLine

    def get_queryset(self) -> QuerySet[Study]:
        visible, limited = Study.objects.visible_to(self.request.user), limited_to(self.request)
        return visible.filter(slug__in=limited) if limited else visible


class StudyDetail(StudyEndpoint):
    """A study with its regions and activities."""

    scopes: ClassVar = {"GET": Scope.STUDIES_READ}
    capability = Capability.VIEW

    @extend_schema(responses=StudyInFull)
    def get(self, request: Request, study: str) -> Response:
        return Response(StudyInFull(self.study).data)


class Participations(StudyEndpoint, ListAPIView):
    """Who takes part and how far they are. Who has withdrawn stays, with that status."""

    scopes: ClassVar = {"GET": Scope.PARTICIPATIONS_READ}
    capability = Capability.MONITOR
    filters = ParticipationFilters
    serializer_class = ParticipationLine

    def get_queryset(self) -> QuerySet[Participation]:
        columns = {"activity": "activity__slug", "region": "participant__region__slug"}
        wanted = {columns.get(name, name): value for name, value in self.asked.items()}
        return Participation.objects.filter(participant__study=self.study, **wanted).select_related(
            "participant__region", "activity"
        )


class Links(StudyEndpoint):
    """Invite new participants to an activity, each by a personal link of their own."""

    scopes: ClassVar = {"POST": Scope.PARTICIPATIONS_WRITE}
    capability = Capability.RECRUIT

    @extend_schema(request=LinksOrder, responses={201: PersonalLinks})
    def post(self, request: Request, study: str) -> Response:
        return once(request, lambda _nonce: self._invite(request))

    def _invite(self, request: Request) -> Response:
        order = LinksOrder(data=request.data)
        order.is_valid(raise_exception=True)
        given = order.validated_data
        activity = selectors.access_activity(self.study, given["activity"])
        made = [
            {
                "participant": row.participant.code,
                "link": request.build_absolute_uri(links.personal(row)),
            }
            for row in make_links(activity, given["count"], request.user.email)
        ]
        return Response(PersonalLinks({"links": made}).data, status=201)
