"""A study loaded from the sample file, and its cast: who is in it with which role."""

import pytest
from django.urls import reverse

from core import clock
from studies import kinds, links, services
from studies.models import (
    Participant,
    Participation,
    RecruiterIdentity,
    RecruiterSession,
    Study,
)
from studies.participation import MOVES, Action, Status
from studies.permissions import Role
from studies.services.moving import move
from studies.setup import ActivityKind
from tests import sample_study
from tests.sample_study import SAMPLE
from tests.studies.reading import Reading
from tests.studies.set_up import FACTS, where


@pytest.fixture
def sample_text() -> str:
    return SAMPLE.read_text()


@pytest.fixture
def study(alice) -> Study:
    """The sample study; Alice, the first administrator, owns it."""
    return sample_study.load()


@pytest.fixture
def owner(study, django_user_model):
    """An owner who is no administrator."""
    user = django_user_model.objects.create_user("olga@example.org", "a password")
    services.invite(study, user.email, Role.OWNER, "test")
    return user


@pytest.fixture
def signed_in(client):
    def sign_in(user):
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        return client

    return sign_in


@pytest.fixture
def somebody(study):
    """Makes a participation that has come as far as `until` by the moves of the table."""

    def somebody(until=Status.ACTIVE, *, minutes=12, region="harbour", session="", known_as=""):
        place = study.regions.get(slug=region)
        participant = Participant.objects.create(study=study, region=place, language="en")
        if known_as:
            participant.recruiter_identity = RecruiterIdentity.objects.create(
                study=study, participant=participant, recruiter="prolific", external_id=known_as
            )
        row = Participation.objects.create(
            participant=participant,
            activity=study.activities.get(),
            recruiter="prolific" if session else "",
            recruiter_session=session,
        )
        if session:
            RecruiterSession.objects.create(
                participation=row, recruiter="prolific", session=session
            )
        for action in way(until):
            entering = action is Action.ADMIT
            given = {"region": place, "deadline": clock.later(3600)} if entering else {}
            move(row, action, **given)
            if entering:
                row.worked_ms = minutes * 60_000
                row.save(update_fields=["worked_ms"])
        return row

    return somebody


def way(until: Status) -> list[Action]:
    """The shortest way from an invitation to a status."""
    ways = {Status.INVITED: []}
    while until not in ways:
        for status, actions in list(ways.items()):
            for action, after in MOVES[status].items():
                ways.setdefault(after, [*actions, action])
    return ways[until]


@pytest.fixture
def collecting(study, monkeypatch) -> Study:
    """The sample study open, run by a room whose only page is the participant's own."""
    room = kinds.Kind(
        missing=lambda activity: [],
        open=lambda activity, actor: None,
        begin=lambda participation: None,
        address=lambda participation, token: links.personal(participation),
        progress=lambda participation: kinds.Progress(done=3, of=12, minutes_left=25),
    )
    monkeypatch.setitem(kinds._kinds, ActivityKind.SURVEY, room)
    study.status = Study.Status.COLLECTING
    study.save()
    return study


@pytest.fixture
def invited(collecting) -> Participation:
    """Somebody with a personal link they have not opened yet."""
    return services.make_links(collecting.activities.get(), 1, "test")[0]


@pytest.fixture
def coast(as_alice):
    """A study just created through its page."""
    given = FACTS | {"slug": "coast", "name": "The coast"}
    response = as_alice.post(reverse("studies:new"), given)
    assert response["Location"] == where("detail")
    return as_alice


@pytest.fixture
def reading(client):
    return lambda row: Reading(client, row)


@pytest.fixture
def newcomer(invited, reading):
    return reading(invited)


@pytest.fixture
def screened(newcomer):
    """Somebody who has agreed and is asked where they have lived."""
    newcomer.post()
    newcomer.agree()
    return newcomer
