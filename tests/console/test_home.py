"""The first page: what is newest, and what waits."""

import pytest

from studies import services
from studies.permissions import Role
from tests import sample_study

pytestmark = pytest.mark.django_db


def test_the_first_page_lists_studies_and_says_how_to_begin_one(as_alice, alice):
    page = as_alice.get("/").content.decode()
    assert "No study yet." in page
    study = sample_study.load()
    page = as_alice.get("/").content.decode()
    assert study.name in page
    assert "being set up" in page


def test_who_is_in_no_study_is_told_who_can_add_them(client, bob, alice):
    study = sample_study.load()
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get("/").content.decode()
    assert "You are in no study yet." in page
    assert study.name not in page
    services.invite(study, bob.email, Role.VIEWER, "test")
    assert study.name in client.get("/").content.decode()
