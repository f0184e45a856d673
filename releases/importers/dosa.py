"""Artifacts with clues of a taboo game, as published with arXiv 2403.14651.

The folder holds `data/<region>/original_artifacts.csv` and `expanded_artifacts.csv`; the inner
folder may be given alone. Their columns are `artifact` and `clues` in either order; a cell of clues
holds one a line. A region is spelt as its folder. Names and clues are kept exactly, without the
line ends between clues; a name that says “one or another”, or “one/another”, has each as an alias
too. An artifact's key is `<region>.<set>.<number of its row>`: it tells nobody what is to be
guessed.

Other files of a region (`clue*.txt`, `notes.txt`, `*.xlsx`) are drafts: the clues of one artifact
as they were noted in play, remarks, and the same tables again. None holds an artifact that the
tables do not, so they are passed over and named in the release.

The licence is the text of `DATA_LICENSE.md`. A faulty row or table is refused alone, a missing
table is a finding.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from core.errors import CommonplaceError
from core.text import clean, fold, script
from releases.importers import folder
from releases.importers.folder import Folder
from releases.importers.naming import LONGEST_KEY, fault, readable, unfit_region
from releases.importers.parsed import Parsed
from releases.shapes import ORIGINS

LANGUAGE = "en"
COLUMNS = ("artifact", "clues")
LICENCE = "DATA_LICENSE.md"
LONGEST_STATED = 80
LONGEST_REGION = LONGEST_KEY - 30  # leaves room for set and number
# Of the published tables where their text is not beside them, and of texts by their first line.
PUBLISHED = {
    "bf406742a7da233568f412b2c9dd1bd86421e352103afa72716e0f66cf46faaa": "CDLA-Permissive-2.0",
}
TITLES = {"community data license agreement - permissive - version 2.0": "CDLA-Permissive-2.0"}
_LINE_END = re.compile(r"\r\n?|\n")
_OR = re.compile(r"\s+or\s+|/")

Row = dict[str, Any]


@dataclass(frozen=True)
class _Table:
    """What a file of artifacts held: rows there were, items of them, and refused ones."""

    read: int
    items: list[Row]
    refused: list[Row]


def takes(path: PurePosixPath) -> bool:
    """Whether a file of the folder is read."""
    return path.name == LICENCE or path.name in map(_file, ORIGINS)


def whole(path: Path) -> Path:
    """The folder to read: around an inner one that has its licence beside it, the outer one."""
    inner = path.name == "data" and (path.parent / LICENCE).is_file()
    return path.parent if inner else path


def parse(source: Folder) -> Parsed:
    """Raises `import.no_regions`, `import.several_folders`, `import.region_name`,
    `import.nothing_kept` and `text.not_storable`."""
    root = _root(source)
    regions = _regions(source, root)
    tables, findings = {}, []
    for region in regions:
        for origin in ORIGINS:
            path = root / region / _file(origin)
            if path in source.files:
                tables[path] = _table(source.files[path], region, origin)
            else:
                findings.append(_missing(region, origin))
    items = [item for table in tables.values() for item in table.items]
    refused = [row for table in tables.values() for row in table.refused]
    read = sum(table.read for table in tables.values())
    if not items:
        raise _nothing_kept(read, refused)
    sha256 = folder.sha256({path.relative_to(root): source.files[path] for path in tables})
    licence_text = _licence_text(source, root)
    return Parsed(
        sha256=sha256,
        read=read,
        items=items,
        refused=refused,
        regions=[_described(region) for region in regions],
        language=LANGUAGE,
        licence=_licence(licence_text) or PUBLISHED.get(sha256, ""),
        licence_text=licence_text,
        findings=findings,
        passed_over=_passed_over(source, root, regions),
    )


def _file(origin: str) -> str:
    return f"{origin}_artifacts.csv"


def _root(source: Folder) -> PurePosixPath:
    """The folder that holds one folder a region."""
    tables = [path for path in source.files if path.name != LICENCE]
    roots = {path.parent.parent for path in tables if path.parent.name}
    if not roots:
        raise CommonplaceError(
            "import.no_regions",
            "No region was found: the folder must hold a folder a region with "
            f"{' or '.join(map(_file, ORIGINS))} in it. Check that this is the right one.",
        )
    if len(roots) > 1:
        raise CommonplaceError(
            "import.several_folders",
            f"Tables of artifacts lie in several folders ({', '.join(sorted(map(str, roots)))}). "
            "Give one of them.",
        )
    return roots.pop()


def _regions(source: Folder, root: PurePosixPath) -> list[str]:
    """In order of the alphabet, as the source spells them."""
    held = (path for path in source.files if path.name != LICENCE)
    regions = sorted({path.parent.name for path in held if path.parent.parent == root})
    for region in regions:
        if not readable(clean(region)) or len(region) > LONGEST_REGION:
            raise unfit_region(region)
    return regions


def _described(region: str) -> Row:
    spoken = region.replace("_", " ")
    name = spoken.title() if spoken.islower() else spoken
    return {"slug": region, "names": {LANGUAGE: name}, "phrases": {LANGUAGE: f"In {name}"}}


def _missing(region: str, origin: str) -> Row:
    detail = {"region": region, "file": f"{region}/{_file(origin)}"}
    return {"code": "missing_file", "item": "", "detail": detail}


def _table(data: bytes, region: str, origin: str) -> _Table:
    table = _Table(0, [], [])
    read, name = 0, f"{region}/{_file(origin)}"
    try:
        for read, cells in enumerate(_rows(data), start=1):
            try:
                table.items.append(_item(cells, region, origin, read))
            except CommonplaceError as error:
                table.refused.append(_refused(name, read, error))
    except (CommonplaceError, csv.Error) as error:  # no row after it can be told from another
        broken = error if isinstance(error, CommonplaceError) else _not_csv(error)
        read += 1
        table.refused.append(_refused(name, read, broken))
    return _Table(read, table.items, table.refused)


def _refused(file: str, line: int, error: CommonplaceError) -> Row:
    return {"line": line, "code": error.code, "reason": f"{file}: {error.message}"}


def _not_csv(error: csv.Error) -> CommonplaceError:
    return fault("csv", f"The table cannot be read on from here ({error}). Mend it.")


def _rows(data: bytes) -> Iterator[Mapping[str, str]]:
    """Rows by column, blank lines left out. Raises `import.not_text` and `import.columns` for the
    whole table; a row of another width than the first one has None among its cells."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        said = f"The table is not UTF-8 text (byte {error.start + 1}). Save it as UTF-8."
        raise fault("not_text", said) from error
    rows = csv.reader(io.StringIO(text, newline=""))
    columns = [fold(name) for name in next(rows, [])]
    if sorted(columns) != sorted(COLUMNS):
        raise fault("columns", f"The first row must name the columns {' and '.join(COLUMNS)}.")
    for cells in rows:
        if cells:
            yield dict(zip(columns, cells, strict=False)) if len(cells) == len(columns) else {}


