"""Judgements that were made elsewhere, entered as if their annotator had sent them here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from accounts.models import User
from annotation import kinds
from annotation.kinds import Value
from annotation.models import Assignment, Judgement, Project, Task
from annotation.services import judging, knowing, queueing
from core import audit
from core.errors import CommonplaceError
from studies.models import Study
from studies.permissions import Capability
from studies.selectors import capabilities

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Line:
    """`fields` are those of the form on the task's page, `seen` the hash of what was judged."""

    task: str
    fields: Mapping[str, Sequence[str]]
    note: str = ""
    seen: str | None = None


@dataclass
class Result(Generic[Kept]):
    """`refused` are `{"line", "task", "code", "reason"}`, lines counted from 1."""

    read: int = 0
    kept: list[Kept] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)


def annotator(study: Study, sender: User, email: str) -> User:
    """Whose judgements somebody enters: their own, or those of another member who annotates.

    Raises `study.not_allowed` (403) and `annotation.no_annotator`.
    """
    if email in ("", sender.email):
        return sender
    if Capability.ADJUDICATE not in capabilities(sender, study):
        raise CommonplaceError(
            "study.not_allowed",
            "You can enter your own judgements. Those of others are entered by who may decide.",
            http_status=403,
            study=study.slug,
            needs=Capability.ADJUDICATE.value,
        )
    found = User.objects.filter(email=email, is_active=True).first()
    if found is None or Capability.ANNOTATE not in capabilities(found, study):
        raise CommonplaceError(
            "annotation.no_annotator",
            f"“{email}” does not annotate in this study. Add them to its members first.",
            annotator=email,
        )
    return found


def by_line(lines: Sequence[Line], enter: Callable[[Line], Kept]) -> Result[Kept]:
    """Enter each line by itself: one that is refused keeps no other back."""
    result: Result[Kept] = Result(read=len(lines))
    for number, line in enumerate(lines, start=1):
        try:
            result.kept.append(enter(line))
        except CommonplaceError as error:
            refused = {"line": number, "task": line.task}
            result.refused.append(refused | {"code": error.code, "reason": error.message})
    return result


def enter(project: Project, user: User, lines: Sequence[Line], actor: str) -> Result[Judgement]:
    """Through the queue, each line read as its form would be: sent again it is entered once.

    Who enters what somebody else says knows it, and does not judge that task alone any more; who
    has it before them is refused, so that no answer to a guess tells them.
    """
    sender = User.objects.filter(email=actor).exclude(pk=user.pk).first()
    result = by_line(lines, lambda line: _enter(project, user, line, sender))
    audit.record(
        actor,
        "judgements.imported",
        "project",
        project.kind,
        study=project.study.slug,
        annotator=user.email,
        judgements=len(result.kept),
    )
    return result


def read(task: Task, line: Line, of: str) -> Value:
    """What a line says, as the form on the task's page is read; but here nothing that the form
    does not have is left out in silence.

    Raises `<of>.not_in_form` and `<of>.incomplete`.
    """
    asked: set[str] = set()

    def fields(name: str) -> Sequence[str]:
        asked.add(name)
        return line.fields.get(name, ())

    found = kinds.of(task.project.kind).read(task, fields)
    if strange := [*sorted(line.fields.keys() - asked), *found.strange]:
        raise CommonplaceError(
            f"{of}.not_in_form",
            f"The form of this task does not have “{strange[0]}”. Use the names of its fields and "
            "what can be chosen there, and one value where only one can be.",
            strange=strange,
        )
    if found.faults:
        name, fault = next(iter(found.faults.items()))
        raise CommonplaceError(f"{of}.incomplete", f"{name}: {fault}", fields=found.faults)
    return found.value


def _enter(project: Project, user: User, line: Line, sender: User | None) -> Judgement:
    task = project.tasks.select_related("project__study").filter(source_key=line.task).first()
    if task is None:
        raise CommonplaceError("task.unknown", f"There is no task “{line.task}” here.")
    value = read(task, line, "judgement")
    if sender is not None:
        knowing.learn(task, sender)
    sent = Assignment.objects.filter(
        task=task, annotator=user, status=Assignment.Status.SUBMITTED
    ).first()
    row = sent or queueing.take_task(task, user)
    if row is None:
        raise CommonplaceError(
            "task.not_free",
            f"No place at “{line.task}” is free for this person: others have judged it, it is "
            "decided, or they have left it to others.",
        )
    try:
        return judging.submit(row, value, line.note, seen=line.seen)
    except CommonplaceError:
        queueing.release(row)
        raise
