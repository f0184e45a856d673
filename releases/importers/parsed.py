"""What every importer hands back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Parsed:
    """Normalised content of a source, nothing stored yet.

    `sha256` is of the bytes that were read; `items` are rows as in `releases/shapes.py`; `regions`
    are [{"slug", "names": {tag: name}, "phrases": {tag: opening}}] in the source's order;
    `refused` are [{"line", "code", "reason"}], `line` counting the source's rows from 1, of a
    folder those of the file that the reason names. `findings` are those only the source itself
    shows; `licence_text` is what the source says others may do, word for word; `passed_over` are
    files of a folder that were not read.
    """

    sha256: str
    read: int
    items: list[dict[str, Any]]
    refused: list[dict[str, Any]]
    regions: list[dict[str, Any]]
    language: str
    licence: str = ""
    licence_text: str = ""
    title: str = ""
    findings: Sequence[dict[str, Any]] = ()
    passed_over: Sequence[str] = ()
