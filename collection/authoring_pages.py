"""What the pages of authors show, in the language the study puts first."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.utils import translation

from collection import checks, documents, form_page, likeness, questionnaire, selectors
from collection.form_page import Filled
from collection.forms import KINDS
from collection.kinds import AnswerKind
from collection.models import Question, Topic
from collection.questionnaire import ENOUGH
from core import catalogue
from studies import languages
from studies.models import Activity, Study

Status = Question.Status


@dataclass(frozen=True)
class TopicLine:
    """`accepted` and `draft` count questions, no checks, of the topic itself; only a topic with
    nothing below it is asked to carry enough."""

    code: str
    name: str
    about: str
    level: int
    accepted: int
    draft: int
    short: bool


@dataclass(frozen=True)
class QuestionLine:
    """`missing` are the languages of the study it has no words in, by their English names; `kind`
    is that of its answer in words."""

    key: str
    position: int
    tag: str
    direction: str
    text: str
    kind: str
    topic: str
    status: str
    is_check: bool
    missing: list[str]


@dataclass(frozen=True)
class FormShown:
    """A form as a participant gets it: `questions` are (key, whether it is an attention check,
    the fields in HTML); `places` are those offered, empty where no question asks for one."""

    number: int
    questions: list[tuple[str, bool, str]]
    places: list[str]


@dataclass(frozen=True)
class Shown:
    """A question as a participant reads it in one language."""

    tag: str
    direction: str
    text: str
    help: str
    options: list[str]
    lowered: bool


def topics_to_merge_into(study: Study, topic: Topic) -> list[tuple[str, str]]:
    """(code, name) of every topic that does not stand below this one."""
    parents = dict(study.topics.values_list("code", "parent__code"))
    own = questionnaire.below([topic.code], parents)
    return [
        (each.code, languages.choose(each.names, study.languages)[1] or each.code)
        for each in study.topics.exclude(code__in=own)
    ]


def topic_lines(study: Study) -> list[TopicLine]:
    """The tree of topics from the top, each with its counts."""
    counted = study.questions.filter(check_rule__isnull=True).values_list("topic_id", "status")
    counts = Counter(counted)
    below: dict[int | None, list[Topic]] = {}
    for topic in study.topics.all():
        below.setdefault(topic.parent_id, []).append(topic)
    found: list[TopicLine] = []

    def walk(parent: int | None, level: int) -> None:
        for topic in below.get(parent, ()):
            accepted = counts[topic.pk, Status.ACCEPTED]
            short = topic.pk not in below and accepted < ENOUGH
            found.append(
                TopicLine(
                    topic.code,
                    languages.choose(topic.names, study.languages)[1],
                    languages.choose(topic.about, study.languages)[1],
                    level,
                    accepted,
                    counts[topic.pk, Status.DRAFT],
                    short,
                )
            )
            walk(topic.pk, level + 1)

    walk(None, 1)
    return found


def question_line(study: Study, question: Question) -> QuestionLine:
    facts = selectors.facts(question)
    tag, text = languages.choose(facts.texts, study.languages)
    topic = question.topic
    return QuestionLine(
        facts.key,
        facts.position,
        tag,
        languages.direction(tag),
        text,
        KINDS[facts.kind],
        languages.choose(topic.names, study.languages)[1] if topic else "",
        question.status,
        facts.check is not None,
        [languages.in_english(tag) for tag in languages.missing(facts.texts, study.languages)],
    )


def shown(study: Study, question: dict[str, Any], document: dict[str, Any], tongue: str) -> Shown:
    """A question of a document in a language, else in the one that language falls back on."""
    order = [tongue, *study.languages]
    tag, text = documents.shown(question, document, order)
    return Shown(
        tag,
        languages.direction(tag),
        text,
        languages.choose(question["help"], order)[1],
        [languages.choose(option["texts"], order)[1] for option in question["options"]],
        question["texts"].get(tag, "") not in text,
    )


def preview_of(study: Study, question: Question) -> list[Shown]:
    """The question in every language of the study, under the prefix of its first survey."""
    activity = selectors.surveys(study).first()
    prefix = selectors.plan(activity).prefix if activity else {}
    document, given = {"prefix": prefix}, selectors.in_document(question)
    return [shown(study, given, document, tongue) for tongue in study.languages]


def preview_forms(activity: Activity, tongue: str) -> list[FormShown]:
    """Every form there would be now, with its fields. Raises `check.of`."""
    wanted = tuple(dict.fromkeys([tongue, *activity.study.languages]))
    with translation.override(catalogue.interface(tongue)):
        return [_form_shown(document, wanted) for document in selectors.forms(activity)]


def _form_shown(document: dict[str, Any], wanted: tuple[str, ...]) -> FormShown:
    questions = document["questions"]
    asks_place = any(each["kind"] == AnswerKind.PLACE for each in questions)
    return FormShown(
        document["number"],
        [
            (
                each["key"],
                each["check"] is not None,
                form_page.html(form_page.block(each, document, wanted, Filled())),
            )
            for each in questions
        ],
        documents.places_shown(document, wanted) if asks_place else [],
    )


def carried(question: Question) -> list[str]:
    """The languages in which a question's words are those of the one it replaced, in English."""
    old, new = question.replaces, selectors.facts(question).texts
    texts = selectors.facts(old).texts if old else {}
    return [languages.in_english(tag) for tag, text in new.items() if texts.get(tag) == text]


def replaced(question: Question) -> str:
    """What is said once an edit has made another question."""
    said = (
        f"A published form holds the words of “{question.replaces}”, so yours are a new question, "
        f"“{question.key}”, which replaces it."
    )
    same = carried(question)
    if not same:
        return said
    return f"{said} Its text is unchanged in {', '.join(same)}: read if it still asks the same."


def successor(study: Study, question: Question) -> str:
    """The short name an edit of a published question's words would get."""
    return questionnaire.successor(question.key, study.questions.values_list("key", flat=True))


def spoken(question: Question) -> list[str]:
    """The languages a question has words in, in English."""
    return [languages.in_english(text.language) for text in question.texts.all()]


def advice(question: Question) -> list[str]:
    return checks.advice(question.check_rule, [each["id"] for each in question.options])


def alike(study: Study, tongue: str) -> list[tuple[QuestionLine, QuestionLine, float]]:
    """Pairs of questions that share most of their words in a language, the most alike first."""
    lines = {row.key: question_line(study, row) for row in selectors.questions(study)}
    pairs = likeness.pairs(selectors.folded(study, tongue))
    return [(lines[one], lines[other], near) for one, other, near in pairs]
