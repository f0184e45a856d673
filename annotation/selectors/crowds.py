"""Regions with so many answers that the threshold alone asks for little more than half."""

from dataclasses import dataclass

from django.db.models import Count

from annotation import consensus
from annotation.models import Project
from annotation.selectors import headings
from collection.models import Submission
from studies.models import Participant


@dataclass(frozen=True)
class Crowd:
    """Up to `people` answers to a question; `threshold` of them are enough by the formula,
    `needed` as the project is set."""

    region: str
    people: int
    threshold: int
    needed: int


def crowds(project: Project) -> list[Crowd]:
    """Of a project of agreement within a region, in the order of regions."""
    counted = (
        Participant.objects.filter(
            study=project.study_id,
            status=Participant.Status.TAKING_PART,
            participations__included=True,
            participations__submissions__status=Submission.Status.ACCEPTED,
        )
        .values_list("region__slug")
        .annotate(people=Count("pk", distinct=True))
    )
    people = {slug: count for slug, count in counted if count >= consensus.SHARE_FROM}
    return [
        Crowd(
            name,
            people[slug],
            consensus.threshold(people[slug]),
            consensus.needed(people[slug], project.share),
        )
        for slug, name in headings.region_names(project.study)
        if slug in people
    ]
