"""A study, what it is set up with, who works on it, and who takes part."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q

from accounts.models import User
from core import clock
from core.errors import CommonplaceError
from studies import languages, participation, setup
from studies.codes import new_code
from studies.fields import LanguageMapField
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


class Appended(models.Model):
    """A row that is written once; what changes is said by a further row."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise CommonplaceError(
                "row.append_only",
                "This record is never changed. Add a further one that says what is true now.",
            )
        super().save(*args, **kwargs)


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


class Participant(models.Model):
    """A code, never a name and never a user."""

    class Status(models.TextChoices):
        TAKING_PART = "taking_part"
        WITHDRAWN = "withdrawn"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="participants")
    code = models.CharField(max_length=10, unique=True, default=new_code)
    region = models.ForeignKey(Region, null=True, on_delete=models.PROTECT)
    region_other = models.CharField(max_length=120, blank=True)
    language = models.CharField(max_length=35)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.TAKING_PART)
    withdrawn_at = models.DateTimeField(null=True)
    simulated = models.BooleanField(default=False)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.CheckConstraint(
                condition=Q(status="withdrawn", withdrawn_at__isnull=False)
                | Q(status="taking_part", withdrawn_at__isnull=True),
                name="who_has_withdrawn_has_a_time_of_it",
            ),
        )

    def __str__(self) -> str:
        return self.code


class RecruiterIdentity(models.Model):
    """How a recruiter knows a participant; restricted, and emptied after payment has closed."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE)
    participant = models.OneToOneField(
        Participant, on_delete=models.CASCADE, related_name="recruiter_identity"
    )
    recruiter = models.CharField(max_length=60)
    external_id = models.CharField(max_length=120, blank=True)

    class Meta:
        verbose_name_plural = "recruiter identities"
        constraints = (
            models.UniqueConstraint(
                fields=["study", "recruiter", "external_id"],
                condition=~Q(external_id=""),
                name="one_participant_per_study_and_recruiters_id",
            ),
        )

    def __str__(self) -> str:
        return f"{self.recruiter} of {self.participant_id}"


class Residence(models.Model):
    """A stay in calendar years (`studies.residency`); without a place, somewhere else."""

    participant = models.ForeignKey(
        Participant, on_delete=models.CASCADE, related_name="residences"
    )
    place = models.ForeignKey(Place, null=True, on_delete=models.PROTECT)
    from_year = models.PositiveSmallIntegerField()
    to_year = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("from_year", "pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(from_year__lte=F("to_year")), name="a_stay_ends_after_it_begins"
            ),
        )

    def __str__(self) -> str:
        return f"{self.from_year} to {self.to_year}"


class Participation(models.Model):
    """One attempt at one activity; `studies.participation` has the table of its statuses."""

    class Paid(models.TextChoices):
        PAY = "pay"
        WITHHOLD = "withhold"

    participant = models.ForeignKey(
        Participant, on_delete=models.CASCADE, related_name="participations"
    )
    activity = models.ForeignKey(Activity, on_delete=models.PROTECT, related_name="participations")
    code = models.CharField(max_length=10, unique=True, default=new_code)  # in the signed link
    attempt = models.PositiveSmallIntegerField(default=1)
    recruiter = models.CharField(max_length=60, blank=True)
    recruiter_session = models.CharField(max_length=120, blank=True)  # the newest of `sessions`
    status = models.CharField(
        max_length=12,
        choices=[(status, status.value) for status in participation.Status],
        default=participation.Status.INVITED,
    )
    ended_reason = models.CharField(max_length=80, blank=True)  # a code
    slot_region = models.ForeignKey(Region, null=True, on_delete=models.PROTECT)
    paid_decision = models.CharField(max_length=8, choices=Paid.choices, blank=True)
    included = models.BooleanField(null=True)  # in the results; None until somebody decides
    message = models.TextField(blank=True)  # what a reviewer wrote to the participant
    created = models.DateTimeField(default=clock.now)
    opened = models.DateTimeField(null=True)  # when the participant first acted
    ended = models.DateTimeField(null=True)
    worked_ms = models.PositiveBigIntegerField(default=0)  # measured time at the activity
    deadline = models.DateTimeField(null=True)
    last_seen = models.DateTimeField(null=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["participant", "activity", "attempt"],
                name="one_participation_per_attempt_at_an_activity",
            ),
            models.UniqueConstraint(
                fields=["recruiter", "recruiter_session"],
                condition=~Q(recruiter_session=""),
                name="one_participation_per_recruiters_session",
            ),
            models.UniqueConstraint(
                fields=["participant", "activity"],
                condition=Q(status__in=[status.value for status in participation.OPEN]),
                name="one_open_participation_per_activity",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=[status.value for status in participation.ENDINGS],
                    ended_reason__gt="",
                )
                | Q(status__in=[status.value for status in participation.OPEN], ended_reason=""),
                name="every_ending_has_a_reason_and_nothing_else_has",
            ),
            models.CheckConstraint(
                condition=Q(slot_region__isnull=True)
                | Q(status__in=[status.value for status in participation.HOLDING]),
                name="a_slot_is_held_only_by_who_is_in_or_accepted",
            ),
        )
        indexes = (
            models.Index(fields=["activity", "slot_region"]),
            models.Index(fields=["status", "deadline"]),
        )

    def __str__(self) -> str:
        return f"{self.participant_id} {self.status}"


class RecruiterSession(Appended):
    """Each session somebody came with, the newest as well; they go with `RecruiterIdentity`."""

    participation = models.ForeignKey(
        Participation, on_delete=models.CASCADE, related_name="sessions"
    )
    recruiter = models.CharField(max_length=60)
    session = models.CharField(max_length=120)
    at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=["recruiter", "session"], name="a_session_is_of_one"),
        )

    def __str__(self) -> str:
        return f"{self.recruiter} for {self.participation_id}"


class Consent(Appended):
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="consents")
    document = models.ForeignKey(ConsentDocument, on_delete=models.PROTECT)
    language = models.CharField(max_length=35)
    purposes = models.JSONField()  # [setup.Purpose] that were ticked
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.participant_id} {self.document_id}"


class LedgerEntry(Appended):
    """What is owed (`reward`, `bonus`) and what was paid; sums are made within one currency."""

    class Kind(models.TextChoices):
        REWARD = "reward"
        BONUS = "bonus"
        PAYMENT = "payment"

    participation = models.ForeignKey(
        Participation, on_delete=models.PROTECT, related_name="ledger"
    )
    kind = models.CharField(max_length=8, choices=Kind.choices)
    amount_minor = models.PositiveBigIntegerField()
    currency = models.CharField(max_length=3)
    key = models.CharField(max_length=120, unique=True)  # what makes a repeated order one entry
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        verbose_name_plural = "ledger entries"

    def __str__(self) -> str:
        return f"{self.kind} {self.amount_minor} {self.currency}"
