"""Every write of a participant to a form: drafts, sending it, and going on to the next."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Max, Min, Q
from django.utils.translation import gettext_noop

from collection import checks
from collection.answers import Fault, Given, Reading, fault_of
from collection.models import Answer, QualityFlag, Submission
from collection.selectors import answering
from collection.selectors.answering import ANSWERING, Form
from core import clock
from core.errors import CommonplaceError
from core.prepared import Prepared
from core.text import fold
from studies.models import Participation
from studies.participation import Action, Status
from studies.services.moving import move

_held: Prepared[Participation] = Prepared(
    lambda pk, status: (
        Participation.objects.filter(pk=pk, status=status)
        .select_for_update(no_key=True)
        .values_list("worked_ms", "last_seen")
    ),
    int,
    str,
)
_forms: Prepared[Submission] = (
    Prepared(  # the last write to any, and the first but that number that waits
        lambda participation, number: (
            Submission.objects.filter(participation=participation)
            .order_by()
            .values("participation")
            .annotate(
                last=Max("touched"),
                waiting=Min("number", filter=Q(status__in=Submission.WRITABLE) & ~Q(number=number)),
            )
            .values_list("last", "waiting")
        ),
        int,
        int,
    )
)
# For fifteen rows `bulk_create` takes longer to write the statement than the database to run it.
_STORED = "value", "text", "folded", "skipped", "revision", "signals"
_STORE = f"""
    INSERT INTO collection_answer (submission_id, question_id, removed, {", ".join(_STORED)})
    VALUES {{rows}}
    ON CONFLICT (submission_id, question_id) DO UPDATE SET
    {", ".join(f"{name} = EXCLUDED.{name}" for name in _STORED)}
"""  # noqa: S608 - of names written here

SEEN_EVERY = 10  # seconds between two writes of `last_seen`


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a write.

    `saved`: the revision that is stored now, by key. `conflicts`: what is stored, where the write
    was made over an older revision. `faults`: why an answer could not be kept or the form not be
    sent. `closed`: nobody can write here any more, and what was sent differs from what is stored.
    `sent`: the form is with the study team, and `next_number` the form to go on at, if any.
    """

    saved: dict[str, int] = field(default_factory=dict)
    conflicts: dict[str, Answer | None] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    closed: bool = False
    sent: bool = False
    next_number: int | None = None


@dataclass(slots=True)
class _Change:
    """Readings against what is stored: what to write, what clashes, what is so already."""

    rows: list[Answer] = field(default_factory=list)
    saved: dict[str, int] = field(default_factory=dict)
    conflicts: dict[str, Answer | None] = field(default_factory=dict)
    kept: dict[str, Given] = field(default_factory=dict)  # all of the form, once it is written


@dataclass(frozen=True, slots=True)
class _Seen:
    """A held participation: `worked` milliseconds since its last write to any form, its columns
    that this changes, and the first other form that waits."""

    now: datetime
    worked: int
    values: dict[str, Any]
    waiting: int | None


class _Closed(Exception):
    """The participation or the form is not open to writing any more."""


def begin(participation: Participation) -> None:
    """Make the first form of an admitted participant. Runs within the caller's transaction.

    Raises `survey.not_published`.
    """
    version = answering.first_version(participation.activity_id)
    if version is None:
        raise CommonplaceError(
            "survey.not_published",
            gettext_noop(
                "This survey has no questions yet. Tell the study team, and come back by your link."
            ),
            http_status=409,
        )
    _add(participation, version, 1, clock.now())


def save(form: Form, readings: Mapping[str, Reading]) -> Written:
    """Keep what was written so far, finished or not."""
    return _write(form, readings, sending=False)


def submit(form: Form, readings: Mapping[str, Reading]) -> Written:
    """Send the form, if nothing stands against it; else keep what was written.

    Said again, it answers as it did the first time. Questions that were not sent along count as
    they are stored.
    """
    return _write(form, readings, sending=True)


def _write(form: Form, readings: Mapping[str, Reading], *, sending: bool) -> Written:
    """Locks the participation, so that of writes at once each sees what the others have done."""
    try:
        with transaction.atomic():
            seen = _hold(form)
            change = _compare(form, readings)
            faults = _faults(form, readings, change, sending=sending)
            sending = sending and not faults and not change.conflicts
            _touch(form, seen, sending=sending)
            _store(change.rows)
            following = _send(form, change.kept, seen) if sending else None
            if not sending or following is not None:
                Participation.objects.filter(pk=form.participation.pk).update(**seen.values)
    except _Closed:
        return _too_late(form, readings)
    return Written(change.saved, change.conflicts, faults, sent=sending, next_number=following)


def _hold(form: Form) -> _Seen:
    """From here to the commit the participation is open, and nobody else writes to it.

    The time since the last write to any form counts as work up to `IDLE_AFTER`: forms that are
    open side by side share it.
    """
    row = form.participation
    held = _held.rows(row.pk, str(row.status)) if row.status in ANSWERING else []
    if not held:
        raise _Closed
    # Only now, with the lock: a write at the same moment has counted its time before.
    ((touched, waiting),) = _forms.rows(row.pk, form.submission.number)
    now = clock.now()
    idle = clock.scaled(settings.IDLE_AFTER)
    worked = int(max(0.0, min((now - touched).total_seconds(), idle)) * 1000)
    ((worked_ms, last_seen),) = held
    values: dict[str, object] = {"worked_ms": worked_ms + worked}
    if last_seen is None or last_seen < clock.ago(SEEN_EVERY):
        values["last_seen"] = now
    return _Seen(now, worked, values, waiting)


