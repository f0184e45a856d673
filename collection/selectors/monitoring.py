"""How the collection goes, in numbers: who stands where, which places are taken, how long it
takes and what an hour of it earns. Every count is made by the database."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce

from collection import quality
from collection.models import Answer, FormVersion, Submission
from collection.quality import Spread
from collection.selectors import evidence
from studies import languages, money
from studies.models import Activity, LedgerEntry, Participation, Region, Study
from studies.participation import Status

# All statuses, as somebody looks at them who waits for answers: before and after the activity
# together, each step of it alone.
GROUPS: tuple[tuple[str, tuple[Status, ...]], ...] = (
    ("coming in", (Status.INVITED, Status.CONSENTING, Status.SCREENING)),
    ("answering", (Status.ACTIVE,)),
    ("asked again", (Status.REDO,)),
    ("wait for review", (Status.SUBMITTED,)),
    ("accepted", (Status.ACCEPTED,)),
    ("rejected", (Status.REJECTED,)),
    ("did not enter", (Status.DECLINED, Status.SCREENED_OUT, Status.QUOTA_FULL)),
    ("left", (Status.RETURNED, Status.TIMED_OUT, Status.CUT_SHORT, Status.WITHDRAWN)),
)
COLUMNS = tuple(status for _, statuses in GROUPS for status in statuses)
DECIDED = (Status.ACCEPTED, Status.REJECTED)
UNKNOWN = "not yet known"


@dataclass(frozen=True)
class CountRow:
    """Participations of one region by status, in the order of COLUMNS."""

    region: str
    counts: list[int]

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def groups(self) -> list[tuple[int, list[tuple[str, int]]]]:
        """For each of GROUPS how many, and who they are where it has several statuses."""
        found = dict(zip(COLUMNS, self.counts, strict=True))
        return [
            (
                sum(found[status] for status in statuses),
                [(status, found[status]) for status in statuses if found[status]]
                if len(statuses) > 1
                else [],
            )
            for _, statuses in GROUPS
        ]


@dataclass(frozen=True)
class Places:
    """Those of an activity in a region; `held` includes those `accepted`, and can be more than
    the `target` after an appeal."""

    region: str
    target: int
    held: int
    accepted: int

    @property
    def free(self) -> int:
        return max(self.target - self.held, 0)


@dataclass(frozen=True)
class FormLine:
    """One form of everybody who has not withdrawn: submissions by status, `answered` of the
    `asked` questions of forms that were sent (the others were skipped), and their times in ms."""

    number: int
    statuses: dict[str, int]
    answered: int
    asked: int
    times: Spread


@dataclass(frozen=True)
class Figures:
    """One activity. `counts` are rows of regions, `times` is the measured time (ms) of those who
    have finished; `wage` is minor units an hour of those accepted or rejected, whose pay is
    decided, `no_wage` the reason where there is none."""

    activity: Activity
    counts: list[CountRow]
    places: list[Places]
    forms: list[FormLine]
    times: Spread
    wage: Spread
    no_wage: str

    @property
    def times_in_words(self) -> str:
        return self.times.said(quality.span, "nobody has finished yet")

    @property
    def wage_in_words(self) -> str:
        currency = self.activity.study.currency
        return self.wage.said(
            lambda minor: f"{money.plain(minor, currency)} {currency}", self.no_wage
        )


def figures(study: Study) -> list[Figures]:
    named = regions(study)
    return [_figures(activity, named) for activity in activities(study)]


def standings(study: Study) -> list[tuple[Activity, list[CountRow]]]:
    """Only who stands where, which the monitor asks for again and again."""
    named = regions(study)
    return [(activity, counts(activity, named)) for activity in activities(study)]


def activities(study: Study) -> list[Activity]:
    return list(study.activities.select_related("study"))


def regions(study: Study) -> list[tuple[Region, str]]:
    """The regions in their order, each with its name."""
    return [
        (region, languages.choose(region.names, study.languages)[1] or region.slug)
        for region in study.regions.all()
    ]


def counts(activity: Activity, named: list[tuple[Region, str]]) -> list[CountRow]:
    """By region, in order, then those whose region is not known yet or is none of these, then
    all of them."""
    found = _by_region(activity, "participant__region")
    keys = [*((region.pk, name) for region, name in named), (None, UNKNOWN)]
    rows = [CountRow(name, [found[pk, status] for status in COLUMNS]) for pk, name in keys]
    sums = [sum(row.counts[place] for row in rows) for place in range(len(COLUMNS))]
    return [*rows, CountRow("all", sums)]


def places(activity: Activity, named: list[tuple[Region, str]]) -> list[Places]:
    found = _by_region(activity, "slot_region")
    return [
        Places(
            name,
            region.target,
            sum(found[region.pk, status] for status in COLUMNS),
            found[region.pk, Status.ACCEPTED],
        )
        for region, name in named
    ]


def forms(activity: Activity) -> list[FormLine]:
    statuses, asked, answered = _submissions(activity), _asked(activity), _answered(activity)
    times = evidence.form_spreads(activity)
    numbers = FormVersion.objects.filter(activity=activity).order_by("number")
    return [
        FormLine(
            number,
            {status: statuses[number, status] for status in Submission.Status.values},
            answered[number],
            asked[number],
            times.get(number, Spread(0)),
        )
        for number in numbers.values_list("number", flat=True).distinct()
    ]


def wage(activity: Activity) -> tuple[Spread, str]:
    """Minor units an hour: what somebody has earned (reward and bonus) by the time measured, over
    all those decided on, also who was rejected and earned nothing; and why there is no figure,
    where there is none. Who was turned away or left worked for seconds, which tells nothing of an
    hour, and of who waits it is not known yet."""
    kinds = (LedgerEntry.Kind.REWARD, LedgerEntry.Kind.BONUS)
    earned = Sum("ledger__amount_minor", filter=Q(ledger__kind__in=kinds))
    decided = (
        Participation.objects.filter(activity=activity, status__in=DECIDED)
        .annotate(earned=Coalesce(earned, 0))
        .order_by()
    )
    hourly = quality.spread(
        earned * 3_600_000 // worked
        for earned, worked in decided.filter(worked_ms__gt=0)
        .values_list("earned", "worked_ms")
        .iterator()
    )
    if hourly.n:
        return hourly, ""
    if decided.exists():
        return hourly, "no time was measured of those accepted or rejected"
    return hourly, "nobody is accepted or rejected yet"


def _figures(activity: Activity, named: list[tuple[Region, str]]) -> Figures:
    hourly, no_wage = wage(activity)
    return Figures(
        activity,
        counts(activity, named),
        places(activity, named),
        forms(activity),
        quality.spread(evidence.times(activity)),
        hourly,
        no_wage,
    )


def _by_region(activity: Activity, region: str) -> Counter[tuple[int | None, str]]:
    found = (
        Participation.objects.filter(activity=activity)
        .order_by()
        .values_list(region, "status")
        .annotate(n=Count("pk"))
    )
    return Counter({(pk, name): n for pk, name, n in found})


def _submissions(activity: Activity) -> Counter[tuple[int, str]]:
    found = (
        Submission.objects.filter(participation__activity=activity)
        .exclude(participation__status=Status.WITHDRAWN)
        .order_by()
        .values_list("number", "status")
        .annotate(n=Count("pk"))
    )
    return Counter({(number, status): n for number, status, n in found})


def _asked(activity: Activity) -> Counter[int]:
    """Questions of the forms that were sent, by form number."""
    sent = list(
        evidence.sent_submissions(activity)
        .order_by()
        .values_list("number", "form_version")
        .annotate(n=Count("pk"))
    )
    forms = evidence.frozen_forms(version for _, version, _ in sent)
    found: Counter[int] = Counter()
    for number, version, n in sent:
        found[number] += n * len(forms[version]["questions"])
    return found


def _answered(activity: Activity) -> Counter[int]:
    """Of those, the ones that have an answer."""
    found = (
        Answer.objects.filter(submission__in=evidence.sent_submissions(activity), skipped=False)
        .filter(Q(value__isnull=False) | ~Q(text=""))
        .order_by()
        .values(number=F("submission__number"))
        .annotate(n=Count("pk"))
        .values_list("number", "n")
    )
    return Counter(dict(found))
