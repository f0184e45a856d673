"""Replies and the verdicts on them, by judge."""

from collections.abc import Iterable
from typing import Any

from django.db.models import (
    Count,
    Exists,
    FilteredRelation,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)

from evaluation import benchmarks
from evaluation.models import Judge, Outcome, Reply, Run, Sample, Verdict
from inference.endpoints import model_family
from inference.families import same_family
from inference.models import LanguageModel
from releases.models import Item

VerdictCell = tuple[str, dict[str, Any], str, str | None, str | None, int]


def judgeable(run: Run) -> QuerySet[Reply]:
    """The distinct replies that judges are asked about: those that are an answer."""
    return run.replies.filter(outcome=Outcome.OK)


def unjudged(run: Run, judge: Judge) -> QuerySet[Reply]:
    given = Verdict.objects.filter(judge=judge, reply=OuterRef("pk"))
    return run.replies.filter(~Exists(given), outcome=Outcome.OK)


def verdict_cells(run: Run, judge: Judge) -> list[VerdictCell]:
    """The run's answered samples by verdict: (item's key, its labels, variant, value, verdict's
    outcome, samples). Value and outcome are None where the judge has not judged the reply yet."""
    given = FilteredRelation("verdicts", condition=Q(verdicts__judge=judge))
    # Counted reply by reply: half the time of joining the samples themselves.
    theirs = Sample.objects.filter(reply=OuterRef("pk")).order_by().values("reply")
    counted = (
        run.replies.filter(outcome=Outcome.OK)
        .alias(given=given)
        .values_list("item", "variant", "given__value", "given__outcome")
        .annotate(n=Sum(Subquery(theirs.annotate(n=Count("pk")).values("n")), default=0))
        .order_by()
    )
    about = {pk: (key, labels) for pk, key, labels in _labelled(run)}
    return [(*about[item], *rest) for item, *rest in counted]


def _labelled(run: Run) -> QuerySet[Item, tuple[int, str, dict[str, Any]]]:
    items = run.release.items.filter(kind=benchmarks.find(run.benchmark).items)
    return items.order_by().values_list("pk", "key", "labels")


def judged_by_both(run: Run, one: Judge, other: Judge) -> list[tuple[str, str, str, int]]:
    """The run's distinct replies that both gave a verdict on: (item's key, the one's value, the
    other's, replies)."""
    ok = Verdict.Outcome.OK
    theirs = Verdict.objects.filter(judge=other, outcome=ok, reply=OuterRef("reply"))
    mine = Verdict.objects.filter(judge=one, outcome=ok, reply__run=run)
    counted = (
        mine.annotate(theirs=Subquery(theirs.values("value")))
        .exclude(theirs=None)
        .values_list("reply__item__key", "value", "theirs")
        .annotate(n=Count("pk"))
    )
    return list(counted.order_by())


def judges_of(run: Run) -> list[Judge]:
    """In turn, also those of a run that is not saved yet."""
    if run.pk is None:
        return list(run.ordered_judges)
    return [each.judge for each in run.run_judges.select_related("judge__model__endpoint")]


def models_of(run: Run) -> list[LanguageModel]:
    """Every model the run asks; an imported run only its judges."""
    asked = [run.model] if run.model else []
    return asked + [judge.asked for judge in judges_of(run)]


def judges_by_name(run: Run) -> dict[str, Judge]:
    """The judges of the run in turn. Of several of one name, who differ in their prompt, all but
    the first have a part of its hash behind it."""
    return _by_name(judges_of(run))


def people_by_name(run: Run, *, of_a_draw: bool = True) -> dict[str, Judge]:
    """The people who judged replies of the run; with `of_a_draw` also those whose replies were
    drawn for them, which figures have to weigh."""
    people = Judge.objects.filter(kind=Judge.Kind.PERSON).order_by("pk")
    theirs = Verdict.objects.filter(judge=OuterRef("pk"), reply__run=run)
    if not of_a_draw:
        theirs = theirs.filter(decision=None)
    return _by_name(people.filter(Exists(theirs)))


def _by_name(judges: Iterable[Judge]) -> dict[str, Judge]:
    named: dict[str, Judge] = {}
    for judge in judges:
        name = f"{judge.label} ({judge.hash[:8]})" if judge.label in named else judge.label
        named[name] = judge
    return named


def is_kin(run: Run, judge: Judge) -> bool:
    """Whether a model judges one of its own family, by their names or what the setting says."""
    if judge.model is None:
        return False
    if run.model is None:
        return same_family(run.model_label, judge.model.name)
    return bool(model_family(run.model) & model_family(judge.model))
