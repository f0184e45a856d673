"""A study with answers, written straight into its rows: what an export has to get right."""

from datetime import UTC, datetime

from collection import documents
from collection.models import Answer, FormVersion, QualityFlag, Question, Submission
from core.text import fold
from studies.models import Consent, Participant, Participation

WHEN = datetime(2026, 1, 31, 18, 0, 5, tzinfo=UTC)  # 23:30 in Asia/Kolkata


def asked(question, text, *, options=(), check=None, prefixed=False, topic=None):
    """A question of a document; `options` are (id, label) in the study's first language."""
    return {
        "id": question.pk,
        "key": question.key,
        "kind": question.kind,
        "topic": topic,
        "texts": {"en": text},
        "help": {},
        "options": [{"id": id, "texts": {"en": label}} for id, label in options],
        "limits": {},
        "prefixed": prefixed,
        "starts_with_name": False,
        "check": check,
    }


def question(study, key, kind="long"):
    position = study.questions.count() + 1
    return Question.objects.create(study=study, key=key, kind=kind, position=position)


def publish(activity, questions, number=1, version=1, prefix=None):
    document = documents.form(
        activity=activity.slug,
        number=number,
        of=1,
        tongues=activity.study.languages,
        prefix=prefix or {},
        places=[],
        questions=questions,
    )
    return FormVersion.objects.create(
        activity=activity,
        number=number,
        version=version,
        document=document,
        sha256=documents.sha256(document),
        published=WHEN,
    )


def person(activity, purposes=("take_part", "publish"), region=None, **columns):
    """Somebody of this region, or of the first."""
    study = activity.study
    participant = Participant.objects.create(
        study=study, region=region or study.regions.first(), language="en"
    )
    Consent.objects.create(
        participant=participant,
        document=study.consent_documents.first(),
        language="en",
        purposes=list(purposes),
        at=WHEN,
    )
    columns = {"status": "submitted"} | columns
    return Participation.objects.create(participant=participant, activity=activity, **columns)


def fill(participation, version, answers, *, status="submitted", failed=(), language="en"):
    """One form; `answers` is {question: columns of its Answer, or the text}."""
    submission = Submission.objects.create(
        participation=participation,
        form_version=version,
        number=version.number,
        status=status,
        language=language,
        started=WHEN,
        touched=WHEN,
        submitted=None if status == "draft" else WHEN,
        ms=61_000,
    )
    given = {
        about: {"text": each} if isinstance(each, str) else each for about, each in answers.items()
    }
    Answer.objects.bulk_create(
        Answer(submission=submission, question=about, folded=fold(each.get("text", "")), **each)
        for about, each in given.items()
    )
    for key in failed:
        QualityFlag.objects.create(submission=submission, check_name=f"attention:{key}")
    return submission
