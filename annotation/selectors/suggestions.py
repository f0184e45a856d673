"""Suggestions as they are offered beside a task, and what became of them."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Count, ExpressionWrapper, F, Q, QuerySet, Sum

from accounts.models import User
from annotation import kinds
from annotation.models import Assignment, Decision, Judgement, Project, Suggestion, Task
from annotation.selectors import knowing
from annotation.suggesting import arms
from annotation.suggesting.overrides import Compared, Overrides, of_arm
from core.models import Job
from core.stats import Statistic
from inference.models import Call
from studies.models import Study

RULE, FILE = "rule", "file: "
JOB = "annotation.suggest"
Beside = Judgement.Beside
TASKS_AT_ONCE = 200
ARMS = (
    (Beside.HIDDEN, "kept from them"),
    (Beside.FOLDED, "offered, not looked at"),
    (Beside.UNFOLDED, "looked at"),
)


@dataclass(frozen=True)
class Offer:
    """The suggestion there is at a place, and where it is for who has the place."""

    where: str
    suggestion: Suggestion | None = None

    @property
    def visible(self) -> bool:
        return self.where == Beside.UNFOLDED


def offer(row: Assignment, task: Task) -> Offer:
    """What is offered to who has this place: asked for once, it stays in view, and what was made
    after they had opened the task does not come between."""
    unfolded = row.unfolded
    if unfolded is not None and unfolded.inputs == task.inputs:
        return Offer(Beside.UNFOLDED, unfolded)
    suggestion = _newest(task, before=row.opened)
    if suggestion is None:
        return Offer(Beside.NONE)
    if row.slot is None:  # a lapsed draft, which has lost its lot with its slot
        return Offer(Beside.HIDDEN, suggestion)
    share = task.project.hidden_share
    hidden = arms.is_hidden(task.project_id, task.source_key, row.slot, share)
    return Offer(Beside.HIDDEN if hidden else Beside.FOLDED, suggestion)


def _newest(task: Task, before: datetime | None = None) -> Suggestion | None:
    """A model's before the rule's, the newest of them; none made from other inputs."""
    rows = task.suggestions.filter(outcome=Suggestion.Outcome.USABLE, inputs=task.inputs)
    if before is not None:
        rows = rows.filter(at__lte=before)
    found = list(rows.select_related("model__endpoint").order_by("-pk"))
    return next((each for each in found if each.by != RULE), next(iter(found), None))


def wanting(project: Project) -> QuerySet[Task]:
    """Tasks that a suggestion could still help with, in order."""
    open_ones = ~Q(status=Task.Status.DECIDED) | Q(stale=True)
    found = project.tasks.filter(open_ones).exclude(payload={})
    return found.select_related("project__study", "question", "region").order_by("position", "pk")


def in_turn(project: Project) -> Iterator[Task]:
    """The same, read some at a time, so that no cursor stays open while others write."""
    keys = list(wanting(project).values_list("pk", flat=True))
    for start in range(0, len(keys), TASKS_AT_ONCE):
        yield from list(wanting(project).filter(pk__in=keys[start : start + TASKS_AT_ONCE]))


def order_of(project: Project) -> Job | None:
    """The newest order for suggestions."""
    return Job.objects.filter(kind=JOB, args__project=project.pk).order_by("-pk").first()


@dataclass(frozen=True)
class Source:
    """What one rule, model or file has made: how many of each outcome, and how often people
    decided otherwise."""

    by: str
    simulated: bool
    made: int
    outcomes: list[tuple[str, int]]  # label and count, those that occur
    overrides: Overrides


def sources(project: Project) -> list[Source]:
    """In the order they first appeared; two queries for any number of tasks."""
    made: dict[str, Counter[str]] = defaultdict(Counter)
    simulated: dict[str, bool] = {}
    counted = project_suggestions(project).order_by("pk")
    for by, outcome, of_model in counted.values_list("by", "outcome", "model__simulated"):
        made[by][outcome] += 1
        simulated[by] = simulated.get(by, False) or bool(of_model)
    compared: dict[str, list[Compared]] = defaultdict(list)
    for by, each in _compared(project):
        compared[by].append(each)
    labels = dict(Suggestion.Outcome.choices)
    return [
        Source(
            by,
            simulated[by],
            counts.total(),
            [(labels[name], counts[name]) for name in labels if counts[name]],
            Overrides.of(compared[by]),
        )
        for by, counts in made.items()
    ]


def project_suggestions(project: Project) -> QuerySet[Suggestion]:
    return Suggestion.objects.filter(task__project=project)


def outcomes(project: Project, by: str) -> dict[str, int]:
    """How many of each outcome one source has made so far."""
    made = Counter(project_suggestions(project).filter(by=by).values_list("outcome", flat=True))
    return {name: made[name] for name in Suggestion.Outcome.values}


def of_study(study: Study, user: User, **filters: str) -> QuerySet[Suggestion]:
    """For programs, in the order they were made; `hidden` of tasks this reader may still judge,
    since a place may be kept from suggestions by lot, and a judgement says whether one was seen."""
    columns = {"kind": "task__project__kind", "task": "task__source_key", "suggested_by": "by"}
    wanted = {columns[name]: value for name, value in filters.items()}
    found = Suggestion.objects.filter(task__project__study=study, **wanted)
    hidden = ExpressionWrapper(knowing.may_still_judge(user.pk, "task"), BooleanField())
    return found.annotate(hidden=hidden).select_related("task__project", "model")


def _compared(project: Project) -> Iterator[tuple[str, Compared]]:
    """Each usable suggestion with what was decided of the very same inputs; of several by one
    source the newest counts."""
    claims = kinds.suggester_of(project.kind).claims
    rows = Suggestion.objects.filter(
        task__project=project,
        outcome=Suggestion.Outcome.USABLE,
        task__decisions__current=True,
        inputs=F("task__decisions__inputs"),
    ).order_by("pk")
    newest: dict[tuple[int, str], tuple[Any, Any]] = {}
    for task, by, suggested, decided in rows.values_list(
        "task", "by", "value", "task__decisions__value"
    ):
        newest[task, by] = suggested, decided
    for (_, by), (suggested, decided) in newest.items():
        same = kinds.of(project.kind).same([suggested, decided])
        yield by, Compared(claims(suggested), claims(decided), same)


def passes_by_arm(project: Project) -> dict[str, list[list[bool]]]:
    """For each place a suggestion could be in: per task, whether each first pass claims other
    things than the suggestion there was. Of tasks that all have judged, since a reader of the
    figure may still have one before them."""
    claims = kinds.suggester_of(project.kind).claims
    found: dict[str, dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    rows = Judgement.objects.filter(
        assignment__project=project,
        phase=Judgement.Phase.FIRST,
        suggestion__isnull=False,
    ).exclude(assignment__task__status=Task.Status.OPEN)
    rows = rows.select_related("assignment", "suggestion")
    for row in rows:
        if row.suggestion and row.suggestion.value is not None:
            other = claims(row.value) != claims(row.suggestion.value)
            found[row.beside][row.assignment.task_id].append(other)
    return {where: list(tasks.values()) for where, tasks in found.items()}


def arms_of(project: Project) -> list[tuple[str, Statistic]]:
    """How often a first pass claims otherwise, by where the suggestion was."""
    found = passes_by_arm(project)
    return [(label, of_arm(found.get(where, []))) for where, label in ARMS]


def purpose(project: Project) -> str:
    """What calls for suggestions are booked under."""
    return f"suggestions {project.pk}"


def spent(project: Project) -> dict[str, int | None]:
    """`calls`, `micro` (micro-USD, None where no call has a price) and `unpriced` calls."""
    calls = Call.objects.filter(purpose=purpose(project))
    return calls.aggregate(
        calls=Count("pk"),
        micro=Sum("cost_micro"),
        unpriced=Count("pk", filter=Q(cost_micro__isnull=True)),
    )


def became(suggestion: Suggestion, decision: Decision | None, judged: bool) -> str:
    """`confirmed` or `changed` by the decision on the same inputs, `undecided` while there is
    none, `untouched` where nobody has judged at all, `outdated` where the inputs are others."""
    if decision is None:
        return "undecided" if judged else "untouched"
    if decision.inputs != suggestion.inputs:
        return "outdated"
    kind = kinds.of(suggestion.task.project.kind)
    return "confirmed" if kind.same([suggestion.value or {}, decision.value]) else "changed"
