"""Readers of published formats: a file's bytes or a folder in, normalised items and refused rows
out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from core.errors import CommonplaceError
from releases.importers import dosa, folder, indica
from releases.importers.folder import Folder
from releases.importers.parsed import Parsed


@dataclass(frozen=True)
class FolderFormat:
    """`takes` says of a file's path below the folder whether it is read; `whole` makes the folder
    to read of the one that was named."""

    parse: Callable[[Folder], Parsed]
    takes: Callable[[PurePosixPath], bool]
    whole: Callable[[Path], Path]


FILES: Mapping[str, Callable[[bytes], Parsed]] = {"indica": indica.parse}
FOLDERS: Mapping[str, FolderFormat] = {"dosa": FolderFormat(dosa.parse, dosa.takes, dosa.whole)}
FORMATS = (*sorted(FILES), *sorted(FOLDERS))  # as a page offers them


def known(format: str) -> None:
    """Raises `import.unknown_format`."""
    if format not in FORMATS:
        raise CommonplaceError(
            "import.unknown_format",
            f"There is no format “{format}”. Use one of: {', '.join(FORMATS)}.",
            format=format,
            known=list(FORMATS),
        )


def parse(format: str, data: bytes) -> Parsed:
    """Read a file, of a format that is a folder a .zip of it. Raises `import.unknown_format`,
    `import.not_a_folder` and whatever the format refuses whole."""
    known(format)
    if format in FILES:
        return FILES[format](data)
    of = FOLDERS[format]
    return of.parse(folder.from_zip(data, of.takes))


def parse_folder(format: str, path: Path) -> Parsed:
    """Read a folder. Raises `import.unreadable` for a format that is a file, and as `parse`."""
    known(format)
    if format not in FOLDERS:
        raise CommonplaceError(
            "import.unreadable",
            f"“{path.name}” is a folder, and “{format}” is a format of one file. Name the file.",
            path=str(path),
        )
    of = FOLDERS[format]
    return of.parse(folder.from_disk(of.whole(path), of.takes))
