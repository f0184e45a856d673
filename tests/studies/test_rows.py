"""What the database refuses, whoever writes."""

import pytest
from django.db import IntegrityError, transaction

from core import clock
from core.errors import CommonplaceError
from studies import participation
from studies.codes import ALPHABET
from studies.models import (
    Consent,
    LedgerEntry,
    Membership,
    Participant,
    Participation,
    Place,
    RecruiterIdentity,
    Region,
    Residence,
    Study,
)
from studies.participation import Status

pytestmark = pytest.mark.django_db


@pytest.fixture
def participant(study):
    return Participant.objects.create(study=study, language="en")


@pytest.fixture
def begin(study, participant):
    def begin(status=Status.INVITED, **fields):
        reason = "" if status in participation.OPEN else status
        given = {"participant": participant, "activity": study.activities.get()}
        return Participation.objects.create(
            **given | {"status": status, "ended_reason": reason} | fields
        )

    return begin


def refused(constraint, write, *arguments, **fields):
    """The database refuses a row by the constraint of this name (SQLite names columns of unique
    ones instead)."""
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        write(*arguments, **fields)
    said = str(error.value)
    assert constraint in said or "UNIQUE constraint failed" in said, said


def test_a_participant_is_a_code_nobody_can_walk(participant):
    assert len(participant.code) == 10
    assert set(participant.code) <= set(ALPHABET)
    other = Participant.objects.create(study=participant.study, language="en")
    assert other.code != participant.code


def test_one_participation_of_an_activity_is_open_at_a_time(begin):
    begin(Status.ACTIVE)
    refused("one_open_participation_per_activity", begin, Status.INVITED, attempt=2)


def test_a_new_attempt_is_possible_once_the_last_has_ended(begin):
    begin(Status.TIMED_OUT)
    begin(Status.INVITED, attempt=2)
    refused("one_participation_per_attempt_at_an_activity", begin, Status.RETURNED, attempt=2)


@pytest.mark.parametrize("status", Status)
def test_a_reason_belongs_to_endings_and_to_every_ending(begin, status):
    begin(status)
    wrong = "" if status in participation.ENDINGS else "why"
    name = "every_ending_has_a_reason_and_nothing_else_has"
    refused(name, begin, status, ended_reason=wrong, attempt=2)


@pytest.mark.parametrize("status", Status)
def test_only_who_is_in_or_accepted_holds_a_slot(begin, study, status):
    region = study.regions.first()
    if status in participation.HOLDING:
        assert begin(status, slot_region=region).slot_region == region
    else:
        name = "a_slot_is_held_only_by_who_is_in_or_accepted"
        refused(name, begin, status, slot_region=region)


def test_a_status_the_table_does_not_know_is_refused(begin):
    name = "every_ending_has_a_reason_and_nothing_else_has"
    refused(name, begin, "lost", ended_reason="")


def test_one_session_of_a_recruiter_is_one_participation(begin, study):
    session = {"recruiter": "prolific", "recruiter_session": "s1"}
    begin(**session)
    other = Participant.objects.create(study=study, language="en")
    refused("one_participation_per_recruiters_session", begin, participant=other, **session)
    begin(participant=other, recruiter="prolific")


def test_one_person_of_a_recruiter_is_one_participant_of_a_study_until_ids_are_emptied(study):
    people = [Participant.objects.create(study=study, language="en") for _ in range(2)]
    identity = RecruiterIdentity.objects.create
    first = identity(study=study, participant=people[0], recruiter="prolific", external_id="p1")
    again = {"study": study, "participant": people[1], "recruiter": "prolific"}
    name = "one_participant_per_study_and_recruiters_id"
    refused(name, identity, **again, external_id="p1")
    RecruiterIdentity.objects.filter(pk=first.pk).update(external_id="")
    identity(**again)


def test_who_has_withdrawn_has_a_time_of_it(participant):
    rows = Participant.objects.filter(pk=participant.pk)
    refused("who_has_withdrawn_has_a_time_of_it", rows.update, status="withdrawn")
    refused("who_has_withdrawn_has_a_time_of_it", rows.update, withdrawn_at=clock.now())
    assert rows.update(status="withdrawn", withdrawn_at=clock.now()) == 1


def test_a_stay_ends_after_it_begins(participant):
    years = {"participant": participant, "from_year": 2001, "to_year": 2000}
    refused("a_stay_ends_after_it_begins", Residence.objects.create, **years)


def test_a_place_lies_in_one_region_of_a_study(study):
    place = study.places.first()
    other = study.regions.exclude(pk=place.region_id).first()
    again = {"study": study, "region": other, "name": place.name, "folded": place.folded}
    refused("each_place_lies_in_one_region_of_a_study", Place.objects.create, **again)


def test_regions_activities_roles_and_studies_are_there_once(study, alice):
    region, activity = study.regions.first(), study.activities.first()
    for row, name in (
        (region, "one_region_per_study_and_slug"),
        (activity, "one_activity_per_study_and_slug"),
        (study.memberships.get(), "one_role_per_study_and_user"),
        (study.consent_documents.get(), "one_consent_document_per_study_and_version"),
    ):
        row.pk, row._state.adding = None, True
        refused(name, row.save)
    assert (Study.objects.count(), Region.objects.count(), Membership.objects.count()) == (1, 4, 1)


def test_less_than_half_a_life_is_no_residency(study):
    rows = Study.objects.filter(pk=study.pk)
    refused("residency_takes_at_least_half_a_life", rows.update, residency_percent=49)


def test_an_amount_is_in_the_ledger_once(begin):
    entry = {"participation": begin(), "kind": "reward", "amount_minor": 521, "currency": "EUR"}
    LedgerEntry.objects.create(**entry, key="reward:1", at=clock.now())
    refused("key", LedgerEntry.objects.create, **entry, key="reward:1", at=clock.now())


def test_consent_and_the_ledger_are_only_appended_to(begin, study, participant):
    document = study.consent_documents.get()
    given = {"participant": participant, "document": document, "language": "en"}
    consent = Consent.objects.create(**given, purposes=["take_part"], at=clock.now())
    entry = LedgerEntry.objects.create(
        participation=begin(), kind="bonus", amount_minor=1, currency="EUR", key="k", at=clock.now()
    )
    for row in (consent, document, entry):
        with pytest.raises(CommonplaceError) as error:
            row.save()
        assert error.value.code == "row.append_only"


def test_a_map_of_texts_is_checked_by_the_column(study):
    region = study.regions.first()
    for texts in ({"en": ""}, {"not a tag": "x"}, "x"):
        region.names = texts
        with pytest.raises(CommonplaceError) as error, transaction.atomic():
            region.save()
        assert error.value.code.startswith("language.")
    region.names = {"EN": "Harbour"}
    region.save()
    region.refresh_from_db()
    assert region.names == {"en": "Harbour"}
