"""What was decided of every task, and the trail from there back to people's answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from accounts.models import User
from annotation.models import Decision, GoldAnswer, Project, Task
from annotation.selectors import between, disputes, headings, inputs, knowing
from annotation.selectors.disputes import Pass
from annotation.selectors.headings import Heading
from annotation.selectors.inputs import Shown
from collection.models import Answer

UNDECIDED, STALE = "undecided", "stale"
WORDS = {
    "agreement": "agreement",
    "agree": "they say the same",
    "differ": "they differ",
    "universal": "all say the same",
    "partial": "some say the same",
    "none": "no agreement",
    UNDECIDED: "not decided",
    STALE: "stale",
}


@dataclass(frozen=True)
class Filters:
    """From the address: a region's slug and one of `states`, or empty."""

    region: str = ""
    state: str = ""


@dataclass(frozen=True)
class Line:
    """A task and what was decided of it; `n` answers in view and the `threshold` are those of the
    decision, None where the kind has none."""

    heading: Heading
    decision: Decision | None
    n: int | None
    threshold: int | None

    @property
    def value(self) -> dict[str, Any]:
        return self.decision.value if self.decision else {}


@dataclass(frozen=True)
class Trace:
    """`passes` are empty until all are in, and where they are `hidden` since this reader has still
    to send theirs; `named` is whether it may be said whose they are;
    `answers` with the code of the participation their review is found by, or `compared` gold."""

    line: Line
    earlier: list[Decision]
    passes: list[Pass]
    hidden: bool
    named: bool
    answers: list[tuple[Shown, str]]
    compared: list[GoldAnswer]


def tasks(project: Project, filters: Filters) -> QuerySet[Task]:
    """Tasks in the order of their questions and regions; an unknown filter finds nothing."""
    found = _decided(project.tasks.select_related("question", "region"))
    if filters.region:
        found = found.filter(region__slug=filters.region)
    if filters.state:
        found = found.filter(_condition(filters.state))
    return found


def states(project: Project) -> list[tuple[str, str]]:
    """What can be filtered by, in words: all that was decided so far, and what waits."""
    current = Decision.objects.filter(task__project=project, current=True).order_by()
    decided = sorted(set(current.values_list("value__choice", flat=True)))
    return [(each, WORDS.get(each, each)) for each in [*decided, UNDECIDED, STALE]]


def lines(project: Project, some: Iterable[Task]) -> list[Line]:
    return [_line(heading) for heading in headings.of(project.study, some)]


def trace(task: Task, user: User) -> Trace:
    hidden = Task.objects.filter(knowing.held_by(user.pk), pk=task.pk).exists()
    task = _decided(Task.objects.filter(pk=task.pk)).select_related(
        "project__study", "question", "region"
    )[0]
    (line,) = lines(task.project, [task])
    supporting = [pk for each in line.value.get("concepts", ()) for pk in each["answers"]]
    ids = list(dict.fromkeys([*task.payload.get("answers", ()), *supporting]))
    codes = _codes(ids)
    waits = task.status != Task.Status.DECIDED or task.stale
    return Trace(
        line,
        list(task.decisions.filter(current=False).select_related("decided_by").order_by("-pk")),
        [] if hidden else disputes.passes(task),
        hidden,
        not waits,
        [(each, codes[each.pk]) for each in inputs.shown(task.project.study, ids)],
        between.of_task(task.payload),
    )


def _decided(found: QuerySet[Task]) -> QuerySet[Task]:
    current = Decision.objects.filter(current=True).select_related("decided_by")
    gold = Prefetch("gold_answers", GoldAnswer.objects.all(), to_attr="gold")
    return found.prefetch_related(
        Prefetch("decisions", current.prefetch_related(gold), to_attr="current")
    )


def _condition(state: str) -> Q:
    current = Decision.objects.filter(task=OuterRef("pk"), current=True)
    if state == STALE:
        return Q(stale=True)
    if state == UNDECIDED:
        return ~Q(Exists(current))
    return Q(Exists(current.filter(value__choice=state)))


def _line(heading: Heading) -> Line:
    task = heading.task
    decision: Decision | None = next(iter(task.current), None)  # type: ignore[attr-defined]
    gold: GoldAnswer | None = next(iter(decision.gold), None) if decision else None  # type: ignore[attr-defined]
    if gold is not None:
        return Line(heading, decision, gold.n, gold.threshold)
    answers = task.payload.get("answers")
    return Line(heading, decision, answers and len(answers), task.payload.get("needed"))


def _codes(answers: list[int]) -> dict[int, str]:
    rows = Answer.objects.filter(pk__in=answers)
    return dict(rows.values_list("pk", "submission__participation__code"))
