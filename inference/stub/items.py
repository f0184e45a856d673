"""Which option of a question stands for which regions, as the simulated model knows it.

The prompt never says it: the model finds the question by its options, then its regions.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import CommonplaceError
from core.text import fold


@dataclass(frozen=True)
class KnownItem:
    key: str
    questions: tuple[str, ...]  # folded, one per language
    regions: Mapping[str, tuple[str, ...]]  # folded option text → regions


@dataclass(frozen=True)
class Items:
    """Canonical choice items, found by the set of their folded options."""

    by_options: Mapping[frozenset[str], Sequence[KnownItem]] = field(default_factory=dict)

    def find(self, options: frozenset[str], prompt: str) -> KnownItem | None:
        """The item with these options; where several share them, the one whose question stands
        in the folded `prompt`."""
        found = self.by_options.get(options, ())
        if len(found) > 1:
            for item in found:
                if any(question in prompt for question in item.questions):
                    return item
        return found[0] if found else None


def load_items(path: Path) -> Items:
    """Read a JSON Lines file of choice items (`key`, `payload.question`, `payload.options`)."""
    by_options: dict[frozenset[str], list[KnownItem]] = {}
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    for options, item in _readings(json.loads(line)):
                        by_options.setdefault(options, []).append(item)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise CommonplaceError(
            "stub.items_unreadable",
            f"The items file {path} cannot be read as choice items ({error!r}). Each line is an "
            "object with key and payload, as in the part `items` of a release.",
            file=str(path),
        ) from error
    return Items(by_options)


def _readings(document: Mapping[str, Any]) -> list[tuple[frozenset[str], KnownItem]]:
    """The item once per language of its options."""
    payload = document["payload"]
    questions = tuple(fold(text) for text in payload["question"].values())
    languages = set.intersection(*(set(option["text"]) for option in payload["options"]))
    readings = []
    for language in sorted(languages):
        regions = {
            fold(option["text"][language]): tuple(option["regions"])
            for option in payload["options"]
        }
        readings.append((frozenset(regions), KnownItem(document["key"], questions, regions)))
    return readings
