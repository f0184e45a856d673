"""Whatever goes wrong, the answer has one shape and tells nothing of the inside."""

import pytest

from releases import api as releases
from tests.api.conftest import V1, error

pytestmark = pytest.mark.django_db
LINKS = "studies/lantern_coast/links/"


@pytest.fixture
def alices(program, study, alice):
    return program(alice)


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("", 404, "api.unknown_address"),
        ("nowhere/", 404, "api.unknown_address"),
        ("studies", 404, "api.unknown_address"),
        ("releases/lantern_coast/", 404, "api.unknown_address"),
        ("studies/nowhere/", 404, "study.unknown"),
        ("studies/%00/", 400, "address.not_text"),
        ("studies/?page=%00", 400, "address.not_text"),
        ("releases/nothing@1/", 404, "release.unknown"),
        ("releases/nothing@99999999999999999999/", 404, "release.unknown"),
        ("runs/7/", 404, "run.unknown"),
        ("runs/99999999999999999999/", 404, "run.unknown"),
        (LINKS, 405, "api.method_not_allowed"),
        ("studies/?colour=red", 400, "api.unknown_parameter"),
        ("studies/?format=html", 400, "api.unknown_parameter"),
        ("studies/lantern_coast/?cursor=x", 400, "api.unknown_parameter"),
        ("studies/lantern_coast/answers/?status=lost", 400, "api.invalid"),
        ("studies/?cursor=x", 400, "api.bad_cursor"),
        ("studies/?cursor=", 400, "api.bad_cursor"),
        ("studies/?cursor=é", 400, "api.bad_cursor"),
        ("studies/?cursor=LTE", 400, "api.bad_cursor"),
        ("studies/?cursor=OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5", 400, "api.bad_cursor"),
        ("studies/?page_size=0", 400, "api.page_size"),
        ("studies/?page_size=1001", 400, "api.page_size"),
        ("studies/?page_size=many", 400, "api.page_size"),
        ("studies/?page_size=1000000000000", 400, "api.page_size"),
        ("studies/?page_size=000000001" + "0" * 5000, 400, "api.page_size"),
    ],
)
def test_a_read_that_cannot_be_answered_says_why(alices, address, status, code):
    error(alices.get(address), status, code)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("{", 400, "api.unreadable"),
        ("", 400, "api.invalid"),
        ("[]", 400, "api.invalid"),
        ("null", 400, "api.invalid"),
        (b"\xff", 400, "api.unreadable"),
        ('{"count": NaN}', 400, "api.unreadable"),
        ('{"count": 1e999}', 400, "api.unreadable"),
        ('{"count": ' + "9" * 5000 + "}", 400, "api.unreadable"),
        ("[" * 100_000, 400, "api.unreadable"),
        ({"activity": "everyday_life"}, 400, "api.invalid"),
        ({"activity": "everyday_life", "count": 0}, 400, "api.invalid"),
        ({"activity": "everyday_life", "count": 1, "colour": "red"}, 400, "api.unknown_field"),
        ({"activity": "a\0b", "count": 1}, 400, "text.not_storable"),
        ('{"activity": "\\ud800", "count": 1}', 400, "text.not_storable"),
        ({"activity": "nowhere", "count": 1}, 404, "activity.unknown"),
    ],
)
def test_a_body_that_cannot_be_used_says_why_and_changes_nothing(alices, study, body, status, code):
    error(alices.post(LINKS, body), status, code)
    assert not study.participants.exists()


def test_a_body_of_another_kind_is_415(alices):
    error(alices.post(LINKS, "count=1", content_type="text/plain"), 415, "api.json_only")
    form = "application/x-www-form-urlencoded"
    error(alices.post(LINKS, "count=1", content_type=form), 415, "api.json_only")


def test_a_body_too_large_is_413(alices, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    error(alices.post(LINKS, {"activity": "x" * 2000, "count": 1}), 413, "api.too_large")


def test_only_json_is_answered(alices):
    error(alices.get("studies/", headers={"Accept": "text/html"}), 406, "api.json_only")
    assert alices.get("studies/", headers={"Accept": "*/*"}).status_code == 200


def test_an_error_says_which_fields_to_put_right(alices):
    data = error(alices.post(LINKS, {"count": "many"}), 400, "api.invalid")
    assert set(data["fields"]) == {"activity", "count"}


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
def test_a_method_no_endpoint_takes_is_405(alices, method):
    call = getattr(alices.client, method)
    error(call(f"{V1}studies/", headers=alices.headers), 405, "api.method_not_allowed")


def test_a_fault_of_ours_is_logged_and_not_told(alices, monkeypatch, caplog):
    def broken(user):
        raise RuntimeError("the secret plan")

    monkeypatch.setattr(releases.selectors, "visible_releases", broken)
    answer = alices.get("releases/")
    error(answer, 500, "api.failed")
    assert b"secret" not in answer.content
    assert "the secret plan" in caplog.text


def test_answers_carry_the_policy_and_are_not_sniffed(alices):
    answer = alices.get("studies/")
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"
