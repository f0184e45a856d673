"""What every app leans on: the audit trail, jobs, and the workers that are alive."""

from django.db import models
from django.db.models import Q


class AuditEntry(models.Model):
    """Who did what to which object, appended and never changed; no answers, no secrets."""

    at = models.DateTimeField()
    actor = models.CharField(max_length=200)  # an e-mail address, "command line" or "system"
    action = models.CharField(max_length=80)  # dotted, e.g. release.imported
    study = models.CharField(max_length=80, blank=True)  # a slug: arrows forbid a foreign key
    object_kind = models.CharField(max_length=40)
    object_id = models.CharField(max_length=200)
    data = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ("-id",)
        indexes = (models.Index(fields=["object_kind", "object_id"]),)

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.object_id}"


class Job(models.Model):
    """One piece of background work. The row is the truth; a queue message is only a hint."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    UNFINISHED = (Status.QUEUED, Status.RUNNING)

    kind = models.CharField(max_length=60)
    key = models.CharField(max_length=200)
    args = models.JSONField(default=dict)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED)
    attempts = models.PositiveIntegerField(default=0)  # also the fence against a lost worker
    created = models.DateTimeField()
    sent = models.DateTimeField()
    heartbeat = models.DateTimeField(null=True)
    finished = models.DateTimeField(null=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    error = models.JSONField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["key"],
                condition=Q(status__in=["queued", "running"]),
                name="one_unfinished_job_per_key",
            ),
        )
        indexes = (models.Index(fields=["status", "heartbeat"]),)

    def __str__(self) -> str:
        return f"{self.kind} {self.key} ({self.status})"


class Worker(models.Model):
    """A worker process that has shown itself."""

    name = models.CharField(max_length=200, unique=True)
    last_seen = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Tick(models.Model):
    """One row a recurring duty; who moves `due` forward by a conditional update does the duty."""

    name = models.CharField(max_length=40, unique=True)
    due = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} due {self.due}"
