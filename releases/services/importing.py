"""Importing a published data set."""

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import CommonplaceError
from core.text import storable
from releases import artifacts, building, consistency, importers
from releases.importers.folder import LARGEST as LARGEST_FILE
from releases.importers.parsed import Parsed
from releases.models import Release
from releases.services.freezing import Draft, freeze, valid_name

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "lantern_coast.json"


@dataclass(frozen=True)
class ImportResult:
    """`created` is False where the same bytes had been imported before."""

    release: Release
    created: bool
    read: int
    kept: int
    refused: list[dict[str, Any]]


def import_release(
    path: Path,
    format: str,
    name: str | None = None,
    *,
    actor: str,
    simulated: bool = False,
    title: str = "",
) -> ImportResult:
    """Import a published file or folder. Raises `import.unreadable` and what `import_bytes`
    raises."""
    importers.known(format)  # of two mistakes the format is the first to mend
    name = valid_name(format if name is None else name)
    parsed = importers.parse_folder(format, path) if path.is_dir() else _parsed(_read(path), format)
    file = path.resolve().name
    return _imported(parsed, file, format, name, actor=actor, simulated=simulated, title=title)


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
    """Freeze the content of a source as a release with its findings listed; of a format that is a
    folder, `data` is a .zip of it.

    Equal bytes under the same name give the existing release. Raises `release.name_invalid`,
    `release.name_taken` and `import.*`; nothing is stored then.
    """
    name = valid_name(format if name is None else name)
    parsed = _parsed(data, format)
    return _imported(parsed, file_name, format, name, actor=actor, simulated=simulated, title=title)


def _parsed(data: bytes, format: str) -> Parsed:
    if len(data) > LARGEST_FILE:
        raise _too_large()
    return importers.parse(format, data)


def _imported(
    parsed: Parsed,
    file_name: str,
    format: str,
    name: str,
    *,
    actor: str,
    simulated: bool,
    title: str,
) -> ImportResult:
    source = {
        "format": format,
        "sha256": parsed.sha256,
        "file": storable(Path(file_name).name)[0],
        "read": parsed.read,
        "refused": len(parsed.refused),
    }
    release, created = _of_source(name, source), False
    if release is None:
        draft = _draft(parsed, source, name, title or parsed.title, simulated)
        release, created = freeze(draft, actor=actor, action="release.imported")
    return ImportResult(release, created, parsed.read, len(parsed.items), parsed.refused)


def _draft(parsed: Parsed, source: dict[str, Any], name: str, title: str, simulated: bool) -> Draft:
    slugs = [region["slug"] for region in parsed.regions]
    openings = building.openings(parsed.regions, parsed.language)
    passed_over = {"passed_over": list(parsed.passed_over)} if parsed.passed_over else {}
    return Draft(
        name=name,
        title=title,
        language=parsed.language,
        regions=parsed.regions,
        licence=parsed.licence,
        licence_text=parsed.licence_text,
        simulated=simulated,
        origin={"source": source | passed_over},
        rows=parsed.items,
        findings=[
            *parsed.findings,
            *consistency.findings(parsed.items, slugs, openings),
            *artifacts.findings(parsed.items, parsed.language),
        ],
        more={artifacts.CLUES: artifacts.clues(parsed.items)} if artifacts.of(parsed.items) else {},
    )


def import_sample(actor: str) -> ImportResult:
    """The small release shipped with the product: an invented country, marked as simulated."""
    return import_release(SAMPLE, "indica", SAMPLE.stem, actor=actor, simulated=True)


def _of_source(name: str, source: dict[str, Any]) -> Release | None:
    """The newest release of this name from the same bytes in the same format."""
    for release in Release.objects.filter(name=name).order_by("-version"):
        stated = release.about.get("source", {})
        if (stated.get("format"), stated.get("sha256")) == (source["format"], source["sha256"]):
            return release
    return None


def _too_large() -> CommonplaceError:
    megabytes = LARGEST_FILE // 2**20
    return CommonplaceError(
        "import.too_large", f"The file is larger than {megabytes} MB. Split it and import parts."
    )
