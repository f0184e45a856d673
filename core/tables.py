"""The one table writer of the product: every CSV, spreadsheet, JSON-lines and Markdown file.

| format     | what it is |
|------------|------------|
| `csv`      | the data byte for byte: RFC 4180, UTF-8, a header line; nothing is altered |
| `csv-safe` | for spreadsheets: text that would run as a formula gets a leading apostrophe |
| `xlsx`     | a workbook; text is text, never a formula |
| `jsonl`    | one JSON object per line, keyed by column |
| `md`       | a Markdown pipe table |

Values are str, int, float, bool, None, aware datetimes (written as ISO-8601 with offset) and
dates. In `csv` and `md` None is an empty cell and a bool is `true` or `false`. Rows are read
once and never held together, so that a million rows need the memory of one.

`csv-safe` begins with a byte order mark, without which spreadsheets misread other scripts. It
says what it changed: its last column, `neutralised_cells`, holds the numbers (from 1) of the
cells of that row that got an apostrophe, with blanks between. Numbers that are numbers stay.

`xlsx` writes characters XML cannot hold as `_x000B_` (ECMA-376 part 1, 22.9.2.19 ST_Xstring),
numbers to 16 digits and whole numbers beyond 15 digits as text. A cell above 32,767 characters
says that it is cut and names the sheet `Long text`, which holds all of it in numbered pieces.
"""

import csv
import hashlib
import json
import math
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from core import workbook
from core.errors import CommonplaceError
from core.text import clean

FORMATS = ("csv", "csv-safe", "xlsx", "jsonl", "md")
NEUTRALISED_COLUMN = "neutralised_cells"

Value = str | int | float | bool | datetime | date | None
_Plain = workbook.Plain
_PLAIN_ALREADY = frozenset({int, bool, type(None)})

_CHUNK = 1 << 16  # bytes

# What a spreadsheet may run: = + - @ and their full-width and small forms, also behind blanks
# and unseen characters, or a leading tab or line break (OWASP, CSV injection).
_RUNNABLE = re.compile(
    r"[\s\x00-\x20\x7f-\xa0\xad\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠﹦﹢﹣﹫−]|[\t\r\n]"
)

_MARKDOWN_SYNTAX = re.compile(r"[\\|<&*`\[~]|(?<!\w)_|_(?!\w)")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Table:
    """Named columns and rows of as many values.

    `rows` may be a generator; it is read once. Raises `table.duplicate_column`.
    """

    name: str
    columns: Sequence[str]
    rows: Iterable[Sequence[Value]]

    def __post_init__(self) -> None:
        _refuse_duplicates(self.columns)


@dataclass(frozen=True)
class WriteReport:
    """What was written: data rows, the hash of the bytes, and what was not written as it is.

    `neutralised` counts the cells, titles included, that got an apostrophe (`csv-safe`);
    `long_cells` those that were continued on the extra sheet (`xlsx`).
    """

    rows: int
    sha256: str
    neutralised: int
    long_cells: int


@dataclass
class _Tally:
    rows: int = 0
    neutralised: int = 0
    long_cells: int = 0


def write(table: Table, format: str, target: Path | BinaryIO) -> WriteReport:
    """Write the table in one of FORMATS to a path or a binary stream.

    A path appears only when the file is complete; what a link leads to is replaced, not the link.
    Raises `table.not_a_file` where something else than a file stands there,
    `table.unknown_format`, `table.duplicate_column`, `table.row_width`, `table.not_a_number`,
    `table.naive_instant`, `table.unknown_value`, `table.too_many_rows` (xlsx) and
    `text.not_storable`.
    """
    if not isinstance(target, Path):
        return _write_stream(table, format, target)
    target = target.resolve()
    if target.exists() and not target.is_file():
        raise CommonplaceError(
            "table.not_a_file",
            f"“{target}” is no file that could be replaced. Give the name of a file.",
            path=str(target),
        )
    unfinished = target.with_name(f"{target.name}.part")
    try:
        with unfinished.open("wb") as file:
            report = _write_stream(table, format, file)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return report


def stream(table: Table, format: str) -> Iterator[bytes]:
    """The bytes `write` would write, in pieces of about 64 kB, for a download.

    An error in a row ends the stream where it stands; an unknown format raises at once. `xlsx`
    is built in a temporary file before the first piece comes.
    """
    return _chunks(table, format, _Tally())


def _write_stream(table: Table, format: str, target: BinaryIO) -> WriteReport:
    tally, digest = _Tally(), hashlib.sha256()
    for chunk in _chunks(table, format, tally):
        digest.update(chunk)
        target.write(chunk)
    return WriteReport(tally.rows, digest.hexdigest(), tally.neutralised, tally.long_cells)


def _chunks(table: Table, format: str, tally: _Tally) -> Iterator[bytes]:
    match format:
        case "csv":
            return _joined(_csv_lines(table, tally))
        case "csv-safe":
            _refuse_duplicates([*table.columns, NEUTRALISED_COLUMN])
            return _joined(_csv_safe_lines(table, tally))
        case "jsonl":
            return _joined(_json_lines(table, tally))
        case "md":
            return _joined(_markdown_lines(table, tally))
        case "xlsx":
            return _workbook(table, tally)
    raise CommonplaceError(
        "table.unknown_format",
        f"There is no table format “{format}”. Choose one of {', '.join(FORMATS)}.",
        format=format,
        formats=list(FORMATS),
    )


