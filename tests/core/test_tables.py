import csv
import hashlib
import io
import json
import os
import tracemalloc
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from openpyxl import load_workbook
from openpyxl.utils.escape import unescape

from core.errors import CommonplaceError
from core.tables import FORMATS, NEUTRALISED_COLUMN, Table, stream, write

LONG = "लंबा उत्तर, " * 3334  # 40,008 characters

AWKWARD = [
    "a,b",
    'say "so"',
    "one\ntwo",
    "one\r\ntwo",
    "one\rtwo",
    "\ttab",
    "in\tside",
    "  outer spaces  ",
    "   ",
    "007",
    '=HYPERLINK("http://x")',
    "=1+1",
    "+91 98765",
    "-5",
    "@SUM",
    "'",
    "'=1",
    "a\u000bb",
    "a\u0085b\u2028c",
    "_x000B_",
    "_x005F_x000B_",
    "\ufffe\uffff",
    "#N/A",
    "TRUE",
    "क\u094d\u200dष क\u094d\u200cष \u0958",
    "👨\u200d👩\u200d👧",
    "a|b\\|<b>*x*",
    LONG,
]
RUNNABLE = [
    "=1",
    "+1",
    "-5",
    "@x",
    "\tx",
    "\rx",
    "\nx",
    " =1",
    "\u00a0=1",
    "\u200b=1",
    "\ufeff=1",
    "\x0b=1",
    "＝1",
    "＋1",
    "－1",
    "＠x",
    "−1",
]
HARMLESS = ["", "007", "'", "a=1", "1-5", "x@y", "  x", "#N/A", "é", "2026-01-31"]


def written(table, format):
    target = io.BytesIO()
    report = write(table, format, target)
    return target.getvalue(), report


def titled(columns, *rows):
    return Table("answers", columns, rows)


def csv_rows(content):
    return list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))


def sheets(content):
    return load_workbook(io.BytesIO(content))


def texts(sheet):
    """Cells as a reader of OOXML sees them; openpyxl leaves the `_x000B_` escapes alone."""
    return [[unescape(v) if isinstance(v, str) else v for v in row] for row in sheet.values]


def test_the_raw_csv_equals_the_data_byte_for_byte():
    content, report = written(titled(AWKWARD, AWKWARD, AWKWARD[::-1]), "csv")
    assert csv_rows(content) == [AWKWARD, AWKWARD, AWKWARD[::-1]]
    assert report.neutralised == 0
    assert not content.startswith(b"\xef\xbb\xbf")


def test_the_raw_csv_follows_rfc_4180():
    content, _ = written(titled(["a", "b"], ["x", 'y "z"'], ["1,5", "two\nlines"]), "csv")
    assert content == b'a,b\r\nx,"y ""z"""\r\n"1,5","two\nlines"\r\n'


@pytest.mark.parametrize("text", RUNNABLE)
def test_the_safe_csv_neutralises_what_a_spreadsheet_would_run_and_says_so(text):
    content, report = written(titled(["id", text], [7, "plain"], [8, text]), "csv-safe")
    header, plain, changed = csv_rows(content.removeprefix(b"\xef\xbb\xbf"))
    assert header == ["id", f"'{text}", NEUTRALISED_COLUMN]
    assert plain == ["7", "plain", ""]
    assert changed == ["8", f"'{text}", "2"]
    assert report.neutralised == 2


@pytest.mark.parametrize("text", HARMLESS)
def test_the_safe_csv_leaves_harmless_text_alone(text):
    content, report = written(titled([text], [text]), "csv-safe")
    assert csv_rows(content.decode("utf-8-sig").encode()) == [
        [text, NEUTRALISED_COLUMN],
        [text, ""],
    ]
    assert report.neutralised == 0


def test_the_safe_csv_keeps_numbers_and_can_be_undone():
    content, report = written(
        titled(["a", "b", "c"], [-5, "-5", "@x"], [-0.5, "'", None]), "csv-safe"
    )
    rows = csv_rows(content.decode("utf-8-sig").encode())[1:]
    assert rows == [["-5", "'-5", "'@x", "2 3"], ["-0.5", "'", "", ""]]
    assert report.neutralised == 2
    for *cells, changed in rows:
        for number in changed.split():
            cells[int(number) - 1] = cells[int(number) - 1].removeprefix("'")
        assert cells in (["-5", "-5", "@x"], ["-0.5", "'", ""])


