"""Reads outputs made elsewhere. Two formats: the INDICA result log, and our own JSONL.

INDICA log (one JSON object a line): `question_id`, `run_number`, `parsed_answer` or
`extracted_answer` (a letter, or FAILED), `current_shuffled_mapping` (letter -> region names
joined by ", ", as a Python or JSON literal), `raw_response`, `model`.
Ours: `item`, `repeat`, `options` (letter -> list of regions), `reply`, optional `finish`.
"""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import CommonplaceError


@dataclass(frozen=True)
class ImportedSample:
    item: str
    repeat: int
    regions: tuple[frozenset[str], ...]  # of each option, in the order shown
    text: str
    finish: str
    model: str
    line: int


@dataclass(frozen=True)
class Refused:
    line: int
    code: str
    reason: str

    def as_dict(self) -> dict[str, Any]:
        return {"line": self.line, "code": self.code, "reason": self.reason}


class _Fault(Exception):
    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


def read_outputs(data: bytes) -> Iterator[ImportedSample | Refused]:
    """One result for each line that is not blank. Raises `import.not_text` where not UTF-8."""
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise CommonplaceError(
            "import.not_text", "The file is not UTF-8 text. Save it as UTF-8 JSON lines."
        ) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield _read_line(line, number)
        except _Fault as fault:
            yield Refused(number, fault.code, fault.reason)


def _read_line(line: str, number: int) -> ImportedSample:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise _Fault("import.not_json", f"not a JSON object: {error}") from None
    if not isinstance(row, dict):
        raise _Fault("import.not_json", "not a JSON object")
    return (_ours if "item" in row else _indica)(row, number)


def _indica(row: Mapping[str, Any], line: int) -> ImportedSample:
    mapping = _field(row, "current_shuffled_mapping")
    if isinstance(mapping, str):
        try:
            mapping = ast.literal_eval(mapping)
        except (ValueError, SyntaxError):
            raise _Fault("import.mapping", "current_shuffled_mapping cannot be read") from None
    regions = _regions({k: str(v).split(", ") for k, v in _mapping(mapping).items()})
    text = row.get("raw_response", row.get("parsed_answer", row.get("extracted_answer")))
    if not isinstance(text, str):
        raise _Fault("import.missing_field", "raw_response is missing")
    return ImportedSample(
        item=str(_field(row, "question_id")),
        repeat=_repeat(_field(row, "run_number")),
        regions=regions,
        text=text,
        finish="stop",
        model=str(row.get("model", "")),
        line=line,
    )


def _ours(row: Mapping[str, Any], line: int) -> ImportedSample:
    return ImportedSample(
        item=str(_field(row, "item")),
        repeat=_repeat(_field(row, "repeat")),
        regions=_regions(_mapping(_field(row, "options"))),
        text=str(_field(row, "reply")),
        finish=str(row.get("finish", "stop")),
        model=str(row.get("model", "")),
        line=line,
    )


def _field(row: Mapping[str, Any], name: str) -> Any:
    if name not in row:
        raise _Fault("import.missing_field", f"{name} is missing")
    return row[name]


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not value:
        raise _Fault("import.mapping", "the letters are not mapped to regions")
    return value


def _repeat(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Fault("import.repeat", f"the repeat must be a whole number from 1, not {value!r}")
    return value


def _regions(mapping: Mapping[str, Sequence[str]]) -> tuple[frozenset[str], ...]:
    letters = [chr(ord("A") + index) for index in range(len(mapping))]
    if sorted(mapping) != letters:
        raise _Fault("import.mapping", f"the letters must be {', '.join(letters)}")
    return tuple(frozenset(name.strip() for name in mapping[letter]) for letter in letters)
