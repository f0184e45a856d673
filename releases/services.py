"""Every write of releases: import, build, rebuild the index.

Files are stored before the transaction that makes them a release, so that a release never
points to bytes that are not there; a file without a release is only unused space.
"""

import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import regex
from django.db import IntegrityError, transaction

from core import audit, clock
from core.errors import CommonplaceError
from core.text import fold, storable
from releases import building, canonical, choices, consistency, importers, shapes, storing
from releases.models import Finding, Item, Part, Release

LARGEST_FILE = 64 * 1024 * 1024  # bytes
SAMPLE = Path(__file__).parent / "samples" / "lantern_coast.json"
KINDS = ("ra_mcq",)  # of items that can be built
_NAME = regex.compile(r"[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.-]{0,79}")
_BATCH = 500


@dataclass(frozen=True)
class ImportResult:
    """`created` is False where the same bytes had been imported before."""

    release: Release
    created: bool
    read: int
    kept: int
    refused: list[dict[str, Any]]


@dataclass(frozen=True)
class Draft:
    """All that becomes a release; its manifest and bytes follow from it and nothing else."""

    name: str
    title: str
    language: str
    regions: Sequence[dict[str, Any]]
    licence: str
    simulated: bool
    origin: dict[str, Any]  # {"source": …} or {"parent": …, "recipe": …}
    rows: Sequence[dict[str, Any]]
    findings: Sequence[dict[str, Any]]
    parent: Release | None = None
    groups: dict[str, list[str]] = field(default_factory=dict)
    version: int = 1


def import_release(
    path: Path,
    format: str,
    name: str | None = None,
    *,
    actor: str,
    simulated: bool = False,
    title: str = "",
) -> ImportResult:
    """Import a published file. Raises `import.unreadable` and what `import_bytes` raises."""
    importers.reader(format)  # of two mistakes the format is the first to mend
    return import_bytes(
        _read(path), path.name, format, name, actor=actor, simulated=simulated, title=title
    )


def _read(path: Path) -> bytes:
    """The bytes of a file, of one that is too large only as many as show it."""
    shown = storable(str(path))[0]
    try:
        # A pipe or device may never end, and opening a pipe waits for its writer.
        if not stat.S_ISREG(path.stat().st_mode):
            raise CommonplaceError(
                "import.unreadable", f"“{shown}” is not a file. Check the path.", path=shown
            )
        with path.open("rb") as file:
            return file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise CommonplaceError(
            "import.unreadable",
            f"The file “{shown}” cannot be read ({error.strerror}). Check the path.",
            path=shown,
        ) from error


def import_bytes(
    data: bytes,
    file_name: str,
    format: str,
    name: str | None = None,
    *,
    actor: str,
    simulated: bool = False,
    title: str = "",
) -> ImportResult:
    """Freeze the content of a source as a release with its findings listed.

    Equal bytes under the same name give the existing release. Raises `release.name_invalid`,
    `release.name_taken` and `import.*`; nothing is stored then.
    """
    name = _valid_name(format if name is None else name)
    if len(data) > LARGEST_FILE:
        raise _too_large()
    parsed = importers.parse(format, data)
    file = storable(Path(file_name).name)[0]
    source = {"format": format, "sha256": canonical.sha256(data), "file": file}
    existing = _of_source(name, source)
    if existing is None:
        slugs = [region["slug"] for region in parsed.regions]
        openings = building.openings(parsed.regions, parsed.language)
        counts = {"read": parsed.read, "refused": len(parsed.refused)}
        draft = Draft(
            name=name,
            title=title or parsed.title,
            language=parsed.language,
            regions=parsed.regions,
            licence=parsed.licence,
            simulated=simulated,
            origin={"source": source | counts},
            rows=parsed.items,
            findings=consistency.findings(parsed.items, slugs, openings),
        )
        release, created = freeze(draft, actor=actor, action="release.imported")
    else:
        release, created = existing, False
    return ImportResult(release, created, parsed.read, len(parsed.items), parsed.refused)


