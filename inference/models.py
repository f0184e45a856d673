"""Model endpoints, the prompts sent to them, every exchange, and the replies kept for reuse."""

from django.db import models

from core.models import Job


class Endpoint(models.Model):
    """An OpenAI-compatible server. The key itself is only ever read from the environment."""

    name = models.CharField(max_length=60, unique=True)
    base_url = models.URLField(max_length=400)
    key_variable = models.CharField(max_length=120, blank=True)  # empty: needs no key
    max_in_flight = models.PositiveIntegerField(default=8)
    input_price = models.PositiveBigIntegerField(null=True)  # micro-USD per million tokens
    output_price = models.PositiveBigIntegerField(null=True)

    def __str__(self) -> str:
        return self.name


class LanguageModel(models.Model):
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="models")
    name = models.CharField(max_length=200)
    simulated = models.BooleanField(default=False)  # only ever turned on (docs/decisions)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["endpoint", "name"], name="one_model_per_endpoint_and_name"
            ),
        )

    def __str__(self) -> str:
        return f"{self.endpoint.name}/{self.name}"


class Prompt(models.Model):
    """A prompt text, pinned by its hash; a changed file is a new row."""

    name = models.CharField(max_length=120)  # task/name, e.g. ra_mcq/question
    language = models.CharField(max_length=20)
    sha256 = models.CharField(max_length=64)
    text = models.TextField()
    pack = models.CharField(max_length=120, default="commonplace")
    created = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["name", "language", "sha256"], name="one_prompt_per_content"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name}.{self.language}"


class Call(models.Model):
    """One HTTP exchange, good or bad: what it cost and how it ended; never the key."""

    model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="calls")
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="calls")
    purpose = models.CharField(max_length=60)  # e.g. "run 12"
    request_key = models.CharField(max_length=64, db_index=True)
    repeat = models.PositiveIntegerField()
    at = models.DateTimeField()
    status = models.PositiveIntegerField(default=0)  # HTTP status; 0: none came back
    choices = models.PositiveIntegerField(default=0)  # replies it brought, from `repeat` on
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cost_micro = models.PositiveBigIntegerField(null=True)  # null: the endpoint has no price
    ms = models.PositiveIntegerField()
    error = models.JSONField(null=True)

    class Meta:
        indexes = (models.Index(fields=["purpose"]),)

    def __str__(self) -> str:
        return f"{self.purpose} {self.status}"


class Completion(models.Model):
    """The cache: the text an exact request got for its repeat index, whatever run asked."""

    request_key = models.CharField(max_length=64)
    repeat = models.PositiveIntegerField()
    text = models.TextField()
    finish = models.CharField(max_length=30)  # the endpoint's finish_reason
    refusal = models.BooleanField(default=False)
    altered = models.BooleanField(default=False)  # held characters no database can store
    call = models.ForeignKey(Call, null=True, on_delete=models.SET_NULL)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["request_key", "repeat"], name="one_completion_per_request_and_repeat"
            ),
        )

    def __str__(self) -> str:
        return f"{self.request_key[:8]}#{self.repeat}"


class Budget(models.Model):
    """Money that may be spent, in micro-USD. Whoever asks reserves first and settles after.

    Nothing is reserved beyond the cap. What was spent is a fact and is stored whatever it is.
    """

    cap = models.PositiveBigIntegerField()
    spent = models.PositiveBigIntegerField(default=0)
    reserved = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.spent} of {self.cap}"


class Lease(models.Model):
    """What one working job holds of an endpoint and a budget; silent for too long, it is free."""

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="leases")
    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="lease")
    purpose = models.CharField(max_length=60)
    places = models.PositiveIntegerField(default=0)  # requests it may have in flight
    budget = models.ForeignKey(Budget, null=True, on_delete=models.SET_NULL)
    reserved = models.PositiveBigIntegerField(default=0)  # of the budget, micro-USD
    seen = models.DateTimeField()

    class Meta:
        indexes = (models.Index(fields=["purpose"]),)

    def __str__(self) -> str:
        return f"{self.purpose}: {self.places}"
