"""Reads for the viewer of samples: filters, pages by key, neighbours, what went wrong.

Samples follow each other by question, region and repeat, the order of their unique index, so a
page costs the same wherever it lies. `item_id` grows with an item's position in its release.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from evaluation import benchmarks, selectors
from evaluation.models import Judge, Outcome, Run, Sample, Verdict
from evaluation.reading.verdicts import LABELS

PAGE = 50
EXAMPLES = 3
ORDER = ("item_id", "variant", "repeat", "turn")
NONE = "none"  # not judged yet
LONGEST = 200  # characters of a filter


@dataclass(frozen=True)
class Filters:
    """What to show of a run's samples; an empty filter shows all.

    `verdict` is `<number of the judge's row>.<label, unparsed, failed or none>`; `text` is looked
    for in the replies as they came.
    """

    outcome: str = ""
    region: str = ""
    domain: str = ""
    item: str = ""
    verdict: str = ""
    differ: str = ""
    text: str = ""

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> "Filters":
        known = {name: str(given.get(name, "")).strip()[:LONGEST] for name in asdict(cls())}
        return cls(**known)

    def query(self) -> dict[str, str]:
        """For an address: what is set."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True)
class Page:
    rows: Sequence[Sample]
    total: int
    before: int | None  # the sample to page back from, None on the first page
    after: int | None


def samples(run: Run, filters: Filters) -> QuerySet[Sample]:
    """The run's samples that fit, in order."""
    found = selectors.samples(
        run, outcome=filters.outcome, region=filters.region, item=filters.item
    ).order_by(*ORDER)
    if filters.domain:
        items = run.release.items.filter(labels__domain=filters.domain)
        found = found.filter(item__in=items.order_by().values("pk"))
    if filters.text:
        found = found.filter(reply__text__icontains=filters.text)
    if filters.verdict:
        found = _judged(found, filters.verdict)
    if filters.differ:
        found = found.filter(reply__in=differing(run))
    return found


def _judged(found: QuerySet[Sample], verdict: str) -> QuerySet[Sample]:
    judge, _, said = verdict.partition(".")
    number = _number(judge)
    if number is None or not said:
        return found.none()
    given = Verdict.objects.filter(judge=number, reply=OuterRef("reply"))
    if said == NONE:
        return found.filter(~Exists(given), reply__outcome=Outcome.OK)
    if said in (Verdict.Outcome.UNPARSED, Verdict.Outcome.FAILED):
        return found.filter(Exists(given.filter(outcome=said)))
    return found.filter(Exists(given.filter(outcome=Verdict.Outcome.OK, value=said)))


def differing(run: Run) -> QuerySet[Verdict, int]:
    """Numbers of the replies of which judges say different things."""
    said = Verdict.objects.filter(reply__run=run, outcome=Verdict.Outcome.OK).order_by()
    apart = said.values("reply").annotate(values=Count("value", distinct=True))
    return apart.filter(values__gt=1).values_list("reply", flat=True)


# --- Pages --------------------------------------------------------------------------------------


def page(run: Run, filters: Filters, *, after: str = "", before: str = "", total: str = "") -> Page:
    """The samples that follow the one with this number, or precede it; the first ones without.

    `total` is what an earlier page has counted. A number that is none of the run begins anew.
    """
    found = samples(run, filters)
    mark, counted = _sample(run, before or after), _number(total)
    backwards = bool(before) and mark is not None
    rows = found
    if mark is not None:
        rows = found.filter(_beyond(mark, backwards=backwards))
    if backwards:
        rows = rows.order_by(*(f"-{name}" for name in ORDER))
    got = list(rows[: PAGE + 1])
    more, shown = len(got) > PAGE, got[:PAGE]
    if backwards:
        shown.reverse()
    earlier = more if backwards else mark is not None
    later = True if backwards else more
    return Page(
        rows=shown,
        total=found.count() if mark is None or counted is None else counted,
        before=shown[0].pk if shown and earlier else None,
        after=shown[-1].pk if shown and later else None,
    )


def neighbours(run: Run, filters: Filters, one: Sample) -> tuple[Sample | None, Sample | None]:
    """The samples before and after this one, of those that fit."""
    found = samples(run, filters)
    behind = found.filter(_beyond(one, backwards=True))
    return (
        behind.order_by(*(f"-{name}" for name in ORDER)).first(),
        found.filter(_beyond(one, backwards=False)).first(),
    )


def _sample(run: Run, number: str) -> Sample | None:
    pk = _number(number)
    return None if pk is None else run.samples.filter(pk=pk).first()


