"""How a study was collected and annotated, as the manifest of its release states it.

All of it is counts and rates of many, never a person's; rates are rounded to six digits, so that
equal tables give equal bytes on every machine.
"""

from collections import Counter
from datetime import UTC
from typing import Any

from django.db.models import Count, Max, Min

from annotation import kinds
from annotation.models import Decision, GoldAnswer, Judgement, Project, Task
from annotation.selectors import agreeing, hanging
from collection.models import Submission
from core.stats import Statistic
from studies.models import Participation, Study
from studies.participation import Status

DIGITS = 6

Stated = dict[str, Any]


def of_study(study: Study) -> Stated:
    """{"names", "languages", "residency_percent", "collected": {"from", "until"} or null,
    "kept_in": {region: participations}, "thresholds", "annotation",
    "hangs_on": as `annotation.selectors.hanging.Hanging.as_dict`}."""
    return {
        "names": study.names,
        "languages": study.languages,
        "residency_percent": study.residency_percent,
        "collected": _collected(study),
        "kept_in": _kept_in(study),
        "thresholds": _thresholds(study),
        "annotation": [
            _annotated(each)
            for each in Project.objects.filter(study=study)
            if kinds.of(each.kind).makes_gold
        ],
        "hangs_on": _rounded(hanging.of_study(study).as_dict()),
    }


def _kept(study: Study) -> Any:
    return Participation.objects.filter(
        activity__study=study, status=Status.ACCEPTED, included=True
    )


def _collected(study: Study) -> Stated | None:
    """First and last day, UTC, on which a form that counts was sent."""
    sent = Submission.objects.filter(participation__in=_kept(study), submitted__isnull=False)
    days = sent.aggregate(first=Min("submitted"), last=Max("submitted"))
    if days["first"] is None:
        return None
    first, last = (days[end].astimezone(UTC).date().isoformat() for end in ("first", "last"))
    return {"from": first, "until": last}


def _kept_in(study: Study) -> dict[str, int]:
    counted = Counter(_kept(study).values_list("participant__region__slug", flat=True))
    return {slug: counted[slug] for slug in study.regions.values_list("slug", flat=True)}


def _thresholds(study: Study) -> list[Stated]:
    """[{"answers", "needed", "decided"}]: how many answers were in view, how many of them had to
    agree, and of how many questions of a region this was so."""
    rows = GoldAnswer.objects.filter(question__study=study).values("n", "threshold")
    return [
        {"answers": row["n"], "needed": row["threshold"], "decided": row["decided"]}
        for row in rows.annotate(decided=Count("pk")).order_by("n", "threshold")
    ]


def _annotated(project: Project) -> Stated:
    """{"kind", "title", "people": a task, "share", "guideline": newest version, "tasks",
    "by_rule", "by_person": tasks decided, "annotators", "reliability", "respondents"}; the last
    two as `Reliability.as_dict` and {"gold", "agreeing", "unanimous"} or null."""
    first = Judgement.objects.filter(
        assignment__project=project, phase=Judgement.Phase.FIRST
    ).order_by()
    decided = Counter(
        Decision.objects.filter(
            task__project=project, task__status=Task.Status.DECIDED, current=True
        ).values_list("by", flat=True)
    )
    newest = project.guidelines.order_by("-version").values_list("version", flat=True).first()
    return {
        "kind": project.kind,
        "title": kinds.of(project.kind).title,
        "people": project.overlap,
        "share": project.share,
        "guideline": newest,
        "tasks": project.tasks.count(),
        "by_rule": decided[Decision.By.RULE],
        "by_person": decided[Decision.By.PERSON],
        "annotators": first.values("assignment__annotator").distinct().count(),
        "reliability": _rounded(agreeing.annotators(project)[0].found.as_dict()),
        "respondents": _respondents(project),
    }


def _respondents(project: Project) -> Stated | None:
    found = agreeing.respondents(project)
    if found is None:
        return None
    return {name: _rounded(_plain(value)) for name, value in vars(found).items()}


def _plain(value: Any) -> Any:
    return value.as_dict() if isinstance(value, Statistic) else value


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return round(value, DIGITS) if isinstance(value, float) else value
