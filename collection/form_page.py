"""A form as its template shows it: every text in the best language there is, every field filled
with what is stored or what was just sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from collection import answers, documents
from collection.answers import Fault, Given, Reading
from collection.kinds import MOST_THINGS, AnswerKind
from collection.models import Answer
from collection.selectors import answering
from collection.selectors.answering import Form
from collection.services.answering import Written
from studies import languages

ROWS = 5  # lines for artifacts, and how many more at a time

_GROUPS = (AnswerKind.ARTIFACTS, AnswerKind.ONE, AnswerKind.MANY)  # kinds with numbered fields


@dataclass(frozen=True, slots=True)
class Text:
    """`tag` and `direction` are empty where they are those of the page."""

    text: str
    tag: str = ""
    direction: str = ""

    @property
    def tongue(self) -> str:
        """The attributes of the element around the text."""
        return format_html(' lang="{}" dir="{}"', self.tag, self.direction) if self.tag else ""


@dataclass(frozen=True, slots=True)
class Choice:
    id: str
    label: Text
    chosen: bool


@dataclass(frozen=True, slots=True)
class Block:
    """One question: `limits` says what fits, `revision` is that of the stored answer its fields
    build upon, `more_rows` how many lines a button offers, 0 for none."""

    key: str
    kind: str
    asked: Text
    help: Text
    limits: str
    choices: list[Choice]
    rows: list[dict[str, str]]
    more_rows: int
    text: str
    skippable: bool
    skipped: bool
    revision: int
    pasted: int
    fault: str

    @property
    def first_field(self) -> str:
        """The id that a link to the question leads to."""
        part = "name" if self.kind == AnswerKind.ARTIFACTS else "answer"
        return f"{part}-{self.key}" + ("-1" if self.kind in _GROUPS else "")

    @property
    def described_by(self) -> str:
        parts = [("fault", self.fault), ("help", self.help.text), ("limits", self.limits)]
        return " ".join(f"{part}-{self.key}" for part, there in parts if there)

    @property
    def picker(self) -> bool:
        """Whether a date can be shown by the browser's own field, which drops anything else."""
        return not self.text or self.text.isascii()


@dataclass(frozen=True, slots=True)
class Filled:
    """What the fields of a question hold."""

    given: Given = field(default_factory=Given)
    skipped: bool = False
    revision: int = 0
    pasted: int = 0


def block(
    question: Mapping[str, Any],
    document: Mapping[str, Any],
    wanted: Sequence[str],
    filled: Filled,
    fault: Fault | None = None,
    rows: int = ROWS,
) -> Block:
    """`wanted` are languages in order: the reader's, which is that of the page, then the study's.
    `rows` is the least number of lines for artifacts, 0 for those that are filled."""
    tag, text = documents.shown(question, document, wanted)
    given = filled.given
    most = question["limits"].get("most") or MOST_THINGS
    lines = _rows(given, min(rows, most)) if question["kind"] == AnswerKind.ARTIFACTS else []
    told, limits = sentence(fault) if fault else "", answers.limits_of(question)
    fits = sentence(limits) if limits else ""
    return Block(
        key=question["key"],
        kind=question["kind"],
        asked=_text(tag, text, wanted),
        help=_text(*languages.choose(question["help"], wanted), wanted),
        limits="" if fits == told else fits,
        choices=[_choice(option, given, wanted) for option in question["options"]],
        rows=lines,
        more_rows=min(len(lines) + ROWS, most, MOST_THINGS) if rows else 0,
        text=given.text or ("" if given.value is None else str(given.value)),
        skippable=question["check"] is None,
        skipped=filled.skipped,
        revision=filled.revision,
        pasted=filled.pasted,
        fault=told,
    )


def fill(
    form: Form,
    wanted: tuple[str, ...],
    rows: int,
    readings: Mapping[str, Reading],
    written: Written,
) -> tuple[list[str], list[Block]]:
    """The questions of a form as HTML, and those among them that have a fault.

    The fields hold what was just sent, where something was, else what is stored.
    """
    stored, version = answering.answers_of(form), form.submission.form_version
    pages, faulty = [], []
    for place, question in enumerate(form.document["questions"]):
        key = question["key"]
        reading, row, fault = readings.get(key), stored.get(key), written.faults.get(key)
        if not (reading or row or fault) and rows == ROWS:
            pages.append(untouched(version.pk, version.sha256, place, wanted))
            continue
        filled = _filled(reading, row, written.saved.get(key))
        shown = block(question, form.document, wanted, filled, fault, rows)
        pages.append(html(shown))
        if fault:
            faulty.append(shown)
    return pages, faulty


