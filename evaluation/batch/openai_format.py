"""The files by which providers answer many requests within a day, in OpenAI's Batch format. Pure.

A request is one JSON object a line: `{"custom_id", "method": "POST", "url", "body"}`. What comes
back is one object a line in any order, in one file with the replies and one with the errors:
`{"id", "custom_id", "response": {"status_code", "request_id", "body"}, "error"}`, where `response`
or `error` may be null.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

URL = "/v1/chat/completions"
LONGEST_LINE = 8 * 1024 * 1024  # bytes
LONGEST_ERROR = 1000  # characters of a provider's own words
KEY_PART = 16  # characters of a request key: enough to see that a request is still the same


@dataclass(frozen=True)
class Wanted:
    """What a line of a batch is for; written out it is the line's `custom_id`.

    It names the run, its stage, the place of the request in the stage, the request and the repeats
    asked for, so that nothing has to be remembered between writing and reading. Letters, digits and
    hyphens, and at most 64 characters unless the numbers are beyond all reason: some providers take
    nothing else.
    """

    run: int
    stage: int
    place: int
    key: str  # the first KEY_PART characters of the request's key
    first: int
    last: int

    def __str__(self) -> str:
        return f"c{self.run}-{self.stage}-{self.place}-{self.key}-{self.first}-{self.last}"

    @property
    def repeats(self) -> tuple[int, ...]:
        return tuple(range(self.first, self.last + 1))

    @property
    def n(self) -> int:
        return self.last - self.first + 1


CUSTOM_ID = re.compile(
    rf"c(\d{{1,18}})-(\d{{1,4}})-(\d{{1,18}})-([0-9a-f]{{{KEY_PART}}})-(\d{{1,6}})-(\d{{1,6}})",
    re.ASCII,
)


def wanted_by(custom_id: str) -> Wanted | None:
    """What a line is for, None where the id is none of ours."""
    found = CUSTOM_ID.fullmatch(custom_id)
    if found is None:
        return None
    run, stage, place, first, last = (int(found[n]) for n in (1, 2, 3, 5, 6))
    return Wanted(run, stage, place, found[4], first, last) if 1 <= first <= last else None


def request_line(wanted: Wanted, body: Mapping[str, Any]) -> bytes:
    row = {"custom_id": str(wanted), "method": "POST", "url": URL, "body": body}
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


# --- Writing ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Written:
    path: Path
    requests: int

    def as_dict(self) -> dict[str, Any]:
        return {"path": str(self.path), "requests": self.requests}


def write(
    lines: Iterable[bytes], folder: Path, stem: str, *, most_lines: int, most_bytes: int
) -> list[Written]:
    """Write lines as `stem-1.jsonl`, `stem-2.jsonl`, …, each within the limits.

    They have their names only when all are complete; files of an earlier writing under the same
    stem are replaced then, and stay as they were if the lines break off. Raises OSError.
    """
    unfinished: dict[Path, int] = {}
    try:
        for part, numbered in groupby(_numbered(lines, most_lines, most_bytes), itemgetter(0)):
            path = folder / f"{stem}-{part}.part"
            unfinished[path] = 0
            with path.open("wb") as file:
                for _, line in numbered:
                    file.write(line)
                    unfinished[path] += 1
    except BaseException:
        for path in unfinished:
            path.unlink(missing_ok=True)
        raise
    for old in folder.glob(f"{stem}-*.jsonl"):
        if old.stem.removeprefix(f"{stem}-").isdecimal():
            old.unlink()
    return [Written(path.rename(path.with_suffix(".jsonl")), n) for path, n in unfinished.items()]


def _numbered(
    lines: Iterable[bytes], most_lines: int, most_bytes: int
) -> Iterator[tuple[int, bytes]]:
    """Each line with the number of the file it goes to, from 1."""
    part, count, size = 1, 0, 0
    for line in lines:
        if count and (count == most_lines or size + len(line) > most_bytes):
            part, count, size = part + 1, 0, 0
        count, size = count + 1, size + len(line)
        yield part, line


# --- Reading ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """A line that says what became of a request."""

    file: str
    line: int
    wanted: Wanted
    status: int  # 0: nothing came back, and the body is the provider's reason
    body: bytes

    @property
    def custom_id(self) -> str:
        return str(self.wanted)


@dataclass(frozen=True)
class Refused:
    """A line nothing is taken from."""

    file: str
    line: int
    code: str
    reason: str

    def as_dict(self) -> dict[str, Any]:
        return {"file": self.file, "line": self.line, "code": self.code, "reason": self.reason}


class _Fault(Exception):
    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


def read(name: str, file: IO[bytes]) -> Iterator[Result | Refused]:
    """One result or refusal for each line that is not blank, from the file's beginning."""
    file.seek(0)
    for number, line in _lines(file):
        if not line.strip():
            continue
        try:
            yield _read_line(name, number, line)
        except _Fault as fault:
            yield Refused(name, number, fault.code, fault.reason)


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Lines from 1, none longer than LONGEST_LINE and a byte, whatever the file holds."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        whole = line.endswith(b"\n")
        yield number, line
        while not whole and (rest := file.readline(LONGEST_LINE)):
            whole = rest.endswith(b"\n")


def _read_line(name: str, number: int, line: bytes) -> Result:
    if len(line) > LONGEST_LINE:
        raise _Fault("batch.too_long", f"longer than {LONGEST_LINE:,} bytes")
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _Fault("batch.not_json", "not UTF-8 text") from None
    except (ValueError, RecursionError):
        raise _Fault("batch.not_json", "not a JSON object; perhaps the line is cut") from None
    if not isinstance(row, dict) or not isinstance(row.get("custom_id"), str):
        raise _Fault("batch.no_custom_id", "not an object with a custom_id")
    wanted = wanted_by(row["custom_id"])
    if wanted is None:
        shown = row["custom_id"][:80]
        raise _Fault("batch.unknown_id", f"{shown!r} is no custom_id of a run here")
    status, body = _response(row)
    return Result(name, number, wanted, status, body)


def _response(row: Mapping[str, Any]) -> tuple[int, bytes]:
    response, error = row.get("response"), row.get("error")
    if isinstance(response, dict):
        status, body = response.get("status_code"), response.get("body")
        if isinstance(status, int) and not isinstance(status, bool) and 100 <= status < 600:
            text = body if isinstance(body, str) else json.dumps(body)
            return status, text.encode("utf-8", "replace")
        raise _Fault("batch.no_response", "its response has no status_code")
    if isinstance(error, dict) and (error.get("code") or error.get("message")):
        said = ": ".join(str(error[name]) for name in ("code", "message") if error.get(name))
        return 0, said[:LONGEST_ERROR].encode("utf-8", "replace")
    if "method" in row:
        raise _Fault("batch.a_request", "a request, not a result; import what came back")
    raise _Fault("batch.no_response", "neither a response nor an error")
