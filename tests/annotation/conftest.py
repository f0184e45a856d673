"""A study whose answers are accepted, and the people who annotate them."""

from dataclasses import dataclass

import pytest

from annotation.models import Assignment, Task
from annotation.services import judging, projects, queueing
from collection.models import Answer, Submission
from studies import services
from studies.models import Participation, Region
from studies.permissions import Role
from tests import sample_study
from tests.collection import answered

AGREEMENT, NONE = "agreement", "none"


@dataclass
class World:
    study: object
    activity: object
    questions: dict
    versions: object

    def come(self, region, **said):
        """Somebody of a region who is accepted and in the results; question key -> text."""
        row = answered.person(
            self.activity,
            region=Region.objects.get(study=self.study, slug=region),
            status="accepted",
            ended_reason="accepted",
            included=True,
            ended=answered.WHEN,
        )
        texts = {self.questions[key]: text for key, text in said.items()}
        answered.fill(row, self.versions, texts, status="accepted")
        return row

    def answers(self, key, region):
        rows = Answer.objects.filter(
            question__key=key, submission__participation__participant__region__slug=region
        )
        return list(rows.order_by("pk").values_list("pk", flat=True))

    def open(self, overlap=2):
        return projects.open_project(self.study, "agreement", "test", overlap=overlap)

    def task(self, key, region):
        return Task.objects.get(source_key=f"{key}.{region}")


@pytest.fixture
def world(alice):
    """Five people of the harbour who say much the same of tea, three of the hills."""
    study = sample_study.load()
    study.questions.all().delete()
    study.status = "collecting"
    study.save()
    activity = study.activities.get()
    keys = ("tea", "gift")
    questions = {key: answered.question(study, key) for key in keys}
    for key, row in questions.items():
        row.texts.create(language="en", text=f"What about {key}?", folded=f"what about {key}?")
    version = answered.publish(
        activity, [answered.asked(row, f"What about {key}?") for key, row in questions.items()]
    )
    made = World(study, activity, questions, version)
    first, second = study.regions.values_list("slug", flat=True)[:2]
    made.first, made.second = first, second
    for number in range(5):
        made.come(first, tea=f"It is drunk hot ({number}).", gift=f"A cloth ({number}).")
    for number in range(3):
        made.come(second, tea=f"With salt ({number}).")
    return made


@pytest.fixture
def people(world, django_user_model):
    """Annotators by name, members of the study."""

    def make(*names):
        users = []
        for name in names:
            user = django_user_model.objects.create_user(f"{name}@example.org", "a password")
            services.invite(world.study, user.email, Role.ANNOTATOR, "test")
            users.append(user)
        return users

    return make


def agreement(text, answers):
    return {"choice": AGREEMENT, "concepts": [{"text": text, "answers": list(answers)}]}


NO_AGREEMENT = {"choice": NONE, "concepts": []}


def judge(project, user, value):
    """The next task of this person, judged: `value` or `value(task)`."""
    row = queueing.take(project, user)
    assert row is not None
    judging.submit(row, value(row.task) if callable(value) else value)
    return Assignment.objects.get(pk=row.pk)


__all__ = ["Participation", "Submission", "agreement", "judge"]
