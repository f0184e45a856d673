"""Exported files, read back."""

import csv
import io
import json

from openpyxl import load_workbook
from openpyxl.utils.escape import unescape


def table(content):
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
    return [dict(zip(header, row, strict=True)) for row in rows]


def json_rows(content):
    return [json.loads(line) for line in content.decode().removesuffix("\n").split("\n")]


def sheet_rows(content):
    header, *rows = load_workbook(io.BytesIO(content)).worksheets[0].values
    return [
        {key: unescape(v) if isinstance(v, str) else v for key, v in zip(header, row, strict=True)}
        for row in rows
    ]
