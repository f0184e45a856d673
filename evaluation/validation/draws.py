"""What is read of the validation of judges by people: what to draw from, what was drawn, and how
far judges say what people say."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, QuerySet, Subquery

from accounts.models import User
from annotation.models import Project, Task
from annotation.selectors import agreeing
from core.errors import CommonplaceError
from evaluation import selectors
from evaluation.models import DrawnReply, Judge, Reply, Run, Validation, Verdict
from evaluation.reading.verdicts import LABELS
from evaluation.validation import weighing
from evaluation.validation.drawing import Candidate
from evaluation.validation.weighing import Both
from studies.models import Study
from studies.permissions import Capability
from studies.selectors import capabilities

ABSENT = "none"  # the verdict of a judge that has given no readable one


# --- Drawing ------------------------------------------------------------------------------------


def candidates(run: Run) -> list[Candidate]:
    """The run's distinct replies with a readable verdict of at least one judge."""
    judges = [judge.pk for judge in selectors.judges_of(run)]
    given: dict[int, dict[int, str]] = defaultdict(dict)
    rows = Verdict.objects.filter(
        reply__in=selectors.judgeable(run), judge__in=judges, outcome=Verdict.Outcome.OK
    )
    for reply, judge, value in rows.order_by().values_list("reply_id", "judge_id", "value"):
        given[reply][judge] = value
    replies = selectors.judgeable(run).order_by()
    return [
        Candidate(pk, (key, variant, sha), tuple(given[pk].get(judge, ABSENT) for judge in judges))
        for pk, key, variant, sha in replies.values_list("pk", "item__key", "variant", "sha")
        if pk in given
    ]


def of_runs(runs: Sequence[Run]) -> list[Validation]:
    """Draws that hold replies of any of the runs."""
    found = Validation.objects.filter(drawn__reply__run__in=runs).distinct()
    return list(found.select_related("project__study"))


def runs_of(validation: Validation) -> set[int]:
    return set(validation.drawn.order_by().values_list("reply__run", flat=True).distinct())


def strata(validation: Validation) -> list[dict[str, Any]]:
    """`{"run", "verdicts", "replies", "drawn"}` of each stratum, in the order of runs."""
    columns = ("reply__run", "stratum", "replies", "drawn")
    rows = validation.drawn.order_by("reply__run", "stratum").values_list(*columns).distinct()
    return [dict(zip(("run", "verdicts", "replies", "drawn"), row, strict=True)) for row in rows]


def refuse_who_may_judge(user: User, run: Run) -> None:
    """What judges said stays unseen by those who are asked the same, until all is decided.

    Raises `run.to_be_judged` (403) for an annotator of a draw that holds replies of the run, or
    replies that are the same in the run, which judges judge alike; who decides there sees all.
    """
    if user.is_superuser:
        return
    same = Reply.objects.filter(
        run=run,
        item=OuterRef("reply__item"),
        variant=OuterRef("reply__variant"),
        sha=OuterRef("reply__sha"),
    )
    decided = Verdict.objects.filter(reply=OuterRef("reply"), decision__isnull=False)
    theirs = Validation.objects.filter(project__study__memberships__user=user)
    for validation in theirs.select_related("project__study"):
        mine = capabilities(user, validation.project.study)
        if Capability.ANNOTATE not in mine or Capability.ADJUDICATE in mine:
            continue
        if validation.drawn.filter(~Exists(decided), Exists(same)).exists():
            raise CommonplaceError(
                "run.to_be_judged",
                f"You are asked to judge replies that run {run.pk} holds, so its samples, with "
                "what judges said, can be seen once all of them are decided.",
                http_status=403,
            )


# --- Tasks --------------------------------------------------------------------------------------


def drawn_in(project: Project) -> QuerySet[DrawnReply]:
    found = DrawnReply.objects.filter(validation__project=project).order_by("pk")
    return found.select_related("reply__item__release", "reply__run")


def task_key(row: DrawnReply) -> str:
    return f"answer-{row.pk}"


def of_tasks(tasks: Sequence[Task]) -> dict[int, DrawnReply]:
    """By the ids of tasks; one that is about nothing any more is left out."""
    wanted = {task.pk: task.payload["drawn"] for task in tasks if task.payload}
    rows = DrawnReply.objects.select_related("reply__item__release", "reply__run")
    found = rows.in_bulk(set(wanted.values()))
    return {task: found[drawn] for task, drawn in wanted.items() if drawn in found}


def homes(run: Run, user: User) -> list[Study]:
    """The studies whose members may be asked to judge a run over a release of none."""
    if run.release.study_id is not None:
        return []
    return list(Study.objects.visible_to(user).order_by("slug"))


# --- Figures ------------------------------------------------------------------------------------


def of_run(run: Run) -> Validation | None:
    return next(iter(of_runs([run])), None)


def by_judge(run: Run, judges: Mapping[str, Judge]) -> dict[str, dict[str, Any]]:
    """For each judge by its name how far it says what people say, see `weighing.against_people`;
    with `drawn`, the replies people were given, `decided`, those they have decided, and
    `annotators`, how far they agree with each other before (`Reliability.as_dict`, None without a
    draw). Only what is decided enters a figure."""
    validation = of_run(run)
    drawn = _drawn(validation, run) if validation else []
    decided = [row for row in drawn if row.by_people]
    between = _between(validation, drawn) if validation else None
    counts = {"drawn": len(drawn), "decided": len(decided), "annotators": between}
    return {
        name: counts | weighing.against_people(_both(decided, judge), LABELS)
        for name, judge in judges.items()
    }


def _drawn(validation: Validation, run: Run) -> list[Any]:
    """With what people have decided in `by_people`, and all verdicts of models in `given`."""
    ok = Verdict.objects.filter(outcome=Verdict.Outcome.OK)
    people = ok.filter(reply=OuterRef("reply"), decision__task__project=validation.project)
    given = Prefetch("reply__verdicts", ok.filter(decision=None), to_attr="given")
    rows = validation.drawn.filter(reply__run=run).select_related("reply__item")
    return list(
        rows.annotate(by_people=Subquery(people.values("value")[:1])).prefetch_related(given)
    )


def _both(decided: Sequence[Any], judge: Judge) -> list[Both]:
    return [
        Both(row.reply.item.key, row.by_people, verdict.value, row.weight)
        for row in decided
        for verdict in row.reply.given
        if verdict.judge_id == judge.pk
    ]


def _between(validation: Validation, drawn: Sequence[DrawnReply]) -> dict[str, Any]:
    return agreeing.among(validation.project, [task_key(row) for row in drawn]).as_dict()