def _filled(reading: Reading | None, row: Answer | None, revision: int | None) -> Filled:
    if reading and not (row and reading.untouched):
        kept = reading.revision if revision is None else revision
        return Filled(reading.typed, reading.skipped, kept, reading.pasted)
    if row:
        given = answering.given(row)
        return Filled(given, row.skipped, row.revision, row.signals.get("pasted", 0))
    return Filled()


def html(shown: Block) -> str:
    return render_to_string("collection/_question.html", {"q": shown})


@lru_cache(maxsize=4096)
def untouched(version: int, sha256: str, place: int, wanted: tuple[str, ...]) -> str:
    """The question at a place of a published form before anybody wrote there. Most pages are made
    of these, and rendering them is most of what a page costs."""
    document = answering.document(version, sha256)
    return html(block(document["questions"][place], document, wanted, Filled()))


def words(question: Mapping[str, Any], given: Given, wanted: Sequence[str]) -> str:
    """An answer as a reader sees it, with the words of what was chosen."""
    if given.skipped:
        return _("You would rather not answer.")
    if given.empty:
        return _("Nothing")
    if question["kind"] in (AnswerKind.ONE, AnswerKind.MANY):
        chosen = given.value if isinstance(given.value, list) else [given.value]
        texts = {each["id"]: each["texts"] for each in question["options"]}
        return "\n".join(languages.choose(texts[each], wanted)[1] for each in chosen)
    if question["kind"] == AnswerKind.ARTIFACTS:
        return "\n".join(": ".join(filter(None, row.values())) for row in given.value)
    return given.text or str(given.value)


def sentence(fault: Fault) -> str:
    """What a participant is told about an answer that cannot be sent as it is."""
    return _(_SENTENCES[fault.code]) % fault.data


def _text(tag: str, text: str, wanted: Sequence[str]) -> Text:
    if tag in ("", wanted[0]):
        return Text(text)
    return Text(text, tag, languages.direction(tag))


def _choice(option: Mapping[str, Any], given: Given, wanted: Sequence[str]) -> Choice:
    chosen = given.value if isinstance(given.value, list) else [given.value]
    label = _text(*languages.choose(option["texts"], wanted), wanted)
    return Choice(option["id"], label, option["id"] in chosen)


def _rows(given: Given, least: int) -> list[dict[str, str]]:
    rows = list(given.value or [])
    return rows + [{"name": "", "about": ""}] * (min(least, MOST_THINGS) - len(rows))


_SENTENCES = {
    "answer.empty": gettext_noop(
        "Please answer this question, or tick “I would rather not answer”."
    ),
    "answer.check_empty": gettext_noop("Please answer this question."),
    "answer.too_long": gettext_noop(
        "Your answer has %(length)s characters, and at most %(most)s can be kept. All of it is "
        "still here: please make it shorter."
    ),
    "text.not_storable": gettext_noop(
        "Your answer had a character in it that cannot be saved (%(character)s). It is taken out "
        "below: please look whether your answer is still as you want it."
    ),
    "answer.not_a_number": gettext_noop(
        "Please write a number in digits, such as 12 or 12.5, without marks between thousands."
    ),
    "answer.not_a_year": gettext_noop("Please write a year in digits, such as 1987."),
    "answer.not_a_date": gettext_noop("Please write year, month and day, such as 1987-06-30."),
    "answer.row_without_name": gettext_noop("Please give each thing in your list a name."),
    "answer.number_between": gettext_noop("Please write a number from %(least)s to %(most)s."),
    "answer.number_least": gettext_noop("Please write a number of at least %(least)s."),
    "answer.number_most": gettext_noop("Please write a number of at most %(most)s."),
    "answer.year_between": gettext_noop("Please write a year from %(least)s to %(most)s."),
    "answer.year_least": gettext_noop("Please write a year not before %(least)s."),
    "answer.year_most": gettext_noop("Please write a year not after %(most)s."),
    "answer.many_between": gettext_noop("Please choose from %(least)s to %(most)s of these."),
    "answer.many_exactly": gettext_noop("Please choose %(least)s of these."),
    "answer.many_least": gettext_noop("Please choose at least %(least)s of these."),
    "answer.many_most": gettext_noop("Please choose at most %(most)s of these."),
    "answer.artifacts_between": gettext_noop("Please name from %(least)s to %(most)s things."),
    "answer.artifacts_exactly": gettext_noop("Please name this many things: %(least)s."),
    "answer.artifacts_least": gettext_noop("Please name at least %(least)s things."),
    "answer.artifacts_most": gettext_noop("Please name at most %(most)s things."),
}
