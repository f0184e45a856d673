"""Questions, the frozen forms made of them, and what participants answered."""

from typing import Any

from django.db import models
from django.db.models import Q

from collection.kinds import AnswerKind
from collection.questionnaire import PER_FORM
from core.errors import CommonplaceError
from core.models import Job
from studies import languages
from studies.fields import LanguageMapField
from studies.models import Activity, Participation, Study

# What an index can hold of a text of any length; equal answers are looked up by it.
BEGINNING = models.Func(
    models.F("folded"), template="SUBSTR(%(expressions)s, 1, 40)", output_field=models.TextField()
)


class Topic(models.Model):
    """What questions are about, as a tree: domain, subcategory, topic."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="topics")
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="children")
    code = models.CharField(max_length=60)
    names = LanguageMapField()
    about = LanguageMapField()  # its definition, for those who write questions
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(fields=["study", "code"], name="one_topic_per_study_and_code"),
        )

    def __str__(self) -> str:
        return self.code


class Question(models.Model):
    """Neutral: regions come from who answers. Once a published form holds it, its words stay; an
    edit makes a new question that `replaces` it."""

    class Status(models.TextChoices):
        DRAFT = "draft"
        ACCEPTED = "accepted"
        RETIRED = "retired"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="questions")
    key = models.CharField(max_length=60)
    topic = models.ForeignKey(Topic, null=True, on_delete=models.PROTECT, related_name="questions")
    kind = models.CharField(max_length=12, choices=[(kind, kind.value) for kind in AnswerKind])
    options = models.JSONField(default=list)  # [{"id", "texts": {tag: text}}]
    limits = models.JSONField(default=dict)  # {"least", "most"}: a number, a year, how many
    check_rule = models.JSONField(null=True)  # an attention check; `collection.checks` has shapes
    starts_with_name = models.BooleanField(default=False)  # keeps its first letter after a prefix
    prefixed = models.BooleanField(default=True)  # "In your region, …" is put in front
    position = models.PositiveIntegerField()
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.DRAFT)
    replaces = models.OneToOneField("self", null=True, on_delete=models.PROTECT)
    copied_from = models.CharField(max_length=130, blank=True)  # study/key

    class Meta:
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(fields=["study", "key"], name="one_question_per_study_and_key"),
        )

    def __str__(self) -> str:
        return self.key


class QuestionText(models.Model):
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="texts")
    language = models.CharField(max_length=languages.LONGEST_TAG)
    text = models.TextField()
    help = models.TextField(blank=True)  # examples, shown below the question
    folded = models.TextField()  # core.text.fold of the text

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["question", "language"], name="one_text_per_question_and_language"
            ),
        )
        indexes = (models.Index(fields=["language"]),)

    def __str__(self) -> str:
        return f"{self.question_id} {self.language}"


class SurveyPlan(models.Model):
    """How a survey activity makes forms of its study's accepted questions."""

    activity = models.OneToOneField(Activity, on_delete=models.CASCADE, related_name="survey_plan")
    prefix = LanguageMapField()  # "In your region, {question}"; an empty map leaves it out
    per_form = models.PositiveSmallIntegerField(default=PER_FORM)
    topics = models.JSONField(default=list)  # codes; empty takes the questions of all

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(per_form__gte=1, per_form__lte=PER_FORM),
                name="a_form_has_one_to_fifteen_questions",
            ),
        )

    def __str__(self) -> str:
        return f"plan of {self.activity_id}"


class FormVersion(models.Model):
    """One form as it was published: the document holds every language and never changes."""

    activity = models.ForeignKey(Activity, on_delete=models.PROTECT, related_name="form_versions")
    number = models.PositiveIntegerField()  # of the form within the survey, from 1
    version = models.PositiveIntegerField()
    document = models.JSONField()  # collection.documents has its shape
    sha256 = models.CharField(max_length=64)
    published = models.DateTimeField()

    class Meta:
        ordering = ("number", "version")
        constraints = (
            models.UniqueConstraint(
                fields=["activity", "number", "version"],
                name="one_form_per_activity_number_and_version",
            ),
        )

    def __str__(self) -> str:
        return f"form {self.number} version {self.version}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise CommonplaceError(
                "form.frozen", "A published form never changes. Publish its next version."
            )
        super().save(*args, **kwargs)