def _number(text: str) -> int | None:
    """A whole number a database holds, None where the text is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _beyond(mark: Sample, *, backwards: bool) -> Q:
    """Later in ORDER than the mark, or earlier. The first condition alone lets an index begin at
    the right place."""
    side = "lt" if backwards else "gt"
    beyond, same = Q(), Q()
    for name in ORDER:
        beyond |= same & Q(**{f"{name}__{side}": getattr(mark, name)})
        same &= Q(**{name: getattr(mark, name)})
    return Q(**{f"item_id__{side}e": mark.item_id}) & beyond


# --- What can be chosen -------------------------------------------------------------------------


def judges(run: Run) -> dict[str, Judge]:
    """Everybody who judges replies of the run, people last, by name."""
    return selectors.judges_by_name(run) | selectors.people_by_name(run)


def verdict_choices(judges: Mapping[str, Judge]) -> list[tuple[str, list[tuple[str, str]]]]:
    """For a menu: (judge's name, [(value of the filter, words)])."""
    said = [(label, words_of("ok", label)) for label in LABELS]
    said += [(name, words_of(name)) for name in ("unparsed", "failed", NONE)]
    return [
        (name, [(f"{judge.pk}.{value}", words) for value, words in said])
        for name, judge in judges.items()
    ]


def words_of(outcome: str, value: str = "") -> str:
    """A verdict in words."""
    if outcome == Verdict.Outcome.OK:
        return value.replace("_", " ").capitalize()
    return {
        "unparsed": "Verdict could not be read",
        "failed": "Judge could not be asked",
    }.get(outcome, "Not judged yet")


def domains(run: Run) -> list[str]:
    """The domains of the run's items, in order."""
    items = run.release.items.filter(kind=benchmarks.find(run.benchmark).items)
    found = items.order_by().values_list("labels__domain", flat=True).distinct()
    return sorted(domain for domain in found if domain)


def verdicts_on(replies: Sequence[int]) -> dict[int, dict[int, Verdict]]:
    """{reply: {judge: verdict}}, without what the judges wrote."""
    found: dict[int, dict[int, Verdict]] = {}
    for verdict in Verdict.objects.filter(reply__in=replies).defer("text"):
        found.setdefault(verdict.reply_id, {})[verdict.judge_id] = verdict
    return found


# --- What went wrong ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """One kind of failure: how many of how many, and a few of them."""

    title: str
    meaning: str
    count: int
    of: int
    things: str  # what is counted
    filters: Filters
    examples: Sequence[Sample]


MEANING = {
    "unparsed": ("Could not be read", "Read by rule, the reply says nothing the rule knows."),
    "ambiguous": ("Said more than one thing", "The reply names several answers."),
    "refused": ("Refused", "The model or its endpoint declined to answer."),
    "truncated": ("Empty or cut short", "The reply ended for want of room, or says nothing."),
    "failed": ("No reply", "The request failed for good; resuming the run asks it again."),
}
UNREAD = "Its words hold no verdict that can be read; the reply counts as not judged."
UNASKED = "The request to the judge failed for good; resuming the run asks it again."
DIFFER = "No failure of the model: judges take the same reply for different things."


def failures(run: Run) -> list[Kind]:
    """Every kind of failure that occurred, the benchmark's own first."""
    counts = selectors.outcomes(run)
    total = sum(counts.values())
    kinds = [
        Kind(title, meaning, counts[name], total, "samples", filters, _examples(run, filters))
        for name, (title, meaning) in MEANING.items()
        if counts[name]
        for filters in [Filters(outcome=name)]
    ]
    return kinds + _judging_failures(run)


def _judging_failures(run: Run) -> list[Kind]:
    if benchmarks.find(run.benchmark).judging is None:
        return []
    given = Verdict.objects.filter(reply__run=run).order_by()
    counts: dict[int, dict[str, int]] = {}
    for judge, outcome, n in given.values_list("judge", "outcome").annotate(n=Count("pk")):
        counts.setdefault(judge, {})[outcome] = n
    kinds = []
    for name, judge in judges(run).items():
        mine = counts.get(judge.pk, {})
        for outcome, meaning in (("unparsed", UNREAD), ("failed", UNASKED)):
            if n := mine.get(outcome):
                title = f"{words_of(outcome)}: {name}"
                filters = Filters(verdict=f"{judge.pk}.{outcome}")
                kinds.append(_of_replies(run, title, meaning, n, sum(mine.values()), filters))
    return kinds + _disagreement(run, given)


def _of_replies(run: Run, title: str, meaning: str, n: int, of: int, filters: Filters) -> Kind:
    return Kind(title, meaning, n, of, "distinct replies", filters, _examples(run, filters))


def _disagreement(run: Run, given: QuerySet[Verdict]) -> list[Kind]:
    ok = given.filter(outcome=Verdict.Outcome.OK).values("reply").annotate(n=Count("judge"))
    twice, apart = ok.filter(n__gt=1).count(), differing(run).count()
    if not apart:
        return []
    return [_of_replies(run, "Judges differ", DIFFER, apart, twice, Filters(differ="1"))]


def _examples(run: Run, filters: Filters) -> list[Sample]:
    """A few that fit, each of another question."""
    found = samples(run, filters).order_by().select_related(None)
    firsts = found.values("item").annotate(first=Min("pk")).order_by("item")[:EXAMPLES]
    wanted = [row["first"] for row in firsts]
    related = run.samples.select_related("item", "reply", "call")
    return list(related.filter(pk__in=wanted).order_by(*ORDER))
