"""Recruiters' ids go once payment has closed for long enough; finished jobs go too."""

import pytest

from core import clock, jobs
from core.models import AuditEntry, Job
from studies import services
from studies.models import LedgerEntry, Participation, Study
from studies.participation import Status

pytestmark = pytest.mark.django_db

DAY = 24 * 3600


@pytest.fixture(autouse=True)
def _sixty_days(study):
    assert study.retention_days == 60


def aged(row, days):
    """The row and its ledger as if everything had happened `days` ago."""
    past = clock.ago(days * DAY)
    Participation.objects.filter(pk=row.pk, ended__isnull=False).update(ended=past)
    LedgerEntry.objects.filter(participation=row).update(at=past)


def known(row):
    row.refresh_from_db()
    row.participant.recruiter_identity.refresh_from_db()
    newest = row.sessions.last()
    assert row.recruiter_session == (newest.session if newest else "")
    return (row.participant.recruiter_identity.external_id, row.recruiter_session)


def test_the_ids_of_who_was_paid_long_ago_are_emptied_once(study, somebody):
    row = somebody(Status.ACCEPTED, known_as="p1", session="s1")
    services.mark_paid(study, {row.code: 250}, "a" * 16, "test")
    aged(row, 61)
    assert services.forget_recruiters() == 1
    assert known(row) == ("", "")
    assert services.forget_recruiters() == 0
    assert AuditEntry.objects.get(action="recruiter_ids.emptied").data == {"count": 1}


def test_who_is_still_owed_money_is_kept_however_long_ago_it_was(somebody):
    row = somebody(Status.ACCEPTED, known_as="p1", session="s1")
    aged(row, 900)
    assert services.forget_recruiters() == 0
    assert known(row) == ("p1", "s1")


@pytest.mark.parametrize(("days", "kept"), [(59, "p1"), (61, "")])
def test_the_days_are_the_studys_own_and_count_from_the_ending(somebody, days, kept):
    row = somebody(Status.RETURNED, known_as="p1")
    aged(row, days)
    services.forget_recruiters()
    assert known(row)[0] == kept


def test_a_later_payment_counts_from_its_own_day(study, somebody):
    row = somebody(Status.ACCEPTED, known_as="p1")
    aged(row, 100)
    services.mark_paid(study, {row.code: 250}, "a" * 16, "test")
    services.forget_recruiters()
    assert known(row)[0] == "p1"


def test_one_participation_that_goes_on_keeps_the_id(study, somebody):
    row = somebody(Status.RETURNED, known_as="p1")
    aged(row, 100)
    Participation.objects.create(participant=row.participant, activity=row.activity, attempt=2)
    assert services.forget_recruiters() == 0


def test_a_study_that_keeps_nothing_forgets_at_once(study, somebody):
    Study.objects.filter(pk=study.pk).update(retention_days=0)
    row = somebody(Status.RETURNED, known_as="p1")
    assert services.forget_recruiters() == 1
    assert known(row)[0] == ""


def test_finished_jobs_are_forgotten_after_their_days(settings):
    settings.JOB_RETENTION_DAYS = 30
    now = clock.now()
    for key, days, status in (("old", 31, "done"), ("new", 29, "failed"), ("open", None, "queued")):
        finished = clock.ago(days * DAY) if days else None
        Job.objects.create(
            kind="k", key=key, status=status, created=now, sent=now, finished=finished
        )
    assert jobs.forget_finished() == 1
    assert set(Job.objects.values_list("key", flat=True)) == {"new", "open"}
