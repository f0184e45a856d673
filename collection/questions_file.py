"""The section `survey` of a study file (docs/study-file.md). Pure: nodes in, plain values out."""

from functools import partial
from typing import Any

from collection import checks, questionnaire
from collection.checks import CheckType
from collection.documents import refuse_prefix
from collection.kinds import AnswerKind
from collection.questionnaire import PlanFacts, QuestionFacts, Survey, TopicFacts
from core.errors import CommonplaceError
from studies import nodes
from studies.languages import Texts
from studies.nodes import Map, Value

SURVEY = ("prefix", "per_form", "topics", "questions")
TOPIC = ("names", "parent", "about")
QUESTION = (
    "kind",
    "topic",
    "texts",
    "help",
    "options",
    "limits",
    "prefixed",
    "starts_with_name",
    "check",
)
LIMITS = ("least", "most", questionnaire.UNLIKE)
CHECK = ("type", "expected", "of")
FARTHEST = 10**12  # a limit of a number


def parse(value: Value, tongues: list[str]) -> Survey:
    """What the section says. Refusals are `study_file.*` and name line and key."""
    survey = Map(value, SURVEY)
    topics: list[TopicFacts] = survey.read(
        "topics", nodes.entries(partial(_topic, tongues=tongues)), []
    )
    if topics:
        survey.at("topics").checked(lambda: questionnaire.refuse_tangle(topics))
    codes = {topic.code for topic in topics}
    questions = survey.read("questions", nodes.entries(partial(_question, tongues, codes)))
    given = Map(survey.at("questions"), None).values
    _refuse_twins(given, questions)
    _refuse_unlike(given, questions)
    _refuse_too_like(given, questions)
    return Survey(plan=_plan(survey, tongues), topics=topics, questions=questions)


def _plan(survey: Map, tongues: list[str]) -> PlanFacts:
    prefix: Texts = survey.read("prefix", nodes.texts_in(tongues), {})
    if prefix:
        survey.at("prefix").checked(lambda: refuse_prefix(prefix))
    per_form = nodes.whole(1, questionnaire.PER_FORM)
    return PlanFacts(
        prefix=prefix, per_form=survey.read("per_form", per_form, questionnaire.PER_FORM)
    )


def _topic(value: Value, tongues: list[str]) -> TopicFacts:
    topic, texts = Map(value, TOPIC), nodes.texts_in(tongues)
    return TopicFacts(
        code=nodes.checked(questionnaire.key)(value.named()),
        names=topic.read("names", texts),
        about=topic.read("about", texts, {}),
        parent=topic.read("parent", nodes.trimmed, "") or None,
        position=value.position,
    )


def _question(tongues: list[str], codes: set[str], value: Value) -> QuestionFacts:
    question, texts = Map(value, QUESTION), nodes.texts_in(tongues, nodes.exact)
    kind: AnswerKind = question.read("kind", nodes.one_of(AnswerKind))
    options: list[dict[str, Any]] = question.read(
        "options", nodes.entries(partial(_option, tongues)), []
    )
    _refused(question, "options", partial(questionnaire.refuse_options, kind, options))
    limits: dict[str, Any] = question.read("limits", _limits, {})
    _refused(question, "limits", partial(questionnaire.refuse_limits, kind, limits, len(options)))
    topic = question.read("topic", nodes.trimmed, "")
    if topic and topic not in codes:
        raise nodes.unknown(question.at("topic"), topic, codes)
    check = _check(question, kind, [each["id"] for each in options])
    return QuestionFacts(
        key=nodes.checked(questionnaire.key)(value.named()),
        kind=kind,
        texts=question.read("texts", texts),
        position=value.position,
        topic=topic or None,
        help=question.read("help", texts, {}),
        options=options,
        limits=limits,
        check=check,
        prefixed=question.read("prefixed", nodes.yes_or_no, questionnaire.usually_prefixed(check)),
        starts_with_name=question.read("starts_with_name", nodes.yes_or_no, False),
    )


def _option(tongues: list[str], value: Value) -> dict[str, Any]:
    named = nodes.checked(questionnaire.option_id)(value.named())
    return {"id": named, "texts": nodes.texts_in(tongues, nodes.exact)(value)}


def _limits(value: Value) -> dict[str, Any]:
    limits = Map(value, LIMITS)
    return {
        name: limits.read(name, nodes.trimmed if name == questionnaire.UNLIKE else _whole)
        for name in LIMITS
        if name in limits.values
    }


def _whole(value: Value) -> int:
    text = value.text()
    digits = text.removeprefix("-")
    short = digits.isascii() and digits.isdigit() and len(digits) <= len(str(FARTHEST))
    if not (short and int(digits) <= FARTHEST):
        raise value.refuse(f"“{text}” does not fit. Write a whole number.", "a whole number")
    return int(text)


def _check(question: Map, kind: AnswerKind, option_ids: list[str]) -> dict[str, Any] | None:
    if "check" not in question.values:
        return None
    at = question.at("check")
    check = Map(at, CHECK)
    type_ = check.read("type", nodes.one_of(CheckType)).value
    wanted, other = ("of", "expected") if type_ == CheckType.REPEATED else ("expected", "of")
    if other in check.values:
        raise check.at(other).refuse(f"A check of the type “{type_}” has “{wanted}” instead.")
    if wanted == "of":
        rule: dict[str, Any] = {"type": type_, "of": check.read("of", nodes.trimmed)}
        at.checked(lambda: checks.refuse(rule, kind, option_ids))
        return rule
    value = check.at("expected")
    many = value.is_list()
    given = [each.text() for each in value.items()] if many else [value.text()]
    return {
        "type": type_,
        "expected": value.checked(lambda: checks.expected(kind, option_ids, given)),
    }


def _refused(question: Map, key: str, rule: Any) -> None:
    """A refusal points at the key it is about where that stands in the file."""
    (question.values.get(key) or question.value).checked(rule)


def _refuse_twins(given: dict[str, Value], questions: list[QuestionFacts]) -> None:
    try:
        questionnaire.refuse_twins(questions)
    except CommonplaceError as error:
        at = given[error.data["keys"][1]]
        raise at.refuse(error.message, given=error.data["value"]) from error


def _refuse_unlike(given: dict[str, Value], questions: list[QuestionFacts]) -> None:
    shapes = {
        each.key: {"key": each.key, "kind": each.kind, "options": each.options, "check": each.check}
        for each in questions
    }
    for key, shape in shapes.items():
        check = shape["check"]
        if isinstance(check, dict) and check["type"] == CheckType.REPEATED:
            rule = partial(checks.refuse_unlike, shape, shapes.get(check["of"]))
            Map(given[key], QUESTION).at("check").checked(rule)


def _refuse_too_like(given: dict[str, Value], questions: list[QuestionFacts]) -> None:
    by_key = {each.key: each for each in questions}
    for key, question in by_key.items():
        if questionnaire.UNLIKE in question.limits:
            other = by_key.get(question.limits[questionnaire.UNLIKE])
            rule = partial(questionnaire.refuse_unlike, question, other)
            Map(given[key], QUESTION).at("limits").checked(rule)
