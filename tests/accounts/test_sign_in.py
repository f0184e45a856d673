"""Signing in, being slowed down, changing a password, and the first administrator's link."""

import contextlib
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import User
from accounts.services import FIRST_ADMIN, first_admin_link
from core.models import AuditEntry

pytestmark = pytest.mark.django_db
SIGN_IN = "/accounts/sign-in/"


def sign_in(client, email="bob@example.org", password="another password"):
    return client.post(SIGN_IN, {"username": email, "password": password})


def test_a_right_password_signs_in_and_leads_home(client, bob):
    response = sign_in(client)
    assert (response.status_code, response["Location"]) == (302, reverse("console:home"))


def test_an_address_is_the_same_in_any_case_and_spacing(client, bob):
    assert sign_in(client, " Bob@Example.ORG ").status_code == 302


def test_a_wrong_password_is_said_without_telling_which_part_was_wrong(client, bob):
    wrong = sign_in(client, password="nope").content
    unknown = sign_in(client, "nobody@example.org").content
    assert b'role="alert"' in wrong
    assert b'role="alert"' in unknown


def test_five_wrong_passwords_lock_even_the_right_one_out_for_a_while(client, bob):
    for _ in range(5):
        response = sign_in(client, password="nope")
    assert response.status_code == 429
    assert sign_in(client).status_code == 429
    assert sign_in(client, "BOB@example.org ").status_code == 429
    assert not User.objects.get(pk=bob.pk).last_login


def test_another_persons_mistakes_lock_nobody_else_out(client, bob, alice):
    for _ in range(5):
        sign_in(client, "alice@example.org", "nope")
    assert sign_in(client).status_code == 302


def test_a_changed_password_is_audited_without_its_value(client, bob):
    sign_in(client)
    answer = client.post(
        "/accounts/password/",
        {
            "old_password": "another password",
            "new_password1": "quite-another-1",
            "new_password2": "quite-another-1",
        },
    )
    assert answer.status_code == 302
    client.post("/accounts/sign-out/")
    assert sign_in(client, password="quite-another-1").status_code == 302
    entry = AuditEntry.objects.get(action="account.password_changed")
    assert "quite-another-1" not in str(entry.__dict__)


@pytest.mark.parametrize("password", ["short", "12345678901", "password123"])
def test_a_weak_password_is_refused_with_the_reason(client, bob, password):
    sign_in(client)
    data = {"old_password": "another password", "new_password1": password}
    answer = client.post("/accounts/password/", {**data, "new_password2": password})
    assert answer.status_code == 200
    assert b"new_password" in answer.content
    client.post("/accounts/sign-out/")
    assert sign_in(client).status_code == 302


def test_the_first_administrators_link_works_once(client):
    link = first_admin_link()
    form = client.get(link, follow=True)
    assert form.status_code == 200
    where = form.redirect_chain[-1][0]
    passwords = {"new_password1": "a-first-password", "new_password2": "a-first-password"}
    assert client.post(where, passwords)["Location"] == reverse("console:home")
    assert client.get(reverse("console:home")).status_code == 200
    assert first_admin_link() is None
    client.post("/accounts/sign-out/")
    again = client.get(link, follow=True)
    assert b"new_password1" not in again.content


def test_signing_out_needs_a_post(client, bob):
    sign_in(client)
    assert client.get("/accounts/sign-out/").status_code == 405
    client.post("/accounts/sign-out/")
    assert client.get(reverse("console:home")).status_code == 302


def test_a_link_for_a_new_colleague_and_for_a_forgotten_password():
    made = json_of("sign_in_link", "New@Example.org", "--new")
    assert made["path"].startswith("/accounts/welcome/")
    user = User.objects.get(email="new@example.org")
    assert (user.is_superuser, user.has_usable_password()) == (False, False)
    assert json_of("sign_in_link", "new@example.org")["path"].startswith("/accounts/welcome/")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nobody@example.org",), "account.unknown"),
        (("not an address", "--new"), "account.email_invalid"),
        (("bob@example.org", "--new"), "account.exists"),
    ],
)
def test_a_link_that_cannot_be_made_is_refused_in_words(bob, arguments, code):
    assert json_of("sign_in_link", *arguments)["error"]["code"] == code


def test_the_welcome_page_says_the_name_to_sign_in_with(client):
    page = client.get(first_admin_link(), follow=True)
    assert FIRST_ADMIN in page.content.decode()


def json_of(*arguments):
    out = io.StringIO()
    with contextlib.suppress(SystemExit):
        call_command(*arguments, "--json", stdout=out)
    return json.loads(out.getvalue())