def import_sample(actor: str) -> ImportResult:
    """The small release shipped with the product: an invented country, marked as simulated."""
    return import_release(SAMPLE, "indica", SAMPLE.stem, actor=actor, simulated=True)


def build_items(
    kind: str,
    source: Release,
    name: str,
    preset: str | None = None,
    seed: int | None = None,
    *,
    actor: str,
) -> Release:
    """A derived release of multiple-choice items. The same recipe under the same name gives the
    same release.

    `kind` is one of KINDS; `preset` is `agreement` unless given; `seed` is kept in the recipe for
    kinds that draw by chance, which `ra_mcq` does not. Raises `build.unknown_kind`,
    `build.wrong_source`, `build.nothing_built`, `preset.unknown`, `release.name_invalid`,
    `release.name_taken` and `release.bytes_changed`.
    """
    name = _valid_name(name)
    if kind not in KINDS:
        raise CommonplaceError(
            "build.unknown_kind",
            f"There is no kind of items “{kind}”. Use one of: {', '.join(KINDS)}.",
            kind=kind,
            known=list(KINDS),
        )
    preset = preset or "agreement"
    rows = canonical.rows(storing.read(source.parts.get(name="items")))
    if any(row["kind"] != Item.Kind.QUESTION for row in rows):
        raise CommonplaceError(
            "build.wrong_source",
            f"{source.label} does not hold questions, and these items are built from questions. "
            "Choose the release it was built from.",
            release=source.label,
        )
    about = source.about
    built, found = building.build_choices(rows, about["regions"], about["language"], preset)
    if not built:
        raise CommonplaceError(
            "build.nothing_built",
            f"No question of {source.label} has {choices.LEAST_OPTIONS} to {shapes.MOST_OPTIONS} "
            f"different answers under “{preset}”, so there is nothing to build. Try the other "
            "preset or another release.",
            release=source.label,
            preset=preset,
        )
    draft = Draft(
        name=name,
        title=f"Multiple choice from {source.title or source.name}, {choices.PRESETS[preset]}",
        language=about["language"],
        regions=about["regions"],
        licence=source.licence,
        simulated=source.simulated,
        origin={
            "parent": {"release": source.label, "sha256": source.sha256},
            "recipe": {"kind": kind, "preset": preset, "seed": seed},
        },
        rows=built,
        findings=found,
        parent=source,
        groups=about["groups"],
    )
    return freeze(draft, actor=actor, action="release.built")[0]


def freeze(draft: Draft, *, actor: str, action: str) -> tuple[Release, bool]:
    """Make the release of a draft, or find the one with these very bytes (False).

    Raises `item.shape` and `release.name_taken`.
    """
    slugs = [region["slug"] for region in draft.regions]
    for row in draft.rows:
        shapes.check(row, slugs)
    files = {"items": canonical.lines(draft.rows), "findings": canonical.lines(draft.findings)}
    counts = {"items": len(draft.rows), "findings": len(draft.findings)}
    parts = [
        {"name": part, "sha256": canonical.sha256(data), "rows": counts[part], "bytes": len(data)}
        for part, data in files.items()
    ]
    manifest = canonical.dumps(_manifest(draft, parts))
    sha256 = canonical.sha256(manifest)
    if (existing := _same_or_taken(draft.name, sha256)) is not None:
        return existing, False
    for data in files.values():
        storing.write(data)
    try:
        return _insert(draft, manifest, files, actor=actor, action=action), True
    except IntegrityError:  # another process froze this name since we looked
        existing = _same_or_taken(draft.name, sha256)
        if existing is None:
            raise
        return existing, False


def _same_or_taken(name: str, sha256: str) -> Release | None:
    """The release of these bytes, None where the name is free; raises `release.name_taken`.
    One query, so that another process cannot come in between."""
    named = list(Release.objects.filter(name=name))
    same = next((release for release in named if release.sha256 == sha256), None)
    if named and same is None:
        raise _name_taken(name)
    return same


