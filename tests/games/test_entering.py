"""Coming to a game: who says which region they belong to, and who has taken part before."""

import re

import pytest
from django.urls import reverse

from core import clock
from studies import links, services
from studies.models import Consent, LedgerEntry, Participant, Participation
from studies.participation import Action, Status
from studies.recruiter import Arrival
from studies.services import moving

pytestmark = pytest.mark.django_db


@pytest.fixture
def invited(activity):
    return lambda: services.make_links(activity, 1, "test")[0]


@pytest.fixture
def come(client, invited, study):
    """Somebody who has opened their link and agreed, by the pages."""

    def come():
        row = invited()
        client.post(links.personal(row))
        agree(client, row, study)
        row.refresh_from_db()
        return row

    return come


def agree(client, row, study):
    document = study.consent_documents.first()
    given = dict.fromkeys(document.purposes, "on") | {"document": document.pk}
    client.post(step(row, "consent"), given)


def step(row, name):
    return reverse(f"taking_part:{name}", args=(links.token(row),))


def text(client, row):
    return client.get(links.personal(row)).content.decode()


def test_who_comes_to_a_game_says_which_region_is_theirs(client, come, artifacts):
    row = come()
    page = text(client, row)
    assert 'value="harbour"' in page
    assert "Another region" in page
    assert "born" not in page
    client.post(step(row, "screening"), {"region": "harbour"})
    row = Participation.objects.get(pk=row.pk)
    assert (row.status, row.slot_region.slug) == (Status.ACTIVE, "harbour")
    assert row.participant.region.slug == "harbour"


def test_who_belongs_to_another_region_is_parted_with_in_a_friendly_way(
    client, come, artifacts, activity
):
    activity.codes["screened_out"] = "OTHER123"
    activity.save()
    row = come()
    client.post(step(row, "screening"), {"region": "-"})
    row.refresh_from_db()
    assert (row.status, row.ended_reason) == (Status.SCREENED_OUT, "other_region")
    page = text(client, row)
    assert "yours is not among them" in page
    assert "OTHER123" in page


@pytest.mark.parametrize("sent", [{}, {"region": ""}, {"region": "atlantis"}])
def test_what_is_no_region_is_put_right(client, come, artifacts, sent):
    row = come()
    answer = client.post(step(row, "screening"), sent)
    assert answer.status_code == 422
    assert 'href="#id_region_0"' in answer.content.decode()
    row.refresh_from_db()
    assert row.status == Status.SCREENING


def test_changing_the_language_keeps_what_was_chosen(client, come, artifacts):
    row = come()
    answer = client.post(step(row, "screening"), {"region": "marsh", "language": "es"})
    assert answer["Content-Language"] == "es"
    checked = re.findall(r"<input[^>]* checked[^>]*>", answer.content.decode())
    assert len(checked) == 1
    assert 'value="marsh"' in checked[0]


def test_the_places_of_a_region_run_out_as_in_a_survey(client, come, artifacts, study):
    study.regions.filter(slug="harbour").update(target=1)
    first, second = come(), come()
    for row in (first, second):
        client.post(step(row, "screening"), {"region": "harbour"})
        row.refresh_from_db()
    assert (first.status, second.status) == (Status.ACTIVE, Status.QUOTA_FULL)


def test_who_comes_before_their_region_has_artifacts_is_told_to_come_back(client, come):
    row = come()
    answer = client.post(step(row, "screening"), {"region": "harbour"})
    assert answer.status_code == 409
    assert "come back" in answer.content.decode()
    row.refresh_from_db()
    assert row.status == Status.SCREENING


