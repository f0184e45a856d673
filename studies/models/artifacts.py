"""Things of a region that people there take for granted: what they are called, who named them."""

from django.db import models
from django.db.models import Q

from core import clock
from studies.codes import new_code
from studies.models.people import Participant
from studies.models.study import Region, Study


class Artifact(models.Model):
    """One thing of one region: a dish, a rite, a place. `code` is what pages and files know it by;
    what it is called stands in its names. One that was merged keeps its row and points to the one
    that stands for both."""

    class Origin(models.TextChoices):
        ORIGINAL = "original"  # named in a survey or listed by the study team
        EXPANDED = "expanded"  # proposed by players and verified by their partner

    class Status(models.TextChoices):
        PROPOSED = "proposed"  # nobody of the team has looked at it yet
        LISTED = "listed"
        LEFT_OUT = "left_out"
        MERGED = "merged"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="artifacts")
    region = models.ForeignKey(Region, on_delete=models.PROTECT, related_name="artifacts")
    code = models.CharField(max_length=10, unique=True, default=new_code)
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.ORIGINAL)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.PROPOSED)
    merged_into = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="merged"
    )
    created = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.CheckConstraint(
                condition=Q(status="merged", merged_into__isnull=False)
                | (~Q(status="merged") & Q(merged_into__isnull=True)),
                name="what_is_merged_points_to_what_stands_for_it",
            ),
        )
        indexes = (models.Index(fields=["region", "status"]),)

    def __str__(self) -> str:
        return self.code


class ArtifactName(models.Model):
    """What an artifact is called, or in a game must not be called. An artifact that is not merged
    has exactly one of kind `name`, the one that is shown."""

    class Kind(models.TextChoices):
        NAME = "name"
        ALIAS = "alias"
        TRANSLATION = "translation"
        FORBIDDEN = "forbidden"  # a synonym that says too much; a guess of it is not right

    artifact = models.ForeignKey(Artifact, on_delete=models.CASCADE, related_name="names")
    text = models.CharField(max_length=200)
    folded = models.CharField(max_length=400)  # core.text.fold of the text
    kind = models.CharField(max_length=11, choices=Kind.choices)
    language = models.CharField(max_length=35, blank=True)  # where somebody said it
    script = models.CharField(max_length=40, blank=True)  # Unicode's name of it: Latin, Bengali

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["artifact", "folded", "kind"], name="an_artifact_has_a_name_once_per_kind"
            ),
            models.UniqueConstraint(
                fields=["artifact"],
                condition=Q(kind="name"),
                name="an_artifact_is_shown_by_one_name",
            ),
        )

    def __str__(self) -> str:
        return self.text


class ArtifactSource(models.Model):
    """One naming of an artifact: by which participant, in what words, with what they said of it.

    `answer_ref` is the answer's number and `place` that of the thing in its list, from 0; what the
    study team listed has neither. Words go with a withdrawal, the row stays and is counted.
    """

    artifact = models.ForeignKey(Artifact, on_delete=models.CASCADE, related_name="sources")
    participant = models.ForeignKey(Participant, null=True, on_delete=models.PROTECT)
    answer_ref = models.BigIntegerField(null=True)
    place = models.PositiveSmallIntegerField(default=0)
    text = models.CharField(max_length=200, blank=True)
    about = models.TextField(blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["answer_ref", "place"],
                condition=Q(answer_ref__isnull=False),
                name="a_thing_of_an_answer_is_one_source",
            ),
        )

    def __str__(self) -> str:
        return f"{self.answer_ref} {self.place}"


class ArtifactApart(models.Model):
    """Two names, folded and in order, that somebody has said are not one thing: they are never
    suggested as variants of each other again."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="artifacts_apart")
    first = models.CharField(max_length=200)
    second = models.CharField(max_length=200)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["study", "first", "second"], name="two_names_are_kept_apart_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.first} / {self.second}"
