"""Writing artifacts: listing them, what they are called, and which of them are one.

Every function locks the study first, so that two people who merge at once do so one after the
other. Games keep their cards as they were when they began: what is done here is for later ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from django.db import transaction

from core import audit
from core.errors import CommonplaceError, NotFound
from core.models import AuditEntry
from core.text import clean, fold, script
from studies import artifacts, languages, variants
from studies.models import Artifact, ArtifactApart, ArtifactName, ArtifactSource, Region, Study
from studies.services.rows import locked

LONGEST, LONGEST_FOLDED = 200, 400  # characters of a name, and of its folded form
MOST_AT_ONCE = 100  # artifacts merged, or kept apart, in one go

Kind, State = ArtifactName.Kind, Artifact.Status


@dataclass(frozen=True, slots=True)
class Called:
    """A name as somebody gives it; `language` is that of a translation, where it is known."""

    text: str
    kind: str = Kind.ALIAS
    language: str = ""


# --- listing ------------------------------------------------------------------------------------


def list_artifact(
    study: Study, region: Region, name: str, actor: str, further: Sequence[Called] = ()
) -> Artifact:
    """List a thing of a region by hand. Where one stands under this very name already, that one
    is listed and gets the further names; asking again changes nothing.

    Raises `artifact.name_taken` where the name is another one of an artifact, and what
    `add_name` raises."""
    text = readable(name)
    with transaction.atomic():
        study = locked(study)
        artifact = artifacts.find(region, text)
        if artifact and not artifact.names.filter(kind=Kind.NAME, folded=fold(text)).exists():
            raise CommonplaceError(
                "artifact.name_taken",
                f"“{text}” is another name of “{artifacts.called(artifact)}” in this region. Use "
                "that one, or take the name from it first.",
                http_status=409,
                value=text,
            )
        if artifact is None:
            artifact = Artifact.objects.create(study=study, region=region)
            put_name(artifact, text, Kind.NAME)
        for each in further:
            _add(artifact, each, readable(each.text))
        _set(artifact, State.LISTED, actor)
    return artifact


def list_again(study: Study, codes: Iterable[str], actor: str) -> int:
    """Let later games be played with these; how many were not listed before. Raises
    `artifact.unknown` and `artifact.merged`."""
    return _decide(study, codes, State.LISTED, actor)


def leave_out(study: Study, codes: Iterable[str], actor: str) -> int:
    """Keep these out of later games; how many were not left out before. Raises
    `artifact.unknown` and `artifact.merged`."""
    return _decide(study, codes, State.LEFT_OUT, actor)


def _decide(study: Study, codes: Iterable[str], status: str, actor: str) -> int:
    with transaction.atomic():
        study = locked(study)
        rows = [artifacts.access_artifact(study, code) for code in dict.fromkeys(codes)]
        return sum(_set(_standing_or_refused(row), status, actor) for row in rows)


def _set(artifact: Artifact, status: str, actor: str) -> bool:
    if artifact.status == status:
        return False
    artifact.status = status
    artifact.save(update_fields=["status"])
    _note(artifact, f"artifact.{status}", actor)
    return True


# --- names --------------------------------------------------------------------------------------


def add_name(artifact: Artifact, called: Called, actor: str) -> None:
    """Add a name of any kind; of the kind `name` it is the one shown from now on, and the one
    shown before becomes an alias. A name it has already is left as it is, but for a forbidden
    word that turns out to be a name.

    Raises `artifact.name_blank`, `artifact.name_too_long`, `artifact.name_kind`,
    `artifact.name_is_right`, `text.not_storable`, `language.tag` and `artifact.merged`."""
    text = readable(called.text)
    with transaction.atomic():
        locked(artifact.study)
        artifact = _fresh(artifact)
        if _add(artifact, called, text):
            _note(artifact, "artifact.name_added", actor, kind=str(called.kind))


def remove_name(artifact: Artifact, name: int, actor: str) -> None:
    """Remove a name by its number; one that is gone is fine. Raises `artifact.name_shown` and
    `artifact.merged`."""
    with transaction.atomic():
        locked(artifact.study)
        artifact = _fresh(artifact)
        row = artifact.names.filter(pk=name).first()
        if row is None:
            return
        if row.kind == Kind.NAME:
            raise CommonplaceError(
                "artifact.name_shown",
                f"“{row.text}” is the name the artifact is shown by. Choose another one to be "
                "shown first.",
                http_status=409,
            )
        row.delete()
        _note(artifact, "artifact.name_removed", actor, kind=row.kind)


def readable(text: str) -> str:
    """A name as it is stored, trimmed. Raises `artifact.name_blank`, `artifact.name_too_long` and
    `text.not_storable`."""
    text = " ".join(clean(text).split())
    if not fold(text):
        raise CommonplaceError("artifact.name_blank", "Write what the artifact is called.")
    if len(text) > LONGEST or len(fold(text)) > LONGEST_FOLDED:
        raise CommonplaceError(
            "artifact.name_too_long",
            f"A name has at most {LONGEST} characters, and this one has {len(text)}. Shorten it.",
            most=LONGEST,
        )
    return text


def put_name(artifact: Artifact, text: str, kind: str, language: str = "") -> ArtifactName:
    """A row for a name that `readable` has let pass, within the caller's transaction."""
    return ArtifactName.objects.create(
        artifact=artifact,
        text=text,
        folded=fold(text),
        kind=kind,
        language=language,
        script=script(text),
    )


