"""Which artifacts are one: merging them, undoing that, keeping them apart.

As in `services.artifacts` the study is locked first, and games that have begun keep their cards.
"""

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from django.db import transaction

from core.errors import CommonplaceError, NotFound
from core.models import AuditEntry
from studies import artifacts, variants
from studies.models import Artifact, ArtifactApart, ArtifactName, ArtifactSource, Study
from studies.services.artifacts import note, standing_or_refused
from studies.services.rows import locked

MOST_AT_ONCE = 100  # artifacts merged, or kept apart, in one go

Kind, State = ArtifactName.Kind, Artifact.Status


def merge(study: Study, codes: Iterable[str], into: str, actor: str) -> Artifact:
    """Let one artifact stand for others of its region: their names become aliases of it, their
    sources its sources. What is merged keeps its row, to which past games point, and the names
    the other has as well. Merging again changes nothing.

    Raises `artifact.unknown`, `artifact.nothing_to_merge`, `artifact.too_many`,
    `artifact.other_region` and `artifact.merged_meanwhile`."""
    wanted = _several([*codes, into])
    with transaction.atomic():
        study = locked(study)
        rows = {code: artifacts.access_artifact(study, code) for code in wanted}
        chosen = {row.pk for row in rows.values()}
        stand = {code: artifacts.standing(row) for code, row in rows.items()}
        if len({row.pk for row in stand.values()}) == 1:
            return stand[into]
        _refuse_meanwhile(stand, chosen)
        survivor = stand[into]
        others = {row.pk: row for row in stand.values() if row.pk != survivor.pk}
        if any(row.region_id != survivor.region_id for row in others.values()):
            raise CommonplaceError(
                "artifact.other_region",
                "These artifacts belong to different regions. Merge those of one region.",
            )
        _merge(survivor, list(others.values()), actor)
    return survivor


def undo_merge(study: Study, entry: int, actor: str) -> None:
    """Give what was merged its names and sources back, as the entry of the audit trail has them.
    Undoing again changes nothing.

    Raises `artifact.merge_unknown`, `artifact.merged` where what stands for it was merged in turn,
    and `artifact.nameless` where no name is left to give back."""
    with transaction.atomic():
        study = locked(study)
        trail = AuditEntry.objects.filter(study=study.slug)
        merged = trail.filter(pk=entry, action=artifacts.MERGED).first()
        if merged is None:
            raise NotFound(
                "artifact.merge_unknown",
                "There is no such merge in this study. Load the list of merges again.",
            )
        if trail.filter(action=artifacts.UNDONE, data__entry=entry).exists():
            return
        survivor = standing_or_refused(artifacts.access_artifact(study, merged.object_id))
        for part in merged.data["parts"]:
            _give_back(survivor, part)
        _show_one(survivor)
        _lower(survivor, merged.data["lifted"])
        note(survivor, artifacts.UNDONE, actor, entry=entry, count=len(merged.data["parts"]))


def keep_apart(study: Study, codes: Iterable[str], actor: str) -> None:
    """Say that some artifacts are not one thing, each two of them: they are never suggested
    together again. Raises `artifact.unknown`, `artifact.nothing_to_merge`, `artifact.too_many`
    and `artifact.same_name`."""
    wanted = _several(codes)
    with transaction.atomic():
        study = locked(study)
        rows = [artifacts.standing(artifacts.access_artifact(study, code)) for code in wanted]
        two = {variants.pair(*map(artifacts.called, each)) for each in combinations(rows, 2)}
        same = next((first for first, second in two if first == second), None)
        if same is not None:
            raise CommonplaceError(
                "artifact.same_name",
                f"Both are called “{same}”. Show one of them by another name first, so that "
                "people can tell them apart.",
                http_status=409,
                value=same,
            )
        made = [
            ArtifactApart.objects.get_or_create(study=study, first=first, second=second)[1]
            for first, second in sorted(two)
        ]
        if any(made):
            note(rows[0], "artifact.kept_apart", actor, count=len(rows))


def _several(codes: Iterable[str]) -> list[str]:
    wanted = list(dict.fromkeys(codes))
    if len(wanted) < 2:
        raise CommonplaceError("artifact.nothing_to_merge", "Choose at least two artifacts.")
    if len(wanted) > MOST_AT_ONCE:
        raise CommonplaceError(
            "artifact.too_many", f"Choose at most {MOST_AT_ONCE} artifacts at once."
        )
    return wanted