def test_the_safe_csv_refuses_a_column_named_like_its_own():
    with pytest.raises(CommonplaceError) as refusal:
        stream(titled([NEUTRALISED_COLUMN], [1]), "csv-safe")
    assert refusal.value.code == "table.duplicate_column"


@pytest.mark.parametrize("text", [text for text in AWKWARD if text != LONG])
def test_a_workbook_holds_every_text_as_text(text):
    content, report = written(titled(["id", text], [1, text]), "xlsx")
    book = sheets(content)
    assert texts(book["answers"]) == [["id", text], [1, text]]
    assert {row[1].data_type for row in book["answers"].rows} == {"s"}
    assert book.sheetnames == ["answers"]
    assert report.long_cells == 0


def test_a_workbook_shows_a_control_character_as_an_escape():
    content, _ = written(titled(["a"], ["x\u000by"], ["_x000B_"]), "xlsx")
    assert [v for (v,) in sheets(content)["answers"].values] == ["a", "x_x000B_y", "_x005F_x000B_"]


@pytest.mark.parametrize("text", [LONG, "\u000b" * 6000, "😀" * 20_000, "x" * 32_768])
def test_a_workbook_never_cuts_silently(text):
    content, report = written(titled(["id", text], [1, text]), "xlsx")
    book = sheets(content)
    assert report.long_cells == 2
    for cell in (book["answers"]["B1"], book["answers"]["B2"]):
        assert cell.value.startswith(f"[Cut: {len(text)} characters.")
        assert "Long text" in cell.value
        assert cell.coordinate in cell.value
    header, *pieces = texts(book["Long text"])
    assert header == ["cell", "piece", "pieces", "text"]
    for place in ("B1", "B2"):
        own = [piece for piece in pieces if piece[0] == place]
        assert [piece[1:3] for piece in own] == [[i, len(own)] for i in range(1, len(own) + 1)]
        assert "".join(piece[3] for piece in own) == text
    stored = [v for sheet in book for row in sheet.values for v in row if isinstance(v, str)]
    assert max(len(v.encode("utf-16-le")) // 2 for v in stored) <= 32_767


def test_a_text_that_just_fits_stays_in_its_cell():
    content, report = written(titled(["a"], ["x" * 32_767]), "xlsx")
    assert sheets(content)["answers"]["A2"].value == "x" * 32_767
    assert report.long_cells == 0


def test_a_workbook_keeps_numbers_numbers_and_never_rounds_a_whole_one():
    row = [7, -5, 0.25, True, None, 12345678901234567890]
    content, _ = written(titled(list("abcdef"), row), "xlsx")
    assert list(sheets(content)["answers"].values)[1] == (7, -5, 0.25, True, None, str(row[-1]))


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("North/South: [x]?", "North-South- -x--"),
        ("n" * 40, "n" * 31),
        ("", "Table"),
        ("'", "Table"),
    ],
)
def test_a_sheet_gets_a_name_spreadsheets_accept(name, title):
    content, _ = written(Table(name, ["a"], []), "xlsx")
    assert sheets(content).sheetnames == [title]


def test_a_table_named_like_the_extra_sheet_still_names_the_right_one():
    content, _ = written(Table("Long text", ["a"], [[LONG]]), "xlsx")
    first, extra = sheets(content).worksheets
    assert first.title == "Long text"
    assert f"“{extra.title}”" in first["A2"].value


def test_json_lines_give_one_object_per_row_as_it_was():
    rows = [[text, 1.5, None, False] for text in AWKWARD]
    content, report = written(titled(["=a", "b", "c", "d"], *rows), "jsonl")
    lines = content.decode().removesuffix("\n").split("\n")
    assert [json.loads(line) for line in lines] == [
        {"=a": text, "b": 1.5, "c": None, "d": False} for text in AWKWARD
    ]
    assert "लंबा" in content.decode()
    assert report.rows == len(AWKWARD)


