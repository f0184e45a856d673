"""What a participant's fields say: answers by kind, as they are stored. Pure.

| kind | value | text |
|---|---|---|
| short, long | null | as typed |
| one | the option's id | |
| many | ids in option order | |
| number | canonical decimal, `"12.5"` | as typed |
| year | a whole number | as typed, where that is not the value itself |
| date | `"YYYY-MM-DD"` | as typed, where that is not the value itself |
| place | the name of a listed place, or null | as typed, where that is not the value itself |
| artifacts | `[{"name", "about"}]` | the names, one a line |

Text is kept as it was typed, with one exception: a browser sends every line break of a text box
as CR LF, and it is stored as the LF that was typed. A text of nothing but blanks is no answer.
What cannot be read as its kind is kept as text, so that a draft loses nothing.

The fields of question `key` are `answer-key` (several times where several are chosen), for
artifacts `name-key` and `about-key` once a row, `skip-key` where it is ticked, and the hidden
`rev-key` and `pasted-key`. `keep-key` says that what is stored shall stay.
"""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

import regex

from collection import checks, documents
from collection.kinds import CHOICES, MOST_THINGS, AnswerKind
from core.errors import CommonplaceError
from core.text import clean

LONGEST = 20_000  # characters of one answer, all its fields together
MOST_PASTED = 1_000_000  # characters; what a page counts is a hint and never more

Fields = Callable[[str], list[str]]  # the values of a name, as `QueryDict.getlist` gives them
Document = Mapping[str, Any]  # a form or a question of it; `collection.documents` has the shape

