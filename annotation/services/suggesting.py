"""Making suggestions: by spelling, by a model, or out of somebody's file."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from django.db import transaction

from annotation import kinds
from annotation.models import Assignment, Project, Suggestion, Task
from annotation.selectors import suggestions as selectors
from annotation.selectors.suggestions import FILE, JOB, RULE
from annotation.services import importing, judging
from annotation.services.importing import Line, Result, by_line
from annotation.suggesting import About, Said
from collection.models import Answer
from core import audit, clock, jobs
from core.errors import CommonplaceError
from core.models import Job
from inference import prompts
from inference.endpoints import resolve_model
from inference.models import Completion, LanguageModel, Prompt
from studies.models import Participant


def order(
    project: Project, model: str, actor: str, *, pack: Sequence[Prompt] = (), language: str = "en"
) -> Job:
    """Have suggestions made for every task that is not decided: by `endpoint/model`, or by the
    rule where `model` is empty. What was made from the same is not made again.

    Raises what `resolve_model` and `prompts.current` raise, `suggestion.not_offered` and
    `job.active`.
    """
    name = kinds.suggester_of(project.kind).prompt
    args: dict[str, Any] = {"project": project.pk, "model": None, "prompt": None}
    if model:
        args["model"] = resolve_model(model).pk
        args["prompt"] = prompts.current(name, language, pack).pk
    with transaction.atomic():
        job = jobs.enqueue(JOB, key=_key(project), args=args)
        audit.record(
            actor,
            "suggestions.ordered",
            "project",
            project.kind,
            study=project.study.slug,
            by=model or RULE,
        )
    return job


def hide(project: Project, share: float, actor: str) -> None:
    """Keep suggestions from this share (0–1) of places, by lot; judgements say which it was.

    Raises `suggestion.share_unusable`.
    """
    if not 0 <= share <= 1:
        raise CommonplaceError(
            "suggestion.share_unusable", "Write a share from 0 to 100 % of places."
        )
    if project.hidden_share != share:
        project.hidden_share = share
        with transaction.atomic():
            project.save(update_fields=["hidden_share"])
            audit.record(
                actor,
                "suggestions.hidden",
                "project",
                project.kind,
                study=project.study.slug,
                share=share,
            )


def unfold(row: Assignment) -> None:
    """Show who has this place the suggestion that is offered there, and remember that they saw
    it. Where none is offered nothing happens."""
    offer = selectors.offer(row, row.task)
    if offer.where == selectors.Beside.FOLDED:
        Assignment.objects.filter(pk=row.pk, annotator=row.annotator_id).update(
            unfolded=offer.suggestion
        )


def take_over(row: Assignment, note: str = "") -> None:
    """Write the suggestion in view into the draft, for the person to change and send."""
    offer = selectors.offer(row, row.task)
    if offer.visible and offer.suggestion and offer.suggestion.value:
        judging.save_draft(row, offer.suggestion.value, note)


def bring(project: Project, name: str, lines: Sequence[Line], actor: str) -> Result[Suggestion]:
    """Enter suggestions that were made elsewhere, under the name of who made them. They are read
    as the form on the task's page would be; a line that is refused keeps no other back."""
    by = f"{FILE}{name}"
    result = by_line(lines, lambda line: _bring(project, by, line))
    audit.record(
        actor,
        "suggestions.imported",
        "project",
        project.kind,
        study=project.study.slug,
        by=name,
        suggestions=len(result.kept),
    )
    return result


def _bring(project: Project, by: str, line: Line) -> Suggestion:
    task = project.tasks.select_related("project__study").filter(source_key=line.task).first()
    if task is None or not task.payload:
        raise CommonplaceError("task.unknown", f"There is no task “{line.task}” here.")
    if line.seen is not None and line.seen != task.inputs:
        raise CommonplaceError(
            "suggestion.inputs_changed",
            "What is to be judged has changed since this was made. Make it anew.",
        )
    value = importing.read(task, line, "suggestion")
    about = kinds.suggester_of(project.kind).about(task, False)
    made_of = pinned(by, json.dumps(value, sort_keys=True), task)
    row = keep(task, made_of, about, Said(value), by=by)
    if row is None:
        raise CommonplaceError(
            "suggestion.inputs_changed",
            "What is to be judged has changed since this was made. Make it anew.",
        )
    return row


def forget(participant: Participant) -> dict[str, int]:
    """Delete suggestions that read the words of who has withdrawn, and every kept reply to a
    prompt for suggestions in their study, since it may quote them. May run again."""
    study = participant.study
    theirs = set(
        Answer.objects.filter(submission__participation__participant=participant).values_list(
            "pk", flat=True
        )
    )
    rows = Suggestion.objects.filter(task__project__study=study).values_list("pk", "answers")
    read = [pk for pk, answers in rows.iterator() if theirs.intersection(answers)]
    purposes = [selectors.purpose(each) for each in study.projects.all()]
    replies = Completion.objects.filter(call__purpose__in=purposes)
    with transaction.atomic():
        suggestions = Suggestion.objects.filter(pk__in=read).delete()[1]
        kept = replies.delete()[1]
    return {
        "suggestions": suggestions.get("annotation.Suggestion", 0),
        "replies": kept.get("inference.Completion", 0),
    }


def keep(
    task: Task,
    made_of: str,
    about: About,
    said: Said,
    *,
    by: str,
    outcome: str = Suggestion.Outcome.USABLE,
    model: LanguageModel | None = None,
    prompt: Prompt | None = None,
) -> Suggestion | None:
    """Store a suggestion once for all it was made of (`pinned`); None where the task has gone, or
    somebody whose words were read has."""
    with transaction.atomic():
        there = Task.objects.select_for_update(no_key=True).filter(pk=task.pk).exists()
        if not there or not hold(about.answers):
            return None
        row, _ = Suggestion.objects.get_or_create(
            task=task,
            pinned=made_of,
            defaults={
                "by": by,
                "model": model,
                "prompt": prompt,
                "inputs": task.inputs,
                "outcome": outcome,
                "value": said.value,
                "told": said.told or None,
                "checks": said.checks,
                "answers": list(about.answers),
                "at": clock.now(),
            },
        )
    return row


def hold(answers: Sequence[int]) -> bool:
    """Whether nobody whose words were read has withdrawn; they are held until the end of the
    transaction, so that a withdrawal finds what it writes."""
    people = Participant.objects.filter(
        participations__submissions__answers__in=answers
    ).values_list("pk", flat=True)
    held = (
        Participant.objects.select_for_update(no_key=True).filter(pk__in=set(people)).order_by("pk")
    )
    return all(each.status == Participant.Status.TAKING_PART for each in held)


def pinned(by: str, how: str, task: Task) -> str:
    """The hash of what a suggestion is made of: who makes it, how, and from which inputs."""
    return hashlib.sha256(json.dumps([by, how, task.inputs]).encode()).hexdigest()


def _key(project: Project) -> str:
    return f"suggestions for {project.kind} of {project.study.slug}"
