"""Decisions on tasks: by the rule, or by a person who judged none of it."""

from django.db import transaction

from accounts.models import User
from annotation import kinds
from annotation.kinds import Value
from annotation.models import Assignment, Decision, Task
from annotation.selectors.gold import WORDS
from core import audit, clock
from core.errors import CommonplaceError
from core.text import clean


def decide(
    task: Task, value: Value, reason: str, user: User, seen: str, *, known: str | None = None
) -> Decision:
    """Adjudicate a task, or decide it anew; said again by the same person it is decided once. The
    first passes stay as they are.

    `seen` is the hash of the inputs the person had in view, `known` the id of the decision, empty
    for none; None compares no decision. Locks the task, so that of two who decide at once the
    second is told. Raises `decision.inputs_changed`, `decision.made_since`, `decision.own`,
    `decision.too_early` and `decision.no_reason`.
    """
    with transaction.atomic():
        task = (
            Task.objects.select_for_update(no_key=True)
            .select_related("project__study")
            .get(pk=task.pk)
        )
        if task.inputs != seen:
            raise CommonplaceError(
                "decision.inputs_changed",
                "An answer has changed since you opened this. Look at the answers again, then "
                "decide; what you wrote is still below.",
                http_status=409,
            )
        reason = clean(reason).strip()
        current = task.decisions.filter(current=True).select_related("decided_by").first()
        if known is not None and current is not None and str(current.pk) != known:
            if _says(current, value, reason, user, seen):
                return current
            raise _made_since(current)
        _refuse(task, reason, user)
        decision = settle(task, value, Decision.By.PERSON, user, reason)
        audit.record(
            user.email,
            "task.decided",
            "task",
            task.source_key,
            study=task.project.study.slug,
            kind=task.project.kind,
        )
    return decision


def settle(
    task: Task, value: Value, by: str, user: User | None = None, reason: str = ""
) -> Decision:
    """Enter a decision and let the kind act on it, within a transaction that holds the task."""
    task.decisions.filter(current=True).update(current=False)
    decision = Decision.objects.create(
        task=task,
        by=by,
        decided_by=user,
        value=value,
        reason=reason,
        inputs=task.inputs,
        at=clock.now(),
    )
    task.status, task.stale = Task.Status.DECIDED, False
    task.save(update_fields=["status", "stale"])
    kinds.of(task.project.kind).decided(task, decision)
    return decision


def _says(decision: Decision, value: Value, reason: str, user: User, seen: str) -> bool:
    """Whether this is what the person has just sent, as by a second click."""
    said = (decision.decided_by, decision.value, decision.reason, decision.inputs)
    return said == (user, value, reason, seen)


def _made_since(current: Decision) -> CommonplaceError:
    who = current.decided_by.email if current.decided_by else "The rule"
    return CommonplaceError(
        "decision.made_since",
        f"{who} has decided this since you opened it: {_in_words(current.value)}. Look at it; "
        "what you wrote is still below, and deciding again replaces theirs.",
        http_status=409,
        decision=current.pk,
    )


def _in_words(value: Value) -> str:
    texts = [f"“{each['text']}”" for each in value.get("concepts", ())]
    choice = str(value["choice"])
    return ", ".join(texts) or WORDS.get(choice, choice)


def _refuse(task: Task, reason: str, user: User) -> None:
    passes = task.assignments.filter(status=Assignment.Status.SUBMITTED)
    if passes.filter(annotator=user).exists():
        raise CommonplaceError(
            "decision.own",
            "You judged this task yourself, so somebody else has to decide it.",
            http_status=409,
        )
    if task.status == Task.Status.OPEN and not task.stale:
        raise CommonplaceError(
            "decision.too_early",
            "Not all first passes of this task are in yet. Wait for them, then decide.",
            http_status=409,
        )
    if not reason:
        raise CommonplaceError(
            "decision.no_reason", "Write why you decide so; it is kept beside the first passes."
        )
