"""The simulated annotators: two who judge every task blind, and one who decides where they differ.

They read the answers as they are stored. One goes by the strict rule, that what overlaps in part
is not the same; the hasty one lets a near practice pass.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from accounts.models import User
from annotation import consensus, kinds, relations
from annotation.kinds import Value
from annotation.models import GoldAnswer, Project, Task
from annotation.selectors import between as compared
from annotation.selectors import disputes
from annotation.services import deciding, judging, projects, queueing, suggesting
from collection.models import Answer
from console.demo import ACTOR, asking, team
from console.demo.content import Practice, customs, understood
from studies.models import Study
from studies.permissions import Role

Sent = Mapping[str, Sequence[str]]  # the fields of a form

NOT_KNOWN = "Most of these people say that they do not know."
WHY = "What overlaps only in part is not the same practice."
AGREEMENT, PAIR, ALL = "agreement", "pair", "universal"


@dataclass(frozen=True)
class Annotator:
    user: User
    hasty: bool = False

    def takes(self, practice: Practice) -> str:
        """The name of the practice they take it for."""
        return practice.near if self.hasty and practice.near else practice.name


def annotate(study: Study, note: Callable[[str], None]) -> None:
    """All three kinds, one after the other: regions are compared by what each agrees on."""
    strict = Annotator(team.member(study, "strict", Role.ANNOTATOR))
    hasty = Annotator(team.member(study, "hasty", Role.ANNOTATOR), hasty=True)
    decides = Annotator(team.member(study, "adjudicator", Role.RESEARCHER))
    for kind in (AGREEMENT, PAIR, ALL):
        project = projects.open_project(study, kind, ACTOR)
        title = kinds.of(kind).title
        asking.suggest(project)
        for annotator in (strict, hasty):
            _judge(project, annotator)
            note(f"{title}: {annotator.user} has judged.")
        decided = _decide(project, decides)
        note(f"{title}: {decided} of {project.tasks.count()} tasks were disputed.")


def _judge(project: Project, annotator: Annotator) -> None:
    while (row := queueing.take(project, annotator.user)) is not None:
        if annotator.hasty:
            suggesting.unfold(row)  # looks first, and is not swayed
            row.refresh_from_db()
        sent = _said(row.task, annotator)
        if sent is None:
            queueing.flag(row, NOT_KNOWN)
        else:
            judging.submit(row, _read(row.task, sent), seen=row.task.inputs)


def _decide(project: Project, annotator: Annotator) -> int:
    """How many tasks waited for a decision."""
    waiting = list(disputes.waiting(project, annotator.user, "disputed"))
    for task in waiting:
        sent = _said(task, annotator)
        if sent is not None:
            deciding.decide(task, _read(task, sent), WHY, annotator.user, task.inputs)
    return len(waiting)


def _read(task: Task, sent: Sent) -> Value:
    """What the form of a task makes of these fields."""
    return kinds.of(task.project.kind).read(task, lambda name: sent.get(name, ())).value


def _said(task: Task, annotator: Annotator) -> Sent | None:
    """What an annotator sends of a task; None where they flag it."""
    if task.project.kind == AGREEMENT:
        return _agreement(task, annotator)
    gold = compared.of_task(task.payload)
    return _pair(gold, annotator) if task.project.kind == PAIR else _universal(gold, annotator)


def _agreement(task: Task, annotator: Annotator) -> Sent | None:
    answers = Answer.objects.filter(pk__in=task.payload["answers"]).select_related("question")
    meant = {answer.pk: _meant(answer) for answer in answers}
    unclear = [pk for pk, practice in meant.items() if practice is None or not practice.text]
    if 2 * len(unclear) > len(meant):
        return None
    taken = {pk: annotator.takes(p) for pk, p in meant.items() if p is not None and p.text}
    name, support = Counter(taken.values()).most_common(1)[0]
    if support < task.payload["needed"]:
        return {"choice": [consensus.NONE]}
    return {
        "choice": [consensus.AGREEMENT],
        "concept-0": [customs()[_key(task)].practices[name].text],
        "support-0": [str(pk) for pk, each in taken.items() if each == name],
    }


def _meant(answer: Answer) -> Practice | None:
    return understood(answer.question.key, answer.text or str(answer.value))


def _pair(gold: Sequence[GoldAnswer], annotator: Annotator) -> Sent:
    first, second = (_practice(each, annotator) for each in gold)
    return {"choice": [relations.AGREE if first == second else relations.DIFFER]}


def _universal(gold: Sequence[GoldAnswer], annotator: Annotator) -> Sent:
    kept = {each.region.slug: _practice(each, annotator) for each in gold}
    name, regions = Counter(kept.values()).most_common(1)[0]
    if regions == len(kept):
        return {"choice": [relations.UNIVERSAL]}
    if regions == 1:
        return {"choice": [relations.NONE]}
    sharing = [region for region, each in kept.items() if each == name]
    return {"choice": [relations.PARTIAL], "region": sharing}


def _practice(gold: GoldAnswer, annotator: Annotator) -> str:
    return annotator.takes(customs()[gold.question.key].written(gold.texts[0]))


def _key(task: Task) -> str:
    return task.question.key if task.question else ""
