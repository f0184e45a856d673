"""Reading the answers of a study for an export, and the exports there are.

Answers are read in short queries by primary key up to a recorded high-water mark, a few dozen
forms at a time: no transaction stays open, so participants' saves never wait, and a million
answers need the memory of one page.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from collection import exporting
from collection.exporting import FilledForm, Given, Person
from collection.models import Answer, Export, FormVersion, QualityFlag, Submission
from collection.selectors.answers import abandoned
from core import clock
from core.errors import CommonplaceError, NotFound
from core.models import Job
from studies.models import Consent, Participant, Participation, Study

PEOPLE_AT_ONCE = 50
FORMS_AT_ONCE = 50
ATTENTION = "attention:"  # in front of a question's key in `QualityFlag.check_name`


@dataclass(frozen=True)
class Snapshot:
    """What of a study an export holds: forms submitted until `made` (with `drafts` also those
    that people who are still at it are writing), answers up to the id `high_water`, of everybody
    who has not withdrawn."""

    study: Study
    drafts: bool
    made: datetime
    high_water: int
    withdrawn: int  # participants left out

    def forms(self) -> QuerySet[Submission]:
        if self.drafts:
            return Submission.objects.exclude(abandoned())
        # A form that is sent again while the export is written was there before.
        sent = Coalesce("first_submitted", "submitted")
        return Submission.objects.alias(sent=sent).filter(sent__lte=self.made)

    def people(self) -> QuerySet[Participation]:
        """Participations with a form to export."""
        return Participation.objects.filter(
            Exists(self.forms().filter(participation=OuterRef("pk"))),
            participant__study=self.study,
            participant__status=Participant.Status.TAKING_PART,
        )


def snapshot(study: Study, *, drafts: bool) -> Snapshot:
    highest = Answer.objects.aggregate(highest=Max("pk"))["highest"]
    return Snapshot(study, drafts, clock.now(), highest or 0, withdrawn(study))


def withdrawn(study: Study) -> int:
    return study.participants.filter(status=Participant.Status.WITHDRAWN).count()


def question_keys(study: Study) -> list[str]:
    """Keys of all questions any published form of the study ever asked, in the order of
    activities, forms, versions."""
    versions = FormVersion.objects.filter(activity__study=study).order_by(
        "activity__position", "activity_id", "number", "version"
    )
    return exporting.keys(versions.values_list("document", flat=True).iterator(chunk_size=20))


def filled_forms(taken: Snapshot) -> Iterator[FilledForm]:
    """Every form of a snapshot with its answers; the forms of a participation stand together,
    in order of participations and form numbers."""
    papers = _Papers(taken.study)
    last = 0
    with _unmapped():
        while people := _people(taken, after=last):
            last = max(people)
            forms = iter(_submissions(taken, people))
            while page := list(islice(forms, FORMS_AT_ONCE)):
                yield from _filled(taken, people, page, papers)


@contextmanager
def _unmapped() -> Iterator[None]:
    """SQLite maps its file into memory as it is read, and here all of it is read, once: a process
    would seem to need as much memory as the file is large."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        size = cursor.execute("PRAGMA mmap_size").fetchone()
        cursor.execute("PRAGMA mmap_size = 0")
    try:
        yield
    finally:
        if size:
            with connection.cursor() as cursor:
                cursor.execute(f"PRAGMA mmap_size = {size[0]:d}")


def _people(taken: Snapshot, after: int) -> dict[int, Person]:
    rows: list[tuple[Any, ...]] = list(
        taken.people()
        .filter(pk__gt=after)
        .order_by("pk")
        .values_list(
            *("pk", "activity__slug", "activity__phase", "participant__code", "attempt"),
            *("participant__region__slug", "status", "included"),
            *("participant_id", "participant__simulated"),
        )[:PEOPLE_AT_ONCE]
    )
    agreed = _agreed([row[-2] for row in rows])
    found = {}
    for pk, activity, phase, code, attempt, region, status, included, who, simulated in rows:
        found[pk] = Person(
            id=pk,
            study=taken.study.slug,
            activity=activity,
            phase=phase,
            participant=code,
            attempt=attempt,
            region=region,
            status=status,
            included=included,
            purposes=agreed.get(who, {}),
            simulated=taken.study.simulated or simulated,
        )
    return found


def _agreed(participants: Sequence[int]) -> dict[int, dict[str, bool]]:
    """The purposes each participant was asked for last, with whether they agreed."""
    consents = Consent.objects.filter(participant__in=participants).order_by("pk")
    found = consents.values_list("participant", "purposes", "document__purposes")
    return {who: {each: each in agreed for each in asked} for who, agreed, asked in found}


def _submissions(taken: Snapshot, people: dict[int, Person]) -> QuerySet[Any, tuple[Any, ...]]:
    return (
        taken.forms()
        .filter(participation__in=people)
        .order_by("participation_id", "number")
        .values_list(
            *("pk", "participation_id", "form_version_id", "status", "language"),
            *("started", "submitted", "ms"),
        )
    )


