"""Who takes part in a study, and what they are owed."""

from django.db import models
from django.db.models import F, Q

from core import clock
from studies import participation
from studies.codes import new_code
from studies.models.appended import Appended
from studies.models.study import Activity, ConsentDocument, Place, Region, Study


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
