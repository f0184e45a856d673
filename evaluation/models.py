"""Runs of a benchmark over a release by one model, their replies and samples."""

from fractions import Fraction

from django.db import models

from annotation.models import Decision, Project
from core.models import Job
from inference.models import Budget, Call, LanguageModel, Prompt
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

    ordered_judges: "list[Judge]"  # of a run that is not saved yet

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
    stage = models.PositiveIntegerField(default=0)  # 0: generating; k: its k-th judge judges
    position = models.PositiveBigIntegerField(default=0)  # how far the stage has been handed out
    per_request = models.PositiveIntegerField(null=True)  # samples one request brings; null: unseen
    per_request_why = models.CharField(max_length=10, blank=True)
    samples_planned = models.PositiveIntegerField(default=0)
    budget = models.ForeignKey(Budget, null=True, on_delete=models.PROTECT)
    manifest = models.JSONField(null=True)
    judges: "models.ManyToManyField[Judge, RunJudge]" = models.ManyToManyField(
        "Judge", through="RunJudge", related_name="runs"
    )
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
    def cap_micro(self) -> int | None:
        """Micro-USD it may cost, None without a cap."""
        return self.budget.cap if self.budget else None

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


class Judge(models.Model):
    """Who gives verdicts, with everything that decides them: another prompt is another judge."""

    class Kind(models.TextChoices):
        MODEL = "model"
        RULE = "rule"
        PERSON = "person"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    label = models.CharField(max_length=300)  # endpoint/model, or the name of rule or people
    signal = models.CharField(max_length=40)  # what is judged, e.g. correctness
    model = models.ForeignKey(LanguageModel, null=True, on_delete=models.PROTECT)
    prompt = models.ForeignKey(Prompt, null=True, on_delete=models.PROTECT)
    settings = models.JSONField(default=dict)  # what is sent beside the messages
    hash = models.CharField(max_length=64, unique=True)

    def __str__(self) -> str:
        return self.label

    @property
    def asked(self) -> LanguageModel:
        """The model that is asked. Raises LookupError for a rule or a person."""
        if self.model is None:
            raise LookupError(f"{self.label} is no model")
        return self.model


class RunJudge(models.Model):
    """A judge of a run's replies, named as it was ordered; `number` counts from 1."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="run_judges")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="run_judges")
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=["run", "judge"], name="a_judge_judges_a_run_once"),
            models.UniqueConstraint(fields=["run", "number"], name="the_judges_of_a_run_in_turn"),
        )

    def __str__(self) -> str:
        return f"{self.run_id}: {self.judge}"


class Verdict(models.Model):
    """What one judge says of one distinct reply; the samples that gave it share the verdict."""

    class Outcome(models.TextChoices):
        OK = "ok"
        UNPARSED = "unparsed"
        FAILED = "failed"

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="verdicts")
    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="verdicts")
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    value = models.CharField(max_length=40, blank=True)  # empty unless the outcome is ok
    text = models.TextField(blank=True)  # the judge's own words, as they came
    finish = models.CharField(max_length=30, blank=True)
    request_key = models.CharField(max_length=64, blank=True)
    call = models.ForeignKey(Call, null=True, on_delete=models.SET_NULL)  # null: from the cache
    decision = models.ForeignKey(  # of the people whose verdict this is
        Decision, null=True, on_delete=models.PROTECT, related_name="verdicts"
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["judge", "reply"], name="one_verdict_per_judge_and_distinct_reply"
            ),
        )

    def __str__(self) -> str:
        return f"{self.judge}: {self.value or self.outcome}"


class Validation(models.Model):
    """A draw of judged replies that people judge too, to say how far judges can be trusted."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="validations")
    seed = models.BigIntegerField()
    size = models.PositiveIntegerField()  # replies that were asked for
    started_by = models.CharField(max_length=200)
    created = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"validation {self.pk}"


class DrawnReply(models.Model):
    """A reply that was drawn, out of `replies` of its stratum as one of `drawn`. Rows are made in
    a shuffled order, so that a number tells nothing of run or verdict."""

    validation = models.ForeignKey(Validation, on_delete=models.CASCADE, related_name="drawn")
    reply = models.OneToOneField(Reply, on_delete=models.CASCADE, related_name="drawn")
    stratum = models.CharField(max_length=400)  # verdicts of the run's judges in turn
    replies = models.PositiveIntegerField()
    drawn = models.PositiveIntegerField()

    class Meta:
        ordering = ("pk",)
        verbose_name_plural = "drawn replies"

    def __str__(self) -> str:
        return f"{self.reply_id} of {self.validation_id}"

    @property
    def weight(self) -> Fraction:
        """Replies of the run it stands for."""
        return Fraction(self.replies, self.drawn)
