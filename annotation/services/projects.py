"""Opening a kind of annotation for a study, and keeping its tasks what they should be."""

from collections.abc import Iterable, Iterator
from itertools import islice

from django.db import transaction

from annotation import kinds
from annotation.kinds import Source
from annotation.models import Assignment, Guideline, Judgement, Project, Task
from core import audit, clock, jobs
from core.errors import CommonplaceError
from core.text import clean
from studies.models import Study

AT_ONCE = 500  # tasks a transaction
REFRESH = "annotation.refresh"
OVERLAP = 2


def open_project(study: Study, kind: str, actor: str, *, overlap: int = OVERLAP) -> Project:
    """The project of this kind, made with its tasks where there is none yet."""
    found = kinds.of(kind)
    with transaction.atomic():
        project, created = Project.objects.get_or_create(
            study=study, kind=found.name, defaults={"overlap": overlap, "created": clock.now()}
        )
        if created:
            Guideline.objects.create(
                project=project, version=1, text=found.about, created=clock.now()
            )
            audit.record(actor, "annotation.opened", "project", kind, study=study.slug)
    refresh(project)
    return project


def write_guideline(project: Project, text: str, actor: str) -> Guideline:
    """The next version, or the newest where nothing differs. Raises `guideline.empty`."""
    text = clean(text).strip()
    if not text:
        raise CommonplaceError(
            "guideline.empty", "Write what annotators should know; they read it at every task."
        )
    with transaction.atomic():
        project = Project.objects.select_for_update().get(pk=project.pk)
        newest = project.guidelines.first()
        if newest and newest.text == text:
            return newest
        version = newest.version + 1 if newest else 1
        row = Guideline.objects.create(
            project=project, version=version, text=text, created=clock.now()
        )
        audit.record(
            actor,
            "guideline.written",
            "project",
            project.kind,
            study=project.study.slug,
            version=version,
        )
    return row


def refresh(project: Project, question: int | None = None) -> dict[str, int]:
    """Make the tasks there should be, and mark those stale whose inputs are not what was judged.

    What nobody has judged yet is brought up to date instead. Of one `question` or of all; counts
    {"added", "stale"}.
    """
    kind = kinds.of(project.kind)
    done = {"added": 0, "stale": 0}
    keys: set[str] = set()
    for batch in _batches(kind.sources(project, question)):
        keys.update(each.key for each in batch)
        with transaction.atomic():
            there = {
                task.source_key: task
                for task in project.tasks.select_for_update().filter(
                    source_key__in=[each.key for each in batch]
                )
            }
            _add(project, [each for each in batch if each.key not in there])
            done["added"] += len(batch) - len(there)
            for each in batch:
                task = there.get(each.key)
                if task is not None and _differs(task, each):
                    done["stale"] += _compare(kind, task, each)
    done["stale"] += _without_source(project, kind, keys, question)
    return done


def refresh_study(study: int) -> None:
    for project in Project.objects.filter(study=study).order_by("pk"):
        refresh(project)


def inputs_changed(study: Study) -> None:
    """Called within the transaction that changes what may have been judged."""
    if not Project.objects.filter(study=study).exists():
        return
    try:
        jobs.enqueue(REFRESH, key=f"annotation of {study.slug}", args={"study": study.pk})
    except CommonplaceError as error:
        if error.code != "job.active":
            raise


def _batches(sources: Iterable[Source]) -> Iterator[list[Source]]:
    left = iter(sources)
    while batch := list(islice(left, AT_ONCE)):
        yield batch


def _without_source(
    project: Project, kind: kinds.Kind, keys: set[str], question: int | None
) -> int:
    """Tasks there is nothing to judge of any more: removed where nobody has begun, else stale with
    an empty payload."""
    became = 0
    tasks = project.tasks.all()
    for task in tasks.filter(question=question) if question is not None else tasks:
        if task.source_key in keys:
            continue
        with transaction.atomic():
            task = Task.objects.select_for_update().get(pk=task.pk)
            untouched = not task.assignments.exclude(status=Assignment.Status.FREE).exists()
            if untouched and not task.decisions.exists():
                task.delete()
                continue
            if not task.inputs:
                continue
            gone = Source(task.source_key, task.position, {}, "", task.question_id)
            became += _compare(kind, task, gone)
    return became


def _add(project: Project, sources: list[Source]) -> None:
    tasks = Task.objects.bulk_create(
        Task(
            project=project,
            source_key=each.key,
            position=each.position,
            question_id=each.question,
            region_id=each.region,
            payload=each.payload,
            inputs=each.inputs,
        )
        for each in sources
    )
    Assignment.objects.bulk_create(
        Assignment(task=task, project=project, position=task.position, slot=slot)
        for task in tasks
        for slot in range(1, project.overlap + 1)
    )


def _differs(task: Task, source: Source) -> bool:
    return (task.inputs, task.position) != (source.inputs, source.position)


def _compare(kind: kinds.Kind, task: Task, source: Source) -> bool:
    """Whether the task has become stale. Its payload is the new one: what was judged before is
    named by the hashes of the judgements."""
    decided = task.decisions.filter(current=True).first()
    judged = Judgement.objects.filter(assignment__task=task).exclude(inputs=source.inputs)
    stale = decided.inputs != source.inputs if decided else judged.exists()
    became = stale and not task.stale
    task.payload, task.inputs, task.stale = source.payload, source.inputs, stale
    if task.position != source.position:
        task.position = source.position
        task.assignments.update(position=source.position)
    task.save(update_fields=["payload", "inputs", "position", "stale"])
    kind.outdated(task)
    return became