@pytest.fixture
def known(study):
    """Somebody who has come as far as `status` in the survey of the study."""

    def known(status, agreed=True):
        survey = study.activities.exclude(kind="game").first()
        region = study.regions.first()
        who = Participant.objects.create(study=study, region=region, language="en")
        held = region if status == Status.ACTIVE else None
        Participation.objects.create(
            participant=who, activity=survey, status=status, slot_region=held,
            created=clock.ago(3600), ended=clock.ago(60) if _ends(status) else None,
            ended_reason=status if _ends(status) else "",
        )  # fmt: skip
        if agreed:
            Consent.objects.create(
                participant=who, document=study.consent_documents.first(), language="en",
                purposes=[], at=clock.ago(1800),
            )  # fmt: skip
        return who

    return known


def _ends(status):
    return status in (Status.RETURNED, Status.ACCEPTED, Status.DECLINED)


def invite(who, activity):
    return Participation.objects.create(
        participant=who, activity=activity, deadline=clock.later(3600)
    )


@pytest.mark.parametrize("status", [Status.ACTIVE, Status.RETURNED, Status.ACCEPTED])
def test_who_did_the_survey_cannot_play_and_learns_it_before_any_consent(
    client, known, activity, status
):
    row = invite(known(status), activity)
    client.post(links.personal(row))
    row.refresh_from_db()
    assert (row.status, row.ended_reason) == (Status.SCREENED_OUT, "took_part")
    assert "You have taken part in another activity" in text(client, row)
    assert not Consent.objects.filter(participant=row.participant, at__gte=clock.ago(60)).exists()


@pytest.mark.parametrize(
    "status", [Status.INVITED, Status.CONSENTING, Status.DECLINED, Status.RETURNED]
)
def test_who_never_agreed_to_the_survey_may_play(client, known, activity, status):
    row = invite(known(status, agreed=False), activity)
    client.post(links.personal(row))
    row.refresh_from_db()
    assert row.status == Status.CONSENTING


def test_who_begins_the_survey_meanwhile_is_stopped_at_the_screening(
    client, known, activity, artifacts, study
):
    who = known(Status.INVITED, agreed=False)
    row = invite(who, activity)
    client.post(links.personal(row))
    agree(client, row, study)
    survey = who.participations.exclude(activity=activity)
    survey.update(status=Status.ACTIVE, slot_region=study.regions.first())
    client.post(step(row, "screening"), {"region": "harbour"})
    row.refresh_from_db()
    assert (row.status, row.ended_reason) == (Status.SCREENED_OUT, "took_part")


@pytest.fixture
def recruited(study, activity):
    study.activities.update(recruiter="prolific")
    activity.refresh_from_db()
    return activity


def test_a_recruiter_who_sends_somebody_from_the_survey_gets_them_back(recruited, study):
    survey = study.activities.exclude(kind="game").first()
    did = services.enter(survey, Arrival("person-1", session="s-1"), "en")
    moving.move(did, Action.CONSENT)
    again = services.enter(recruited, Arrival("person-1", session="s-2"), "en")
    assert (again.status, again.ended_reason) == (Status.SCREENED_OUT, "took_part")
    assert services.enter(recruited, Arrival("person-1", session="s-2"), "en").pk == again.pk
    assert not LedgerEntry.objects.filter(participation=again, amount_minor__gt=0).exists()


def test_who_has_played_cannot_play_again(recruited):
    played = services.enter(recruited, Arrival("person-2", session="s-1"), "en")
    Participation.objects.filter(pk=played.pk).update(status=Status.SUBMITTED)
    assert services.enter(recruited, Arrival("person-2", session="s-2"), "en").pk == played.pk


def test_who_has_played_in_the_pilot_cannot_play_in_the_main_game(recruited, study):
    pilot = services.enter(recruited, Arrival("person-3", session="s-1"), "en")
    Participation.objects.filter(pk=pilot.pk).update(status=Status.SUBMITTED)
    other = recruited
    other.pk, other.slug, other._state.adding = None, "main", True
    other.save()
    assert services.enter(other, Arrival("person-3", session="s-2"), "en").status == (
        Status.SCREENED_OUT
    )