def _joined(lines: Iterable[str]) -> Iterator[bytes]:
    pending = bytearray()
    for line in lines:
        pending += line.encode()
        if len(pending) >= _CHUNK:
            yield bytes(pending)
            pending.clear()
    if pending:
        yield bytes(pending)


# Rows and values


def _refuse_duplicates(columns: Sequence[str]) -> None:
    seen: set[str] = set()
    for column in columns:
        if column in seen:
            raise CommonplaceError(
                "table.duplicate_column",
                f"Two columns are called “{column}”. Give each column a name of its own.",
                column=column,
            )
        seen.add(clean(column))


def _plain_rows(table: Table, tally: _Tally) -> Iterator[list[_Plain]]:
    """Checked rows of values every format knows; counts them."""
    for row in table.rows:
        tally.rows += 1
        if len(row) != len(table.columns):
            raise CommonplaceError(
                "table.row_width",
                f"Row {tally.rows} has {len(row)} values, but there are {len(table.columns)} "
                "columns. Give every row one value for each column.",
                row=tally.rows,
                values=len(row),
                columns=len(table.columns),
            )
        # Millions of cells pass here: what is plain already is told without a call.
        cells: Sequence[Any] = row
        yield [
            value
            if type(value) in _PLAIN_ALREADY
            or (isinstance(value, str) and value.isascii() and "\0" not in value)
            else _plain(value, tally.rows, column)
            for value, column in zip(cells, table.columns, strict=True)
        ]


def _plain(value: Value, row: int, column: str) -> _Plain:
    match value:
        case str():
            return clean(value)
        case float() if not math.isfinite(value):
            code, fault = "not_a_number", "is not a finite number. Leave it empty, with a reason"
        case None | bool() | int() | float():
            return value
        case datetime() if value.utcoffset() is None:
            code, fault = "naive_instant", "is a time without a time zone. Give it an offset"
        case date():
            return value.isoformat()
        case _:
            kind = type(value).__name__
            code, fault = "unknown_value", f"is a {kind}. Turn it into text or a number"
    raise CommonplaceError(
        f"table.{code}",
        f"The value in row {row}, column “{column}”, {fault}.",
        row=row,
        column=column,
    )


def _text(value: _Plain) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)


# CSV


class _Line:
    """A file for csv.writer whose write() hands the line back instead of keeping it."""

    def write(self, line: str) -> str:
        return line


def _csv_lines(table: Table, tally: _Tally) -> Iterator[str]:
    writer: Any = csv.writer(_Line())
    yield writer.writerow(table.columns)
    for row in _plain_rows(table, tally):
        # csv.writer spells everything as `_text` does but a bool.
        yield writer.writerow([_text(value) if type(value) is bool else value for value in row])


def _csv_safe_lines(table: Table, tally: _Tally) -> Iterator[str]:
    # Everything is quoted, since a spreadsheet may also split cells at semicolons or tabs.
    writer: Any = csv.writer(_Line(), quoting=csv.QUOTE_ALL)
    titles, _ = _neutralise(table.columns, tally)
    yield "\N{BYTE ORDER MARK}" + writer.writerow([*titles, NEUTRALISED_COLUMN])
    for row in _plain_rows(table, tally):
        cells, changed = _neutralise(row, tally)
        yield writer.writerow([*cells, " ".join(map(str, changed))])


def _neutralise(row: Sequence[_Plain], tally: _Tally) -> tuple[list[str], list[int]]:
    """The row as text that no spreadsheet runs, and the numbers of the cells changed for it."""
    changed = [
        number
        for number, value in enumerate(row, start=1)
        if isinstance(value, str) and _RUNNABLE.match(value)
    ]
    tally.neutralised += len(changed)
    cells = [_text(value) for value in row]
    for number in changed:
        cells[number - 1] = f"'{cells[number - 1]}"
    return cells, changed


# JSON lines and Markdown


def _json_lines(table: Table, tally: _Tally) -> Iterator[str]:
    for row in _plain_rows(table, tally):
        record = dict(zip(table.columns, row, strict=True))
        yield json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def _markdown_lines(table: Table, tally: _Tally) -> Iterator[str]:
    yield _markdown_line(table.columns)
    yield "|" + " --- |" * len(table.columns) + "\n"
    for row in _plain_rows(table, tally):
        yield _markdown_line(row)


def _markdown_line(row: Sequence[_Plain]) -> str:
    cells = (_MARKDOWN_SYNTAX.sub(r"\\\g<0>", _text(value)) for value in row)
    return "| " + " | ".join(_LINE_BREAK.sub("<br>", cell) for cell in cells) + " |\n"


def _workbook(table: Table, tally: _Tally) -> Iterator[bytes]:
    with tempfile.TemporaryFile() as file:
        rows = chain([table.columns], _plain_rows(table, tally))
        tally.long_cells = workbook.write(table.name, rows, file)
        file.seek(0)
        while chunk := file.read(_CHUNK):
            yield chunk


def described(path: Path, write: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Have a file written and its manifest, which `write` returns, beside it as
    `<name>.manifest.json`. Raises `export.unwritable`."""
    if path.exists() and not path.is_file():
        raise CommonplaceError(
            "export.unwritable",
            f"“{path}” is no file that could be replaced. Give the name of a file.",
            path=str(path),
        )
    try:
        manifest = write()
        beside = path.with_name(f"{path.name}.manifest.json")
        beside.write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    except OSError as error:
        raise CommonplaceError(
            "export.unwritable",
            f"The file “{path}” cannot be written ({error.strerror}). Choose another place.",
            path=str(path),
        ) from error
    return manifest
