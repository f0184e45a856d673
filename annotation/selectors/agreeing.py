"""How far annotators agree with each other, and beside it, never mixed, how far respondents do."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from annotation import kinds, regional
from annotation.models import GoldAnswer, Judgement, Project, Task
from annotation.reliability import Reliability, paradox, reliability
from core.stats import Statistic, clustered_rate

Unit = tuple[int, str]  # a task and the hash of what of it was judged
Rated = tuple[int, Unit, int, str]  # version of the guideline, unit, annotator, category


@dataclass(frozen=True)
class Line:
    """Of first passes under one version of the guideline, or of all (None). `why` says why kappa
    is low though agreement is high, where it is."""

    guideline: int | None
    found: Reliability
    why: str | None


@dataclass(frozen=True)
class Respondents:
    """Of gold that is not stale: the share with an agreement, and with one that every answer in
    view says. Clusters are questions, whose regions are not independent."""

    gold: int
    agreeing: Statistic
    unanimous: Statistic


def annotators(project: Project) -> list[Line]:
    """All versions together, then each by itself, the newest first. Two who judged different
    answers of a task have not judged the same. Tasks that some have still to judge are left out:
    a figure they enter would tell those what others said."""
    rated = _rated(project)
    versions = sorted({version for version, *_ in rated}, reverse=True)
    lines = [_line(None, rated)]
    if len(versions) > 1:
        lines += [_line(each, [row for row in rated if row[0] == each]) for each in versions]
    return lines


def among(project: Project, tasks: Collection[str]) -> Reliability:
    """Of some tasks, by their keys, under all versions of the guideline."""
    return _line(None, _rated(project, assignment__task__source_key__in=tasks)).found


def respondents(project: Project) -> Respondents | None:
    """None for kinds that are not about what people of one region said."""
    if project.kind != regional.NAME:
        return None
    rows = GoldAnswer.objects.filter(question__study=project.study_id, stale=False)
    agreeing: dict[int, list[bool]] = defaultdict(list)
    unanimous: dict[int, list[bool]] = defaultdict(list)
    for row in rows.prefetch_related("support"):
        support = [each.concept for each in row.support.all()]
        most = max((support.count(place) for place in range(len(row.texts))), default=0)
        agreeing[row.question_id].append(bool(row.texts))
        unanimous[row.question_id].append(0 < row.n == most)
    count = sum(map(len, agreeing.values()))
    return Respondents(count, _share(agreeing.values()), _share(unanimous.values()))


def _rated(project: Project, **only: Any) -> list[Rated]:
    category = kinds.of(project.kind).category
    first = Judgement.Phase.FIRST
    passes = Judgement.objects.filter(assignment__project=project, phase=first, **only)
    rows = passes.exclude(assignment__task__status=Task.Status.OPEN).values_list(
        "guideline__version",
        "assignment__task_id",
        "inputs",
        "assignment__annotator_id",
        "value",
    )
    return [
        (version, (task, inputs), annotator, category(value))
        for version, task, inputs, annotator, value in rows.order_by("pk").iterator()
    ]


def _line(guideline: int | None, rated: Iterable[Rated]) -> Line:
    units: dict[Unit, dict[int, str]] = defaultdict(dict)
    for _version, unit, annotator, category in rated:
        units[unit][annotator] = category
    found = reliability(units.values())
    return Line(guideline, found, paradox(found))


def _share(clusters: Iterable[list[bool]]) -> Statistic:
    return clustered_rate([(sum(each), len(each)) for each in clusters])
