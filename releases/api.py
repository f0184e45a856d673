"""Releases and their items, for programs."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import Endpoint
from accounts.tokens import Scope
from core.api.reading import Instant
from releases import selectors
from releases.models import Item, Release


class ReleaseLine(serializers.Serializer):
    release = serializers.CharField(source="label", help_text="name@version")
    title = serializers.CharField()
    status = serializers.CharField()
    sha256 = serializers.CharField(help_text="Of the manifest, which holds those of its parts.")
    regions = serializers.ListField(child=serializers.CharField())
    licence = serializers.CharField()
    simulated = serializers.BooleanField()
    parent = serializers.CharField(
        source="parent.label", default=None, allow_null=True, help_text="What it was built from."
    )
    superseded_by = serializers.CharField(
        source="superseded_by.label", default=None, allow_null=True
    )
    created = Instant()


class PartOfRelease(serializers.Serializer):
    name = serializers.CharField()
    sha256 = serializers.CharField()
    rows = serializers.IntegerField()
    size = serializers.IntegerField(help_text="Bytes.")


class ReleaseInFull(ReleaseLine):
    parts = PartOfRelease(many=True)
    described = serializers.SerializerMethodField(help_text="As `describe_release` prints it.")

    def get_described(self, release: Release) -> dict[str, Any]:
        return selectors.describe(release)


class ItemLine(serializers.Serializer):
    position = serializers.IntegerField()
    key = serializers.CharField()
    kind = serializers.CharField()
    labels = serializers.DictField()
    payload = serializers.DictField(help_text="Its shape depends on the kind.")


class Releases(Endpoint, ListAPIView):
    """Releases. Those without a study are seen by everybody who is signed in."""

    scopes: ClassVar = {"GET": Scope.RELEASES_READ}
    serializer_class = ReleaseLine

    def get_queryset(self) -> QuerySet[Release]:
        return selectors.visible_releases(self.request.user)


class ReleaseDetail(Endpoint):
    """A release: its parts, and what it holds."""

    scopes: ClassVar = {"GET": Scope.RELEASES_READ}

    @extend_schema(responses=ReleaseInFull)
    def get(self, request: Request, name: str, version: int) -> Response:
        release = selectors.access_release(request.user, name, version)
        return Response(ReleaseInFull(release).data)


class Items(Endpoint, ListAPIView):
    """The items of a release in its order."""

    scopes: ClassVar = {"GET": Scope.RELEASES_READ}
    serializer_class = ItemLine

    def get_queryset(self) -> QuerySet[Item]:
        release = selectors.access_release(
            self.request.user, self.kwargs["name"], self.kwargs["version"]
        )
        return release.items.all()
