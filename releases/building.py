"""Multiple-choice rows built from question rows, and both as what `releases.choices` works on."""

from collections.abc import Mapping, Sequence
from typing import Any

from releases import choices, consistency
from releases.choices import Choice, Option, Question
from releases.shapes import MOST_OPTIONS, flags_of

Row = dict[str, Any]


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
        pairs=flags_of(row),
        labels=row["labels"],
    )


def choice_of(row: Row, language: str) -> Choice:
    """A choice row as a choice."""
    options = tuple(
        Option(option["text"][language], tuple(option["regions"]))
        for option in row["payload"]["options"]
    )
    return Choice(row["key"], row["payload"]["question"][language], options, row["labels"])


def choice_row(choice: Choice, language: str) -> Row:
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
) -> tuple[list[Row], list[Row]]:
    """Choice rows and findings of question rows under a preset; `regions` as in a manifest.

    Beside what `choices.findings` lists, two options of equal text are `same_text_disagree`, and
    a question with more options than letters is left out as `too_many_options` ({options}).
    Raises `preset.unknown`.
    """
    slugs = [region["slug"] for region in regions]
    names = [name for region in regions for name in region["names"].values()]
    phrases = openings(regions, language)
    built: list[Row] = []
    found: list[Row] = []
    for row in rows:
        question = question_of(row, slugs, language)
        choice = choices.derive(question, preset, phrases)
        if choice is None:
            continue
        if len(choice.options) > MOST_OPTIONS:
            detail = {"options": len(choice.options)}
            found.append({"code": "too_many_options", "item": choice.key, "detail": detail})
        else:
            built.append(choice_row(choice, language))
            found += choices.findings(question, choice, names)
            found += _equal_options(choice, consistency.findings([row], slugs, phrases))
    return built, found


def _equal_options(choice: Choice, of_question: Sequence[Row]) -> list[Row]:
    """Pairs of regions with the same text whose options are two, since they do not agree."""
    place = {region: i for i, option in enumerate(choice.options) for region in option.regions}
    return [
        finding
        for finding in of_question
        if finding["code"] == "same_text_disagree"
        and place[finding["detail"]["a"]] != place[finding["detail"]["b"]]
    ]
