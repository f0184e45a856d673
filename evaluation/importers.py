"""Reads outputs made elsewhere. Two formats: the INDICA result log, and our own JSONL.

INDICA log (one JSON object a line): `question_id`, `run_number`, `parsed_answer` or
`extracted_answer` (a letter, or FAILED), `current_shuffled_mapping` (letter -> region names
joined by ", ", as a Python or JSON literal), `raw_response`, `model`.
Ours: `item`, `repeat`, `reply`, optional `finish` and `model`; and `options` (letter -> list of
regions) where options were shown, `region` where a question named one.
"""

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import CommonplaceError
from core.text import storable

LONGEST_LINE, LONGEST_LABEL, LONGEST_FINISH = 1_000_000, 300, 30  # characters
LONGEST_REASON = 500  # characters
MOST_REPEATS = 1_000_000


@dataclass(frozen=True)
class ImportedSample:
    item: str
    repeat: int
    regions: tuple[frozenset[str], ...]  # of each option, in the order shown; empty: none were
    text: str
    finish: str
    model: str
    line: int
    region: str = ""  # that the question named


@dataclass(frozen=True)
class Refused:
    line: int
    code: str
    reason: str

    def as_dict(self) -> dict[str, Any]:
        return {"line": self.line, "code": self.code, "reason": self.reason}


class Fault(Exception):
    """Why one line cannot be used. The reason may repeat what the line holds, so it is made
    storable and bounded."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, storable(reason)[0][:LONGEST_REASON]


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
        except Fault as fault:
            yield Refused(number, fault.code, fault.reason)


def _read_line(line: str, number: int) -> ImportedSample:
    if len(line) > LONGEST_LINE:
        raise Fault("import.too_long", f"longer than {LONGEST_LINE:,} characters")
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Fault("import.not_json", f"not a JSON object: {error}") from None
    if not isinstance(row, dict):
        raise Fault("import.not_json", "not a JSON object")
    return (_ours if "item" in row else _indica)(row, number)


def _indica(row: Mapping[str, Any], line: int) -> ImportedSample:
    mapping = _field(row, "current_shuffled_mapping")
    if isinstance(mapping, str):
        try:
            mapping = ast.literal_eval(mapping)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            raise Fault("import.mapping", "current_shuffled_mapping cannot be read") from None
    named = {
        letter: regions.split(", ") if isinstance(regions, str) else regions
        for letter, regions in _mapping(mapping).items()
    }
    said = next((name for name in ("raw_response", "parsed_answer") if name in row), None)
    return ImportedSample(
        item=_text(row, "question_id"),
        repeat=_repeat(_field(row, "run_number")),
        regions=_regions(named),
        text=_text(row, said or "extracted_answer"),
        finish="stop",
        model=_label(row.get("model", "")),
        line=line,
    )


def _ours(row: Mapping[str, Any], line: int) -> ImportedSample:
    return ImportedSample(
        item=_text(row, "item"),
        repeat=_repeat(_field(row, "repeat")),
        regions=_regions(_mapping(row["options"])) if "options" in row else (),
        text=_text(row, "reply"),
        finish=_label(row.get("finish", "stop"))[:LONGEST_FINISH],
        model=_label(row.get("model", "")),
        line=line,
        region=_text(row, "region") if "region" in row else "",
    )


def _field(row: Mapping[str, Any], name: str) -> Any:
    if name not in row:
        raise Fault("import.missing_field", f"{name} is missing")
    return row[name]


def _text(row: Mapping[str, Any], name: str) -> str:
    value = _field(row, name)
    if not isinstance(value, str):
        raise Fault("import.not_a_text", f"{name} must be a text, not {type(value).__name__}")
    return value


def _label(value: Any) -> str:
    """A name that goes along with a sample, made storable and bounded."""
    return storable(value if isinstance(value, str) else "")[0][:LONGEST_LABEL]


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not value:
        raise Fault("import.mapping", "the letters are not mapped to regions")
    return value


def _repeat(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_REPEATS:
        raise Fault("import.repeat", f"the repeat must be a number from 1 to {MOST_REPEATS}")
    return value


def _regions(mapping: Mapping[Any, Any]) -> tuple[frozenset[str], ...]:
    """The regions of every option, A first."""
    letters = [chr(ord("A") + index) for index in range(len(mapping))]
    if set(mapping) != set(letters):
        raise Fault("import.mapping", f"the letters must be {', '.join(letters)}")
    options = [mapping[letter] for letter in letters]
    for names in options:
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise Fault("import.mapping", "every letter needs a list of region names")
    return tuple(frozenset(name.strip() for name in names) for names in options)
