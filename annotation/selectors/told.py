"""What programs are told of annotation, as blind as the pages are.

Who only annotates is told of their own judgements. Who may decide is told of others' too, but not
before all first passes of a task are in, and not while they hold a place at it themselves.
"""

from collections.abc import Sequence

from django.db.models import Manager, Prefetch, Q, QuerySet

from accounts.models import User
from annotation.models import (
    Assignment,
    GoldAnswer,
    GoldRelation,
    GoldSupport,
    Judgement,
    Task,
)
from annotation.selectors import knowing, projects
from studies.models import Participant, Study
from studies.permissions import Capability
from studies.selectors import capabilities

REGION, PAIR, ALL = LEVELS = ("region", "pair", "all")


def may_decide(user: User, study: Study) -> bool:
    return Capability.ADJUDICATE in capabilities(user, study)


def tasks(study: Study, user: User, **filters: str) -> QuerySet[Task]:
    """With this person's place in `mine`, and for who may decide all that count in `places`."""
    columns = {"kind": "project__kind", "question": "question__key", "region": "region__slug"}
    wanted = {columns.get(name, name): value for name, value in filters.items()}
    found = Task.objects.filter(project__study=study, **wanted)
    own = Assignment.objects.filter(annotator=user)
    found = found.select_related("project", "question", "region").prefetch_related(
        Prefetch("assignments", own, to_attr="mine")
    )
    if not may_decide(user, study):
        return found
    places = projects.counted(Assignment.objects.order_by("pk"))
    return found.prefetch_related(Prefetch("assignments", places, to_attr="places"))


def judgements(study: Study, user: User, **filters: str) -> QuerySet[Judgement]:
    """First passes this person may see."""
    task = "assignment__task"
    columns = {"kind": f"{task}__project__kind", "task": f"{task}__source_key"}
    columns |= {"question": f"{task}__question__key", "region": f"{task}__region__slug"}
    wanted = {columns[name]: value for name, value in filters.items()}
    shown = Q(assignment__annotator=user)
    if may_decide(user, study):
        all_in = ~Q(assignment__task__status=Task.Status.OPEN)
        shown = shown | Q(~knowing.held_by(user.pk, task), all_in)
    return _with_all_that_is_told(Judgement.objects).filter(
        shown, assignment__task__project__study=study, phase=Judgement.Phase.FIRST, **wanted
    )


def entered(rows: Sequence[Judgement]) -> list[Judgement]:
    """The same judgements, in their order, with all that is told of them read at once."""
    found = _with_all_that_is_told(Judgement.objects).in_bulk([row.pk for row in rows])
    return [found.get(row.pk, row) for row in rows]


def _with_all_that_is_told(rows: Manager[Judgement]) -> QuerySet[Judgement]:
    of_task = (f"assignment__task__{name}" for name in ("project", "question", "region"))
    return rows.select_related(*of_task, "assignment__annotator", "guideline")


def gold(study: Study, level: str, **filters: str) -> QuerySet[GoldAnswer] | QuerySet[GoldRelation]:
    """Of one of LEVELS: what regions agree on, or whether they agree with each other."""
    wanted = {"question__key": filters["question"]} if "question" in filters else {}
    region = filters.get("region")
    if level != REGION:
        relations = GoldRelation.objects.filter(question__study=study, level=level, **wanted)
        if region:
            relations = relations.filter(Q(region_a__slug=region) | Q(region_b__slug=region))
        return relations.select_related("question", "region_a", "region_b", "decision")
    wanted |= {"region__slug": region} if region else {}
    support = GoldSupport.objects.exclude(
        answer__submission__participation__participant__status=Participant.Status.WITHDRAWN
    ).select_related("answer__submission__participation__participant")
    return (
        GoldAnswer.objects.filter(question__study=study, **wanted)
        .select_related("question", "region", "decision")
        .prefetch_related(Prefetch("support", support, to_attr="supporting"))
    )


def is_decided(task: Task) -> bool:
    """Whether it may be said who judged: while it waits, it is decided by what was said alone."""
    return task.status == Task.Status.DECIDED and not task.stale
