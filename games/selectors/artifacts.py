"""The artifacts of a region as a game is played with them."""

from collections import defaultdict

from django.db.models import Count, Exists, OuterRef, Q

from games.dealing import Known
from studies.models import Artifact, ArtifactName, Region, Study

SHOWN_FIRST: dict[str, int] = {ArtifactName.Kind.NAME: 0, ArtifactName.Kind.ALIAS: 1}


def known(region: Region) -> list[Known]:
    """Those that are listed and have a name, with how many games have described them: a game
    counts once a clue was given in a turn that was neither cut nor left without one."""
    described = Q(turns__outcome__in=("guessed", "missed", "passed", "time_up"))
    rows = (
        Artifact.objects.filter(region=region, status=Artifact.Status.LISTED)
        .annotate(described=Count("turns", filter=described))
        .order_by("pk")
    )
    names: dict[int, list[ArtifactName]] = defaultdict(list)
    for name in ArtifactName.objects.filter(artifact__in=[row.pk for row in rows]):
        names[name.artifact_id].append(name)
    return [_known(row.pk, row.described, names[row.pk]) for row in rows if names[row.pk]]


def counts(study: Study) -> dict[int, int]:
    """How many artifacts there are to play with, by number of region."""
    names = ArtifactName.objects.filter(artifact=OuterRef("pk")).exclude(kind="forbidden")
    listed = Artifact.objects.filter(Exists(names), study=study, status=Artifact.Status.LISTED)
    return dict(listed.order_by().values_list("region").annotate(Count("pk")))


def _known(artifact: int, described: int, names: list[ArtifactName]) -> Known:
    forbidden = ArtifactName.Kind.FORBIDDEN
    ordered = sorted(names, key=lambda name: (SHOWN_FIRST.get(name.kind, 2), name.pk))
    return Known(
        artifact,
        tuple(name.text for name in ordered if name.kind != forbidden),
        tuple(name.text for name in ordered if name.kind == forbidden),
        described,
    )
