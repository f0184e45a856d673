"""The bytes of a release: canonical JSON, one row a line, named by their SHA-256.

Canonical is: keys sorted by code point, no spaces, characters as themselves in UTF-8, no NaN,
and in files a newline after every row. Equal content is equal bytes on every machine.
"""

import hashlib
import json
from collections.abc import Iterable
from typing import Any


def dumps(value: Any) -> bytes:
    """One value as canonical JSON, without a newline."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def lines(rows: Iterable[Any]) -> bytes:
    """Rows as canonical JSON Lines; no rows are no bytes."""
    return b"".join(dumps(row) + b"\n" for row in rows)


def rows(data: bytes) -> list[Any]:
    """The rows of canonical JSON Lines. Only the newline separates: texts may hold U+2028."""
    return [json.loads(line) for line in data.split(b"\n") if line]


def sha256(data: bytes) -> str:
    """Lower-case hexadecimal, 64 characters."""
    return hashlib.sha256(data).hexdigest()
