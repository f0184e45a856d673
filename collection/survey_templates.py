"""Ready questions to begin a survey with (`templates_of_surveys/*.yaml`).

A template is written for no study: `regions` as options stands for those of the study, and with
`other` for one that is none of them.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from collection.kinds import AnswerKind
from collection.questionnaire import QuestionFacts
from core.errors import CommonplaceError
from studies.languages import Texts

FOLDER = Path(__file__).parent / "templates_of_surveys"
OTHER = {
    "en": "None of these",
    "es": "Ninguna de estas",
    "hi": "इनमें से कोई नहीं",
    "bn": "এগুলির কোনোটি নয়",
}


@cache
def names() -> dict[str, str]:
    """What a template is called, by its short name."""
    return {name: content["name"] for name, content in _all().items()}


def read(
    name: str, tongues: Sequence[str], regions: Sequence[tuple[str, Texts]]
) -> list[QuestionFacts]:
    """The questions of a template in the languages of a study, for its regions (short name and
    names).

    Raises `survey.no_template`, and `survey.template_language` where the first language of the
    study is none of the template's."""
    if name not in _all():
        raise CommonplaceError(
            "survey.no_template", f"There is no template “{name}”. Choose one from the list."
        )
    questions: Mapping[str, Any] = _all()[name]["questions"]
    written = next(iter(questions.values()))["texts"]
    if tongues[0] not in written:
        raise CommonplaceError(
            "survey.template_language",
            f"These questions are written in {', '.join(written)}, and the first language of the "
            f"study is {tongues[0]}. Write the questions yourself, or begin with another language.",
            allowed=list(written),
        )
    return [
        _question(key, content, tongues, regions, place)
        for place, (key, content) in enumerate(questions.items(), start=1)
    ]


@cache
def _all() -> dict[str, Any]:
    return {path.stem: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*.yaml"))}


def _question(
    key: str,
    content: Mapping[str, Any],
    tongues: Sequence[str],
    regions: Sequence[tuple[str, Texts]],
    position: int,
) -> QuestionFacts:
    options = [{"id": slug, "texts": dict(texts)} for slug, texts in regions]
    if content.get("other"):
        options.append({"id": "none_of_these", "texts": _in(OTHER, tongues)})
    limits = dict(content.get("limits", {}))
    if "options" in content and "most" in limits:
        limits["most"] = min(limits["most"], len(options))
    return QuestionFacts(
        key=key,
        kind=AnswerKind(content["kind"]),
        texts=_in(content["texts"], tongues),
        help=_in(content.get("help", {}), tongues),
        position=position,
        options=options if "options" in content else [],
        limits=limits,
        prefixed=False,
    )


def _in(texts: Texts, tongues: Sequence[str]) -> Texts:
    return {tag: texts[tag].rstrip("\n") for tag in tongues if tag in texts}
