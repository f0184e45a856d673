"""A study with somebody in it who has answered, and programs that call the API."""

import json

import pytest
from django.test import Client

from accounts.services import create_token
from accounts.tokens import Scope
from collection.models import Answer, FormVersion, Question, Submission
from core import clock
from studies import services
from studies.models import (
    Participant,
    Participation,
    RecruiterIdentity,
    RecruiterSession,
    Study,
)
from studies.permissions import Role
from tests import sample_study

V1 = "/api/v1/"


class Program:
    """Calls the API with a token and no cookies; with CSRF checks on, as a server has them."""

    def __init__(self, secret=""):
        self.client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        self.secret = secret

    @property
    def headers(self):
        return {"Authorization": f"Bearer {self.secret}"} if self.secret else {}

    def get(self, path, headers=None, **parameters):
        sent = self.headers | (headers or {})
        return self.client.get(_address(path), parameters or None, headers=sent)

    def post(self, path, body, key=None, content_type="application/json"):
        sent = self.headers | ({"Idempotency-Key": key} if key else {})
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        return self.client.post(_address(path), text, content_type=content_type, headers=sent)

    def rows(self, path, **parameters):
        """All rows of a list, page by page."""
        answer = self.get(path, **parameters).json()
        rows = answer["results"]
        while answer["next"]:
            answer = self.get(answer["next"]).json()
            rows += answer["results"]
        return rows


def _address(path):
    return path if path.startswith(("/", "http")) else V1 + path


def error(response, status, code):
    """The one shape of errors, checked; returns its data."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    assert set(response.json()) == {"error"}
    found = response.json()["error"]
    assert set(found) == {"code", "message", "data"}
    assert found["code"] == code
    assert found["message"].endswith(".")
    return found["data"]


@pytest.fixture
def program():
    """`program(user, "studies:read", …)`: with a new token; without scopes, with all of them."""

    def make(user, *scopes, **limits):
        return Program(create_token(user, "test", scopes or list(Scope), "test", **limits)[1])

    return make


@pytest.fixture
def study(alice) -> Study:
    study = sample_study.load()
    Study.objects.filter(pk=study.pk).update(status=Study.Status.COLLECTING)
    study.refresh_from_db()
    return study


@pytest.fixture
def member(study, django_user_model):
    """`member("viewer")`: a user with that role in the study, who is no administrator."""

    def make(role):
        user = django_user_model.objects.create_user(f"{role}@example.org", "a password")
        services.invite(study, user.email, Role(role), "test")
        return user

    return make


@pytest.fixture
def activity(study):
    return study.activities.first()


@pytest.fixture
def form(activity):
    Question.objects.create(study=activity.study, key="guests", kind="long", position=1)
    return FormVersion.objects.create(
        activity=activity, number=1, version=1, document={}, sha256="0" * 64, published=clock.now()
    )


@pytest.fixture
def answered(study, activity, form):
    """`answered("text", region="…")`: somebody whose form holds that answer."""
    count = iter(range(1000))

    def make(text="Tea.", *, region=None, status="submitted", **columns):
        region = study.regions.get(slug=region) if region else study.regions.first()
        who = Participant.objects.create(study=study, region=region, language="en")
        session = f"session-{next(count)}"
        RecruiterIdentity.objects.create(
            study=study, participant=who, recruiter="prolific", external_id=f"person-{session}"
        )
        row = Participation.objects.create(
            participant=who,
            activity=activity,
            recruiter="prolific",
            recruiter_session=session,
            status="active" if status == "draft" else "submitted",
            slot_region=region,
            opened=clock.now(),
        )
        RecruiterSession.objects.create(participation=row, recruiter="prolific", session=session)
        submission = Submission.objects.create(
            participation=row,
            form_version=form,
            number=1,
            status=status,
            language="en",
            started=clock.now(),
            touched=clock.now(),
            submitted=None if status == "draft" else clock.now(),
        )
        question = Question.objects.get(study=study, key="guests")
        return Answer.objects.create(submission=submission, question=question, text=text, **columns)

    return make
