"""Multiple-choice rows built from question rows, and both as what `releases.choices` works on."""

from collections.abc import Mapping, Sequence
from typing import Any

from releases import choices
from releases.choices import Choice, Option, Question

Row = Mapping[str, Any]


def openings(regions: Sequence[Mapping[str, Any]], language: str) -> dict[str, str]:
    """{slug: phrase its answers begin with}, from a manifest's regions."""
    return {region["slug"]: region["phrases"].get(language, "") for region in regions}


def question_of(row: Row, regions: Sequence[str], language: str) -> Question:
    """A question row with the first gold text of each region."""
    payload = row["payload"]
    return Question(
        key=row["key"],
        text=payload["text"][language],
        regions=tuple(regions),
        gold={
            region: answers[0]["text"][language] if answers else None
            for region, answers in payload["gold"].items()
        },
        pairs={(pair["a"], pair["b"]): pair["agree"] for pair in payload["relations"]["pairs"]},
        labels=row["labels"],
    )


def choice_of(row: Row, language: str) -> Choice:
    """A choice row as a choice."""
    options = tuple(
        Option(option["text"][language], tuple(option["regions"]))
        for option in row["payload"]["options"]
    )
    return Choice(row["key"], row["payload"]["question"][language], options, row["labels"])


def choice_row(choice: Choice, language: str) -> dict[str, Any]:
    """The row of an item built from the question of the same key."""
    return {
        "key": choice.key,
        "kind": "choice",
        "labels": dict(choice.labels),
        "payload": {
            "question": {language: choice.text},
            "options": [
                {"text": {language: option.text}, "regions": list(option.regions)}
                for option in choice.options
            ],
            "source": choice.key,
        },
    }


def build_choices(
    rows: Sequence[Row], regions: Sequence[Mapping[str, Any]], language: str, preset: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Choice rows and findings of question rows under a preset; `regions` as in a manifest.

    Raises `preset.unknown`.
    """
    slugs = [region["slug"] for region in regions]
    names = [name for region in regions for name in region["names"].values()]
    phrases = openings(regions, language)
    built, found = [], []
    for row in rows:
        question = question_of(row, slugs, language)
        choice = choices.derive(question, preset, phrases)
        if choice is not None:
            built.append(choice_row(choice, language))
            found += choices.findings(question, choice, names)
    return built, found
