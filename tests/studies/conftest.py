"""A study loaded from the sample file, and its cast: who is in it with which role."""

from pathlib import Path

import pytest

from studies import services
from studies.models import Study
from studies.permissions import Role

SAMPLE = Path(__file__).resolve().parents[2] / "studies" / "samples" / "lantern_coast.yaml"


@pytest.fixture
def sample_text() -> str:
    return SAMPLE.read_text()


@pytest.fixture
def study(alice) -> Study:
    """The sample study; Alice, the first administrator, owns it."""
    return services.load_file(SAMPLE, "test").study


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
