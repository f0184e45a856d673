"""Tasks, who judged what, what was decided, and the gold it became."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from collection.models import Answer, Question
from inference.models import LanguageModel, Prompt
from studies.models import Region, Study


class Project(models.Model):
    """One kind of question to annotators, put to all it is about in a study."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="projects")
    kind = models.CharField(max_length=20)  # a name of `annotation.kinds`
    overlap = models.PositiveSmallIntegerField(default=2)  # people per task
    share = models.FloatField(null=True)  # of answers that must agree, in place of the threshold
    hidden_share = models.FloatField(default=0.2)  # of places that no suggestion is offered at
    created = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=["study", "kind"], name="one_project_per_kind"),
            models.CheckConstraint(
                condition=Q(overlap__gte=1, overlap__lte=9), name="one_to_nine_people_per_task"
            ),
            models.CheckConstraint(
                condition=Q(share__isnull=True) | Q(share__gt=0.5, share__lte=1),
                name="a_share_is_more_than_half",
            ),
            models.CheckConstraint(
                condition=Q(hidden_share__gte=0, hidden_share__lte=1),
                name="a_hidden_share_is_from_0_to_1",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} of {self.study_id}"


class Guideline(models.Model):
    """What annotators are told, in versions; a judgement points to the one that stood beside it."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines")
    version = models.PositiveIntegerField()
    text = models.TextField()
    created = models.DateTimeField()

    class Meta:
        ordering = ("-version",)
        constraints = (
            models.UniqueConstraint(
                fields=["project", "version"], name="one_guideline_per_project_and_version"
            ),
        )

    def __str__(self) -> str:
        return f"guideline {self.version} of {self.project_id}"


class Task(models.Model):
    """`payload` holds ids and numbers only, so that no participant's word is in two places;
    `inputs` is the hash of what was to be judged, and another one now makes the task stale."""

    class Status(models.TextChoices):
        OPEN = "open"  # not judged by all who shall
        DISPUTED = "disputed"  # judged by all, who do not say the same
        DECIDED = "decided"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="tasks")
    source_key = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    question = models.ForeignKey(
        Question, null=True, on_delete=models.PROTECT, related_name="annotation_tasks"
    )
    region = models.ForeignKey(
        Region, null=True, on_delete=models.PROTECT, related_name="annotation_tasks"
    )
    payload = models.JSONField(default=dict)
    inputs = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    stale = models.BooleanField(default=False)

    class Meta:
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=["project", "source_key"], name="one_task_per_project_and_source"
            ),
        )
        indexes = (models.Index(fields=["project", "status", "position"]),)

    def __str__(self) -> str:
        return self.source_key


class Suggestion(models.Model):
    """What a rule, a model or somebody's file would say of a task. It is no judgement: it counts
    in no progress, no reliability and no gold.

    `pinned` is the hash of all it was made from, so the same is made once.
    """

    class Outcome(models.TextChoices):
        USABLE = "usable", "can be shown"
        NO_CONSENT = "no_consent", "too few people agreed that an outside model reads them"
        UNREADABLE = "unreadable", "no reply could be read"
        UNSUPPORTED = "unsupported", "its evidence does not stand in the answers"
        REFUSED = "refused", "the model or its endpoint declined"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="suggestions")
    by = models.CharField(max_length=280)  # rule, endpoint/model, or file: and a name
    model = models.ForeignKey(LanguageModel, null=True, on_delete=models.PROTECT, related_name="+")
    prompt = models.ForeignKey(Prompt, null=True, on_delete=models.PROTECT, related_name="+")
    pinned = models.CharField(max_length=64)
    inputs = models.CharField(max_length=64)  # the hash of what was to be judged then
    outcome = models.CharField(max_length=12, choices=Outcome.choices)
    value = models.JSONField(null=True)  # as its kind shapes it; null unless usable
    told = models.JSONField(null=True)  # reasons and the quotes that stand in the answers
    checks = models.JSONField(default=dict)  # numbers and codes: attempts, quotes kept and not
    answers = models.JSONField(default=list)  # ids of the answers whose words it has read
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=["task", "pinned"], name="one_suggestion_per_making"),
            models.CheckConstraint(
                condition=Q(outcome="usable", value__isnull=False)
                | ~Q(outcome="usable") & Q(value__isnull=True),
                name="only_what_is_usable_has_a_value",
            ),
        )

    def __str__(self) -> str:
        return f"{self.by} on {self.task_id}"


class Assignment(models.Model):
    """A place at a task. A task has as many rows with a slot as people shall judge it, so more
    than that cannot be; what somebody skipped, or let lapse half-written, has lost its slot."""

    class Status(models.TextChoices):
        FREE = "free"
        LEASED = "leased"
        DRAFT = "draft"
        SUBMITTED = "submitted"
        SKIPPED = "skipped"
        FLAGGED = "flagged"

    HELD = (Status.LEASED, Status.DRAFT)

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="assignments")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="assignments")
    position = models.PositiveIntegerField()  # the task's, so that the queue reads one index
    slot = models.PositiveSmallIntegerField(null=True)  # from 1
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="assignments"
    )
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.FREE)
    lease_until = models.DateTimeField(null=True)
    opened = models.DateTimeField(null=True)  # when the annotator first got it
    draft = models.JSONField(null=True)  # what was written so far, as its kind reads it
    note = models.TextField(blank=True)  # why it was skipped or flagged
    unfolded = models.ForeignKey(  # the suggestion this person has asked to see
        Suggestion, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ("position", "slot", "pk")
        constraints = (
            models.UniqueConstraint(fields=["task", "slot"], name="one_assignment_per_slot"),
            models.UniqueConstraint(
                fields=["task", "annotator"], name="one_assignment_per_task_and_annotator"
            ),
            models.CheckConstraint(
                condition=Q(status="free", annotator__isnull=True)
                | ~Q(status="free") & Q(annotator__isnull=False),
                name="what_is_taken_has_somebody_who_took_it",
            ),
            models.CheckConstraint(
                condition=Q(slot__isnull=False) | Q(status__in=["skipped", "draft"]),
                name="only_what_is_skipped_or_lapsed_has_no_slot",
            ),
        )
        indexes = (
            models.Index(fields=["project", "status", "position"]),
            models.Index(fields=["annotator", "project", "status"]),
            models.Index(fields=["annotator", "project", "position"]),
        )

    def __str__(self) -> str:
        return f"{self.task_id} slot {self.slot}"


class PutBack(models.Model):
    """A flag that somebody has looked at: what it said, and a `word` for who had raised it."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="put_back")
    note = models.TextField()
    word = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"flag of {self.assignment_id}"


