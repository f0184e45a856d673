"""The evidence there is about participations, read in a fixed number of queries."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
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

Others = dict[int, list[tuple[str, str]]]  # by answer: (participant's code, question's key)


class Twin(NamedTuple):
    """The same words in another place; `before` where another participant had sent them before
    the answer they are compared with was first sent."""

    code: str
    key: str
    before: bool


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
    """How many answers of each participation stand word for word elsewhere in its study."""
    elsewhere = (
        _texts()
        .filter(
            beginning=OuterRef("beginning"),
            folded=OuterRef("folded"),
            question__study=OuterRef("question__study"),
        )
        .exclude(_same_person_and_question())
    )
    found = (
        _texts()
        .filter(submission__participation__in=list(rows))
        .filter(Exists(elsewhere))
        .order_by()
        .values_list("submission__participation")
        .annotate(n=Count("pk"))
    )
    return Counter(dict(found))


def twins(row: Participation) -> dict[int, list[Twin]]:
    """Where the words of each duplicated answer stand elsewhere in the study, by answer.

    Whoever was copied from is no copier: an answer is held against the time it was *first* sent,
    others against the time they were last sent, and what waits to be sent was sent by nobody.
    """
    sent = Coalesce("submission__first_submitted", "submission__submitted")
    mine = list(
        _texts()
        .filter(submission__participation=row)
        .values_list("pk", "folded", "question", "beginning", sent)
    )
    found: dict[str, list[tuple[str, int, str, datetime | None]]] = {}
    others = _texts().filter(
        beginning__in={beginning for *_, beginning, _ in mine},
        folded__in={folded for _, folded, *_ in mine},
        question__study=row.activity.study_id,
    )
    for folded, code, question, key, status, submitted in others.values_list(
        "folded",
        "submission__participation__participant__code",
        "question",
        "question__key",
        "submission__status",
        "submission__submitted",
    ):
        when = None if status in Submission.WRITABLE else submitted
        found.setdefault(folded, []).append((code, question, key, when))
    me = row.participant.code
    return {
        answer: elsewhere
        for answer, folded, question, _, first in mine
        if (
            elsewhere := [
                Twin(code, key, code != me and bool(when and first and when < first))
                for code, other, key, when in found[folded]
                if (code, other) != (me, question)
            ]
        )
    }


def equal_lists(row: Participation) -> Others:
    """Whose list of artifacts holds the same things as this participant's, all of them.

    Reads every list given to the same questions: two lists are equal whatever their order."""
    lists = Answer.objects.filter(question__kind=AnswerKind.ARTIFACTS, value__isnull=False)
    mine = {
        question: (answer, quality.names(value))
        for answer, question, value in lists.filter(submission__participation=row).values_list(
            "pk", "question", "value"
        )
    }
    others = lists.filter(question__in=mine).exclude(
        submission__participation__participant=row.participant_id
    )
    found: Others = {}
    for code, question, key, value in others.values_list(
        "submission__participation__participant__code", "question", "question__key", "value"
    ).iterator():
        answer, names = mine[question]
        if len(names) >= quality.LEAST_LIST and quality.names(value) == names:
            found.setdefault(answer, []).append((code, key))
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


def _same_person_and_question() -> Q:
    person = "submission__participation__participant"
    return Q(**{person: OuterRef(person)}, question=OuterRef("question"))
