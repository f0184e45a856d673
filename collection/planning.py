"""How questions become forms. Pure; questions have the shape `collection.documents` gives.

The questions stand in their order, at most `per_form` in a form. Attention checks come on top of
them and are spread: a repeated one stands at the end of the form of the question it repeats, the
others first in forms that have none, then everywhere alike.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from collection.checks import CheckType, refuse_unlike

Question = Mapping[str, Any]


def split(questions: Iterable[Question], per_form: int) -> list[list[Question]]:
    """The forms of a survey. Raises `check.of` for a check that repeats what is not asked."""
    every = list(questions)
    asked = [each for each in every if each["check"] is None]
    repeated = [each for each in every if _type(each) == CheckType.REPEATED]
    others = [each for each in every if each["check"] and each not in repeated]
    forms = [asked[start : start + per_form] for start in range(0, len(asked), per_form)]
    if not forms:
        return []
    at_end = _beside_what_they_repeat(repeated, asked, per_form, len(forms))
    among = _spread(others, [not checks for checks in at_end])
    return [
        _mixed(form, inside) + last for form, inside, last in zip(forms, among, at_end, strict=True)
    ]


def _type(question: Question) -> str:
    return question["check"]["type"] if question["check"] else ""


def _beside_what_they_repeat(
    repeated: Sequence[Question], asked: Sequence[Question], per_form: int, count: int
) -> list[list[Question]]:
    places = {each["key"]: place for place, each in enumerate(asked)}
    found: list[list[Question]] = [[] for _ in range(count)]
    for check in repeated:
        place = places.get(check["check"]["of"])
        refuse_unlike(check, None if place is None else asked[place])
        assert place is not None  # noqa: S101  (what is not asked was refused)
        found[place // per_form].append(check)
    return found


def _spread(checks: Sequence[Question], bare: Sequence[bool]) -> list[list[Question]]:
    """The checks of every form: first one each where `bare`, at even distances if they are few,
    then what is left over all forms."""
    found: list[list[Question]] = [[] for _ in bare]
    empty = [number for number, is_bare in enumerate(bare) if is_bare]
    for some, numbers in ((checks[: len(empty)], empty), (checks[len(empty) :], range(len(bare)))):
        for place, check in enumerate(some):
            found[numbers[place * len(numbers) // len(some)]].append(check)
    return found


def _mixed(form: Sequence[Question], checks: Sequence[Question]) -> list[Question]:
    """The checks at even distances among the questions, never first."""
    mixed = list(form)
    for number, check in reversed(list(enumerate(checks, start=1))):
        mixed.insert(max(1, number * len(form) // (len(checks) + 1)), check)
    return mixed
