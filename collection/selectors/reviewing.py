"""What waits for review."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Case, Count, IntegerField, Max, QuerySet, Value, When

from collection import quality
from collection.models import QualityFlag
from collection.selectors import evidence
from core.errors import NotFound
from studies import languages
from studies.models import Participation, Study
from studies.participation import Status
from studies.setup import ActivityKind

# What there is to review, in the order of who waits for it.
STATUSES = (
    Status.SUBMITTED,
    Status.REDO,
    Status.ACCEPTED,
    Status.REJECTED,
    Status.TIMED_OUT,
)
ALL = "all"


@dataclass(frozen=True)
class Filters:
    """From the address: `status` is one of STATUSES or ALL, the others a slug or empty."""

    status: str = Status.SUBMITTED
    region: str = ""
    activity: str = ""


@dataclass(frozen=True)
class Line:
    """A participation in the queue. `times` is how many times the median of `n` its time is, None
    where there is no median; of `checks` asked, `failed` were failed and are not excused."""

    row: Participation
    region: str
    time: str
    times: float | None
    n: int
    checks: int
    failed: int
    excused: int
    duplicates: int

    @property
    def acceptable(self) -> bool:
        """Whether it may be accepted without being opened."""
        return self.row.status == Status.SUBMITTED and not self.failed


def access_participation(study: Study, code: str) -> Participation:
    """A participation of a study already accessed that there is something to review of.

    Raises `review.unknown` (404)."""
    row = _participations(study).filter(code=code, status__in=STATUSES).first()
    if row is None:
        raise NotFound(
            "review.unknown",
            "There is nothing to review here: the answers are not sent yet, the person has "
            "withdrawn, or the address is wrong. Choose somebody from the list.",
        )
    return row


def queue(study: Study, filters: Filters) -> QuerySet[Participation]:
    """Those longest waiting first, each with `sent`, when the last form was."""
    wanted = STATUSES if filters.status == ALL else (filters.status,)
    rows = _participations(study).filter(status__in=set(wanted) & set(STATUSES))
    if filters.region:
        rows = rows.filter(participant__region__slug=filters.region)
    if filters.activity:
        rows = rows.filter(activity__slug=filters.activity)
    turns = [When(status=status, then=Value(turn)) for turn, status in enumerate(STATUSES)]
    return rows.annotate(
        sent=Max("submissions__submitted"), turn=Case(*turns, output_field=IntegerField())
    ).order_by("turn", "sent", "pk")


def status_counts(study: Study) -> dict[str, int]:
    """How many participations there are of each of STATUSES."""
    found = (
        _participations(study)
        .filter(status__in=STATUSES)
        .order_by()
        .values_list("status")
        .annotate(n=Count("pk"))
    )
    return {str(status): n for status, n in (dict.fromkeys(STATUSES, 0) | dict(found)).items()}


def waiting(studies: Collection[int]) -> dict[int, int]:
    """How many participations wait to be decided on, by the ids of the studies that have some."""
    found = Participation.objects.filter(
        activity__study__in=studies, activity__kind=ActivityKind.SURVEY, status=Status.SUBMITTED
    ).order_by()
    return dict(found.values_list("activity__study").annotate(n=Count("pk")))


def next_waiting(study: Study, but: Participation) -> Participation | None:
    return queue(study, Filters()).exclude(pk=but.pk).first()


def chosen(study: Study, codes: Collection[str]) -> list[Participation]:
    return list(_participations(study).filter(code__in=[code for code in codes if code.isalnum()]))


def lines(rows: Iterable[Participation]) -> list[Line]:
    """Everything the queue shows of a page of participations."""
    rows = list(rows)
    asked, failed = evidence.checks_asked(rows), evidence.failed_checks(rows)
    duplicates = evidence.duplicates(rows)
    activities = {row.activity_id: row.activity for row in rows}
    usual = {pk: quality.spread(evidence.times(each)) for pk, each in activities.items()}
    excused = QualityFlag.Decision.EXCUSED
    return [
        Line(
            row,
            region_name(row),
            quality.span(row.worked_ms),
            quality.compared(row.worked_ms, usual[row.activity_id]),
            usual[row.activity_id].n,
            asked[row.pk],
            failed[row.pk].total() - failed[row.pk][excused],
            failed[row.pk][excused],
            duplicates[row.pk],
        )
        for row in rows
    ]


def region_choices(study: Study) -> list[tuple[str, str]]:
    """(short name, name) of the regions in their order."""
    return [
        (region.slug, languages.choose(region.names, study.languages)[1] or region.slug)
        for region in study.regions.all()
    ]


def region_name(row: Participation) -> str:
    region = row.participant.region
    if region is None:
        return "not yet known"
    return languages.choose(region.names, row.activity.study.languages)[1] or region.slug


def _participations(study: Study) -> QuerySet[Participation]:
    rows = Participation.objects.filter(activity__study=study, activity__kind=ActivityKind.SURVEY)
    return rows.select_related("activity__study", "participant__region")