def _add(artifact: Artifact, called: Called, text: str) -> bool:
    """Whether anything changed."""
    if called.kind not in Kind.values:
        raise CommonplaceError("artifact.name_kind", "Choose what kind of name it is.")
    language = languages.tag(called.language) if called.language else ""
    rows = {row.kind: row for row in artifact.names.filter(folded=fold(text))}
    row = next((rows[kind] for kind in artifacts.RIGHT if kind in rows), None)
    if called.kind == Kind.FORBIDDEN and row is not None:
        raise CommonplaceError(
            "artifact.name_is_right",
            f"“{text}” is a name of this artifact, and no clue may hold one of its names. There is "
            "nothing to add.",
            value=text,
        )
    row = row or rows.get(Kind.FORBIDDEN)
    if row is None:
        if called.kind == Kind.NAME:
            _hide_shown(artifact)
        put_name(artifact, text, called.kind, language)
        return True
    changes = called.kind == Kind.NAME or row.kind == Kind.FORBIDDEN
    if not changes or row.kind == called.kind:
        return False
    if called.kind == Kind.NAME:
        _hide_shown(artifact)
    row.kind, row.language = called.kind, language
    row.save(update_fields=["kind", "language"])
    return True


def _hide_shown(artifact: Artifact) -> None:
    artifact.names.filter(kind=Kind.NAME).update(kind=Kind.ALIAS)


# --- which are one ------------------------------------------------------------------------------


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
        survivor = _standing_or_refused(artifacts.access_artifact(study, merged.object_id))
        for part in merged.data["parts"]:
            _give_back(survivor, part)
        _show_one(survivor)
        _lower(survivor, merged.data["lifted"])
        _note(survivor, artifacts.UNDONE, actor, entry=entry, count=len(merged.data["parts"]))


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
            _note(rows[0], "artifact.kept_apart", actor, count=len(rows))


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
    _note(survivor, artifacts.MERGED, actor, lifted=lifted, parts=parts, count=len(parts))


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


# --- shared -------------------------------------------------------------------------------------


def _fresh(artifact: Artifact) -> Artifact:
    """The row as it is now that the study is locked."""
    return _standing_or_refused(artifacts.access_artifact(artifact.study, artifact.code))


def _standing_or_refused(artifact: Artifact) -> Artifact:
    if artifact.status == State.MERGED:
        into = artifacts.called(artifacts.standing(artifact))
        raise CommonplaceError(
            "artifact.merged",
            f"This artifact was merged into “{into}”. Go on there, or undo that merge first.",
            http_status=409,
        )
    return artifact


def _note(artifact: Artifact, action: str, actor: str, **data: object) -> None:
    audit.record(actor, action, "artifact", artifact.code, study=artifact.study.slug, **data)
