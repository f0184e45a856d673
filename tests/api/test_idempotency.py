"""A request sent again under its key is answered as before and done once."""

import threading

import pytest
from django.db import connection

from accounts import services
from accounts.models import IdempotentRequest
from core import clock, jobs
from tests.api.conftest import error

LINKS = "studies/lantern_coast/links/"
ONE = {"activity": "everyday_life", "count": 1}


@pytest.fixture
def alices(program, study, alice):
    return program(alice)


def test_the_same_key_and_body_get_the_same_answer(alices, study):
    first = alices.post(LINKS, ONE, key="k1")
    again = alices.post(LINKS, '{"count": 1,  "activity": "everyday_life"}', key="k1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert "Idempotent-Replay" not in first
    assert again["Idempotent-Replay"] == "true"
    assert study.participants.count() == 1


def test_the_same_key_with_another_body_is_refused(alices, study):
    alices.post(LINKS, ONE, key="k1")
    error(alices.post(LINKS, ONE | {"count": 2}, key="k1"), 422, "api.key_reused")
    error(alices.post("runs/", ONE, key="k1"), 422, "api.key_reused")
    assert study.participants.count() == 1


def test_without_a_key_every_request_is_a_new_one(alices, study):
    assert alices.post(LINKS, ONE).json() != alices.post(LINKS, ONE).json()
    assert study.participants.count() == 2


def test_keys_of_two_people_are_two_keys(alices, program, member, study):
    alices.post(LINKS, ONE, key="k1")
    other = program(member("researcher")).post(LINKS, ONE, key="k1")
    assert "Idempotent-Replay" not in other
    assert study.participants.count() == 2


def test_a_key_still_worked_on_is_409_and_after_its_lease_free(alices, study, settings):
    alices.post(LINKS, ONE, key="k1")
    row = IdempotentRequest.objects.get()
    IdempotentRequest.objects.update(status=None, response=None)
    error(alices.post(LINKS, ONE, key="k1"), 409, "api.key_in_progress")
    IdempotentRequest.objects.update(claimed=clock.ago(settings.IDEMPOTENCY_LEASE + 1))
    assert alices.post(LINKS, ONE, key="k1").status_code == 201
    assert IdempotentRequest.objects.get().nonce == row.nonce


def test_a_refusal_leaves_the_key_to_the_corrected_request(alices):
    error(alices.post(LINKS, ONE | {"activity": "nowhere"}, key="k1"), 404, "activity.unknown")
    error(alices.post(LINKS, ONE | {"count": 0}, key="k1"), 400, "api.invalid")
    assert alices.post(LINKS, ONE, key="k1").status_code == 201


def test_a_key_is_kept_for_a_day(alices, study, settings):
    alices.post(LINKS, ONE, key="k1")
    IdempotentRequest.objects.update(created=clock.ago(settings.IDEMPOTENCY_KEPT + 1))
    assert "Idempotent-Replay" not in alices.post(LINKS, ONE, key="k1")
    assert study.participants.count() == 2


def test_answers_that_are_kept_too_long_go_without_another_request(alices, study, settings):
    """They hold what was sent: in a study nobody sends to any more they would stay for ever."""
    alices.post(LINKS, ONE, key="old")
    IdempotentRequest.objects.update(created=clock.ago(settings.IDEMPOTENCY_KEPT + 1))
    alices.post(LINKS, ONE)  # without a key, which looks at none
    assert IdempotentRequest.objects.count() == 1
    alices_own = IdempotentRequest.objects.get()
    young = IdempotentRequest.objects.create(
        user=alices_own.user, key="young", asked="x", claimed=clock.now(), created=clock.now()
    )
    jobs.do_duties()
    assert list(IdempotentRequest.objects.all()) == [young]
    assert services.forget_requests() == 0


def test_who_may_no_longer_gets_no_kept_answer(alices, program, member, study):
    researcher = member("researcher")
    theirs = program(researcher)
    theirs.post(LINKS, ONE, key="k1")
    study.memberships.filter(user=researcher).update(role="viewer")
    error(theirs.post(LINKS, ONE, key="k1"), 403, "study.not_allowed")


@pytest.mark.parametrize("key", ["x" * 201, "\t", "\x7f", "é"])
def test_a_key_that_is_none_is_refused(alices, key):
    error(alices.post(LINKS, ONE, key=key), 400, "api.key_invalid")


@pytest.mark.django_db(transaction=True)
def test_the_same_key_five_times_at_once_is_one_request(program, study, alice):
    alices = program(alice)
    answers = []

    def send():
        try:
            answers.append(alices.__class__(alices.secret).post(LINKS, ONE, key="k1"))
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status_code for answer in answers} <= {201, 409}
    first, *others = [answer.json() for answer in answers if answer.status_code == 201]
    assert all(other == first for other in others)
    assert study.participants.count() == 1


def test_an_answer_given_late_does_not_replace_the_one_kept(alices):
    alices.post(LINKS, ONE, key="k1")
    row = IdempotentRequest.objects.get()
    services.answer_request(row, 500, {})
    services.release_request(row)
    assert IdempotentRequest.objects.get().status == 201
