"""Personal links: how they are made, and what one that is no good says."""

import json
from contextlib import suppress
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from core import clock
from core.models import AuditEntry
from studies import links, services
from studies.models import (
    Participant,
    Participation,
    Study,
)
from studies.participation import Status
from studies.permissions import Role
from tests.studies.reading import words

pytestmark = pytest.mark.django_db


def command(*arguments):
    out = StringIO()
    with suppress(SystemExit):
        call_command("participant_links", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_links_are_made_by_the_command_and_each_is_somebody_of_their_own(collecting, client):
    result = command("lantern_coast", "--count", "3", "--origin", "https://study.example/")
    assert (result["study"], result["activity"]) == ("lantern_coast", "everyday_life")
    urls = [link["url"] for link in result["links"]]
    assert len(set(urls)) == 3
    assert {link["participant"] for link in result["links"]} == set(
        Participant.objects.values_list("code", flat=True)
    )
    for url in urls:
        assert client.get(url.removeprefix("https://study.example")).status_code == 200
    assert AuditEntry.objects.get(action="links.made").data == {"count": 3}


def test_links_of_a_simulated_study_are_for_simulated_participants(collecting):
    Study.objects.update(simulated=True)
    command("lantern_coast")
    assert Participant.objects.get().simulated


@pytest.mark.parametrize(
    ("arguments", "change", "code"),
    [
        ((), {"status": Study.Status.SET_UP}, "study.not_collecting"),
        (("--count", "0"), {}, "links.count"),
        (("--count", "1001"), {}, "links.count"),
        (("--activity", "nothing"), {}, "activity.unknown"),
    ],
)
def test_links_are_refused_in_words(collecting, arguments, change, code):
    if change:
        Study.objects.update(**change)
    assert command("lantern_coast", *arguments)["error"]["code"] == code
    assert not Participant.objects.exists()


def test_the_activity_is_named_where_there_are_several(collecting):
    activity = collecting.activities.get()
    activity.pk, activity.slug = None, "second"
    activity.save()
    refused = command("lantern_coast")["error"]
    assert refused["code"] == "activity.not_named"
    assert "everyday_life, second" in refused["message"]
    assert command("lantern_coast", "--activity", "second")["activity"] == "second"


def test_a_researcher_copies_the_address_and_makes_links_that_are_shown_once(
    collecting, signed_in, django_user_model
):
    user = django_user_model.objects.create_user("rosa@example.org", "a password")
    services.invite(collecting, user.email, Role.RESEARCHER, "test")
    client, where = signed_in(user), reverse("studies:links", args=(collecting.slug,))
    page = words(client.get(where))
    assert "/join/lantern_coast/everyday_life/?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID=" in page
    assert all(code in page for code in collecting.activities.get().codes.values())
    page = words(client.post(where, {"activity": "everyday_life", "count": "2"}))
    rows = list(Participation.objects.select_related("participant"))
    assert len(rows) == 2
    for row in rows:
        assert f"{row.participant.code} http://testserver{links.personal(row)}" in page
        assert links.personal(row) not in words(client.get(where))
    assert client.post(where, {"activity": "everyday_life", "count": "0"}).status_code == 422
    Study.objects.update(status=Study.Status.SET_UP)
    assert "is not open yet" in words(client.get(where))
    refused = client.post(where, {"activity": "everyday_life", "count": "2"})
    assert refused.status_code == 422
    assert Participation.objects.count() == 2


def test_whoever_may_not_recruit_does_not_see_the_page(collecting, signed_in, django_user_model):
    user = django_user_model.objects.create_user("vera@example.org", "a password")
    services.invite(collecting, user.email, Role.VIEWER, "test")
    assert signed_in(user).get(f"/studies/{collecting.slug}/links/").status_code == 403


def test_links_of_the_command_lead_to_the_port_that_is_served(collecting, monkeypatch, settings):
    settings.CSRF_TRUSTED_ORIGINS = []
    monkeypatch.setenv("PORT", "8282")
    assert command("lantern_coast")["links"][0]["url"].startswith("http://127.0.0.1:8282/p/")
    settings.CSRF_TRUSTED_ORIGINS = ["https://study.example"]
    assert command("lantern_coast")["links"][0]["url"].startswith("https://study.example/p/")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda token, other: token[:-1],
        lambda token, other: token.split(".")[0],
        lambda token, other: "A" * 10 + token[10:],
        lambda token, other: token.split(".")[0] + "." + other.split(".")[1],
        lambda token, other: token + "x",
        lambda token, other: "क" + token,
    ],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_link_that_is_not_whole_or_not_ours_is_said_to_be_so(
    collecting, somebody, client, spoil, method
):
    token, other = (links.token(somebody(Status.ACTIVE)) for _number in range(2))
    for name in ("home", "consent", "screening", "leave", "language", "decline"):
        where = reverse(f"taking_part:{name}", args=(spoil(token, other),))
        response = getattr(client, method)(where)
        assert response.status_code == 404
        assert "Open it again from the message it came in" in words(response)
        assert "Sign in" not in words(response)


def test_an_invitation_that_is_too_old_says_so(newcomer):
    Participation.objects.update(deadline=clock.ago(1))
    assert "The time for this activity is over" in newcomer.page()
    newcomer.agree()
    assert newcomer.status == Status.TIMED_OUT