def _filled(
    taken: Snapshot,
    people: dict[int, Person],
    page: Sequence[tuple[Any, ...]],
    papers: "_Papers",
) -> Iterator[FilledForm]:
    ids = [row[0] for row in page]
    answers, failed = _answers(taken, ids), _failed(ids)
    for pk, person, version, status, language, started, submitted, ms in page:
        number, count, sha256 = papers.named(version)
        asked = papers.asked(version, language)
        yield FilledForm(
            *(people[person], number, count, sha256, status, language),
            clock.isoformat(started),
            clock.isoformat(submitted) if submitted else None,
            ms,
            asked,
            frozenset(failed[pk]),
            sorted(answers[pk], key=lambda given: asked[given.question].position),
        )


def _answers(taken: Snapshot, submissions: Sequence[int]) -> dict[int, list[Given]]:
    found: dict[int, list[Given]] = defaultdict(list)
    answers = Answer.objects.filter(submission__in=submissions, pk__lte=taken.high_water).order_by()
    rows: Iterable[tuple[Any, ...]] = answers.values_list(
        "submission_id", "question_id", "value", "text", "skipped", "revision"
    )
    for submission, *given in rows:
        found[submission].append(Given(*given))
    return found


def _failed(submissions: Sequence[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    flags = QualityFlag.objects.filter(
        submission__in=submissions, check_name__startswith=ATTENTION
    ).values_list("submission_id", "check_name")
    for submission, name in flags:
        found[submission].append(name.removeprefix(ATTENTION))
    return found


class _Papers:
    """Form versions by id, each read once: its name, and its questions in a language."""

    def __init__(self, study: Study) -> None:
        self._languages = study.languages
        self._versions: dict[int, FormVersion] = {}
        self._asked: dict[tuple[int, str], dict[int, exporting.Asked]] = {}

    def named(self, pk: int) -> tuple[int, int, str]:
        version = self._version(pk)
        return version.number, version.version, version.sha256

    def asked(self, pk: int, language: str) -> dict[int, exporting.Asked]:
        if (pk, language) not in self._asked:
            document = self._version(pk).document
            self._asked[pk, language] = exporting.asked(document, language, self._languages)
        return self._asked[pk, language]

    def _version(self, pk: int) -> FormVersion:
        if pk not in self._versions:
            self._versions[pk] = FormVersion.objects.get(pk=pk)
        return self._versions[pk]


# --- The exports there are -----------------------------------------------------------------------


@dataclass(frozen=True)
class Summary:
    """Participations with a submitted form, and participants who have withdrawn."""

    people: int
    withdrawn: int


@dataclass(frozen=True)
class ExportLine:
    """An export as the page shows it: `why_not` says why there is no file to download."""

    export: Export
    working: bool
    why_not: str


def summary(study: Study) -> Summary:
    now = snapshot(study, drafts=False)
    return Summary(now.people().count(), now.withdrawn)


def exports(study: Study, most: int) -> list[ExportLine]:
    """The newest exports of a study."""
    left_out = withdrawn(study)
    rows = study.exports.select_related("job", "study")[:most]
    return [
        ExportLine(row, working, "" if working else why_not(row, left_out))
        for row in rows
        for working in [_is_worked_on(row)]
    ]


def access_export(study: Study, pk: int) -> Export:
    """An export of a study already accessed; raises `export.unknown`."""
    export = study.exports.select_related("job", "study").filter(pk=pk).first()
    if export is None:
        raise NotFound(
            "export.unknown", "This study has no such export. Choose one from its list.", export=pk
        )
    return export


def refuse_unless_made(export: Export) -> None:
    """Raises `export.not_made` (404)."""
    if export.made is None:
        raise NotFound(
            "export.not_made", "There is no such file yet. The list of exports says how far it is."
        )


def refuse_unless_readable(export: Export) -> None:
    """Raises `export.not_made` (404), and `export.gone` (410) for a file that is not to be handed
    out any more."""
    refuse_unless_made(export)
    if sentence := why_not(export, withdrawn(export.study)):
        raise CommonplaceError("export.gone", sentence, http_status=410, export=export.pk)


def why_not(export: Export, withdrawn_now: int) -> str:
    """Why a finished export cannot be downloaded; empty where it can."""
    if export.made is None:
        return _why_not_made(export.job)
    if withdrawn_now != export.withdrawn_left_out:
        return "Somebody has withdrawn since, so this file is no longer handed out. Make a new one."
    if export.removed or export.made <= clock.ago(settings.EXPORT_DAYS * 24 * 3600):
        return f"Files are kept for {settings.EXPORT_DAYS} days. Make a new one."
    return ""


def _is_worked_on(export: Export) -> bool:
    return export.made is None and export.job is not None and export.job.status in Job.UNFINISHED


def _why_not_made(job: Job | None) -> str:
    if job is not None and job.error:
        return str(job.error["message"])
    return "The work was stopped before the file was complete. Make a new one."