def _refuse_meanwhile(stand: dict[str, Artifact], chosen: set[int]) -> None:
    """Somebody else has merged one of them into an artifact that was not chosen here."""
    for code, artifact in stand.items():
        if artifact.pk not in chosen:
            raise CommonplaceError(
                "artifact.merged_meanwhile",
                "Somebody has merged one of these into "
                f"“{artifacts.called(artifact)}” meanwhile. Load the page again and choose once "
                "more.",
                http_status=409,
                value=code,
            )


def _merge(survivor: Artifact, others: list[Artifact], actor: str) -> None:
    """What stands for several is listed if one of them was, and of the survey if one was; `lifted`
    remembers [column, value before]."""
    parts = [_take_over(survivor, other) for other in others]
    lifted = []
    for column, value, had in (
        ("status", State.LISTED, [part["status"] for part in parts]),
        ("origin", Artifact.Origin.ORIGINAL, [row.origin for row in others]),
    ):
        before = getattr(survivor, column)
        if before != value and value in had:
            lifted.append([column, before])
            setattr(survivor, column, value)
    survivor.save(update_fields=["status", "origin"])
    note(survivor, artifacts.MERGED, actor, lifted=lifted, parts=parts, count=len(parts))


def _take_over(survivor: Artifact, other: Artifact) -> dict[str, Any]:
    """What undoing needs: keys and kinds, no words."""
    part: dict[str, Any] = {
        "artifact": other.pk,
        "status": other.status,
        "shown": None,
        "names": [],
    }
    has = {(row.folded, row.kind == Kind.FORBIDDEN) for row in survivor.names.all()}
    for row in ArtifactName.objects.filter(artifact=other):
        if row.kind == Kind.NAME:
            part["shown"] = row.pk
        if (row.folded, row.kind == Kind.FORBIDDEN) in has:
            continue
        has.add((row.folded, row.kind == Kind.FORBIDDEN))
        row.kind = Kind.ALIAS if row.kind == Kind.NAME else row.kind
        row.artifact = survivor
        row.save(update_fields=["artifact", "kind"])
        part["names"].append(row.pk)
    sources = ArtifactSource.objects.filter(artifact=other)
    part["sources"] = list(sources.values_list("pk", flat=True))
    sources.update(artifact=survivor)
    other.status, other.merged_into = State.MERGED, survivor
    other.save(update_fields=["status", "merged_into"])
    return part


def _give_back(survivor: Artifact, part: dict[str, Any]) -> None:
    artifact = Artifact.objects.filter(pk=part["artifact"], merged_into=survivor).first()
    if artifact is None:
        return
    survivor.names.filter(pk__in=part["names"]).update(artifact=artifact, kind=Kind.ALIAS)
    survivor.sources.filter(pk__in=part["sources"]).update(artifact=artifact)
    artifact.status, artifact.merged_into = part["status"], None
    artifact.save(update_fields=["status", "merged_into"])
    artifact.names.filter(pk=part["shown"]).update(kind=Kind.NAME)
    _show_one(artifact)


def _lower(survivor: Artifact, lifted: list[list[str]]) -> None:
    """Undo what the merge made of it, where nobody has decided otherwise since."""
    values = {"status": State.LISTED, "origin": Artifact.Origin.ORIGINAL}
    for column, before in lifted:
        if getattr(survivor, column) == values[column]:
            setattr(survivor, column, before)
    survivor.save(update_fields=["status", "origin"])


def _show_one(artifact: Artifact) -> None:
    """An artifact whose shown name has gone is shown by the oldest of its aliases."""
    if artifact.names.filter(kind=Kind.NAME).exists():
        return
    first = artifact.names.filter(kind=Kind.ALIAS).order_by("pk").first()
    if first is None:
        raise CommonplaceError(
            "artifact.nameless",
            "One of these artifacts would be left without a name, since its names were removed "
            "after the merge. List it by hand instead.",
            http_status=409,
        )
    first.kind = Kind.NAME
    first.save(update_fields=["kind"])
