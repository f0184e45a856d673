"""What programs are told of annotation, as blind as the pages are.

Who only annotates is told of their own judgements. Who may decide is told of others' too, but not
before all first passes of a task are in, and not while they hold a place at it themselves.
"""

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from accounts.models import User
from annotation.models import (
    Assignment,
    GoldAnswer,
    GoldRelation,
    GoldSupport,
    Judgement,
    Task,
)
from studies.models import Participant, Study
from studies.permissions import Capability
from studies.selectors import capabilities

REGION, PAIR, ALL = LEVELS = ("region", "pair", "all")


def may_decide(user: User, study: Study) -> bool:
    return Capability.ADJUDICATE in capabilities(user, study)


def tasks(study: Study, user: User, **filters: str) -> QuerySet[Task]:
    """With this person's place in `mine`, and all places in `places` for who may decide."""
    columns = {"kind": "project__kind", "question": "question__key", "region": "region__slug"}
    wanted = {columns.get(name, name): value for name, value in filters.items()}
    found = Task.objects.filter(project__study=study, **wanted)
    places = Assignment.objects.all() if may_decide(user, study) else Assignment.objects.none()
    own = Assignment.objects.filter(annotator=user)
    return found.select_related("project", "question", "region").prefetch_related(
        Prefetch("assignments", own, to_attr="mine"),
        Prefetch("assignments", places.order_by("pk"), to_attr="places"),
    )


def judgements(study: Study, user: User, **filters: str) -> QuerySet[Judgement]:
    """First passes this person may see."""
    task = "assignment__task"
    columns = {"kind": f"{task}__project__kind", "task": f"{task}__source_key"}
    columns |= {"question": f"{task}__question__key", "region": f"{task}__region__slug"}
    wanted = {columns[name]: value for name, value in filters.items()}
    shown = Q(assignment__annotator=user)
    if may_decide(user, study):
        held = Assignment.objects.filter(
            task=OuterRef(task), annotator=user, status__in=Assignment.HELD, slot__isnull=False
        )
        shown = shown | Q(~Exists(held), ~Q(assignment__task__status=Task.Status.OPEN))
    found = Judgement.objects.filter(
        shown, assignment__task__project__study=study, phase=Judgement.Phase.FIRST, **wanted
    )
    return found.select_related(
        f"{task}__project", f"{task}__question", f"{task}__region", "assignment__annotator"
    ).select_related("guideline")


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