def _compare(form: Form, readings: Mapping[str, Reading]) -> _Change:
    stored = answering.answers_of(form)
    questions = {question["key"]: question["id"] for question in form.document["questions"]}
    change = _Change(kept={key: answering.given(stored.get(key)) for key in questions})
    for key, reading in readings.items():
        row = stored.get(key)
        revision = row.revision if row else 0
        if reading.given == change.kept[key]:
            change.saved[key] = revision
        elif not reading.storable or (row and reading.untouched):
            continue
        elif row and revision != reading.revision:
            change.conflicts[key] = row
        else:
            change.kept[key] = reading.given
            change.saved[key] = revision + 1
            change.rows.append(_answer(form.submission, questions[key], reading, revision + 1))
    return change


def _answer(submission: Submission, question: int, reading: Reading, revision: int) -> Answer:
    given = reading.given
    return Answer(
        submission=submission,
        question_id=question,
        value=given.value,
        text=given.text,
        folded=fold(given.text),
        skipped=given.skipped,
        revision=revision,
        signals={"pasted": reading.pasted} if reading.pasted else {},
    )


def _faults(
    form: Form, readings: Mapping[str, Reading], change: _Change, *, sending: bool
) -> dict[str, Fault]:
    """In the order of the form; of a draft only what could not be kept."""
    found: dict[str, Fault] = {}
    for question in form.document["questions"]:
        key = question["key"]
        reading = readings.get(key)
        if reading and reading.fault and not reading.storable:
            found[key] = reading.fault
        elif sending and (fault := fault_of(question, change.kept[key])):
            found[key] = fault
    return found


def _touch(form: Form, seen: _Seen, *, sending: bool) -> None:
    values: dict[str, object] = {
        "touched": seen.now,
        "ms": F("ms") + seen.worked,
        "language": form.participation.participant.language,
    }
    if sending:
        values |= {"status": Submission.Status.SUBMITTED, "submitted": seen.now}
    here = Submission.objects.filter(pk=form.submission.pk, status__in=Submission.WRITABLE)
    if not here.update(**values):
        raise _Closed


def _store(rows: list[Answer]) -> None:
    if not rows:
        return
    values: list[Any] = []
    for row in rows:
        value = None if row.value is None else json.dumps(row.value)
        values += [row.submission_id, row.question_id, False, value, row.text, row.folded]
        values += [row.skipped, row.revision, json.dumps(row.signals)]
    a_row = f"({', '.join(['%s'] * (len(_STORED) + 3))})"
    with connection.cursor() as cursor:
        cursor.execute(_STORE.format(rows=", ".join([a_row] * len(rows))), values)


def _send(form: Form, kept: Mapping[str, Given], seen: _Seen) -> int | None:
    """What follows a form that is complete: evidence, and the next form or the end, where
    what was seen is stored with the move."""
    _flag(form, kept)
    participation, number = form.participation, form.submission.number
    if participation.status == Status.ACTIVE and number < form.document["of"]:
        version = answering.version_after(form.submission)
        if version is not None:
            _add(participation, version, number + 1, seen.now)
            return number + 1
    if seen.waiting is None:
        move(participation, Action.SUBMIT, **seen.values)
    return seen.waiting


def _flag(form: Form, kept: Mapping[str, Given]) -> None:
    """Attention checks that were failed, each once: what stands from before stays as it is."""
    flags = []
    for question in form.document["questions"]:
        rule = question["check"]
        if rule is None:
            continue
        before = None
        if rule["type"] == checks.CheckType.REPEATED:
            of = rule["of"]
            before = kept[of] if of in kept else answering.said_before(form.participation, of)
        detail = checks.failed(question, _said(kept[question["key"]]), before and _said(before))
        if detail is not None:
            name = f"attention:{question['key']}"
            flags.append(QualityFlag(submission=form.submission, check_name=name, detail=detail))
    if flags:
        QualityFlag.objects.bulk_create(flags, ignore_conflicts=True)


def _said(given: Given) -> object:
    return given.text if given.value is None else given.value


def _add(participation: Participation, version: int, number: int, now: datetime) -> None:
    row = Submission(
        participation=participation,
        form_version_id=version,
        number=number,
        language=participation.participant.language,
        started=now,
        touched=now,
    )
    Submission.objects.bulk_create([row], ignore_conflicts=True)


def _too_late(form: Form, readings: Mapping[str, Reading]) -> Written:
    """The form was sent already: the same again is as good as done, anything else is not."""
    stored = answering.answers_of(form)
    sent = form.participation.submissions.filter(number=form.submission.number).exclude(
        status__in=Submission.WRITABLE
    )
    differing = {
        key: stored.get(key)
        for key, reading in readings.items()
        if not reading.given.empty and reading.given != answering.given(stored.get(key))
    }
    if sent.exists() and not differing:
        return Written(sent=True, next_number=answering.next_number(form.participation))
    return Written(closed=True, conflicts=differing)
