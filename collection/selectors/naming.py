"""What people have named in answers that ask for things, and how far the team has come with it."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.urls import reverse

from collection.kinds import AnswerKind
from collection.models import Answer
from core.errors import CommonplaceError
from studies.models import Artifact, ArtifactSource, Participant, Study
from studies.participation import Status
from studies.services.artifacts import readable
from studies.setup import Phase
from studies.steps import Next

Naming = tuple[Answer, int, dict[str, Any]]  # its place in the answer's list, and what was written


def answers(study: Study) -> QuerySet[Answer]:
    """Accepted answers of the main phase that name things, by people of a region."""
    return (
        Answer.objects.filter(
            question__kind=AnswerKind.ARTIFACTS,
            value__isnull=False,
            removed=False,
            submission__participation__activity__study=study,
            submission__participation__activity__phase=Phase.MAIN,
            submission__participation__status=Status.ACCEPTED,
            submission__participation__included=True,
            submission__participation__participant__status=Participant.Status.TAKING_PART,
            submission__participation__participant__region__isnull=False,
        )
        .select_related("submission__participation__participant__region")
        .order_by("pk")
    )


def ungathered(study: Study) -> Iterator[Naming]:
    """Namings that are no source of an artifact yet."""
    rows = ArtifactSource.objects.filter(artifact__study=study, answer_ref__isnull=False)
    known = set(rows.values_list("answer_ref", "place"))
    for answer in answers(study):
        for place, each in enumerate(answer.value or ()):
            if (answer.pk, place) not in known:
                yield answer, place, each


def next_step(study: Study) -> Next | None:
    """To gather, where an answer names something and nothing of it is gathered."""
    gathered = ArtifactSource.objects.filter(answer_ref=OuterRef("pk"))
    fresh = answers(study).filter(~Exists(gathered)).values_list("value", flat=True)
    if not any(_is_name(each) for value in fresh.iterator() for each in value or ()):
        return None
    address = reverse("collection:artifacts", args=(study.slug,))
    return Next("gather what was named", "Accepted answers name things.", "Artifacts", address)


def _is_name(each: dict[str, Any]) -> bool:
    try:
        return bool(readable(each["name"]))
    except CommonplaceError:
        return False


def unseen(studies: Collection[int]) -> Mapping[int, int]:
    """How many artifacts nobody of the team has looked at, by the ids of studies with some."""
    rows = Artifact.objects.filter(study__in=studies, status=Artifact.Status.PROPOSED)
    return dict(rows.order_by().values_list("study").annotate(Count("pk")))
