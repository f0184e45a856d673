"""The shape of exported answers: columns and rows, in two layouts.

| layout | a row is | docs/answers-export.md says what stands in |
|--------|----------|--------------------------------------------|
| `long` | one answer | `LONG_COLUMNS` |
| `wide` | one participation | `PERSON_COLUMNS`, then `answer_<key>` for every question |

Everything about a question is read from the frozen document it was answered in, so that an option
dropped since keeps its id and its words.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

from collection import documents
from collection.kinds import AnswerKind
from core.tables import Value
from studies import languages

FORMATS = ("csv", "csv-safe", "jsonl", "xlsx")
SHEET = "xlsx"  # whose cells can be numbers
SHEET_DIGITS = 15  # significant decimal digits a double keeps (IEEE 754 binary64)
ANSWER = "answer_"  # in front of a question's key, so that no key meets another column's name

_CONSENTS = ("publish", "audio", "outside_model")
_CONSENT_COLUMNS = tuple(f"consent_{purpose}" for purpose in _CONSENTS)

LONG_COLUMNS = (
    *("study", "activity", "phase", "participant", "attempt", "region"),
    *("form", "form_version", "form_sha256"),
    *("submission_status", "participation_status", "included", "language"),
    *("question", "question_id", "kind", "topic", "question_text", "is_check", "check_passed"),
    *("value", "value_text", "text", "skipped", "revision"),
    *("started", "submitted", "ms"),
    *_CONSENT_COLUMNS,
    "simulated",
)
PERSON_COLUMNS = (
    *("study", "activity", "phase", "participant", "attempt", "region"),
    *("participation_status", "included", "language", "forms"),
    *("started", "submitted", "ms", "skipped", "failed_checks"),
    *_CONSENT_COLUMNS,
    "simulated",
)


class Layout(StrEnum):
    LONG = "long"
    WIDE = "wide"


@dataclass(frozen=True)
class Choice:
    """What somebody wants; `format` is one of FORMATS."""

    layout: Layout
    format: str
    drafts: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """A participation as exports show it; `participant` is the pseudonym."""

    id: int
    study: str
    activity: str
    phase: str
    participant: str
    attempt: int
    region: str | None
    status: str
    included: bool | None
    purposes: Mapping[str, bool]  # those asked for, each with whether it was agreed to
    simulated: bool

    @property
    def consents(self) -> tuple[bool | None, ...]:
        return tuple(self.purposes.get(purpose) for purpose in _CONSENTS)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was shown in one language; `labels` are the options' words in the study's
    first language, by id."""

    position: int
    id: int
    key: str
    kind: str
    topic: str | None
    text: str
    check: bool
    labels: Mapping[str, str]


class Given(NamedTuple):
    """An answer as stored."""

    question: int
    value: Any
    text: str
    skipped: bool
    revision: int


@dataclass(frozen=True, slots=True)
class FilledForm:
    """One person's one form with its answers, in the order asked; instants are ISO-8601."""

    person: Person
    number: int
    version: int
    sha256: str
    status: str
    language: str
    started: str
    submitted: str | None
    ms: int
    asked: Mapping[int, Asked]  # by question id
    failed: frozenset[str]  # keys of attention checks
    answers: Sequence[Given]


def asked(document: Mapping[str, Any], language: str, study: Sequence[str]) -> dict[int, Asked]:
    """The questions of a form by id; `study` is the study's languages in their order."""
    return {
        question["id"]: Asked(
            position,
            question["id"],
            question["key"],
            question["kind"],
            question["topic"],
            documents.shown(question, document, [language, *study])[1],
            question["check"] is not None,
            {each["id"]: languages.choose(each["texts"], study)[1] for each in question["options"]},
        )
        for position, question in enumerate(document["questions"])
    }


def keys(of_documents: Iterable[Mapping[str, Any]]) -> list[str]:
    """The keys of all questions of documents, each where it stands first."""
    found = (question["key"] for document in of_documents for question in document["questions"])
    return list(dict.fromkeys(found))


