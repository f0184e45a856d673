"""Reads of a study's artifacts: what they are called, what stands for them, what may be one.

What was merged is read through the artifact that stands for it (`standing`); its own row keeps
only names that one has too.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from core.errors import NotFound
from core.models import AuditEntry
from core.text import fold
from studies import variants
from studies.models import Artifact, ArtifactName, Region, Study

MERGED, UNDONE = "artifact.merged", "artifact.merge_undone"
CALLED = (ArtifactName.Kind.NAME, ArtifactName.Kind.ALIAS)  # what people there call it
RIGHT = (*CALLED, ArtifactName.Kind.TRANSLATION)  # what a guess of is right


@dataclass(frozen=True)
class Merge:
    """A merge that can be undone: the number of its entry in the audit trail, what stands for
    all of it, and the names of what was merged."""

    entry: int
    into: Artifact
    names: list[str]

    @property
    def title(self) -> str:
        return called(self.into)


@dataclass(frozen=True)
class Suggestion:
    """Artifacts of one region that may be one."""

    artifacts: list[Artifact]
    group: variants.Group

    @property
    def said(self) -> str:
        return self.group.why.value

    @property
    def lines(self) -> list[tuple[Artifact, str, list[str]]]:
        """Each with its name and its further ones."""
        return [(row, called(row), further(row)) for row in self.artifacts]


def access_artifact(study: Study, code: str) -> Artifact:
    """Raises `artifact.unknown`."""
    found = Artifact.objects.select_related("region", "study").filter(study=study, code=code)
    if (artifact := found.first()) is None:
        raise NotFound(
            "artifact.unknown",
            f"There is no artifact “{code}” in this study. Load the list of artifacts again.",
            value=code,
        )
    return artifact


def standing(artifact: Artifact) -> Artifact:
    """What stands for an artifact: itself, or what it was merged into in the end."""
    while artifact.merged_into is not None:
        artifact = artifact.merged_into
    return artifact


def standing_rows(study: Study) -> QuerySet[Artifact]:
    """Artifacts that are not merged into others, with their names and how many `namings` and
    `people` each has."""
    return (
        Artifact.objects.filter(study=study)
        .exclude(status=Artifact.Status.MERGED)
        .select_related("region")
        .prefetch_related("names")
        .annotate(
            namings=Count("sources", distinct=True),
            people=Count("sources__participant", distinct=True),
        )
        .order_by("region__position", "pk")
    )


def listed(study: Study, region: str = "", status: str = "", words: str = "") -> QuerySet[Artifact]:
    """Those of a region, of a status, with a name that holds the words; all by default."""
    rows = standing_rows(study)
    if region:
        rows = rows.filter(region__slug=region)
    if status:
        rows = rows.filter(status=status)
    if words:
        names = ArtifactName.objects.filter(folded__contains=fold(words))
        rows = rows.filter(pk__in=names.values("artifact"))
    return rows


def called(artifact: Artifact) -> str:
    """The name it is shown by, else its code."""
    return next((name.text for name in in_order(artifact)), artifact.code)


def further(artifact: Artifact) -> list[str]:
    """What else it is called, without words that are only forbidden."""
    return [name.text for name in in_order(artifact)[1:] if name.kind in RIGHT]


def in_order(artifact: Artifact) -> list[ArtifactName]:
    """All its names, the one shown first."""
    kinds = ArtifactName.Kind.values
    return sorted(artifact.names.all(), key=lambda row: (kinds.index(row.kind), row.pk))


def find(region: Region, text: str) -> Artifact | None:
    """What stands in a region under a name, an alias or a translation."""
    rows = ArtifactName.objects.filter(
        artifact__region=region, folded=fold(text), kind__in=RIGHT
    ).exclude(artifact__status=Artifact.Status.MERGED)
    first = rows.select_related("artifact").order_by("artifact_id").first()
    return first.artifact if first else None


def suggestions(study: Study) -> dict[str, list[Suggestion]]:
    """What may be merged in each region, by its slug; what was left out is not asked about."""
    decided = said(study)
    return {region.slug: _suggested(study, region, decided) for region in study.regions.all()}


def _suggested(study: Study, region: Region, decided: variants.Said) -> list[Suggestion]:
    rows = {
        row.pk: row
        for row in standing_rows(study)
        .filter(region=region)
        .exclude(status=Artifact.Status.LEFT_OUT)
    }
    things = [
        variants.Thing(pk, names)
        for pk, row in rows.items()
        if (names := tuple(name.text for name in in_order(row) if name.kind in CALLED))
    ]
    return [
        Suggestion([rows[key] for key in group.keys], group)
        for group in variants.suggested(things, decided)
    ]


def said(study: Study) -> variants.Said:
    """What people have decided: names of one artifact, in whichever region, are one thing, and
    those kept apart are not."""
    names: dict[int, list[str]] = defaultdict(list)
    rows = ArtifactName.objects.filter(artifact__study=study, kind__in=CALLED)
    for artifact, text in rows.exclude(artifact__status=Artifact.Status.MERGED).values_list(
        "artifact", "text"
    ):
        names[artifact].append(text)
    one = (pair for texts in names.values() for pair in variants.pairs(texts))
    apart = study.artifacts_apart.values_list("first", "second")
    return variants.Said(frozenset(one), frozenset(apart))


def merges(study: Study) -> list[Merge]:
    """Merges that can be undone, the newest first."""
    entries = list(
        AuditEntry.objects.filter(study=study.slug, action__in=(MERGED, UNDONE)).order_by("-pk")
    )
    undone = {entry.data["entry"] for entry in entries if entry.action == UNDONE}
    open_ = [entry for entry in entries if entry.action == MERGED and entry.pk not in undone]
    into = _by_code(study, (entry.object_id for entry in open_))
    names = _names_of(pk for entry in open_ for pk in _moved(entry))
    return [
        Merge(entry.pk, artifact, [names[pk] for pk in _moved(entry) if pk in names])
        for entry in open_
        if (artifact := into.get(entry.object_id)) is not None
    ]


def _by_code(study: Study, codes: Iterable[str]) -> dict[str, Artifact]:
    """Those that stand, since a merge is undone before the one it was part of."""
    rows = Artifact.objects.filter(study=study, code__in=set(codes))
    rows = rows.filter(~Q(status=Artifact.Status.MERGED)).prefetch_related("names")
    return {row.code: row for row in rows}


def _moved(entry: AuditEntry) -> list[int]:
    return [pk for part in entry.data["parts"] for pk in part["names"]]


def _names_of(keys: Iterable[int]) -> dict[int, str]:
    return dict(ArtifactName.objects.filter(pk__in=set(keys)).values_list("pk", "text"))
