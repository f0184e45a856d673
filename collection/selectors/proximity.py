"""Which regions people of a region name as most and as least like their own.

A survey asks this with two choices among the regions, one of which must be unlike the other
(`limits.unlike` of a question); wherever two such questions are asked, there is a matrix.
"""

from collections import Counter
from dataclasses import dataclass

from collection.kinds import CHOICES
from collection.models import Answer, Question
from studies import languages
from studies.models import Participant, Study
from studies.participation import Status
from studies.setup import Phase


@dataclass(frozen=True)
class Cell:
    """Of the `n` people of a region who answered both questions, how many named another region as
    near and as far. The `proximity` is the difference of the two shares, from -1 to 1; None
    where nobody answered, and beside itself."""

    near: int
    far: int
    n: int
    own: bool = False

    @property
    def proximity(self) -> float | None:
        return None if self.own or not self.n else (self.near - self.far) / self.n


@dataclass(frozen=True)
class Matrix:
    """Rows are who was asked, columns whom they named, both in the order of the regions."""

    regions: list[str]
    rows: list[tuple[str, int, list[Cell]]]


def matrix(study: Study) -> Matrix | None:
    """The matrix of a study, of accepted and included answers of its main phase; None where it
    does not ask for it."""
    regions = list(study.regions.all())
    asked = _asked(study, {region.slug for region in regions})
    if asked is None:
        return None
    people: Counter[str] = Counter()
    near: Counter[tuple[str, str]] = Counter()
    far: Counter[tuple[str, str]] = Counter()
    for region, like, unlike in _both(study, *asked):
        people[region] += 1
        near.update((region, other) for other in set(like))
        far.update((region, other) for other in set(unlike))

    def cell(row: str, column: str) -> Cell:
        return Cell(near[row, column], far[row, column], people[row], own=row == column)

    slugs = [region.slug for region in regions]
    names = [languages.choose(each.names, study.languages)[1] or each.slug for each in regions]
    rows = [
        (name, people[row], [cell(row, column) for column in slugs])
        for name, row in zip(names, slugs, strict=True)
    ]
    return Matrix(names, rows)


def _asked(study: Study, slugs: set[str]) -> tuple[int, int] | None:
    """The questions (near, far) whose options are regions, the first pair there is."""
    rows = study.questions.filter(kind__in=CHOICES).exclude(status=Question.Status.RETIRED)
    by_key = {row.key: row for row in rows if len(slugs & {each["id"] for each in row.options}) > 1}
    for row in by_key.values():
        near = by_key.get(row.limits.get("unlike", ""))
        if near is not None:
            return near.pk, row.pk
    return None


def _both(study: Study, near: int, far: int) -> list[tuple[str, list[str], list[str]]]:
    """(region, named as near, named as far) of everybody who answered both."""
    rows = Answer.objects.filter(
        question__in=(near, far),
        value__isnull=False,
        submission__participation__activity__study=study,
        submission__participation__activity__phase=Phase.MAIN,
        submission__participation__status=Status.ACCEPTED,
        submission__participation__included=True,
        submission__participation__participant__status=Participant.Status.TAKING_PART,
        submission__participation__participant__region__isnull=False,
    ).values_list(
        "submission__participation",
        "submission__participation__participant__region__slug",
        "question",
        "value",
    )
    given: dict[tuple[int, str], dict[int, list[str]]] = {}
    for participation, region, question, value in rows:
        chosen: list[str] = value if isinstance(value, list) else [str(value)]
        given.setdefault((participation, region), {})[question] = chosen
    return [
        (region, both[near], both[far])
        for (_, region), both in given.items()
        if near in both and far in both
    ]