def wide_columns(question_keys: Iterable[str]) -> tuple[str, ...]:
    return (*PERSON_COLUMNS, *(f"{ANSWER}{key}" for key in question_keys))


def long_rows(forms: Iterable[FilledForm], format: str) -> Iterator[Sequence[Value]]:
    """One row an answer, under LONG_COLUMNS."""
    as_cell = _as_cell(format)
    for form in forms:
        person = form.person
        head = (
            *(person.study, person.activity, person.phase),
            *(person.participant, person.attempt, person.region),
            *(form.number, form.version, form.sha256),
            *(form.status, person.status, person.included, form.language),
        )
        tail = (form.started, form.submitted, form.ms, *person.consents, person.simulated)
        for given in form.answers:
            question = form.asked[given.question]
            yield (
                *head,
                *(question.key, question.id, question.kind, question.topic, question.text),
                *(question.check, _passed(question, form)),
                *(as_cell(given.value, question.kind), _words(given.value, question.labels)),
                given.text,
                *(given.skipped, given.revision),
                *tail,
            )


def wide_rows(
    forms: Iterable[FilledForm], question_keys: Sequence[str], format: str
) -> Iterator[Sequence[Value]]:
    """One row a participation, under `wide_columns`; forms of a person stand together."""
    as_cell = _as_cell(format)
    place = {key: number for number, key in enumerate(question_keys)}
    for _, together in groupby(forms, key=lambda form: form.person.id):
        cells: list[Value] = [None] * len(place)
        theirs = list(together)
        for form in theirs:
            for given in form.answers:
                question = form.asked[given.question]
                if given.skipped:
                    continue
                shown = as_cell(given.value, question.kind)
                cells[place[question.key]] = given.text if shown is None else shown
        yield (*_person_cells(theirs), *cells)


def _person_cells(forms: Sequence[FilledForm]) -> tuple[Value, ...]:
    person = forms[0].person
    skipped = [
        form.asked[given.question].key for form in forms for given in form.answers if given.skipped
    ]
    return (
        *(person.study, person.activity, person.phase),
        *(person.participant, person.attempt, person.region),
        *(person.status, person.included, forms[-1].language, len(forms)),
        min(form.started for form in forms),
        max((form.submitted for form in forms if form.submitted), default=None),
        sum(form.ms for form in forms),
        " ".join(skipped),
        " ".join(key for form in forms for key in sorted(form.failed)),
        *person.consents,
        person.simulated,
    )


def plain(value: Any) -> str | None:
    """A stored value as a cell: text as it is (an option's id, a date, a number's digits), a list
    or whole number as JSON, nothing where there is none."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def counted(value: Any, kind: str) -> Value:
    """A stored value as a cell people calculate with: a number or a year is one, unless a sheet
    could not hold all of its digits."""
    text = plain(value)
    if text is None or kind not in (AnswerKind.NUMBER, AnswerKind.YEAR):
        return text
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return text
    digits = len(exact.as_tuple().digits)
    if not exact.is_finite() or max(digits, abs(exact.adjusted())) > SHEET_DIGITS:
        return text
    return int(exact) if exact == exact.to_integral_value() else float(exact)


def _as_cell(format: str) -> Callable[[Any, str], Value]:
    return counted if format == SHEET else lambda value, kind: plain(value)


def _words(value: Any, labels: Mapping[str, str]) -> str | None:
    """The labels of what was chosen; None for kinds without options."""
    if not labels or value is None:
        return None
    chosen = value if isinstance(value, list) else [value]
    return "; ".join(labels.get(option, option) for option in chosen)


def _passed(question: Asked, form: FilledForm) -> bool | None:
    """Checks are judged at submission; None before it and for what is no check."""
    if not question.check or form.submitted is None:
        return None
    return question.key not in form.failed