def test_a_markdown_table_keeps_one_line_per_row():
    table = titled(
        ["name", "a|b"], ["x|y\\", "1\r\n2\n3"], ["<b> *z* _w_", "snake_case"], [None, -5]
    )
    content, _ = written(table, "md")
    assert content.decode().splitlines() == [
        r"| name | a\|b |",
        "| --- | --- |",
        r"| x\|y\\ | 1<br>2<br>3 |",
        r"| \<b> \*z\* \_w\_ | snake_case |",
        "|  | -5 |",
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_the_report_counts_rows_and_hashes_the_bytes(format):
    content, report = written(titled(["a", "b"], ["x", 1], ["y", 2]), format)
    assert report.rows == 2
    assert report.sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("format", ["csv", "csv-safe", "jsonl", "md"])
def test_streaming_gives_the_bytes_of_the_file(format, tmp_path):
    rows = [[i, "word " * 20] for i in range(5000)]
    path = tmp_path / "table"
    write(titled(["i", "text"], *rows), format, path)
    pieces = list(stream(titled(["i", "text"], *rows), format))
    assert b"".join(pieces) == path.read_bytes()
    assert 1 < len(pieces) < 20


@pytest.mark.parametrize("format", FORMATS)
def test_instants_carry_their_offset_and_dates_stay_dates(format):
    kolkata = timezone(timedelta(hours=5, minutes=30))
    late = datetime(2026, 1, 31, 23, 30, tzinfo=kolkata)
    content, _ = written(
        titled(["a", "b"], [late, date(2026, 1, 31)], [late.astimezone(UTC), None]), format
    )
    shown = str(list(sheets(content)["answers"].values)) if format == "xlsx" else content.decode()
    for text in ("2026-01-31T23:30:00+05:30", "2026-01-31T18:00:00+00:00", "2026-01-31"):
        assert text in shown


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("value", "code"),
    [
        (float("nan"), "table.not_a_number"),
        (float("-inf"), "table.not_a_number"),
        (datetime(2026, 1, 31, 9), "table.naive_instant"),  # noqa: DTZ001 - the very fault
        (b"bytes", "table.unknown_value"),
        (["list"], "table.unknown_value"),
        ("a\x00b", "text.not_storable"),
        ("\ud800", "text.not_storable"),
    ],
)
def test_a_value_no_table_holds_is_refused_and_leaves_no_file(format, value, code, tmp_path):
    with pytest.raises(CommonplaceError) as refusal:
        write(titled(["a"], ["fine"], [value]), format, tmp_path / "table")
    assert refusal.value.code == code
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("row", [["x"], ["x", "y", "z"]])
def test_a_row_of_another_width_is_refused(format, row):
    with pytest.raises(CommonplaceError) as refusal:
        written(titled(["a", "b"], ["x", "y"], row), format)
    assert refusal.value.code == "table.row_width"
    assert refusal.value.data == {"row": 2, "values": len(row), "columns": 2}


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(CommonplaceError) as refusal:
        titled(["a", "b", "a"])
    assert refusal.value.code == "table.duplicate_column"
    assert refusal.value.data == {"column": "a"}


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(CommonplaceError) as refusal:
        write(titled(["a"], ["x"]), "ods", tmp_path / "table")
    assert refusal.value.code == "table.unknown_format"
    assert list(tmp_path.iterdir()) == []


def test_a_refusal_leaves_the_earlier_file_as_it_was(tmp_path):
    path = tmp_path / "table.csv"
    write(titled(["a"], ["x"]), "csv", path)
    with pytest.raises(CommonplaceError):
        write(titled(["a"], [float("nan")]), "csv", path)
    assert path.read_bytes() == b"a\r\nx\r\n"


def test_what_a_link_leads_to_is_replaced_and_what_is_no_file_is_left_alone(tmp_path):
    real, link, pipe = tmp_path / "real.csv", tmp_path / "link.csv", tmp_path / "pipe"
    real.write_text("old")
    link.symlink_to(real)
    os.mkfifo(pipe)
    table = Table("t", ["a"], [[1]])
    write(table, "csv", link)
    assert (link.is_symlink(), real.read_bytes()) == (True, b"a\r\n1\r\n")
    for target in (pipe, tmp_path):
        with pytest.raises(CommonplaceError) as refused:
            write(table, "csv", target)
        assert refused.value.code == "table.not_a_file"
    assert pipe.is_fifo()


@pytest.mark.parametrize(("format", "count"), [("csv", 20_000), ("jsonl", 20_000), ("xlsx", 4000)])
def test_memory_stays_flat_however_many_rows_there_are(format, count, tmp_path):
    write(titled(["i", "text"], [1, "x"]), format, tmp_path / "first")  # imports
    rows = ([i, f"{i} " + "x" * 1000] for i in range(count))
    tracemalloc.start()
    try:
        report = write(Table("big", ["i", "text"], rows), format, tmp_path / "big")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert report.rows == count
    assert peak < 2_000_000