_BLANK = regex.compile(r"[\s\p{Cf}\p{Default_Ignorable_Code_Point}]*")
_GROUPING = regex.compile(r"(?<=\d)[\s'’\u066c](?=\d)")
_GROUPED = regex.compile(
    r"[+-]?\d{1,3}(?P<mark>[.,])\d{2,3}(?:(?P=mark)\d{2,3})*(?:(?!(?P=mark))[.,]\d+)?"
)
_EITHER = regex.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
_DECIMAL = regex.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)")
_DATE = regex.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_DIGITS = 30  # of a number


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it is stored."""

    value: Any = None
    text: str = ""
    skipped: bool = False

    @property
    def empty(self) -> bool:
        return not self.skipped and self.value in (None, []) and blank(self.text)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an answer cannot be sent yet: a code of `answer.…`, and what its sentence needs."""

    code: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the fields of one question held.

    `typed` is all of it, `given` what is to be stored: nothing of an answer that somebody would
    rather not give. An answer that is not `storable` stays on the page with its fault.
    """

    typed: Given
    skipped: bool = False
    fault: Fault | None = None
    storable: bool = True
    revision: int = 0
    pasted: int = 0

    @property
    def given(self) -> Given:
        return Given(skipped=True) if self.skipped else self.typed

    @property
    def untouched(self) -> bool:
        """Whether the page was opened before there was an answer, and holds none: nothing of it
        is lost where another page has answered since."""
        return self.given.empty and self.revision == 0


def blank(text: str) -> bool:
    """Whether a reader sees nothing in it."""
    return _BLANK.fullmatch(text) is not None


def read_form(document: Document, fields: Fields) -> dict[str, Reading]:
    """Readings by question key, of the questions whose fields were sent."""
    return {
        question["key"]: read(question, document, fields)
        for question in document["questions"]
        if _sent(question, fields)
    }


def read(question: Document, document: Document, fields: Fields) -> Reading:
    """What was sent to a question of a document."""
    key = question["key"]
    try:
        typed, fault = _typed(question, document, fields), None
    except CommonplaceError as error:  # text.not_storable
        typed, fault = _typed(question, document, fields, _without), Fault(error.code, error.data)
    skipped = bool(fields(f"skip-{key}")) and question["check"] is None
    storable = fault is None
    length = _length(typed)
    if length > LONGEST:
        fault, storable = Fault("answer.too_long", {"length": length, "most": LONGEST}), False
    elif question["kind"] == AnswerKind.ARTIFACTS and len(typed.value) > MOST_THINGS:
        fault, storable = Fault("answer.artifacts_most", {"most": MOST_THINGS}), False
    return Reading(
        typed=typed,
        skipped=skipped,
        fault=None if skipped else fault or fault_of(question, typed),
        storable=skipped or storable,
        revision=_whole(fields(f"rev-{key}"), 1 << 30),
        pasted=_whole(fields(f"pasted-{key}"), MOST_PASTED),
    )


def fault_of(question: Document, given: Given) -> Fault | None:
    """What keeps an answer from being sent; None where nothing does."""
    if given.skipped:
        return None
    if given.empty:
        return Fault("answer.empty" if question["check"] is None else "answer.check_empty")
    kind, value = question["kind"], given.value
    if kind in (AnswerKind.NUMBER, AnswerKind.YEAR, AnswerKind.DATE) and value is None:
        return Fault(f"answer.not_a_{kind}")
    if kind in (AnswerKind.NUMBER, AnswerKind.YEAR):
        return _outside(kind, Decimal(value), question["limits"])
    if kind in (AnswerKind.MANY, AnswerKind.ARTIFACTS):
        if kind == AnswerKind.ARTIFACTS and any(blank(row["name"]) for row in value):
            return Fault("answer.row_without_name")
        return _outside(kind, Decimal(len(value)), question["limits"])
    return None


def limits_of(question: Document) -> Fault | None:
    """What an answer outside the limits is told, to be told before; None where there are none.

    One thing at least is what every question asks for.
    """
    kind, limits = question["kind"], question["limits"]
    least, most = limits.get("least"), limits.get("most")
    if kind in (AnswerKind.MANY, AnswerKind.ARTIFACTS) and most is None and (least or 0) <= 1:
        return None
    return None if least is None and most is None else _beyond(kind, limits)


def _outside(kind: str, number: Decimal, limits: Mapping[str, Any]) -> Fault | None:
    least, most = limits.get("least"), limits.get("most")
    below = least is not None and number < Decimal(str(least))
    above = most is not None and number > Decimal(str(most))
    return _beyond(kind, limits) if below or above else None


_COUNTED = (AnswerKind.MANY, AnswerKind.ARTIFACTS)


def _beyond(kind: str, limits: Mapping[str, Any]) -> Fault:
    least, most = limits.get("least"), limits.get("most")
    end = "most" if least is None else "least" if most is None else "between"
    if least == most and kind in _COUNTED:
        end = "exactly"
    return Fault(f"answer.{kind}_{end}", {"least": least, "most": most})


# --- reading by kind ----------------------------------------------------------------------------


def _typed(
    question: Document,
    document: Document,
    fields: Fields,
    check: Callable[[str], str] = clean,
) -> Given:
    key, kind = question["key"], question["kind"]
    if kind == AnswerKind.ARTIFACTS:
        return _artifacts(fields(f"name-{key}"), fields(f"about-{key}"), check)
    values = fields(f"answer-{key}")
    if kind in (AnswerKind.ONE, AnswerKind.MANY):
        chosen = [option["id"] for option in question["options"] if option["id"] in values]
        return Given(chosen if kind == AnswerKind.MANY else next(iter(chosen), None))
    text = check(values[-1].replace("\r\n", "\n")) if values else ""
    if kind == AnswerKind.NUMBER:
        return Given(number(text), text)
    if kind == AnswerKind.YEAR:
        return _unless_plain(year(text), text)
    if kind == AnswerKind.DATE:
        return _unless_plain(day(text), text)
    if kind == AnswerKind.PLACE:
        return _unless_plain(documents.place_called(text, document), text)
    return Given(None, text)


def _unless_plain(value: int | str | None, text: str) -> Given:
    return Given(value, "" if text == str(value) else text)


def _artifacts(names: list[str], abouts: list[str], check: Callable[[str], str]) -> Given:
    abouts = [*abouts, *[""] * (len(names) - len(abouts))]
    rows = [
        {"name": check(name), "about": check(about)}
        for name, about in zip(names, abouts, strict=False)
        if not (blank(name) and blank(about))
    ]
    return Given(rows, "\n".join(row["name"] for row in rows if not blank(row["name"])))


def number(text: str) -> str | None:
    """A number written with the digits of any script, as a canonical decimal; None for anything
    else.

    A point, a comma or U+066B stands before the fraction. Blanks, apostrophes and U+066C may
    group digits, and so may points or commas that stand more than once or beside the other one.
    `1,234` alone could be either, and is left to its writer to make plain.
    """
    typed = _plain(text).replace("\u2212", "-").replace("\u066b", ".")
    plain = _GROUPING.sub("", typed)
    if len(regex.findall("[.,]", plain)) > 1:
        grouped = _GROUPED.fullmatch(plain)
        if not grouped:
            return None
        plain = plain.replace(grouped["mark"], "")
    elif plain == typed and _EITHER.fullmatch(plain):
        return None
    plain = plain.replace(",", ".")
    return checks.decimal(plain) if _DECIMAL.fullmatch(plain) and len(plain) <= _DIGITS else None


def year(text: str) -> int | None:
    """One to four digits of any script."""
    plain = _plain(text)
    return int(plain) if plain.isdecimal() and len(plain) <= 4 else None


def day(text: str) -> str | None:
    """A date written year first, with digits of any script, as `YYYY-MM-DD`."""
    found = _DATE.fullmatch(_plain(text))
    try:
        return date(*map(int, found.groups())).isoformat() if found else None
    except ValueError:  # there is no 31 June
        return None


def _plain(text: str) -> str:
    """Trimmed, of ordinary width, its digits those of ASCII."""
    trimmed = unicodedata.normalize("NFKC", text).strip()
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in trimmed)


# --- what was sent ------------------------------------------------------------------------------


def _sent(question: Document, fields: Fields) -> bool:
    """A choice of nothing has no field at all, so that its revision stands for it; whatever is
    written is always sent, and where it is missing it stays as it is stored."""
    key = question["key"]
    if fields(f"keep-{key}"):
        return False
    chosen = question["kind"] in CHOICES
    parts = ("answer", "skip", "name", *(["rev"] if chosen else []))
    return any(fields(f"{part}-{key}") for part in parts)


def _length(given: Given) -> int:
    abouts = given.value if isinstance(given.value, list) else []
    return len(given.text) + sum(len(row["about"]) for row in abouts if isinstance(row, dict))


def _whole(values: list[str], most: int) -> int:
    text = values[-1] if values else ""
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 12 else 0


def _without(text: str) -> str:
    """The text without what no database keeps, for the page that says so."""
    return regex.sub(r"[\x00\ud800-\udfff]", "", text)
