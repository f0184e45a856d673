"""A study, what it is set up with, and who works on it."""

from collections.abc import Sequence
from typing import ClassVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from accounts.models import User
from studies import languages, setup
from studies.fields import LanguageMapField
from studies.models.appended import Appended
from studies.permissions import Role


class StudyQuerySet(models.QuerySet["Study"]):
    def visible_to(self, user: User | AnonymousUser) -> "StudyQuerySet":
        """Studies the user is a member of; an administrator sees every study."""
        if not user.is_authenticated:
            return self.none()
        return self if user.is_superuser else self.filter(memberships__user=user)


class Study(models.Model):
    class Status(models.TextChoices):
        SET_UP = "set_up"
        COLLECTING = "collecting"

    slug = models.CharField(max_length=60, unique=True)
    names = LanguageMapField()
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.SET_UP)
    languages = models.JSONField(default=list)  # tags; the order is the order of fallback
    country = models.CharField(max_length=120)
    timezone = models.CharField(max_length=60)
    currency = models.CharField(max_length=3)
    residency_percent = models.PositiveSmallIntegerField(default=50)
    ethics_number = models.CharField(max_length=120, blank=True)
    retention_days = models.PositiveIntegerField(default=90)
    simulated = models.BooleanField(default=False)  # set at creation and never changed
    created = models.DateTimeField()

    objects: ClassVar[StudyQuerySet] = StudyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("slug",)
        verbose_name_plural = "studies"
        constraints = (
            models.CheckConstraint(
                condition=Q(residency_percent__gte=50, residency_percent__lte=99),
                name="residency_takes_at_least_half_a_life",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return languages.choose(self.names, self.languages)[1] or self.slug


class Region(models.Model):
    """The group of people whose common sense is measured."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="regions")
    slug = models.CharField(max_length=60)
    names = LanguageMapField()
    aliases = models.JSONField(default=list)
    phrases = LanguageMapField()  # where: "on the coast"
    language = models.CharField(max_length=35)  # what its people are addressed in first
    position = models.PositiveIntegerField()
    target = models.PositiveIntegerField(default=0)  # participants wanted

    class Meta:
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(fields=["study", "slug"], name="one_region_per_study_and_slug"),
        )

    def __str__(self) -> str:
        return self.slug


class Place(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="places")
    region = models.ForeignKey(Region, on_delete=models.CASCADE, related_name="places")
    name = models.CharField(max_length=120)  # what values and files know it by
    folded = models.TextField()  # core.text.fold of the name, which may be longer
    names = LanguageMapField()  # what people call it

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["study", "folded"], name="each_place_lies_in_one_region_of_a_study"
            ),
        )

    def __str__(self) -> str:
        return self.name

    def called(self, wanted: Sequence[str]) -> str:
        """What it is called in the first of the wanted languages there is a name in."""
        return languages.choose(self.names, wanted)[1] or self.name


class Membership(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=[(role, role.value) for role in Role])

    class Meta:
        ordering = ("user__email",)
        constraints = (
            models.UniqueConstraint(fields=["study", "user"], name="one_role_per_study_and_user"),
        )

    def __str__(self) -> str:
        return f"{self.user} {self.role}"


class Activity(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="activities")
    slug = models.CharField(max_length=60)
    names = LanguageMapField()
    kind = models.CharField(max_length=8, choices=[(k, k.value) for k in setup.ActivityKind])
    phase = models.CharField(max_length=8, choices=[(p, p.value) for p in setup.Phase])
    reward = models.CharField(max_length=8, choices=[(r, r.value) for r in setup.RewardKind])
    amount_minor = models.PositiveBigIntegerField()  # minor units of the study's currency
    minutes = models.PositiveIntegerField()
    days = models.PositiveSmallIntegerField(default=setup.DAYS)  # from entry until time is up
    position = models.PositiveIntegerField()
    recruiter = models.CharField(max_length=60, blank=True)
    recruiter_study_id = models.CharField(max_length=120, blank=True)
    codes = models.JSONField(default=dict)  # {participation.Code: the completion code}

    class Meta:
        ordering = ("position", "pk")
        verbose_name_plural = "activities"
        constraints = (
            models.UniqueConstraint(
                fields=["study", "slug"], name="one_activity_per_study_and_slug"
            ),
            models.CheckConstraint(
                condition=Q(minutes__gte=1), name="an_activity_takes_at_least_a_minute"
            ),
        )

    def __str__(self) -> str:
        return self.slug

    @property
    def name(self) -> str:
        return languages.choose(self.names, self.study.languages)[1] or self.slug


class ConsentDocument(Appended):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="consent_documents")
    version = models.PositiveIntegerField()
    texts = LanguageMapField()
    purposes = models.JSONField()  # {setup.Purpose: {tag: sentence}}, asked in that order
    sha256 = models.CharField(max_length=64)
    created = models.DateTimeField()

    class Meta:
        ordering = ("-version",)
        constraints = (
            models.UniqueConstraint(
                fields=["study", "version"], name="one_consent_document_per_study_and_version"
            ),
        )

    def __str__(self) -> str:
        return f"version {self.version}"