def _manifest(draft: Draft, parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": draft.name,
        "version": draft.version,
        "title": draft.title,
        "schema_version": shapes.SCHEMA_VERSION,
        "language": draft.language,
        "regions": list(draft.regions),
        "groups": draft.groups,
        "licence": draft.licence,
        "simulated": draft.simulated,
        "parts": parts,
        **draft.origin,
    }


@transaction.atomic
def _insert(
    draft: Draft,
    manifest: bytes,
    files: dict[str, bytes],
    *,
    actor: str,
    action: str,
) -> Release:
    release = Release.objects.create(
        name=draft.name,
        version=draft.version,
        title=draft.title,
        status=Release.Status.FROZEN,
        parent=draft.parent,
        manifest=manifest.decode(),
        sha256=canonical.sha256(manifest),
        schema_version=shapes.SCHEMA_VERSION,
        licence=draft.licence,
        simulated=draft.simulated,
        created=clock.now(),
    )
    Part.objects.bulk_create(
        Part(
            release=release,
            name=part["name"],
            sha256=part["sha256"],
            rows=part["rows"],
            size=part["bytes"],
        )
        for part in release.about["parts"]
    )
    _index(release, files)
    audit.record(
        actor, action, "release", release.label, sha256=release.sha256, items=len(draft.rows)
    )
    return release


def rebuild_index(release: Release) -> None:
    """Replace the rows of items and findings by what the frozen bytes say.

    Raises `release.bytes_changed`, `release.part_purged` and `item.shape`; the rows stay then.
    """
    files = {part.name: storing.read(part) for part in release.parts.all()}
    for row in canonical.rows(files["items"]):
        shapes.check(row, release.regions, release.schema_version)
    with transaction.atomic():
        release.items.all().delete()
        release.findings.all().delete()
        _index(release, files)


def _index(release: Release, files: dict[str, bytes]) -> None:
    items = [
        Item(release=release, position=position, folded=_folded(row), **row)
        for position, row in enumerate(canonical.rows(files["items"]), start=1)
    ]
    Item.objects.bulk_create(items, batch_size=_BATCH)
    findings = [
        Finding(release=release, **finding) for finding in canonical.rows(files["findings"])
    ]
    Finding.objects.bulk_create(findings, batch_size=_BATCH)


def _folded(row: dict[str, Any]) -> str:
    """What a search looks through: key, question and answers, a line each."""
    payload = row["payload"]
    answers = [answer for given in payload.get("gold", {}).values() for answer in given or ()]
    maps = [payload.get("text") or payload["question"]]
    maps += [answer["text"] for answer in (*answers, *payload.get("options", ()))]
    texts = [text for languages in maps for text in languages.values()]
    return "\n".join(map(fold, [row["key"], *texts]))


def _valid_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        shown = storable(name)[0]
        raise CommonplaceError(
            "release.name_invalid",
            f"“{shown}” cannot name a release. Use 1 to 80 letters, digits, “.”, “_” and “-”, "
            "beginning with a letter or digit; the version is added by itself.",
            name=shown,
        )
    return name


def _of_source(name: str, source: dict[str, str]) -> Release | None:
    """The newest release of this name from the same bytes in the same format."""
    for release in Release.objects.filter(name=name).order_by("-version"):
        stated = release.about.get("source", {})
        if (stated.get("format"), stated.get("sha256")) == (source["format"], source["sha256"]):
            return release
    return None


def _name_taken(name: str) -> CommonplaceError:
    return CommonplaceError(
        "release.name_taken",
        f"A release called “{name}” exists with other content. A release never changes: give "
        "this one another name.",
        http_status=409,
        name=name,
    )


def _too_large() -> CommonplaceError:
    megabytes = LARGEST_FILE // 2**20
    return CommonplaceError(
        "import.too_large", f"The file is larger than {megabytes} MB. Split it and import parts."
    )
