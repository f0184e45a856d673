"""Runs of a benchmark over a release by one model, their replies and samples."""

from django.db import models

from core.models import Job
from inference.models import Call, LanguageModel, Prompt
from releases.models import Item, Release


class Run(models.Model):
    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        PAUSED = "paused"
        FINISHED = "finished"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Source(models.TextChoices):
        GENERATED = "generated"
        IMPORTED = "imported"

    ACTIVE = (Status.QUEUED, Status.RUNNING)
    RESUMABLE = (*ACTIVE, Status.PAUSED, Status.FAILED, Status.CANCELLED)

    benchmark = models.CharField(max_length=20)
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="runs")
    asked_release = models.CharField(max_length=100)  # name@version as asked, before deriving
    model = models.ForeignKey(LanguageModel, null=True, on_delete=models.PROTECT)
    model_label = models.CharField(max_length=300)
    prompts = models.ManyToManyField(Prompt)
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.GENERATED)
    settings = models.JSONField()  # everything the run was started with; read nowhere else
    seed = models.BigIntegerField(default=0)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED)
    error = models.JSONField(null=True)
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL)
    samples_planned = models.PositiveIntegerField(default=0)
    cap_micro = models.PositiveBigIntegerField(null=True)
    simulated = models.BooleanField(default=False)
    nonce = models.CharField(max_length=40, null=True, unique=True)  # noqa: DJ001  (null: none)
    started_by = models.CharField(max_length=200)
    created = models.DateTimeField()
    finished = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"run {self.pk}"

    @property
    def asked(self) -> LanguageModel:
        """The model this run asks. Raises LookupError for an imported run, which asks none."""
        if self.model is None:
            raise LookupError(f"run {self.pk} was imported")
        return self.model

    @property
    def benchmark_title(self) -> str:
        from evaluation import benchmarks

        return benchmarks.find(self.benchmark).title

    @property
    def purpose(self) -> str:
        """How its calls are booked in the ledger."""
        return f"run {self.pk}"


class Outcome(models.TextChoices):
    """What became of a sample; every table shows all six."""

    OK = "ok"
    UNPARSED = "unparsed"
    AMBIGUOUS = "ambiguous"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    FAILED = "failed"


class Reply(models.Model):
    """One distinct text a model gave to an item; many samples may point to it."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="replies")
    item = models.ForeignKey(Item, on_delete=models.PROTECT)
    variant = models.CharField(max_length=120, blank=True)
    sha = models.CharField(max_length=64)  # of finish reason and text
    text = models.TextField()
    finish = models.CharField(max_length=30)
    refusal = models.BooleanField(default=False)
    altered = models.BooleanField(default=False)
    parsed = models.JSONField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices)

    class Meta:
        verbose_name_plural = "replies"
        constraints = (
            models.UniqueConstraint(
                fields=["run", "item", "variant", "sha"], name="one_reply_per_distinct_text"
            ),
        )

    def __str__(self) -> str:
        return self.text[:60]


class Sample(models.Model):
    """One repeat of one item. Without a reply it failed, and its call says why."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="samples")
    item = models.ForeignKey(Item, on_delete=models.PROTECT)
    variant = models.CharField(max_length=120, blank=True)
    repeat = models.PositiveIntegerField()
    turn = models.PositiveIntegerField(default=1)
    reply = models.ForeignKey(Reply, null=True, on_delete=models.CASCADE, related_name="samples")
    call = models.ForeignKey(Call, null=True, on_delete=models.SET_NULL)  # null: from the cache
    request_key = models.CharField(max_length=64, blank=True)
    shown = models.JSONField(null=True)  # the options as shown: order[position] = option index
    choice = models.PositiveIntegerField(null=True)  # the option chosen, as the item counts them

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["run", "item", "variant", "repeat", "turn"],
                name="one_sample_per_item_and_repeat",
            ),
        )
        indexes = (models.Index(fields=["run", "item", "choice"]),)

    def __str__(self) -> str:
        return f"{self.item_id}#{self.repeat}"
