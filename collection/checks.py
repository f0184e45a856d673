"""Attention checks: what one may be, and what its author should think about. Pure.

A check is a question with a rule:

* `{"type": "instructed", "expected": value}`: the question itself says what to answer;
* `{"type": "known", "expected": value}`: everybody who reads it knows the answer;
* `{"type": "repeated", "of": key}`: an earlier question again, to be answered alike.

`expected` is the value as an answer stores it: an option's id, a list of ids in option order, a
canonical decimal string, a year as a number, and for a short text its words (compared folded).
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from collection.kinds import AnswerKind
from core.errors import CommonplaceError
from core.text import clean, fold


class CheckType(StrEnum):
    INSTRUCTED = "instructed"
    KNOWN = "known"
    REPEATED = "repeated"


KINDS = (AnswerKind.ONE, AnswerKind.MANY, AnswerKind.NUMBER, AnswerKind.YEAR, AnswerKind.SHORT)
LEAST_FOR_A_MIDPOINT = 3  # options

_MEMORY = (
    "This check asks people to remember what they answered before. Somebody attentive can answer "
    "a repeated question in other words; weigh its result with care."
)
_KNOWLEDGE = (
    "This check asks for something people are supposed to know. Somebody attentive may not know "
    "it; prefer a check that says itself what to answer."
)
_MIDPOINT = (
    "The expected answer is the middle of a scale, where many people put their mark without "
    "reading. Expect another option."
)


def decimal(text: str) -> str:
    """A number as it is stored: `12.50` is `12.5`. Raises `check.expected`."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number.adjusted()) > 30:
        raise _unexpected(text, "a number such as 12.5")
    plain = f"{number:f}"
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if plain in ("-0", "") else plain


def refuse(check: Mapping[str, Any] | None, kind: AnswerKind, option_ids: Sequence[str]) -> None:
    """Raises `check.kind` and `check.expected` for a rule that no answer could meet."""
    if check is None:
        return
    if check["type"] == CheckType.REPEATED:
        _refuse_kind(kind)
    else:
        value = check["expected"]
        given = value if isinstance(value, list) else [str(value)]
        expected(kind, option_ids, given)


def _refuse_kind(kind: AnswerKind) -> None:
    if kind not in KINDS:
        raise CommonplaceError(
            "check.kind",
            f"An attention check is answered by {', '.join(KINDS)}; answers of the kind “{kind}” "
            "cannot be compared with what is expected.",
            value=kind,
        )


def expected(kind: AnswerKind, option_ids: Sequence[str], given: Sequence[str]) -> Any:
    """The stored value of what an author expects, given as words one after the other.

    Raises `check.expected` and `check.kind`."""
    _refuse_kind(kind)
    if kind is AnswerKind.MANY:
        strange = [each for each in given if each not in option_ids]
        if strange or not given:
            raise _unexpected(", ".join(strange), f"one or more of {', '.join(option_ids)}")
        return [each for each in option_ids if each in given]
    if len(given) != 1:
        raise _unexpected(", ".join(given), "one answer")
    return _single(kind, option_ids, given[0])


def _single(kind: AnswerKind, option_ids: Sequence[str], text: str) -> Any:
    if kind is AnswerKind.ONE:
        if text not in option_ids:
            raise _unexpected(text, f"one of {', '.join(option_ids)}")
        return text
    if kind is AnswerKind.NUMBER:
        return decimal(text)
    if kind is AnswerKind.YEAR:
        if not (text.isascii() and text.isdigit() and len(text) <= 4):
            raise _unexpected(text, "a year")
        return int(text)
    if not fold(text):
        raise _unexpected(text, "the words of the answer")
    return clean(text)


def refuse_unlike(check: Mapping[str, Any], of: Mapping[str, Any] | None) -> None:
    """A repeated check is answered like the question it repeats; both as `documents` has them.
    Raises `check.of`."""
    key = check["check"]["of"]
    if of is None or of["check"] is not None:
        raise CommonplaceError(
            "check.of",
            f"“{check['key']}” repeats “{key}”, and there is no such question. Name the key of a "
            "question that is no check itself.",
            value=key,
        )
    same = [each["id"] for each in check["options"]] == [each["id"] for each in of["options"]]
    if check["kind"] != of["kind"] or not same:
        raise CommonplaceError(
            "check.of",
            f"“{check['key']}” repeats “{key}” and must be answered in the same way: give it the "
            f"kind “{of['kind']}” and the same options.",
            value=key,
        )


def advice(check: Mapping[str, Any] | None, option_ids: Sequence[str]) -> list[str]:
    """What speaks against a check, in sentences; a warning to its author, never a refusal."""
    if check is None:
        return []
    if check["type"] == CheckType.REPEATED:
        return [_MEMORY]
    said = [_KNOWLEDGE] if check["type"] == CheckType.KNOWN else []
    count = len(option_ids)
    odd = count % 2 == 1 and count >= LEAST_FOR_A_MIDPOINT
    if odd and check["expected"] == option_ids[count // 2]:
        said.append(_MIDPOINT)
    return said


def failed(check: Mapping[str, Any], given: Any, before: Any = None) -> dict[str, Any] | None:
    """What speaks against an answer to a check, `{"type", "expected", "given"}`; None where it is
    as it should be, or where the question it repeats was not answered.

    `check` is as `documents` has it; `given`, and `before` for the repeated question, are the
    value of an answer, or its words where it has no value.
    """
    rule = check["check"]
    wanted = before if rule["type"] == CheckType.REPEATED else rule["expected"]
    if wanted in (None, "", []) or _alike(wanted, given):
        return None
    return {"type": rule["type"], "expected": wanted, "given": given}


def _alike(one: Any, other: Any) -> bool:
    both = isinstance(one, str) and isinstance(other, str)
    return fold(one) == fold(other) if both else bool(one == other)


def _unexpected(given: str, allowed: str) -> CommonplaceError:
    return CommonplaceError(
        "check.expected",
        f"“{given}” cannot be what the check expects. Write {allowed}.",
        value=given,
        allowed=allowed,
    )
