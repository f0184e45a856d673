"""Gold: the current state of what was decided. History is in the decisions."""

from django.db.models import QuerySet

from annotation import consensus
from annotation.models import Decision, GoldAnswer, GoldRelation, GoldSupport, Project, Task
from annotation.selectors import between
from annotation.services import projects

COMPARED = ("pair", "universal")  # kinds whose tasks are made of gold answers


def write_answer(task: Task, decision: Decision) -> None:
    """Make the gold of a question and region what was decided, within its transaction."""
    value = decision.value
    concepts = value["concepts"] if value["choice"] == consensus.AGREEMENT else []
    gold, _ = GoldAnswer.objects.update_or_create(
        question=task.question,
        region=task.region,
        defaults={
            "texts": [each["text"] for each in concepts],
            "n": len(task.payload.get("answers", [])),
            "threshold": task.payload.get("needed", consensus.threshold(0)),
            "stale": False,
            "decision": decision,
        },
    )
    gold.support.all().delete()
    GoldSupport.objects.bulk_create(
        GoldSupport(gold=gold, answer_id=answer, concept=place)
        for place, each in enumerate(concepts)
        for answer in each["answers"]
    )
    _compare(task)


def outdate_answer(task: Task) -> None:
    """An input of the task changed: what was decided stays, marked, until a person decides."""
    gold = GoldAnswer.objects.filter(question=task.question, region=task.region)
    gold.update(stale=task.stale)
    _compare(task)


def write_pair(task: Task, decision: Decision) -> None:
    if not task.payload:  # a region has no agreement any more
        _relations(task).delete()
        return
    first, second = _regions(task)
    GoldRelation.objects.update_or_create(
        question=task.question,
        level=GoldRelation.Level.PAIR,
        region_a_id=first,
        region_b_id=second,
        defaults={"value": decision.value, "stale": False, "decision": decision},
    )


def outdate_pair(task: Task) -> None:
    _relations(task).filter(level=GoldRelation.Level.PAIR).update(stale=task.stale)


def write_universal(task: Task, decision: Decision) -> None:
    if not task.payload:
        _relations(task).delete()
        return
    GoldRelation.objects.update_or_create(
        question=task.question,
        level=GoldRelation.Level.ALL,
        defaults={"value": decision.value, "stale": False, "decision": decision},
    )


def outdate_universal(task: Task) -> None:
    _relations(task).filter(level=GoldRelation.Level.ALL).update(stale=task.stale)


def _relations(task: Task) -> QuerySet[GoldRelation]:
    return GoldRelation.objects.filter(decision__task=task)


def _regions(task: Task) -> tuple[int, int]:
    first, second = sorted(row.region_id for row in between.of_task(task.payload))
    return first, second


def _compare(task: Task) -> None:
    """What regions are compared by has changed for this question."""
    study = task.project.study_id
    for project in Project.objects.filter(study=study, kind__in=COMPARED).order_by("pk"):
        projects.refresh(project, question=task.question_id)
