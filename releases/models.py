"""A release is frozen bytes: parts by SHA-256 and a manifest whose hash is the release.

The rows below `Release` are an index over those bytes and can be rebuilt from them.
"""

import json
from functools import cached_property
from typing import Any

from django.db import models

from studies.models import Participant, Study


class Release(models.Model):
    class Status(models.TextChoices):
        DRAFT = "draft"
        FROZEN = "frozen"

    name = models.CharField(max_length=80)
    version = models.PositiveIntegerField(default=1)
    title = models.CharField(max_length=200, blank=True)
    study = models.ForeignKey(  # whose members see it; None: everybody who is signed in
        Study, null=True, on_delete=models.PROTECT, related_name="releases"
    )
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.DRAFT)
    parent = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="derivatives"
    )
    superseded_by = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="supersedes"
    )
    manifest = models.TextField()  # canonical JSON, hashed as the bytes it is
    sha256 = models.CharField(max_length=64, unique=True)
    schema_version = models.PositiveIntegerField(default=1)
    licence = models.CharField(max_length=80, blank=True)
    simulated = models.BooleanField(default=False)
    created = models.DateTimeField()

    class Meta:
        ordering = ("name", "-version")
        constraints = (
            models.UniqueConstraint(
                fields=["name", "version"], name="one_release_per_name_and_version"
            ),
        )

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """`name@version`, the name the command line and every file use."""
        return f"{self.name}@{self.version}"

    @cached_property
    def about(self) -> dict[str, Any]:
        """The manifest as a value: regions, groups, language, source, parts, counts."""
        return json.loads(self.manifest)

    @property
    def regions(self) -> list[str]:
        """Region slugs in the release's own order."""
        return [region["slug"] for region in self.about["regions"]]


class Part(models.Model):
    """One canonical JSONL file of a release, kept in private storage under its hash."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="parts")
    name = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64)
    rows = models.PositiveIntegerField()
    size = models.PositiveBigIntegerField()
    purged_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["release", "name"], name="one_part_per_release_and_name"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name}.jsonl"


class Contribution(models.Model):
    """A participant whose words are in a part of a release, until they withdraw."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="contributions")
    participant = models.ForeignKey(
        Participant, on_delete=models.PROTECT, related_name="contributions"
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["release", "participant"], name="one_contribution_per_release_and_person"
            ),
        )

    def __str__(self) -> str:
        return f"{self.participant_id} in {self.release_id}"


class Item(models.Model):
    """One thing to ask about. `payload` has a shape per kind (docs/architecture.md)."""

    class Kind(models.TextChoices):
        QUESTION = "question"
        ARTIFACT = "artifact"
        CHOICE = "choice"
        BILINGUAL = "bilingual"

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    labels = models.JSONField(default=dict)  # {"domain", "subcategory", "topic"}
    payload = models.JSONField()
    folded = models.TextField(blank=True)  # core.text.fold of what a reader would search for

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=["release", "key"], name="one_item_per_release_and_key"),
        )

    def __str__(self) -> str:
        return self.key


class Finding(models.Model):
    """Something a release contradicts itself about; fixed or accepted before freezing."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="findings")
    code = models.CharField(max_length=40)
    item = models.CharField(max_length=120, blank=True)  # the item's key
    detail = models.JSONField(default=dict)
    accepted_by = models.CharField(max_length=200, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=["release", "code"]),)

    def __str__(self) -> str:
        return f"{self.code} {self.item}"
