"""Opening a kind of annotation for a study, and keeping its tasks what they should be."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.db import transaction

from annotation import kinds
from annotation.kinds import Source
from annotation.models import Assignment, Decision, Guideline, Judgement, Project, Task
from core import audit, clock, jobs
from core.errors import CommonplaceError
from core.text import clean
from studies.models import Study

AT_ONCE = 500  # tasks a transaction
BATCH = 100  # rows of one statement
REFRESH = "annotation.refresh"
OVERLAP = 2
HALF = 0.5

Status = Assignment.Status


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
        project = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
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


def set_share(project: Project, share: float | None, actor: str) -> Project:
    """Let a share of more than five answers stand in place of the threshold, or with None the
    threshold alone. Tasks it means another number for are brought up to date by a job, and stale
    where they were judged.

    Raises `annotation.share_unusable`.
    """
    if share is not None and not HALF < share <= 1:
        raise CommonplaceError(
            "annotation.share_unusable",
            "Write a share of more than 50 and up to 100 percent, or none for the threshold alone.",
            share=share,
        )
    with transaction.atomic():
        project = (
            Project.objects.select_for_update(no_key=True)
            .select_related("study")
            .get(pk=project.pk)
        )
        if project.share != share:
            project.share = share
            project.save(update_fields=["share"])
            audit.record(
                actor,
                "annotation.share_set",
                "project",
                project.kind,
                study=project.study.slug,
                share="the threshold" if share is None else f"{share:.0%}",
            )
            inputs_changed(project.study)
    return project


def refresh(project: Project, question: int | None = None) -> dict[str, int]:
    """Make the tasks there should be, and mark those stale whose inputs are not what was judged.

    What nobody has judged yet is brought up to date instead. Of one `question` or of all; counts
    {"added", "stale"}. Reads what was judged and decided once a batch, and every source once.
    """
    kind = kinds.of(project.kind)
    done = {"added": 0, "stale": 0}
    keys: set[str] = set()
    for batch in _batches(kind.sources(project, question)):
        keys.update(each.key for each in batch)
        with transaction.atomic():
            # Locked so that none is added twice.
            Project.objects.select_for_update(no_key=True).get(pk=project.pk)
            there = {
                task.source_key: task
                for task in project.tasks.select_for_update(no_key=True).filter(
                    source_key__in=[each.key for each in batch]
                )
            }
            _add(project, [each for each in batch if each.key not in there])
            done["added"] += len(batch) - len(there)
            differing = [
                (there[each.key], each)
                for each in batch
                if each.key in there and _differs(there[each.key], each)
            ]
            done["stale"] += _update(kind, differing)
    done["stale"] += _without_source(project, kind, keys, question)
    return done


def refresh_study(study: int) -> None:
    for project in Project.objects.filter(study=study).order_by("pk"):
        refresh(project)


def inputs_changed(study: Study) -> None:
    """Called within the transaction that changes what may have been judged."""
    if not Project.objects.filter(study=study).exists():
        return
    for again in ("", ", once more"):  # one that is running may have read what was before
        try:
            key = f"annotation of {study.slug}{again}"
            jobs.enqueue(REFRESH, key=key, args={"study": study.pk})
        except CommonplaceError as error:
            if error.code != "job.active":
                raise
        else:
            return


def _batches(sources: Iterable[Source]) -> Iterator[list[Source]]:
    left = iter(sources)
    while batch := list(islice(left, AT_ONCE)):
        yield batch


def _without_source(
    project: Project, kind: kinds.Kind, keys: set[str], question: int | None
) -> int:
    """Tasks there is nothing to judge of any more: removed where nobody has begun, else stale with
    an empty payload."""
    tasks = project.tasks.order_by("pk")
    if question is not None:
        tasks = tasks.filter(question=question)
    listed = tasks.values_list("pk", "source_key", named=True).iterator()
    gone = [each.pk for each in listed if each.source_key not in keys]
    became = 0
    for start in range(0, len(gone), AT_ONCE):
        with transaction.atomic():
            became += _empty(project, kind, gone[start : start + AT_ONCE])
    return became


def _empty(project: Project, kind: kinds.Kind, gone: list[int]) -> int:
    tasks = list(project.tasks.select_for_update(no_key=True).filter(pk__in=gone).order_by("pk"))
    begun = Assignment.objects.filter(task__in=gone).exclude(status=Status.FREE)
    touched = set(begun.values_list("task_id", flat=True))
    touched.update(Decision.objects.filter(task__in=gone).values_list("task_id", flat=True))
    Task.objects.filter(pk__in=set(gone) - touched).delete()
    left = [task for task in tasks if task.pk in touched and task.inputs]
    return _update(kind, [(task, Source(task.source_key, task.position, {}, "")) for task in left])


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


def _update(kind: kinds.Kind, differing: Sequence[tuple[Task, Source]]) -> int:
    """Bring tasks, which are locked, up to their sources; how many have become stale. Their
    payloads are the new ones: what was judged before is named by the hashes of the judgements."""
    tasks = [task for task, _ in differing]
    decided = dict(
        Decision.objects.filter(task__in=tasks, current=True).values_list("task_id", "inputs")
    )
    judged: dict[int, set[str]] = defaultdict(set)
    first_passes = Judgement.objects.filter(assignment__task__in=tasks)
    for task_id, inputs in first_passes.values_list("assignment__task_id", "inputs"):
        judged[task_id].add(inputs)
    changed, moved, became = [], [], 0
    for task, source in differing:
        known = {decided[task.pk]} if task.pk in decided else judged[task.pk]
        stale = bool(known - {source.inputs})
        became += stale and not task.stale
        if task.position != source.position:
            moved.append(task)
        if task.pk in decided and task.stale != stale:
            changed.append(task)
        task.payload, task.inputs, task.stale = source.payload, source.inputs, stale
        task.position = source.position
    Task.objects.bulk_update(tasks, ["payload", "inputs", "position", "stale"], batch_size=BATCH)
    for task in moved:
        task.assignments.update(position=task.position)
    for task in changed:
        kind.outdated(task)
    return became