class Reader(models.Model):
    """Somebody who has read what another said of a task, and so cannot judge it alone any more."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="readers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=["task", "user"], name="one_reader_per_task_and_user"),
        )

    def __str__(self) -> str:
        return f"{self.user_id} on {self.task_id}"


class Judgement(models.Model):
    """What one annotator said. The first pass stands as it was; a revision is a row beside it."""

    class Phase(models.TextChoices):
        FIRST = "first"
        REVISED = "revised"

    class Beside(models.TextChoices):
        """Where the suggestion was when it was judged."""

        NONE = "none"  # there was none
        HIDDEN = "hidden"  # kept from this place by lot
        FOLDED = "folded"  # offered, and not looked at
        UNFOLDED = "unfolded"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="judgements")
    phase = models.CharField(max_length=8, choices=Phase.choices, default=Phase.FIRST)
    value = models.JSONField()  # its kind has the shape
    note = models.TextField(blank=True)
    ms = models.PositiveIntegerField()  # from opening to sending
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT)
    inputs = models.CharField(max_length=64)  # the hash of what was judged
    at = models.DateTimeField()
    beside = models.CharField(max_length=8, choices=Beside.choices, default=Beside.NONE)
    suggestion = models.ForeignKey(  # the one there was, whether or not it was seen
        Suggestion, null=True, on_delete=models.SET_NULL, related_name="judgements"
    )

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["assignment", "phase"], name="one_judgement_per_assignment_and_phase"
            ),
        )

    def __str__(self) -> str:
        return f"{self.phase} of {self.assignment_id}"


class Decision(models.Model):
    """What was decided of a task, by the rule where all first passes say the same, else by a
    person. An earlier decision stays, no longer `current`."""

    class By(models.TextChoices):
        RULE = "rule"
        PERSON = "person"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="decisions")
    current = models.BooleanField(default=True)
    by = models.CharField(max_length=8, choices=By.choices)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="decisions"
    )
    value = models.JSONField()
    reason = models.TextField(blank=True)
    inputs = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["task"], condition=Q(current=True), name="one_current_decision_per_task"
            ),
            models.CheckConstraint(
                condition=Q(by="rule", decided_by__isnull=True)
                | Q(by="person", decided_by__isnull=False),
                name="a_person_decides_by_name",
            ),
        )

    def __str__(self) -> str:
        return f"{self.by} on {self.task_id}"


class GoldAnswer(models.Model):
    """What a region agrees on: texts of its concepts, none where it agrees on nothing.

    `n` answers were in view, `threshold` of them had to agree. `stale` since an input changed;
    only a person makes it anew.
    """

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="gold")
    region = models.ForeignKey(Region, on_delete=models.PROTECT, related_name="gold")
    texts = models.JSONField(default=list)
    n = models.PositiveIntegerField()
    threshold = models.PositiveIntegerField()
    stale = models.BooleanField(default=False)
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="gold_answers")

    class Meta:
        ordering = ("question__position", "region__position", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=["question", "region"], name="one_gold_answer_per_question_and_region"
            ),
        )

    def __str__(self) -> str:
        return f"{self.question_id} in {self.region_id}"


class GoldSupport(models.Model):
    """An answer that supports a text of a gold answer, by its place among them from 0."""

    gold = models.ForeignKey(GoldAnswer, on_delete=models.CASCADE, related_name="support")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="supports")
    concept = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("concept", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=["gold", "concept", "answer"], name="an_answer_supports_a_text_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.answer_id} for {self.gold_id}"


class GoldRelation(models.Model):
    """Whether regions agree with each other: of a pair yes or no, of all of them how far."""

    class Level(models.TextChoices):
        PAIR = "pair"
        ALL = "all"

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="gold_relations")
    level = models.CharField(max_length=4, choices=Level.choices)
    region_a = models.ForeignKey(Region, null=True, on_delete=models.PROTECT, related_name="+")
    region_b = models.ForeignKey(Region, null=True, on_delete=models.PROTECT, related_name="+")
    value = models.JSONField()
    stale = models.BooleanField(default=False)
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="gold_relations")

    class Meta:
        ordering = ("question__position", "level", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=["question", "region_a", "region_b"],
                condition=Q(level="pair"),
                name="one_relation_per_question_and_pair",
            ),
            models.UniqueConstraint(
                fields=["question"], condition=Q(level="all"), name="one_relation_of_all_regions"
            ),
            models.CheckConstraint(
                condition=Q(level="all", region_a__isnull=True, region_b__isnull=True)
                | Q(level="pair", region_a__lt=F("region_b")),
                name="a_pair_is_two_regions_in_order",
            ),
        )

    def __str__(self) -> str:
        return f"{self.level} of {self.question_id}"
