"""An open study whose forms are published as documents made by hand, and people who are in."""

from dataclasses import dataclass, field

import pytest
from django.urls import reverse

from collection import documents
from collection.exporting import Choice, Layout
from collection.models import Answer, FormVersion, Question, Submission
from collection.services.exporting import write_file
from core import clock
from core.text import fold
from studies import links
from studies.models import Activity, Participant, Participation, Study
from studies.participation import Code, Status
from studies.services import moving
from tests import sample_study
from tests.sample_study import SAMPLE


def question(key, kind="long", *, options=(), check=None, limits=None, texts=None, **more):
    """A question of a document, all but its id."""
    return {
        "key": key,
        "kind": kind,
        "topic": None,
        "texts": texts or {"en": f"What about {key}?"},
        "help": {},
        "options": [{"id": each, "texts": {"en": each.title()}} for each in options],
        "limits": limits or {},
        "prefixed": False,
        "starts_with_name": False,
        "check": check,
        **more,
    }


@dataclass
class Survey:
    study: Study
    activity: Activity
    people: list[Participation] = field(default_factory=list)

    @property
    def person(self) -> Participation:
        return self.people[0]

    def address(self, number=1, row=None, name="form") -> str:
        return reverse(f"collection:{name}", args=(links.token(row or self.person), number))

    def home(self, row=None) -> str:
        return links.personal(row or self.person)

    def submission(self, number=1, row=None) -> Submission:
        return Submission.objects.get(participation=row or self.person, number=number)

    def answer(self, key, row=None) -> Answer:
        return Answer.objects.get(submission__participation=row or self.person, question__key=key)

    def admit(self, count=1) -> list[Participation]:
        for _number in range(count):
            participant = Participant.objects.create(
                study=self.study, language=self.study.languages[0]
            )
            row = Participation.objects.create(
                participant=participant, activity=self.activity, status=Status.SCREENING
            )
            self.people.append(moving.admit(row, self.study.regions.get()))
        return self.people[-count:]


@pytest.fixture
def sample_text() -> str:
    return SAMPLE.read_text()


@pytest.fixture
def study(alice) -> Study:
    """The sample study with its questions, not open yet."""
    return sample_study.load()


@pytest.fixture
def activity(study):
    return study.activities.get()


@pytest.fixture
def exported(study, tmp_path):
    """`exported("csv-safe", "wide")` → (bytes of the file, manifest)."""

    def export(format="csv", layout="long", drafts=False):
        path = tmp_path / f"{layout}.{format}"
        manifest = write_file(study, Choice(Layout(layout), format, drafts), path, "test")
        return path.read_bytes(), manifest

    return export


@pytest.fixture
def survey(db):
    """Makes a survey: forms as lists of questions, and how many people are in."""

    def make(*forms, people=1, languages=("en", "hi", "bn", "ur"), **document):
        study = Study.objects.create(
            slug="everyday_life",
            names={"en": "Everyday life"},
            status=Study.Status.COLLECTING,
            languages=list(languages),
            country="Lantern Coast",
            timezone="Asia/Kolkata",
            currency="EUR",
            created=clock.now(),
        )
        region = study.regions.create(
            slug="moor", names={"en": "Moor"}, phrases={}, language="en", position=1, target=50
        )
        for name in ("Brassgate", "Windlow"):
            region.places.create(study=study, name=name, folded=fold(name))
        activity = study.activities.create(
            slug="survey",
            names={"en": "Survey"},
            kind="survey",
            phase="main",
            reward="hourly",
            amount_minor=1200,
            minutes=30,
            position=1,
            codes={code: f"CODE-{code}" for code in Code},
        )
        made = Survey(study, activity)
        publish(made, *forms, **document)
        made.admit(people)
        return made

    return make


def publish(survey, *forms, version=1, prefix=None, places=("Brassgate", "Windlow")):
    """Publish forms of questions as `question` makes them; keys that are known stay the same.
    A place is a name, or a name and what it is called in further languages."""
    listed = [(place, {}) if isinstance(place, str) else place for place in places]
    for number, asked in enumerate(forms, 1):
        rows = [
            Question.objects.get_or_create(
                study=survey.study,
                key=each["key"],
                defaults={"kind": each["kind"], "position": place},
            )[0]
            for place, each in enumerate(asked, 1)
        ]
        document = documents.form(
            activity=survey.activity.slug,
            number=number,
            of=len(forms),
            tongues=survey.study.languages,
            prefix=prefix or {},
            places=[(name, {survey.study.languages[0]: name} | more) for name, more in listed],
            questions=[{"id": row.pk} | each for row, each in zip(rows, asked, strict=True)],
        )
        FormVersion.objects.create(
            activity=survey.activity,
            number=number,
            version=version,
            document=document,
            sha256=documents.sha256(document),
            published=clock.now(),
        )
