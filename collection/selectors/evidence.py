"""The evidence there is about participations, read in a fixed number of queries."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import Enum, auto
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Length

from collection import quality
from collection.fairness import Evidence
from collection.kinds import AnswerKind
from collection.models import BEGINNING, Answer, FormVersion, QualityFlag, Submission
from collection.quality import Spread
from studies import languages
from studies.models import Activity, Participation
from studies.participation import Status

FINISHED = (Status.SUBMITTED, Status.REDO, Status.ACCEPTED, Status.REJECTED)
TEXTS = (AnswerKind.SHORT, AnswerKind.LONG)  # what can be copied word for word

_PERSON = "submission__participation__participant"


class Turn(Enum):
    """When the same words were sent elsewhere: by another participant before or later than here,
    by one of whom that is not known, or by the participant."""

    BEFORE = auto()
    LATER = auto()
    UNKNOWN = auto()
    OWN = auto()


class Twin(NamedTuple):
    """The same words, or the same list, in another place: whose, and the question's id."""

    code: str
    question: int
    turn: Turn


Twins = dict[int, list[Twin]]  # by answer, the earliest first


def times(activity: Activity) -> list[int]:
    """Measured times (ms) of everybody who has finished the activity and not withdrawn."""
    rows = Participation.objects.filter(activity=activity, status__in=FINISHED)
    return list(rows.order_by().values_list("worked_ms", flat=True).iterator())


def sent_submissions(activity: Activity) -> QuerySet[Submission]:
    """Forms sent by those who have not withdrawn."""
    return Submission.objects.filter(participation__activity=activity).exclude(
        Q(status=Submission.Status.DRAFT) | Q(participation__status=Status.WITHDRAWN)
    )


def form_spreads(activity: Activity) -> dict[int, Spread]:
    """The times (ms) that forms took those who have sent them, by the form's number."""
    found: dict[int, list[int]] = {}
    for number, ms in sent_submissions(activity).order_by().values_list("number", "ms").iterator():
        found.setdefault(number, []).append(ms)
    return {number: quality.spread(values) for number, values in sorted(found.items())}


