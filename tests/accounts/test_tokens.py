"""API tokens: made once, shown once, good for what they say and no longer."""

import io
import json
import logging
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client

from accounts import services, tokens
from accounts.models import ApiToken
from accounts.tokens import Scope
from core import clock
from core.errors import CommonplaceError
from core.models import AuditEntry
from studies.permissions import Role
from studies.services import invite
from tests import sample_study

pytestmark = pytest.mark.django_db
PAGE = "/accounts/tokens/"


def create(*arguments):
    out, code = io.StringIO(), 0
    try:
        call_command("create_token", *arguments, "--json", stdout=out)
    except SystemExit as exit:
        code = exit.code
    return code, json.loads(out.getvalue())


def call(secret):
    return Client().get("/api/v1/studies/", headers={"Authorization": f"Bearer {secret}"})


@pytest.fixture
def as_bob(client, bob):
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def study(bob):
    study = sample_study.load()
    invite(study, bob.email, Role.RESEARCHER, "test")
    return study


def test_a_command_prints_a_token_that_works(bob):
    code, made = create(" BOB@example.org", "--scopes", "answers:read,studies:read", "--days", "3")
    assert (code, set(made)) == (0, {"token", "scopes", "studies", "expires"})
    assert made["scopes"] == ["studies:read", "answers:read"]
    assert made["studies"] == []
    assert call(made["token"]).status_code == 200
    token = ApiToken.objects.get()
    assert clock.isoformat(token.expires) == made["expires"]
    assert token.expires - token.created == timedelta(days=3)


def test_a_secret_is_long_marked_and_never_the_same():
    secrets = {tokens.new_secret() for _ in range(50)}
    assert len(secrets) == 50
    assert all(secret.startswith("cp_") and len(secret) >= 43 for secret in secrets)


def test_a_secret_is_kept_in_no_row_no_log_and_no_audit_entry(bob, caplog):
    caplog.set_level(logging.DEBUG)
    secret = create("bob@example.org", "--scopes", "studies:read")[1]["token"]
    call(secret)
    call(secret + "x")
    rows = [str(row) for row in ApiToken.objects.values()] + [
        str(row) for row in AuditEntry.objects.values()
    ]
    assert not [text for text in [*rows, caplog.text] if secret[9:] in text]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nobody@example.org", "--scopes", "studies:read"), "account.unknown"),
        (("bob@example.org", "--scopes", "studies:write"), "token.unknown_scope"),
        (("bob@example.org", "--scopes", ","), "token.no_scope"),
        (
            ("bob@example.org", "--scopes", "runs:read", "--studies", "x"),
            "token.unknown_study",
        ),
        (("bob@example.org", "--scopes", "runs:read", "--days", "0"), "token.days"),
        (("bob@example.org", "--scopes", "runs:read", "--name", " "), "token.name"),
    ],
)
def test_a_token_that_cannot_be_made_is_refused_in_words(bob, arguments, code):
    exit, result = create(*arguments)
    assert (exit, result["error"]["code"]) == (1, code)
    assert not ApiToken.objects.exists()
    if code == "token.unknown_scope":
        assert result["error"]["data"]["allowed"] == list(Scope)


def test_a_token_can_be_limited_to_studies_its_owner_sees_and_to_no_others(bob, study):
    _code, made = create("bob@example.org", "--scopes", "studies:read", "--studies", study.slug)
    assert made["studies"] == [study.slug]
    carol = type(bob).objects.create_user("carol@example.org", "a password")
    with pytest.raises(CommonplaceError, match=r"token\.unknown_study"):
        services.create_token(carol, "x", ["studies:read"], "test", studies=[study.slug])


def test_the_page_shows_a_new_token_once_and_lists_it_without_its_secret(as_bob, bob, study):
    assert b"cp_" not in as_bob.get(PAGE).content
    page = as_bob.post(
        PAGE,
        {"name": "nightly", "scopes": ["answers:read"], "studies": [study.slug], "days": "30"},
    )
    token = ApiToken.objects.get(user=bob)
    secret = page.content.decode().split('id="secret">')[1].split("<")[0]
    assert tokens.digest(secret) == token.hash
    assert "no-store" in page["Cache-Control"]
    again = as_bob.get(PAGE).content.decode()
    assert secret not in again
    assert token.prefix in again
    assert '<td data-label="What it may do">read answers</td>' in again
    assert (token.scopes, token.studies) == (["answers:read"], [study.slug])
    assert AuditEntry.objects.get(action="token.created").actor == bob.email


def test_the_page_says_what_is_missing(as_bob):
    page = as_bob.post(PAGE, {"name": "", "days": "0"})
    assert page.status_code == 422
    assert page.content.count(b'class="errorlist"') == 3
    assert not ApiToken.objects.exists()


def test_a_revoked_token_stops_at_once_and_is_revoked_once(as_bob, bob):
    token, secret = services.create_token(bob, "nightly", ["studies:read"], "test")
    assert call(secret).status_code == 200
    for _ in range(2):
        assert as_bob.post(f"{PAGE}{token.pk}/revoke/").status_code == 302
    answer = call(secret)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token.revoked")
    assert AuditEntry.objects.filter(action="token.revoked").count() == 1
    assert b"Revoke nightly" not in as_bob.get(PAGE).content


def test_nobody_sees_or_revokes_somebody_elses_token(as_bob, alice):
    token, _secret = services.create_token(alice, "hers", ["studies:read"], "test")
    assert b"hers" not in as_bob.get(PAGE).content
    assert as_bob.post(f"{PAGE}{token.pk}/revoke/").status_code == 404
    token.refresh_from_db()
    assert token.revoked is None


def test_a_token_ends(bob):
    token, secret = services.create_token(bob, "nightly", ["studies:read"], "test")
    ApiToken.objects.filter(pk=token.pk).update(expires=clock.now())
    answer = call(secret)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token.expired")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_closed_account_takes_its_tokens_along(bob, alice):
    _token, secret = services.create_token(bob, "nightly", ["studies:read"], "test")
    services.set_active(bob, False, alice)
    assert call(secret).json()["error"]["code"] == "token.unknown"


@pytest.mark.parametrize("secret", ["", "cp_", "cp_nobody", "ü", "a b", "x" * 5000])
def test_a_secret_nobody_made_is_401_in_words(db, secret):
    answer = call(secret)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token.unknown")


def test_the_last_use_is_written_at_most_once_a_minute(bob):
    token, secret = services.create_token(bob, "nightly", ["studies:read"], "test")
    call(secret)
    token.refresh_from_db()
    first = token.last_used
    assert first is not None
    call(secret)
    token.refresh_from_db()
    assert token.last_used == first
    ApiToken.objects.filter(pk=token.pk).update(last_used=clock.ago(61))
    call(secret)
    token.refresh_from_db()
    assert token.last_used >= first