def _item(cells: Mapping[str, str], region: str, origin: str, number: int) -> Row:
    if not cells:
        raise fault("row_width", "The row does not have two cells. Look for a missing quote.")
    name = clean(cells["artifact"])
    if not fold(name):
        raise fault("no_name", "The row names no artifact.")
    clues = [clue for clue in _LINE_END.split(clean(cells["clues"])) if clue.strip()]
    return {
        "key": f"{region}.{origin}.{number}",
        "kind": "artifact",
        "labels": {},
        "payload": {
            "region": region,
            "name": {LANGUAGE: name},
            "names": [_alias(text) for text in _alternatives(name)],
            "origin": origin,
            "clues": [{"text": clue} for clue in clues],
            "ratings": [],
        },
    }


def _alternatives(name: str) -> list[str]:
    """What a name says the thing is also called; none where it says one thing."""
    said = [text.strip(" \"'") for text in _OR.split(name)]
    return list(dict.fromkeys(said)) if len(said) > 1 and all(map(fold, said)) else []


def _alias(text: str) -> Row:
    return {"text": text, "kind": "alias", "language": "", "script": script(text)}


def _nothing_kept(read: int, refused: Sequence[Row]) -> CommonplaceError:
    first = f" The first: {refused[0]['reason']}" if refused else ""
    return CommonplaceError(
        "import.nothing_kept",
        f"None of the {read} rows could be used, so nothing was imported.{first}",
        read=read,
        refused=list(refused),
    )


def _licence_text(source: Folder, root: PurePosixPath) -> str:
    """Word for word; of several the one nearest to the data. It lies there or around it."""
    around = [each / LICENCE for each in (root, *root.parents)]
    data = next((source.files[path] for path in around if path in source.files), b"")
    return clean(data.decode("utf-8-sig", errors="replace"))


def _licence(text: str) -> str:
    """Its identifier, or else the first line."""
    first = next((line.strip("# ").strip() for line in text.splitlines() if line.strip()), "")
    return TITLES.get(fold(first), first[:LONGEST_STATED])


def _passed_over(source: Folder, root: PurePosixPath, regions: Sequence[str]) -> list[str]:
    folders = {root / region for region in regions}
    return [str(path.relative_to(root)) for path in source.beside if path.parent in folders]
