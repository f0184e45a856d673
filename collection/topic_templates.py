"""Ready trees of topics to begin a study with (`templates_of_topics/*.yaml`)."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from collection.questionnaire import TopicFacts
from core.errors import CommonplaceError

FOLDER = Path(__file__).parent / "templates_of_topics"


@cache
def names() -> dict[str, str]:
    """What a template is called, by its short name."""
    return {name: content["name"] for name, content in _all().items()}


def read(name: str) -> list[TopicFacts]:
    """The topics of a template, each behind the one above it. Raises `topics.no_template`."""
    if name not in _all():
        raise CommonplaceError(
            "topics.no_template", f"There is no template “{name}”. Choose one from the list."
        )
    found: list[TopicFacts] = []
    _walk(_all()[name]["topics"], None, found)
    return found


@cache
def _all() -> dict[str, Any]:
    return {path.stem: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*.yaml"))}


def _walk(topics: list[dict[str, Any]], parent: str | None, found: list[TopicFacts]) -> None:
    for topic in topics:
        found.append(
            TopicFacts(
                code=topic["code"],
                names={"en": topic["name"]},
                about={"en": topic["about"]},
                parent=parent,
                position=len(found) + 1,
            )
        )
        _walk(topic.get("topics", []), topic["code"], found)
