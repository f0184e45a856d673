"""What people decide of a reply, stored as the verdict of one judge: the people of a project."""

import hashlib
import json

from annotation.models import Decision, Project, Task
from evaluation.models import DrawnReply, Judge, Verdict
from evaluation.services.verdicts import judging_of

LABEL = "people"


def enter(task: Task, row: DrawnReply | None, decision: Decision, value: str) -> None:
    """Within the transaction of the decision; one decided later replaces it. Of a task that is
    about no reply any more nothing is left."""
    if row is None:
        withdraw(task)
        return
    Verdict.objects.update_or_create(
        judge=_judge(task.project, judging_of(row.reply.run).signal),
        reply=row.reply,
        defaults={"outcome": Verdict.Outcome.OK, "value": value, "decision": decision},
    )


def withdraw(task: Task) -> None:
    Verdict.objects.filter(decision__task=task).delete()


def _judge(project: Project, signal: str) -> Judge:
    """Other people in another project are another judge."""
    identity = [Judge.Kind.PERSON, project.pk, signal]
    judge, _ = Judge.objects.get_or_create(
        hash=hashlib.sha256(json.dumps(identity).encode()).hexdigest(),
        defaults={"kind": Judge.Kind.PERSON, "label": LABEL, "signal": signal},
    )
    return judge
