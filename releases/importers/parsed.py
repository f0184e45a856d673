"""What every importer hands back."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Parsed:
    """Normalised content of a source, nothing stored yet.

    `items` are rows as in `releases/shapes.py`; `regions` are [{"slug", "names": {tag: name},
    "phrases": {tag: opening}}] in the source's order; `refused` are [{"line", "code", "reason"}],
    `line` counting the source's rows from 1.
    """

    read: int
    items: list[dict[str, Any]]
    refused: list[dict[str, Any]]
    regions: list[dict[str, Any]]
    language: str
    licence: str = ""
    title: str = ""
