"""An XLSX workbook of one table, written row by row; `core.tables` says what it promises."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

from core.errors import CommonplaceError

LONG_TEXT_SHEET = "Long text"
ROWS = 1_048_576  # of a sheet

_CELL = 32_767  # UTF-16 units
_EXACT_INT = 10**15
# An escape takes 7 characters for one, so that a piece fits into a cell whatever it holds.
_PIECE = _CELL // 8
# What XML cannot hold or would alter (a carriage return), text that looks like an escape, and
# the first of a text of blanks only, which readers would drop.
_ESCAPED = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)|\A[ \t\n](?=\s*\Z)")

Plain = str | int | float | bool | None


def write(name: str, rows: Iterable[Sequence[Plain]], file: BinaryIO) -> int:
    """Write rows, the titles first, to a sheet; the number of cells that were continued on the
    sheet `Long text`. Raises `table.too_many_rows`."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    try:
        return _fill(book, name, rows)
    finally:
        # Also after a refusal: only saving closes and removes openpyxl's temporary files.
        book.save(file)


def _fill(book: Any, name: str, rows: Iterable[Sequence[Plain]]) -> int:
    sheet = book.create_sheet(_sheet_title(name))
    sheet.freeze_panes = "A2"
    long_text, long_cells = None, 0
    for number, row in enumerate(rows, start=1):
        if number > ROWS:
            raise CommonplaceError(
                "table.too_many_rows",
                f"A sheet holds {ROWS - 1:,} rows, and this table has more. Choose csv or jsonl.",
                limit=ROWS - 1,
            )
        cells = []
        for column, value in enumerate(row, start=1):
            if isinstance(value, str) and _too_long(value):
                long_cells += 1
                long_text = long_text or _long_text_sheet(book)
                value = _continued(long_text, value, number, column)
            cells.append(_cell(sheet, value))
        sheet.append(cells)
    return long_cells


def _sheet_title(name: str) -> str:
    """A sheet is called by at most 31 characters, without \\ / * ? : [ ] and outer apostrophes."""
    return re.sub(r"[\\/*?:\[\]\x00-\x1f]", "-", name)[:31].strip("' ") or "Table"


def _cell(sheet: Any, value: Plain) -> Any:
    from openpyxl.cell import WriteOnlyCell

    if isinstance(value, int) and abs(value) >= _EXACT_INT:
        value = str(value)
    if not isinstance(value, str):
        return value
    cell = WriteOnlyCell(sheet, value=_escaped(value))
    cell.data_type = "s"  # openpyxl takes "=1+1" for a formula and "#N/A" for an error
    return cell


def _escaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"_x{ord(found.group()):04X}_", text)


def _too_long(text: str) -> bool:
    return len(_escaped(text).encode("utf-16-le")) > 2 * _CELL


def _long_text_sheet(book: Any) -> Any:
    sheet = book.create_sheet(LONG_TEXT_SHEET)
    sheet.append(["cell", "piece", "pieces", "text"])
    return sheet


def _continued(sheet: Any, text: str, row: int, column: int) -> str:
    """Write all of a long text to the extra sheet; returns what its own cell says instead."""
    from openpyxl.utils import get_column_letter

    place = f"{get_column_letter(column)}{row}"
    pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
    for number, piece in enumerate(pieces, start=1):
        sheet.append([place, number, len(pieces), _cell(sheet, piece)])
    return (
        f"[Cut: {len(text)} characters. All of them are on the sheet “{sheet.title}”, "
        f"cell {place}.] {text[:1000]}"
    )