class Submission(models.Model):
    """One participant's one form."""

    class Status(models.TextChoices):
        DRAFT = "draft"
        SUBMITTED = "submitted"
        ACCEPTED = "accepted"
        REDO = "redo"
        REJECTED = "rejected"

    WRITABLE = (Status.DRAFT, Status.REDO)

    participation = models.ForeignKey(
        Participation, on_delete=models.CASCADE, related_name="submissions"
    )
    form_version = models.ForeignKey(
        FormVersion, on_delete=models.PROTECT, related_name="submissions"
    )
    number = models.PositiveIntegerField()  # the form's
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.DRAFT)
    language = models.CharField(max_length=languages.LONGEST_TAG)
    started = models.DateTimeField()
    touched = models.DateTimeField()  # the last write; time between writes is work, up to a bound
    submitted = models.DateTimeField(null=True)
    first_submitted = models.DateTimeField(null=True)  # once asked for again
    ms = models.PositiveBigIntegerField(default=0)  # measured working time
    asked_again = models.TextField(blank=True)  # what a reviewer wants changed

    class Meta:
        ordering = ("number", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=["participation", "number"], name="one_submission_per_form_and_attempt"
            ),
            models.CheckConstraint(
                condition=Q(status="draft", submitted__isnull=True)
                | ~Q(status="draft") & Q(submitted__isnull=False),
                name="what_is_submitted_has_a_time_of_it",
            ),
        )
        indexes = (models.Index(fields=["form_version", "status"]),)

    def __str__(self) -> str:
        return f"{self.participation_id} form {self.number}"


class Answer(models.Model):
    """`text` is what was typed, byte for byte; `value` what a program reads, by kind
    (`collection.answers`). The words of what was chosen stand in the form's document."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="answers")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="answers")
    value = models.JSONField(null=True)
    text = models.TextField(blank=True)
    folded = models.TextField(blank=True)
    skipped = models.BooleanField(default=False)  # "I would rather not answer"
    revision = models.PositiveIntegerField(default=1)
    signals = models.JSONField(default=dict)  # small counts: {"pasted": 1}
    removed = models.BooleanField(default=False)  # its words went with a withdrawal

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["submission", "question"], name="one_answer_per_submission_and_question"
            ),
        )
        indexes = (models.Index(BEGINNING, name="answers_by_how_they_begin"),)

    def __str__(self) -> str:
        return f"{self.submission_id} {self.question_id}"


class QualityFlag(models.Model):
    """Evidence for a person to weigh, made once, at submission."""

    class Decision(models.TextChoices):
        COUNTS = "counts"
        EXCUSED = "excused"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="flags")
    check_name = models.CharField(max_length=80)  # attention:<question key>
    detail = models.JSONField(default=dict)
    decision = models.CharField(max_length=8, choices=Decision.choices, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["submission", "check_name"], name="one_flag_per_submission_and_check"
            ),
        )

    def __str__(self) -> str:
        return f"{self.submission_id} {self.check_name}"


class Export(models.Model):
    """An order for a file of answers; `made` once the file lies in private storage under its
    hash, `removed` once it does no longer. How the work goes is the job's own business."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="exports")
    layout = models.CharField(max_length=8)
    format = models.CharField(max_length=8)
    drafts = models.BooleanField(default=False)
    asked = models.DateTimeField()
    asked_by = models.CharField(max_length=200)
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL)
    made = models.DateTimeField(null=True)
    removed = models.DateTimeField(null=True)
    rows = models.PositiveBigIntegerField(default=0)
    bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    withdrawn_left_out = models.PositiveIntegerField(default=0)
    manifest = models.JSONField(default=dict)  # collection.exporting has its shape

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.CheckConstraint(
                condition=Q(made__isnull=True, sha256="") | Q(made__isnull=False, sha256__gt=""),
                name="an_export_that_is_made_has_the_hash_of_its_file",
            ),
        )
        indexes = (models.Index(fields=["sha256"]),)

    def __str__(self) -> str:
        return f"{self.layout} {self.format} of {self.study_id}"
