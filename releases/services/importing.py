"""Importing a published data set."""

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import CommonplaceError
from core.text import storable
from releases import building, canonical, consistency, importers
from releases.models import Release
from releases.services.freezing import Draft, freeze, valid_name

LARGEST_FILE = 64 * 1024 * 1024  # bytes
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
    name = valid_name(format if name is None else name)
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


def _of_source(name: str, source: dict[str, str]) -> Release | None:
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
