"""What of a study's gold hangs on one reviewer, one respondent or the threshold.

Counted is what is decided and not stale; of a task whose answers are all gone there is nothing
left that could hang. Eight queries, however many tasks there are.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from annotation import hanging, kinds, regional
from annotation.hanging import (
    Alone,
    Answered,
    Asked,
    Between,
    Case,
    Figure,
    Found,
    Line,
    Why,
)
from annotation.kinds import Value
from annotation.models import Decision, GoldAnswer, GoldSupport, Judgement, Project, Task
from annotation.selectors import headings
from annotation.selectors.headings import Heading
from studies.models import Study

CAUSES = ("reviewer", "respondent", "threshold")


@dataclass(frozen=True)
class Hanging:
    """`found` are the cases within regions, of the `stale` nothing is counted; `regions` has every
    region by its slug, in order; `between` the kinds that are open. `reviewers`, and `most`, the
    one on whom most hangs, are of cases of every kind."""

    found: Sequence[Found]
    stale: int
    overall: Line
    regions: Mapping[str, Line]
    between: Mapping[str, Between]
    thresholds: Sequence[Asked]
    reviewers: Sequence[Alone]
    most: Figure

    def of(self, cause: str = "") -> list[Found]:
        """Gold answers that hang on one of `CAUSES`, or with another word on any of them; those
        that hang on most first."""
        some = [each for each in self.found if each.gold and causes(each)]
        some = [each for each in some if cause not in CAUSES or cause in causes(each)]
        return sorted(some, key=lambda each: -len(causes(each)))

    def as_dict(self) -> dict[str, Any]:
        """As a manifest states it, where nobody is named."""
        return {
            "decided": self.overall.decided,
            "stale": self.stale,
            "within": {
                "all": self.overall.as_dict(),
                "regions": {slug: line.as_dict() for slug, line in self.regions.items()},
            },
            "between": {kind: line.as_dict() for kind, line in self.between.items()},
            "thresholds": [each.as_dict() for each in self.thresholds],
            "reviewers": len(self.reviewers),
            "most_on_one_reviewer": self.most.as_dict(),
        }


@dataclass(frozen=True)
class Listed:
    """A gold answer that hangs on something, and why on one reviewer, if it does."""

    heading: Heading
    answer: Answered
    causes: Sequence[str]
    why: Why | None


def of_study(study: Study) -> Hanging:
    of_gold = [kind.name for kind in kinds.of_gold()]
    projects = {row.kind: row for row in Project.objects.filter(study=study, kind__in=of_gold)}
    share = projects[regional.NAME].share if regional.NAME in projects else None
    cases = _cases(study, projects)
    found = {
        name: hanging.examine(cases[name], kinds.of(name).same, kinds.of(name).category, share)
        for name in projects
    }
    every = [each for some in found.values() for each in some]
    within = found.pop(regional.NAME, [])
    stale = Task.objects.filter(project__study=study, project__kind=regional.NAME, stale=True)
    return Hanging(
        found=within,
        stale=stale.count(),
        overall=Line.of(within, share),
        regions={
            slug: Line.of([each for each in within if each.case.region == slug], share)
            for slug in study.regions.values_list("slug", flat=True)
        },
        between={name: Between.of(some) for name, some in found.items()},
        thresholds=hanging.thresholds(within),
        reviewers=hanging.reviewers(every),
        most=hanging.most_on_one(every),
    )


def causes(found: Found) -> list[str]:
    """Those of `CAUSES` that a case hangs on."""
    held = (found.reviewer is not None, found.respondent, bool(found.one_more))
    return [cause for cause, holds in zip(CAUSES, held, strict=True) if holds]


def lines(hangs: Hanging, names: Mapping[str, str]) -> list[tuple[str, str, Line]]:
    """(slug, name, line) of each region; several of them end with all, whose slug is empty."""
    some = [(slug, names[slug], line) for slug, line in hangs.regions.items()]
    return [*some, ("", "All regions", hangs.overall)] if len(some) > 1 else some


def between(hangs: Hanging) -> list[tuple[str, Between]]:
    return [(kinds.of(name).title, line) for name, line in hangs.between.items()]


def reviewers(hangs: Hanging) -> list[tuple[str, Alone]]:
    """Each with their address."""
    rows = User.objects.filter(pk__in=[each.reviewer for each in hangs.reviewers])
    addresses = dict(rows.values_list("pk", "email"))
    return [(addresses[each.reviewer], each) for each in hangs.reviewers]


def listed(study: Study, some: Iterable[Found]) -> list[Listed]:
    """In their order."""
    found = {each.case.task: each for each in some}
    tasks = Task.objects.filter(pk__in=found).select_related("question", "region").in_bulk()
    shown = headings.of(study, [tasks[pk] for pk in found])
    return [
        Listed(heading, answer, causes(each), each.why)
        for heading, each in zip(shown, found.values(), strict=True)
        for answer in each.case.rests_on
    ]


def _cases(study: Study, of_gold: Collection[str]) -> dict[str, list[Case]]:
    """By kind of gold, in the order of tasks. They are read first: what is decided has a decision
    and gold from then on, so that what others decide meanwhile leaves no gap."""
    tasks = Task.objects.filter(project__study=study, project__kind__in=of_gold, stale=False)
    tasks = tasks.filter(status=Task.Status.DECIDED)
    columns = ("pk", "project__kind", "question_id", "region__slug", "payload")
    rows = list(tasks.exclude(inputs="").order_by("position", "pk").values_list(*columns))
    decisions, passes = _decisions(study), _passes(study)
    gold, of_task = _gold(study)
    cases: dict[str, list[Case]] = defaultdict(list)
    for task, kind, question, region, payload in rows:
        value, decider, inputs = decisions[task]
        own = [of_task[task]] if kind == regional.NAME else payload["gold"]
        cases[kind].append(
            Case(
                task,
                question,
                region or "",
                value,
                passes.get((task, inputs), {}),
                decider,
                [gold[each] for each in own],
            )
        )
    return cases


def _decisions(study: Study) -> dict[int, tuple[Value, int | None, str]]:
    """Task -> what was decided, by whom, and the hash of what of."""
    rows = Decision.objects.filter(task__project__study=study, current=True).order_by()
    columns = ("task_id", "value", "decided_by_id", "inputs")
    return {task: (value, who, of) for task, value, who, of in rows.values_list(*columns)}


def _passes(study: Study) -> dict[tuple[int, str], dict[int, Value]]:
    """Task and the hash of what was judged -> first passes by annotator, in order of places."""
    rows = Judgement.objects.filter(
        assignment__project__study=study,
        assignment__task__status=Task.Status.DECIDED,
        assignment__slot__isnull=False,
        phase=Judgement.Phase.FIRST,
    )
    columns = ("assignment__task_id", "inputs", "assignment__annotator_id", "value")
    found: dict[tuple[int, str], dict[int, Value]] = defaultdict(dict)
    for task, of, who, value in rows.order_by("assignment__slot").values_list(*columns):
        found[task, of][who] = value
    return found


def _gold(study: Study) -> tuple[dict[int, Answered], dict[int, int]]:
    """By id, and the id by the task that decided it."""
    support: dict[tuple[int, int], set[int]] = defaultdict(set)
    rows = GoldSupport.objects.filter(gold__question__study=study).order_by()
    for gold, text, answer in rows.values_list("gold_id", "concept", "answer_id"):
        support[gold, text].add(answer)
    found: dict[int, Answered] = {}
    of_task: dict[int, int] = {}
    columns = ("pk", "decision__task_id", "n", "threshold", "texts")
    decided = GoldAnswer.objects.filter(question__study=study).order_by()
    for pk, task, n, needed, texts in decided.values_list(*columns):
        behind = [frozenset(support[pk, place]) for place in range(len(texts))]
        found[pk] = Answered(n, needed, behind)
        of_task[task] = pk
    return found, of_task
