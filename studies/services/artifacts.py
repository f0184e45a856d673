"""Writing artifacts: listing them and what they are called; which are one is `services.merging`.

Every function locks the study first, so that two people who merge at once do so one after the
other. Games keep their cards as they were when they began: what is done here is for later ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from core import audit
from core.errors import CommonplaceError
from core.text import clean, fold, script
from studies import artifacts, languages
from studies.models import Artifact, ArtifactName, Region, Study
from studies.services.rows import locked

LONGEST, LONGEST_FOLDED = 200, 400  # characters of a name, and of its folded form

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
        return sum(_set(standing_or_refused(row), status, actor) for row in rows)


def _set(artifact: Artifact, status: str, actor: str) -> bool:
    if artifact.status == status:
        return False
    artifact.status = status
    artifact.save(update_fields=["status"])
    note(artifact, f"artifact.{status}", actor)
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
            note(artifact, "artifact.name_added", actor, kind=str(called.kind))


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
        note(artifact, "artifact.name_removed", actor, kind=row.kind)


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
    row.kind, row.language = called.kind, language or row.language
    row.save(update_fields=["kind", "language"])
    return True


def _hide_shown(artifact: Artifact) -> None:
    artifact.names.filter(kind=Kind.NAME).update(kind=Kind.ALIAS)


# --- shared -------------------------------------------------------------------------------------


def _fresh(artifact: Artifact) -> Artifact:
    """The row as it is now that the study is locked."""
    return standing_or_refused(artifacts.access_artifact(artifact.study, artifact.code))


def standing_or_refused(artifact: Artifact) -> Artifact:
    """Raises `artifact.merged` where another one stands for it."""
    if artifact.status == State.MERGED:
        into = artifacts.called(artifacts.standing(artifact))
        raise CommonplaceError(
            "artifact.merged",
            f"This artifact was merged into “{into}”. Go on there, or undo that merge first.",
            http_status=409,
        )
    return artifact


def note(artifact: Artifact, action: str, actor: str, **data: object) -> None:
    """An entry of the audit trail about an artifact."""
    audit.record(actor, action, "artifact", artifact.code, study=artifact.study.slug, **data)
