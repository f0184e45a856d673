"""From what participants name to artifacts of their region.

A thing counts once its participant's answers are accepted and included, in a main phase; what
somebody has withdrawn never does. Everything is done behind the study's lock, so that gathering,
merging and withdrawing do not cross.
"""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError, Q

from collection.models import Answer
from collection.selectors import naming
from core import audit
from core.errors import CommonplaceError
from core.text import fold
from studies import artifacts
from studies.models import Artifact, ArtifactName, ArtifactSource, Participant, Study
from studies.services.artifacts import put_name, readable
from studies.services.rows import locked


@dataclass(frozen=True, slots=True)
class Gathered:
    """How many namings were new, how many artifacts they made, and how many could not be a name:
    nothing but blanks, or longer than one may be."""

    namings: int
    made: int
    unreadable: int


def gather(study: Study, actor: str) -> Gathered:
    """Make artifacts of what is named in accepted answers and not gathered yet. A name that an
    artifact of the region has already is one more source of that one."""
    with transaction.atomic():
        study = locked(study)
        made = [_named(*each) for each in list(naming.ungathered(study))]
        gathered = Gathered(
            namings=sum(each is not None for each in made),
            made=sum(each is True for each in made),
            unreadable=sum(each is None for each in made),
        )
        if gathered.namings:
            audit.record(
                actor,
                "artifacts.gathered",
                "study",
                study.slug,
                study=study.slug,
                namings=gathered.namings,
                made=gathered.made,
            )
    return gathered


def _named(answer: Answer, place: int, each: dict[str, Any]) -> bool | None:
    """Whether one naming made an artifact; None where it is no name."""
    try:
        text = readable(each["name"])
    except CommonplaceError:
        return None
    participant = answer.submission.participation.participant
    if participant.region is None:  # those are not among the answers read
        return None
    artifact = artifacts.find(participant.region, text)
    is_new = artifact is None
    if artifact is None:
        artifact = Artifact.objects.create(study_id=participant.study_id, region=participant.region)
        put_name(artifact, text, ArtifactName.Kind.NAME)
    ArtifactSource.objects.create(
        artifact=artifact,
        participant=participant,
        answer_ref=answer.pk,
        place=place,
        text=text,
        about=each.get("about", ""),
    )
    return is_new


# --- withdrawal ---------------------------------------------------------------------------------


def forget_named(participant: Participant) -> dict[str, int]:
    """Delete a participant's words about artifacts. What the team has listed stays as it is; of
    anything else the names that nobody else gave go, and with the last of them the artifact,
    unless a game points to it. May run again; counts what it changed."""
    removed = {"namings": 0, "names": 0, "artifacts": 0}
    of_theirs = ArtifactSource.objects.filter(participant=participant).exclude(text="", about="")
    for artifact in sorted(set(of_theirs.values_list("artifact", flat=True))):
        with transaction.atomic():
            locked(participant.study)
            theirs = list(of_theirs.filter(artifact=artifact).select_related("artifact"))
            for name, count in _forget(theirs).items():
                removed[name] += count
    return removed


def _forget(theirs: list[ArtifactSource]) -> dict[str, int]:
    """Of sources of one artifact, within a transaction."""
    if not theirs:
        return {}
    artifact, words = theirs[0].artifact, {fold(each.text) for each in theirs}
    ArtifactSource.objects.filter(pk__in=[each.pk for each in theirs]).update(text="", about="")
    count = {"namings": len(theirs)}
    if artifact.status == Artifact.Status.LISTED:
        return count
    others = ArtifactSource.objects.filter(artifact=artifact).exclude(text="")
    words -= {fold(text) for text in others.values_list("text", flat=True)}
    family = _family(artifact)
    names = ArtifactName.objects.filter(artifact__in=family, folded__in=words)
    count["names"] = names.filter(~Q(kind=ArtifactName.Kind.FORBIDDEN)).delete()[0]
    count["artifacts"] = _tidy(family)
    return count


def _family(artifact: Artifact) -> list[Artifact]:
    """An artifact and all that was merged into it, each behind what was merged into it."""
    below = [row for merged in artifact.merged.order_by("pk") for row in _family(merged)]
    return [*below, artifact]


def _tidy(family: list[Artifact]) -> int:
    """Show an artifact by a name that is left, or delete it with what was merged into it; how
    many of them are gone (0 or 1)."""
    artifact = family[-1]
    kept = artifact.names.exclude(kind=ArtifactName.Kind.FORBIDDEN).order_by("pk")
    if artifact.names.filter(kind=ArtifactName.Kind.NAME).exists():
        return 0
    if first := kept.first():
        first.kind = ArtifactName.Kind.NAME
        first.save(update_fields=["kind"])
        return 0
    try:
        with transaction.atomic():
            for row in family:
                row.delete()
    except ProtectedError:  # a game was played with it once
        return 0
    return 1
