"""A folder as a source: the files a format reads, and the paths of those it does not.

It comes from the disk or from a .zip of it, whatever lies around it there. Links are not followed.
"""

import io
import os
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

from core.errors import CommonplaceError
from core.text import storable
from releases import canonical

LARGEST = 64 * 1024 * 1024  # bytes, of all files that are read
MOST_FILES = 20_000

Takes = Callable[[PurePosixPath], bool]
Found = TypeVar("Found")


@dataclass(frozen=True)
class Folder:
    """`files` are those that were read, `beside` the others; paths are below the folder."""

    files: Mapping[PurePosixPath, bytes]
    beside: Sequence[PurePosixPath] = ()


def sha256(files: Mapping[PurePosixPath, bytes]) -> str:
    """One hash of some files: of a canonical line a file with its path and hash, by path."""
    rows = [
        {"path": str(path), "sha256": canonical.sha256(data)}
        for path, data in sorted(files.items())
    ]
    return canonical.sha256(canonical.lines(rows))


def from_disk(root: Path, takes: Takes) -> Folder:
    """Raises `import.unreadable`, `import.too_large` and `import.too_many_files`."""
    paths = sorted(_bounded(_below(root)))
    total, files = 0, {}
    for path in filter(takes, paths):
        data = _read(root / path, LARGEST - total)
        total += len(data)
        files[path] = data
    return Folder(files, [path for path in paths if path not in files])


def from_zip(data: bytes, takes: Takes) -> Folder:
    """Raises `import.not_a_folder`, `import.too_large` and `import.too_many_files`."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {
                PurePosixPath(each.filename): each
                for each in _bounded(archive.infolist())
                if not each.is_dir()
            }
            files, total = {}, 0
            for path in sorted(filter(takes, members)):
                with archive.open(members[path]) as member:
                    content = member.read(LARGEST - total + 1)
                total += len(content)
                _refuse_too_large(total)
                files[path] = content
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise CommonplaceError(
            "import.not_a_folder",
            "This format is a folder. Name the folder on the command line, or upload one .zip "
            "file of it that has no password.",
        ) from error
    return Folder(files, sorted(path for path in members if path not in files))


def _below(root: Path) -> Iterator[PurePosixPath]:
    def refuse(error: OSError) -> None:
        raise _unreadable(Path(str(error.filename)), error)

    for folder, _folders, names in os.walk(root, onerror=refuse):
        for name in names:
            yield PurePosixPath(Path(folder, name).relative_to(root).as_posix())


def _bounded(found: Iterable[Found]) -> Iterator[Found]:
    for count, each in enumerate(found):
        if count == MOST_FILES:
            raise CommonplaceError(
                "import.too_many_files",
                f"The folder holds more than {MOST_FILES:,} files. Give the one the data is in.",
            )
        yield each


def _read(path: Path, room: int) -> bytes:
    try:
        # A pipe or device may never end, and opening a pipe waits for its writer.
        if not stat.S_ISREG(path.lstat().st_mode):
            raise CommonplaceError(
                "import.unreadable",
                f"“{_shown(path)}” is a link or no file. Put the file itself there.",
                path=_shown(path),
            )
        with path.open("rb") as file:
            data = file.read(room + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    _refuse_too_large(len(data) + LARGEST - room)
    return data


def _refuse_too_large(total: int) -> None:
    if total > LARGEST:
        raise CommonplaceError(
            "import.too_large",
            f"The files to read are larger than {LARGEST // 2**20} MB together. Import parts.",
        )


def _unreadable(path: Path, error: OSError) -> CommonplaceError:
    return CommonplaceError(
        "import.unreadable",
        f"“{_shown(path)}” cannot be read ({error.strerror}). Check the path.",
        path=_shown(path),
    )


def _shown(path: Path) -> str:
    return storable(str(path))[0]
