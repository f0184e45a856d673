"""What a survey is written with, as plain values; pages and study files both end in these. Pure."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from collection import checks
from collection.checks import CheckType
from collection.documents import refuse_prefix
from collection.kinds import CHOICES, MOST_THINGS, AnswerKind
from core.errors import CommonplaceError
from core.text import fold
from studies import languages
from studies.languages import Texts

PER_FORM = 15  # questions of a form at most, attention checks on top
ENOUGH = 15  # accepted questions that a topic should carry
LEAST_OPTIONS = 2
MOST_OPTIONS = 60
LEVELS = 3  # domain, subcategory, topic
UNLIKE = "unlike"  # of limits: the key of the choice that should have no chosen option in common
LIMITED = (AnswerKind.NUMBER, AnswerKind.YEAR, AnswerKind.MANY, AnswerKind.ARTIFACTS)
COUNTED = (AnswerKind.MANY, AnswerKind.ARTIFACTS)  # limits say how many
_KEY = re.compile(r"[a-z][a-z0-9_-]{0,49}")
_OPTION = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True, kw_only=True)
class QuestionFacts:
    """`options` are `{"id", "texts"}`, `limits` hold `least` and `most`, and for a choice `unlike`,
    the key of one whose chosen options should not be chosen here too; `check` is a rule of
    `collection.checks`; `position` counts from 1."""

    key: str
    kind: AnswerKind
    texts: Texts
    position: int
    topic: str | None = None
    help: Texts = field(default_factory=dict)
    options: list[dict[str, Any]] = field(default_factory=list)
    limits: dict[str, Any] = field(default_factory=dict)
    check: dict[str, Any] | None = None
    prefixed: bool = True
    starts_with_name: bool = False


@dataclass(frozen=True, kw_only=True)
class TopicFacts:
    code: str
    names: Texts
    position: int
    parent: str | None = None
    about: Texts = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PlanFacts:
    """`topics` are codes whose questions are asked, with all below them; empty asks everything."""

    prefix: Texts = field(default_factory=dict)
    per_form: int = PER_FORM
    topics: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Survey:
    plan: PlanFacts
    topics: list[TopicFacts]
    questions: list[QuestionFacts]


def key(text: str) -> str:
    """A short name that stays with a question or a topic. Raises `question.key`."""
    if not _KEY.fullmatch(text):
        raise CommonplaceError(
            "question.key",
            f"“{text}” cannot be a short name. Write up to 50 small letters, digits, “_” or “-”, "
            "beginning with a letter.",
            value=text,
        )
    return text


def option_id(text: str) -> str:
    """Raises `question.option_id`."""
    if not _OPTION.fullmatch(text):
        raise CommonplaceError(
            "question.option_id",
            f"“{text}” cannot name an option. Write up to 40 small letters, digits, “_” or “-”.",
            value=text,
        )
    return text


def usually_prefixed(check: Mapping[str, Any] | None) -> bool:
    """Whether the prefix is put in front where nobody says: not before a check that says what to
    answer or asks what everybody knows."""
    return check is None or check["type"] == CheckType.REPEATED


def successor(text: str, taken: Iterable[str]) -> str:
    """The key of the question that replaces another: `guests`, `guests-2`, `guests-3`."""
    base = re.sub(r"-\d+$", "", text)
    used, number = set(taken), 2
    while f"{base}-{number}" in used:
        number += 1
    return f"{base}-{number}"


def refuse(question: QuestionFacts) -> None:
    """Raises `question.options`, `question.option_twice`, `question.limits`, `check.kind` and
    `check.expected`."""
    refuse_options(question.kind, question.options)
    refuse_limits(question.kind, question.limits, len(question.options))
    checks.refuse(question.check, question.kind, [option["id"] for option in question.options])


def refuse_options(kind: AnswerKind, options: Sequence[Mapping[str, Any]]) -> None:
    """Raises `question.options` and `question.option_twice`."""
    if kind not in CHOICES:
        if options:
            raise CommonplaceError(
                "question.options",
                f"An answer of the kind “{kind}” has no options. Remove them, or choose the kind "
                "“one” or “many”.",
            )
        return
    if not LEAST_OPTIONS <= len(options) <= MOST_OPTIONS:
        raise CommonplaceError(
            "question.options",
            f"A choice has {LEAST_OPTIONS} to {MOST_OPTIONS} options, and here are {len(options)}.",
        )
    seen: dict[tuple[str, str], str] = {}
    for option in options:
        for tag, text in [("", option["id"]), *option["texts"].items()]:
            if seen.setdefault((tag, fold(text)), option["id"]) != option["id"]:
                raise CommonplaceError(
                    "question.option_twice",
                    f"There are two options “{text}”. Keep one, or tell them apart.",
                    value=text,
                )


def refuse_limits(kind: AnswerKind, limits: Mapping[str, Any], options: int) -> None:
    """Raises `question.limits` and `question.unlike`."""
    if UNLIKE in limits and kind not in CHOICES:
        raise CommonplaceError(
            "question.unlike",
            f"Only a choice can be unlike another one, not an answer of the kind “{kind}”.",
        )
    limits = {name: value for name, value in limits.items() if name != UNLIKE}
    if not limits:
        return
    least, most = limits.get("least"), limits.get("most")
    if kind not in LIMITED:
        said = f"An answer of the kind “{kind}” has no limits. Remove them."
    elif least is not None and most is not None and least > most:
        said = f"At least {least} and at most {most} cannot both hold. Change one of them."
    elif kind in COUNTED and min(limits.values()) < 0:
        said = "Nobody can give fewer than no answers. Write 0 or more."
    elif kind is AnswerKind.MANY and max(limits.values()) > options:
        said = f"There are {options} options, so a limit is at most {options}."
    elif kind is AnswerKind.ARTIFACTS and max(limits.values()) > MOST_THINGS:
        said = f"A list holds at most {MOST_THINGS} things, so a limit is at most {MOST_THINGS}."
    else:
        return
    raise CommonplaceError("question.limits", said)


def refuse_unlike(question: QuestionFacts, other: QuestionFacts | None) -> None:
    """Raises `question.unlike` for two questions that have no option in common."""
    mine = {option["id"] for option in question.options}
    if other is None or not mine & {option["id"] for option in other.options}:
        raise CommonplaceError(
            "question.unlike",
            f"“{question.key}” should be answered unlike “{question.limits[UNLIKE]}”, and there is "
            "no such choice with one of its options. Name the key of one.",
            value=question.limits[UNLIKE],
        )


def refuse_twins(questions: Iterable[QuestionFacts]) -> None:
    """No two questions say the same in one language; a repeated check may.

    Raises `question.twice` with the two `keys` and the `language`."""
    seen: dict[tuple[str, str], str] = {}
    for question in questions:
        if question.check and question.check["type"] == CheckType.REPEATED:
            continue
        for tag, text in question.texts.items():
            other = seen.setdefault((tag, fold(text)), question.key)
            if other != question.key:
                raise twice(other, question.key, tag, text)


def twice(one: str, other: str, tag: str, text: str) -> CommonplaceError:
    return CommonplaceError(
        "question.twice",
        f"“{one}” and “{other}” ask the same in {tag}: “{text}”. Keep one of them, or make them "
        "differ.",
        keys=[one, other],
        language=tag,
        value=text,
    )


def refuse_plan(plan: PlanFacts, topics: Iterable[str]) -> None:
    """Raises `plan.prefix`, `plan.per_form` and `topic.unknown`."""
    refuse_prefix(plan.prefix)
    if not 1 <= plan.per_form <= PER_FORM:
        raise CommonplaceError(
            "plan.per_form", f"A form has 1 to {PER_FORM} questions, attention checks on top."
        )
    known = set(topics)
    for code in plan.topics:
        if code not in known:
            raise unknown_topic(code)


def refuse_tangle(topics: Sequence[TopicFacts]) -> None:
    """Topics are a tree of at most three levels. Raises `topic.unknown` and `topic.level`."""
    parents = {topic.code: topic.parent for topic in topics}
    for code in parents:
        above: str | None = code
        for _ in range(LEVELS):
            above = parents[above] if above else None
            if above is not None and above not in parents:
                raise unknown_topic(above)
        if above is not None:
            raise CommonplaceError(
                "topic.level",
                f"“{code}” lies deeper than {LEVELS} levels (domain, subcategory, topic), or "
                "below itself. Choose another topic above it.",
                value=code,
            )


def refuse_namesakes(topics: Sequence[TopicFacts], new: Collection[str]) -> None:
    """That none of the `new` ones is called, in any language, what another below the same topic
    is: they would be counted as one. Raises `topic.name_taken`."""
    called: dict[tuple[str | None, str, str], str] = {}  # (above, language, name) -> code
    for topic in sorted(topics, key=lambda each: each.code in new):
        for tag, name in topic.names.items():
            other = called.setdefault((topic.parent, tag, fold(name)), topic.code)
            if other != topic.code and topic.code in new:
                raise CommonplaceError(
                    "topic.name_taken",
                    f"“{name}” is what the topic “{other}” beside it is called. Choose another "
                    "name, or merge the two.",
                    http_status=409,
                    value=name,
                )


def unknown_topic(code: str) -> CommonplaceError:
    return CommonplaceError(
        "topic.unknown", f"There is no topic “{code}”. Choose one there is, or add it.", value=code
    )


def below(codes: Iterable[str], parents: Mapping[str, str | None]) -> set[str]:
    """The topics named and all below them; `parents` maps every code to the one above it."""
    found = set(codes)
    while more := {code for code, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def untranslated(question: QuestionFacts, wanted: str) -> bool:
    """Whether the text or an option lacks a language."""
    every = [question.texts, *(option["texts"] for option in question.options)]
    return any(languages.missing(texts, [wanted]) for texts in every)
