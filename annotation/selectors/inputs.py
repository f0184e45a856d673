"""Participants' answers as annotation takes them: accepted, in the results, not withdrawn."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation import consensus
from annotation.kinds import Source
from annotation.models import Project
from collection.form_page import words
from collection.kinds import AnswerKind
from collection.models import Answer, Question, Submission
from collection.selectors.answering import document_of, given
from studies import languages
from studies.models import Participant, Study

LEAST = 2  # answers; one never agrees with anything
QUESTIONS_AT_ONCE = 40
JUDGED = [kind for kind in AnswerKind if kind is not AnswerKind.ARTIFACTS]


@dataclass(frozen=True)
class Shown:
    """An answer as it was given: lines of text in one language, by somebody with this code."""

    pk: int
    code: str
    language: str
    direction: str
    lines: list[str]
    removed: bool


def results(study: Study) -> QuerySet[Answer]:
    """What counts: answers that hold something, of forms that are accepted, of people who are in
    the results and have not withdrawn."""
    return Answer.objects.filter(
        submission__participation__participant__study=study,
        submission__participation__participant__status=Participant.Status.TAKING_PART,
        submission__participation__included=True,
        submission__status=Submission.Status.ACCEPTED,
        skipped=False,
        removed=False,
    ).exclude(text="", value__isnull=True)


def of_questions(study: Study) -> Iterator[tuple[Question, dict[int, list[tuple[int, int]]]]]:
    """Questions that are annotated, in order: region id -> [(answer id, revision)] by id."""
    asked = Question.objects.filter(study=study, kind__in=JUDGED, check_rule__isnull=True)
    questions = list(asked.order_by("position", "pk"))
    for start in range(0, len(questions), QUESTIONS_AT_ONCE):
        some = questions[start : start + QUESTIONS_AT_ONCE]
        found: dict[int, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        rows = results(study).filter(question__in=some).order_by("pk")
        region = "submission__participation__participant__region"
        for pk, question, where, revision in rows.values_list(
            "pk", "question_id", region, "revision"
        ):
            found[question][where].append((pk, revision))
        for question in some:
            yield question, found[question.pk]


def within_regions(project: Project, only: int | None = None) -> Iterator[Source]:
    """One source per question and region with answers enough to agree."""
    regions = list(project.study.regions.all())
    position = 0
    for question, answers in of_questions(project.study):
        if only is not None and question.pk != only:
            position += len(regions)
            continue
        for region in regions:
            position += 1
            rows = answers.get(region.pk, [])
            if len(rows) < LEAST:
                continue
            needed = consensus.needed(len(rows), project.share)
            yield Source(
                key=f"{question.key}.{region.slug}",
                position=position,
                payload={"answers": [pk for pk, _ in rows], "needed": needed},
                inputs=_hash([needed, rows]),
                question=question.pk,
                region=region.pk,
            )


def shown(study: Study, answers: Sequence[int]) -> list[Shown]:
    """Answers in the order asked for; of who has withdrawn since only that there was one."""
    rows = Answer.objects.filter(pk__in=answers).select_related(
        "submission__form_version", "submission__participation__participant", "question"
    )
    by_pk = {row.pk: row for row in rows.defer("submission__form_version__document")}
    return [_shown(study, by_pk[pk]) for pk in answers if pk in by_pk]


def _shown(study: Study, row: Answer) -> Shown:
    submission = row.submission
    document = document_of(submission.form_version)
    question = next(each for each in document["questions"] if each["id"] == row.question_id)
    person = submission.participation.participant
    removed = row.removed or person.status == Participant.Status.WITHDRAWN
    text = "" if removed else words(question, given(row), [submission.language])
    return Shown(
        row.pk,
        person.code,
        submission.language,
        languages.direction(submission.language),
        text.splitlines(),
        removed,
    )


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, separators=(",", ":")).encode()).hexdigest()
