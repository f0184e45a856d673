"""Participations that do not move, and what would make them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import F, Max, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest
from django.urls import reverse

from collection.models import Submission
from collection.selectors.reviewing import region_name
from core import clock
from studies import kinds
from studies.models import Participation, Study
from studies.participation import Status

_HOUR = 3600


@dataclass(frozen=True)
class Stuck:
    """`since` is when the participation last moved, or when its time is up; `next_step` is for
    the research team."""

    row: Participation
    why: str
    since: datetime
    next_step: str

    @property
    def review(self) -> str:
        """The page it is decided on at; empty where nobody has to."""
        kind = kinds.of(self.row.activity)
        if kind is None or not kind.review.page or self.row.status != Status.SUBMITTED:
            return ""
        return reverse(kind.review.page, args=(self.row.activity.study.slug, self.row.code))

    @property
    def region(self) -> str:
        return region_name(self.row)


def stuck(study: Study) -> list[Stuck]:
    """Those that need somebody; a participation can be here for two reasons."""
    return [
        *_silent(study),
        *_unopened(study),
        *_not_done_again(study),
        *_unreviewed(study),
        *_nearly_over(study),
    ]


def _silent(study: Study) -> Iterator[Stuck]:
    since = Coalesce("last_seen", "opened", "created")
    rows = _of(study, Status.ACTIVE).annotate(since=since)
    why = f"silent for more than {_words(settings.STUCK_AFTER)} while answering"
    step = "Send them their personal link: it opens where they stopped."
    return _found(rows, settings.STUCK_AFTER, why, step)


def _unopened(study: Study) -> Iterator[Stuck]:
    rows = _of(study, Status.INVITED).filter(opened=None).annotate(since=F("created"))
    why = f"invited and not opened for more than {_words(settings.UNOPENED_AFTER)}"
    step = "Send the link again, or give it to somebody else."
    return _found(rows, settings.UNOPENED_AFTER, why, step)


def _not_done_again(study: Study) -> Iterator[Stuck]:
    asked = Max("submissions__touched", filter=Q(submissions__status=Submission.Status.REDO))
    rows = _of(study, Status.REDO).annotate(asked=asked)
    rows = rows.annotate(
        since=Greatest(Coalesce("asked", "created"), Coalesce("last_seen", "created"))
    )
    why = f"asked again and silent for more than {_words(settings.STUCK_AFTER)}"
    step = "Tell them that a form waits for them, with their personal link."
    return _found(rows, settings.STUCK_AFTER, why, step)


def _unreviewed(study: Study) -> Iterator[Stuck]:
    rows = _of(study, Status.SUBMITTED).annotate(
        since=Coalesce(Max("submissions__submitted"), "last_seen", "created")
    )
    why = f"waiting for your review for more than {_words(settings.REVIEW_WITHIN)}"
    return _found(rows, settings.REVIEW_WITHIN, why, "Review it: they wait for their pay.")


def _nearly_over(study: Study) -> Iterator[Stuck]:
    rows = _of(study, Status.ACTIVE, Status.REDO).filter(
        deadline__gt=clock.now(), deadline__lte=clock.later(settings.DEADLINE_NEAR)
    )
    why = f"time is up within {_words(settings.DEADLINE_NEAR)}"
    step = "Remind them; what they have written is kept, their place is not."
    for row in rows.order_by("deadline", "pk"):
        if row.deadline is not None:
            yield Stuck(row, why, row.deadline, step)


def _of(study: Study, *statuses: Status) -> QuerySet[Participation]:
    rows = Participation.objects.filter(activity__study=study, status__in=statuses)
    return rows.select_related("participant__region", "activity__study")


def _found(rows: QuerySet[Any], after: float, why: str, step: str) -> Iterator[Stuck]:
    rows = rows.filter(since__lt=clock.ago(after)).order_by("since", "pk")
    for row in rows:
        yield Stuck(row, why, row.since, step)


def _words(seconds: float) -> str:
    hours = round(seconds / _HOUR)
    return f"{hours // 24} days" if hours % 24 == 0 else f"{hours} hours"
