"""What a run has spent, read from its exchanges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncMinute

from core import charts
from core.charts import Bar, Figure, Table
from core.templatetags.commonplace import money
from evaluation import selectors
from evaluation.models import Run, Verdict
from inference.models import Call

WIDTHS = (1, 5, 15, 60, 360, 1440)  # minutes one bar may stand for
MOST_BARS = 24
# micro-USD; below these an axis in the unit would only read 0
DOLLARS_FROM, CENTS_FROM = 50_000, 500


@dataclass(frozen=True)
class Line:
    """What one model of a run was asked for, and what came of it."""

    stage: str
    model: str
    exchanges: int
    failed: int  # exchanges without a reply; what they cost is in the cost
    replies: int
    input_tokens: int
    output_tokens: int
    cost_micro: int | None  # None: no exchange had a price
    unpriced: int  # exchanges whose cost is not known
    kept: int  # replies that were there from before and cost nothing here


@dataclass(frozen=True)
class Span:
    """A stretch of time in which something was sent; cost in micro-USD."""

    begins: datetime
    exchanges: int
    failed: int
    cost: int


def by_stage(run: Run) -> list[Line]:
    """A line for each model the run asks, in the order of its stages. Judges of one model that
    differ in their prompt share a line."""
    totals = {row["model"]: row for row in _totals(run)}
    lines = []
    if run.model is not None:
        kept = run.samples.filter(call=None, reply__isnull=False).count()
        lines.append(_line("Generating", str(run.model), totals.get(run.model_id), kept))
    judged = _verdicts_from_cache(run)
    judges: dict[int, tuple[str, int]] = {}
    for judge in selectors.judges_of(run):
        before = judges.get(judge.asked.pk, ("", 0))[1]
        judges[judge.asked.pk] = (judge.label, before + judged.get(judge.pk, 0))
    lines += [_line("Judging", name, totals.get(pk), n) for pk, (name, n) in judges.items()]
    return lines


def _totals(run: Run) -> Sequence[Mapping[str, Any]]:
    return list(
        Call.objects.filter(purpose=run.purpose)
        .values("model")
        .order_by()
        .annotate(
            exchanges=Count("pk"),
            failed=Count("pk", filter=Q(choices=0)),
            replies=Sum("choices"),
            read=Sum("input_tokens"),
            written=Sum("output_tokens"),
            cost=Sum("cost_micro"),
            unpriced=Count("pk", filter=Q(cost_micro=None)),
        )
    )


def _verdicts_from_cache(run: Run) -> dict[int, int]:
    """Verdicts by judge that no exchange of this run brought."""
    answered = Verdict.objects.filter(reply__run=run, call=None)
    answered = answered.exclude(outcome=Verdict.Outcome.FAILED)
    return dict(answered.values_list("judge").order_by().annotate(n=Count("pk")))


def _line(stage: str, model: str, total: Mapping[str, Any] | None, kept: int) -> Line:
    found = total or {}
    return Line(
        stage=stage,
        model=model,
        exchanges=found.get("exchanges", 0),
        failed=found.get("failed", 0),
        replies=found.get("replies", 0),
        input_tokens=found.get("read", 0),
        output_tokens=found.get("written", 0),
        cost_micro=found.get("cost"),
        unpriced=found.get("unpriced", 0),
        kept=kept,
    )


# --- Over time ----------------------------------------------------------------------------------


def over_time(run: Run) -> tuple[int, list[Span]]:
    """The minutes one span covers, and the spans in which something was sent, in order."""
    rows = (
        Call.objects.filter(purpose=run.purpose)
        .annotate(minute=TruncMinute("at", tzinfo=UTC))
        .values_list("minute")
        .order_by("minute")
        .annotate(
            exchanges=Count("pk"), failed=Count("pk", filter=Q(choices=0)), cost=Sum("cost_micro")
        )
    )
    return _gathered([Span(minute, n, failed, cost or 0) for minute, n, failed, cost in rows])


def _gathered(minutes: Sequence[Span]) -> tuple[int, list[Span]]:
    """Minutes gathered into the narrowest spans that make a chart people can read."""
    for width in WIDTHS:
        spans: dict[datetime, Span] = {}
        for one in minutes:
            begins = _begin(one.begins, width)
            so_far = spans.get(begins, Span(begins, 0, 0, 0))
            spans[begins] = Span(
                begins,
                so_far.exchanges + one.exchanges,
                so_far.failed + one.failed,
                so_far.cost + one.cost,
            )
        if len(spans) <= MOST_BARS:
            break
    return width, list(spans.values())[-MOST_BARS:]


def _begin(moment: datetime, width: int) -> datetime:
    seconds = 60 * width
    return datetime.fromtimestamp(moment.timestamp() // seconds * seconds, UTC)


def figure(run: Run, *, priced: bool) -> Figure | None:
    """Cost over time, or exchanges where there is no price; None where nothing was sent."""
    width, spans = over_time(run)
    if not spans:
        return None
    most = max(span.cost for span in spans)
    if not priced:
        unit, name = 1.0, "Requests"
    elif most >= DOLLARS_FROM:
        unit, name = 1_000_000.0, "US dollars"
    elif most >= CENTS_FROM:
        unit, name = 10_000.0, "US cents"
    else:
        unit, name = 1.0, "Millionths of a US dollar"
    rows = [
        Bar(
            _label(span.begins, width),
            (span.cost if priced else span.exchanges) / unit,
            n=span.exchanges,
            series=8,
            text=money(span.cost) if priced else f"{span.exchanges:,}",
        )
        for span in spans
    ]
    title = _title(spans, priced=priced)
    table = [
        (
            _label(span.begins, width),
            span.exchanges,
            span.failed,
            money(span.cost) if priced else None,
        )
        for span in spans
    ]
    caption = (
        f"Each bar covers {_width(width)} (UTC); stretches in which nothing was sent are left out. "
        "No interval: these are all the requests."
    )
    return Figure(
        title,
        charts.bars(rows, finding=title, axis_label=name),
        caption,
        Table(("From", "Requests", "Without a reply", "Cost"), table),
        (),
        run.simulated,
    )


def _title(spans: Sequence[Span], *, priced: bool) -> str:
    exchanges = sum(span.exchanges for span in spans)
    failed = sum(span.failed for span in spans)
    what = f"{exchanges:,} request{'' if exchanges == 1 else 's'}"
    told = f"{what}, {failed:,} of them without a reply"
    return f"{money(sum(span.cost for span in spans))} for {told}" if priced else told


def _label(begins: datetime, width: int) -> str:
    return f"{begins.day} {begins:%b}" if width >= 1440 else f"{begins.day} {begins:%b, %H:%M}"


def _width(width: int) -> str:
    for minutes, name in ((1440, "day"), (60, "hour"), (1, "minute")):
        if width % minutes == 0:
            many = width // minutes
            return f"one {name}" if many == 1 else f"{many} {name}s"
    raise ValueError(width)
