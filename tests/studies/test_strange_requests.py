"""What no page of a participant sends, and programs do."""

import logging
from io import StringIO
from logging.config import DictConfigurator

import pytest
from django.urls import reverse

from studies.models import (
    Participant,
)
from studies.participation import Status
from studies.taking_part import screens
from tests.studies.reading import HISTORY, words

pytestmark = pytest.mark.django_db
FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("rows", ["9" * 5000, "٩" * 5000, "-1", "1e9", ""])
def test_a_strange_number_of_rows_is_a_page_with_the_usual_ones(screened, rows):
    page = screened.post("screening", {"rows": rows, "more": "1"}).content.decode()
    assert page.count("<fieldset") == 8


def test_more_places_than_are_kept_are_named_and_not_left_out_in_silence(screened):
    stays = {
        f"stay-{number}-{name}": value
        for number in range(41)
        for name, value in (("place", "Windlow"), ("from_year", "1980"), ("to_year", "2020"))
    }
    response = screened.post("screening", {"born": "1980", "rows": "41"} | stays)
    assert response.status_code == 422
    assert "At most 40 places can be given" in words(response)
    assert screened.status == Status.SCREENING


@pytest.mark.parametrize("referer", ["http://[bad", "//[", "http://h]/", "\x00", "p" * 5000])
def test_a_strange_referer_leads_to_the_first_page(newcomer, referer):
    response = newcomer.post("language", {"language": "es"}, headers={"Referer": referer})
    assert (response.status_code, response["Location"]) == (303, newcomer.address("home"))


@pytest.mark.parametrize("body", ["born=%ED%A0%80", "born=%FF", "born=%E0%A4", b"born=\xff"])
def test_bytes_that_are_no_text_are_refused_in_words(screened, body):
    response = screened.client.post(screened.address("screening"), body, content_type=FORM)
    assert response.status_code == 400
    assert "could not be read as text" in words(response)
    assert "form.not_text" in words(response)


def test_parts_that_are_no_text_are_refused_in_words(screened):
    body = b'--b\r\nContent-Disposition: form-data; name="born"\r\n\r\n\xff\r\n--b--\r\n'
    kind = "multipart/form-data; boundary=b"
    response = screened.client.post(screened.address("screening"), body, content_type=kind)
    assert response.status_code == 400
    assert "form.not_text" in words(response)
    response = screened.client.post(screened.address("screening"), b"x", content_type=kind[:19])
    assert response.status_code == 400


def test_more_than_can_be_sent_at_once_is_refused_in_words(screened, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3
    response = screened.post("screening", HISTORY)
    assert response.status_code == 413
    assert "form.too_large" in words(response)
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    response = screened.client.post(screened.address("screening"), "a=" * 20, content_type=FORM)
    assert response.status_code == 413
    assert screened.status == Status.SCREENING


def test_an_invitation_reads_text_only_as_well(client, collecting):
    where = reverse("taking_part:join", args=(collecting.slug, collecting.activities.get().slug))
    response = client.post(where, "PROLIFIC_PID=%ff", content_type=FORM)
    assert response.status_code == 400
    assert not Participant.objects.exists()


def test_a_page_that_fails_puts_no_personal_link_into_the_log(newcomer, monkeypatch, settings):
    written, logger = StringIO(), logging.getLogger("django.request")
    handler = logging.StreamHandler(written)
    line = settings.LOGGING["formatters"]["line"]
    handler.setFormatter(DictConfigurator(settings.LOGGING).configure_formatter(line))
    monkeypatch.setattr(screens, "show", lambda request, row: {}[request.path])
    newcomer.client.raise_request_exception = False
    logger.addHandler(handler)
    assert newcomer.get().status_code == 500
    logger.removeHandler(handler)
    assert newcomer.token not in written.getvalue()
    assert f"Internal Server Error: /p/{newcomer.token[:4]}…/" in written.getvalue()
