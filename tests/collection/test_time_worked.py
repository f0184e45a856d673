"""How long somebody has worked, counted from what they write."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client

from collection import selectors, services
from collection.answers import read_form
from collection.models import Submission
from core import clock
from studies.kinds import Progress
from studies.models import Participation
from tests.collection.conftest import question
from tests.collection.sending import ANSWERS, LONG, ask_again, send


def read(here, fields):
    """Fields as a page sends them, read for a form."""
    return read_form(here.document, lambda name: fields.get(name, []))


def test_time_between_writes_is_work_up_to_the_time_of_idling(survey, client, settings):
    made = survey(LONG)
    address = made.address(name="save")
    ago = clock.now() - timedelta(seconds=4)
    Submission.objects.update(touched=ago)
    client.post(address, {"rev-guests": 0, "answer-guests": "tea"})
    assert 4_000 <= made.submission().ms < 20_000
    Submission.objects.update(touched=ago - timedelta(days=2), ms=0)
    client.post(address, {"rev-guests": 1, "answer-guests": "tea!"})
    idle_ms = clock.scaled(settings.IDLE_AFTER) * 1000
    assert made.submission().ms == idle_ms
    made.person.refresh_from_db()
    assert made.person.worked_ms >= idle_ms + 4_000


def test_writes_side_by_side_count_the_time_once(survey):
    made = survey(LONG)
    Submission.objects.update(touched=clock.now() - timedelta(seconds=20))
    opened = [selectors.form_of(made.person, 1) for _tab in range(16)]
    for number, here in enumerate(opened):
        services.save(here, read(here, {"answer-guests": [f"tea {number}"]}))
    made.person.refresh_from_db()
    assert 20_000 <= made.submission().ms < 25_000
    assert made.person.worked_ms == made.submission().ms


@pytest.mark.django_db(transaction=True)
def test_writes_at_the_same_moment_count_the_time_once(survey):
    made = survey(LONG)
    Submission.objects.update(touched=clock.now() - timedelta(seconds=20))

    def write(number):
        client = Client()
        try:
            client.post(made.address(name="save"), {"answer-guests": f"tea {number}"})
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(16)))
    made.person.refresh_from_db()
    assert 20_000 <= made.person.worked_ms < 29_000


def test_forms_open_side_by_side_share_the_time(survey, client):
    made = survey(LONG, [question("food")])
    send(client, made.address(), **ANSWERS)
    send(client, made.address(2), **{"answer-food": "bread"})
    ask_again(made.person, 1)
    Submission.objects.filter(number=2).update(status=Submission.Status.REDO)
    Submission.objects.update(touched=clock.now() - timedelta(seconds=20))
    Participation.objects.update(worked_ms=0)
    client.post(made.address(1, name="save"), {"answer-guests": "x"})
    client.post(made.address(2, name="save"), {"answer-food": "y"})
    made.person.refresh_from_db()
    assert 20_000 <= made.person.worked_ms < 29_000


def test_being_seen_is_written_once_in_ten_seconds(survey, client):
    made = survey(LONG)
    address = made.address(name="save")

    def seen():
        made.person.refresh_from_db()
        return made.person.last_seen

    client.post(address, {"rev-guests": 0, "answer-guests": "1"})
    first = seen()
    client.post(address, {"rev-guests": 1, "answer-guests": "2"})
    assert first is not None
    assert seen() == first
    long_ago = clock.ago(60)
    Participation.objects.update(last_seen=long_ago)
    client.post(address, {"rev-guests": 2, "answer-guests": "3"})
    assert seen() > long_ago


def test_progress_counts_forms_sent_and_the_minutes_left(survey, client):
    made = survey(LONG, [question("food")], [question("drink")])
    assert selectors.progress(made.person) == Progress(done=0, of=3, minutes_left=30)
    send(client, made.address(), **ANSWERS)
    assert selectors.progress(made.person) == Progress(done=1, of=3, minutes_left=20)