def frozen_forms(versions: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Frozen forms by the key of their version."""
    rows = FormVersion.objects.filter(pk__in=set(versions))
    return dict(rows.order_by().values_list("pk", "document"))


def checks_asked(rows: Iterable[Participation]) -> Counter[int]:
    """How many attention checks stood in the forms each participation has sent."""
    sent = list(
        Submission.objects.filter(participation__in=list(rows))
        .exclude(status=Submission.Status.DRAFT)
        .order_by()
        .values_list("participation", "form_version")
    )
    forms = frozen_forms(version for _, version in sent)
    checks = {
        version: sum(question["check"] is not None for question in form["questions"])
        for version, form in forms.items()
    }
    asked: Counter[int] = Counter()
    for participation, version in sent:
        asked[participation] += checks[version]
    return asked


def failed_checks(rows: Iterable[Participation]) -> dict[int, Counter[str]]:
    """Failed attention checks of each participation by what was decided on them ("" if nothing
    was yet)."""
    rows = list(rows)
    found: dict[int, Counter[str]] = {row.pk: Counter() for row in rows}
    flags = (
        QualityFlag.objects.filter(
            submission__participation__in=rows, check_name__startswith=quality.ATTENTION
        )
        .order_by()
        .values_list("submission__participation", "decision")
        .annotate(n=Count("pk"))
    )
    for participation, decision, n in flags:
        found[participation][decision] = n
    return found


def with_failed_checks(rows: Iterable[Participation]) -> set[int]:
    """The keys of those with a failed attention check that nobody has excused."""
    return {
        pk
        for pk, decided in failed_checks(rows).items()
        if decided.total() > decided[QualityFlag.Decision.EXCUSED]
    }


def duplicates(rows: Iterable[Participation]) -> Counter[int]:
    """How many answers each participation has sent whose words another participant of the study
    had sent before, or the same one gave to a further question."""
    own = Q(**{_PERSON: OuterRef(_PERSON)})
    elsewhere = (
        _sent(_texts())
        .filter(
            beginning=OuterRef("beginning"),
            folded=OuterRef("folded"),
            question__study=OuterRef("question__study"),
        )
        .filter(own & ~Q(question=OuterRef("question")) | ~own & Q(last__lt=OuterRef("first")))
    )
    found = (
        _sent(_texts())
        .filter(submission__participation__in=list(rows))
        .filter(Exists(elsewhere))
        .order_by()
        .values_list("submission__participation")
        .annotate(n=Count("pk"))
    )
    return Counter(dict(found))


def twins(row: Participation) -> Twins:
    """Where the words of each duplicated answer were sent elsewhere in the study."""
    mine = list(
        _sent(_texts())
        .filter(submission__participation=row)
        .values_list("pk", "folded", "question", "beginning", "first", "last")
    )
    others = _sent(_texts()).filter(
        beginning__in={beginning for _, _, _, beginning, *_ in mine},
        folded__in={folded for _, folded, *_ in mine},
        question__study=row.activity.study_id,
    )
    found: dict[str, list[tuple[str, int, tuple[datetime, datetime]]]] = {}
    for folded, code, question, first, last in others.order_by("first", "pk").values_list(
        "folded", f"{_PERSON}__code", "question", "first", "last"
    ):
        found.setdefault(folded, []).append((code, question, (first, last)))
    me = row.participant.code
    return {
        answer: elsewhere
        for answer, folded, question, _, *when in mine
        if (
            elsewhere := [
                Twin(code, other, Turn.OWN if code == me else _turn(theirs, when))
                for code, other, theirs in found[folded]
                if (code, other) != (me, question)
            ]
        )
    }


def equal_lists(row: Participation) -> Twins:
    """Whose list of artifacts holds the same things as this participant's, all of them.

    Reads every list sent for the same questions: two lists are equal whatever their order."""
    lists = _sent(
        Answer.objects.filter(question__kind=AnswerKind.ARTIFACTS, value__isnull=False).order_by()
    )
    mine = {
        question: (answer, quality.names(value), when)
        for answer, question, value, *when in lists.filter(
            submission__participation=row
        ).values_list("pk", "question", "value", "first", "last")
    }
    others = lists.filter(question__in=mine).exclude(**{_PERSON: row.participant_id})
    found: Twins = {}
    for code, question, value, *theirs in (
        others.order_by("first", "pk")
        .values_list(f"{_PERSON}__code", "question", "value", "first", "last")
        .iterator()
    ):
        answer, names, when = mine[question]
        if len(names) >= quality.LEAST_LIST and quality.names(value) == names:
            found.setdefault(answer, []).append(Twin(code, question, _turn(theirs, when)))
    return found


def gives_back(answer: Answer, question: dict[str, Any], tongues: list[str]) -> bool:
    """Whether an answer is what stood below its question as an example in this language."""
    examples = languages.choose(question["help"], tongues)[1]
    if question["kind"] == AnswerKind.ARTIFACTS:
        return quality.gives_back_names(quality.names(answer.value), examples)
    return question["kind"] in TEXTS and quality.gives_back(answer.folded, examples)


def of(row: Participation, copied: tuple[int, ...]) -> Evidence:
    """What a rejection could rest on; `copied` are the lengths of copied answers."""
    failed = failed_checks([row])[row.pk]
    return Evidence(
        minutes=row.activity.minutes,
        counted=failed[QualityFlag.Decision.COUNTS],
        undecided=failed[""],
        worked_ms=row.worked_ms,
        times=quality.moments(times(row.activity)),
        copied=copied,
    )


def _texts() -> QuerySet[Any]:
    """Answers in words that are long enough for their equality to say something; an attention
    check is answered alike by everybody."""
    return (
        Answer.objects.annotate(beginning=BEGINNING, length=Length("folded"))
        .filter(
            length__gte=quality.LEAST_COPIED,
            question__kind__in=TEXTS,
            question__check_rule__isnull=True,
        )
        .order_by()
    )


def _sent(answers: QuerySet[Any]) -> QuerySet[Any]:
    """Those somebody has sent, with when that was for the `first` and for the `last` time: what
    waits to be sent was sent by nobody."""
    first = Coalesce("submission__first_submitted", "submission__submitted")
    return answers.exclude(submission__status__in=Submission.WRITABLE).annotate(
        first=first, last=F("submission__submitted")
    )


def _turn(theirs: Sequence[datetime], mine: Sequence[datetime]) -> Turn:
    """Whose words came (first, last) before whose. Whoever was asked again may have changed them
    between the two, so it is known only where all of one lies before all of the other."""
    if theirs[1] < mine[0]:
        return Turn.BEFORE
    return Turn.LATER if mine[1] < theirs[0] else Turn.UNKNOWN
