"""A study of two forms with attention checks, and people who have answered it, made as rows."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from django.db.models import Max

from collection import documents
from collection.kinds import AnswerKind
from collection.models import Answer, FormVersion, QualityFlag, Question, Submission
from core import clock
from core.errors import CommonplaceError
from core.text import fold
from studies.models import Participant, Participation
from studies.participation import ENDINGS, HOLDING, Status
from tests import sample_study

HELP = {"en": "For example: bread and salt, a lantern.", "es": "Por ejemplo: pan y sal, un farol."}
COLOURS = [
    {"id": "red", "texts": {"en": "Red", "es": "Rojo"}},
    {"id": "blue", "texts": {"en": "Blue", "es": "Azul"}},
]
# (key, kind, check) of every form
FORMS = {
    1: [
        ("guests", AnswerKind.LONG, None),
        ("gifts", AnswerKind.LONG, None),
        ("colour", AnswerKind.ONE, {"type": "instructed", "expected": "blue"}),
    ],
    2: [
        ("things", AnswerKind.ARTIFACTS, None),
        ("boat", AnswerKind.ONE, None),
        ("sum", AnswerKind.NUMBER, {"type": "known", "expected": "4"}),
    ],
}
MINUTE = 60_000


@dataclass
class World:
    """The sample study with its forms published; `come` brings people in."""

    study: object
    activity: object
    versions: dict = field(default_factory=dict)
    questions: dict = field(default_factory=dict)

    def region(self, slug):
        return self.study.regions.get(slug=slug)

    def come(self, status=Status.SUBMITTED, region="harbour", minutes=25, answers=None, **columns):
        """A participation in a status, its forms sent if the status says so. `answers` are texts,
        values, or None for whoever would rather not answer, by question key."""
        found = region and self.region(region)
        participant = Participant.objects.create(study=self.study, language="es", region=found)
        row = Participation.objects.create(
            **{
                "participant": participant,
                "activity": self.activity,
                "status": status,
                "ended_reason": status if status in ENDINGS else "",
                "slot_region": found if status in HOLDING else None,
                "worked_ms": round(minutes * MINUTE),
            }
            | columns
        )
        if status in (Status.INVITED, Status.CONSENTING, Status.SCREENING):
            return row
        for number, version in self.versions.items():
            self.fill(row, number, version, minutes, answers or {})
        return row

    def fill(self, row, number, version, minutes, answers):
        of = {Status.ACCEPTED: "accepted", Status.REJECTED: "rejected", Status.REDO: "redo"}
        status = "draft" if row.status == Status.ACTIVE else of.get(row.status, "submitted")
        now = clock.now()
        submission = Submission.objects.create(
            participation=row,
            form_version=version,
            number=number,
            status=status,
            language="es",
            started=now,
            touched=now,
            submitted=None if status == "draft" else now,
            ms=round(minutes * MINUTE / 2),
        )
        for key, kind, check in FORMS[number]:
            given = answers.get(key, check["expected"] if check else usual(row, key, kind))
            self.answer(submission, self.questions[key], kind, given)

    def answer(self, submission, question, kind, given):
        words = isinstance(given, str) and kind in (AnswerKind.SHORT, AnswerKind.LONG)
        text, value = (given, None) if words else ("", given)
        if kind == AnswerKind.ARTIFACTS and isinstance(given, list):
            text = "\n".join(given)
            value = [{"name": name, "about": ""} for name in given]
        Answer.objects.create(
            submission=submission,
            question=question,
            value=value or None,
            text=text,
            folded=fold(text),
            skipped=given is None,
        )

    def fail(self, row, *keys, decision=""):
        """Failed attention checks, as submission flags them."""
        for key in keys:
            submission = row.submissions.get(answers__question__key=key)
            QualityFlag.objects.create(
                submission=submission,
                check_name=f"attention:{key}",
                detail={"type": "instructed", "expected": "blue", "given": "red"},
                decision=decision,
            )
        return row

    def silent(self, row, hours, **columns):
        """Let hours of product time pass since the row was last seen."""
        long_ago = clock.ago(hours * 3600)
        given = {"created": long_ago, "last_seen": long_ago} | columns
        Participation.objects.filter(pk=row.pk).update(**given)
        row.submissions.update(touched=long_ago)
        row.submissions.exclude(submitted=None).update(submitted=long_ago)
        row.refresh_from_db()
        return row


def usual(row, key, kind):
    """What somebody answers who answers like nobody else."""
    if kind is AnswerKind.ONE:
        return "red"
    if kind is AnswerKind.ARTIFACTS:
        return [f"{row.code} kite", f"{row.code} drum"]
    return f"what {row.code} says about {key}"


def world():
    study = sample_study.load()
    activity = study.activities.select_related("study").get()
    made = World(study, activity)
    last = study.questions.aggregate(last=Max("position"))["last"] or 0
    for number, asked in FORMS.items():
        entries = []
        for key, kind, check in asked:
            last += 1
            options = COLOURS if kind is AnswerKind.ONE else []
            made.questions[key] = Question.objects.create(
                study=study, key=key, kind=kind, options=options, check_rule=check, position=last
            )
            entries.append(_entry(made.questions[key], check, options))
        document = documents.form(
            activity=activity.slug,
            number=number,
            of=len(FORMS),
            tongues=study.languages,
            prefix={"en": "In your region, {question}"},
            places=[],
            questions=entries,
        )
        made.versions[number] = FormVersion.objects.create(
            activity=activity,
            number=number,
            version=1,
            document=document,
            sha256=documents.sha256(document),
            published=clock.now() - timedelta(days=1),
        )
    return made


def refused(code, decide, *arguments, **options):
    with pytest.raises(CommonplaceError) as error:
        decide(*arguments, **options)
    assert error.value.code == code
    return error.value.message


def fresh(row):
    return Participation.objects.select_related("activity__study", "participant").get(pk=row.pk)


def _entry(question, check, options):
    return {
        "id": question.pk,
        "key": question.key,
        "kind": question.kind,
        "topic": None,
        "texts": {"en": f"What about {question.key}?", "es": f"¿Qué hay de {question.key}?"},
        "help": HELP if question.kind in (AnswerKind.LONG, AnswerKind.ARTIFACTS) else {},
        "options": options,
        "limits": {},
        "prefixed": check is None,
        "starts_with_name": False,
        "check": check,
    }
