"""Scope × endpoint, role × endpoint, and the studies a token is limited to."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.tokens import Scope
from config.api import urlpatterns
from releases.services import import_sample
from studies.permissions import Role
from tests.api.conftest import Program, error

pytestmark = pytest.mark.django_db

STUDY, LINKS = "studies/lantern_coast/", {"activity": "everyday_life", "count": 1}
# (method, address, body): scope. A body of None reads.
SCOPES = {
    ("GET", "studies/"): Scope.STUDIES_READ,
    ("GET", STUDY): Scope.STUDIES_READ,
    ("GET", f"{STUDY}participations/"): Scope.PARTICIPATIONS_READ,
    ("POST", f"{STUDY}links/"): Scope.PARTICIPATIONS_WRITE,
    ("GET", f"{STUDY}answers/"): Scope.ANSWERS_READ,
    ("GET", f"{STUDY}annotation/"): Scope.ANNOTATION_READ,
    ("POST", f"{STUDY}annotation/share/"): Scope.ANNOTATION_WRITE,
    ("GET", f"{STUDY}tasks/"): Scope.ANNOTATION_READ,
    ("GET", f"{STUDY}judgements/"): Scope.ANNOTATION_READ,
    ("POST", f"{STUDY}judgements/"): Scope.ANNOTATION_WRITE,
    ("GET", f"{STUDY}gold/"): Scope.ANNOTATION_READ,
    ("GET", f"{STUDY}gold/hangs-on/"): Scope.ANNOTATION_READ,
    ("GET", f"{STUDY}suggestions/"): Scope.ANNOTATION_READ,
    ("POST", f"{STUDY}suggestions/"): Scope.ANNOTATION_WRITE,
    ("GET", "releases/"): Scope.RELEASES_READ,
    ("GET", "releases/lantern_coast@1/"): Scope.RELEASES_READ,
    ("GET", "releases/lantern_coast@1/items/"): Scope.RELEASES_READ,
    ("GET", "runs/"): Scope.RUNS_READ,
    ("POST", "runs/"): Scope.RUNS_WRITE,
    ("GET", "runs/7/"): Scope.RUNS_READ,
    ("GET", "runs/7/report/"): Scope.RUNS_READ,
    ("GET", "runs/7/samples/"): Scope.RUNS_READ,
    ("POST", "runs/7/rejudge/"): Scope.RUNS_WRITE,
    ("POST", "runs/7/resume/"): Scope.RUNS_WRITE,
    ("POST", "runs/7/cancel/"): Scope.RUNS_WRITE,
}
ANNOTATING = dict.fromkeys(Role, 403) | {Role.OWNER: 200, Role.RESEARCHER: 200}
# What a role gets with every scope; a stranger gets 404 everywhere.
ROLES = {
    f"{STUDY}": dict.fromkeys(Role, 200),
    f"{STUDY}participations/": dict.fromkeys(Role, 200) | {Role.ANNOTATOR: 403},
    f"{STUDY}answers/": dict.fromkeys(Role, 403) | {Role.OWNER: 200, Role.RESEARCHER: 200},
    f"{STUDY}annotation/": ANNOTATING | {Role.ANNOTATOR: 200},
    f"{STUDY}tasks/": ANNOTATING | {Role.ANNOTATOR: 200},
    f"{STUDY}judgements/": ANNOTATING | {Role.ANNOTATOR: 200},
    f"{STUDY}gold/": ANNOTATING,
    f"{STUDY}gold/hangs-on/": ANNOTATING,
    f"{STUDY}suggestions/": ANNOTATING,
    f"{STUDY}links/": dict.fromkeys(Role, 403) | {Role.OWNER: 201, Role.RESEARCHER: 201},
}


def call(program, method, address):
    body = LINKS if address.endswith("links/") else {}
    return program.get(address) if method == "GET" else program.post(address, body)


def test_the_table_of_scopes_names_every_endpoint():
    views = {pattern.callback.view_class: pattern for pattern in urlpatterns}
    listed = {(method, view.__name__) for view in views for method in getattr(view, "scopes", {})}
    assert len(listed) == len(SCOPES)
    assert {getattr(view, "scopes", {}).get(m) for view in views for m in ("GET", "POST")} == {
        *Scope,
        None,
    }


@pytest.mark.parametrize(("method", "address"), SCOPES)
def test_a_token_opens_what_its_scope_says_and_nothing_else(program, study, alice, method, address):
    import_sample("test")
    needed = SCOPES[method, address]
    for scope in Scope:
        answer = call(program(alice, scope), method, address)
        if scope == needed:
            assert answer.status_code in (200, 201, 400, 404), answer.content
        else:
            assert error(answer, 403, "token.scope_missing")["needs"] == needed


@pytest.mark.parametrize("address", ROLES)
@pytest.mark.parametrize("role", Role)
def test_a_token_reaches_no_further_than_the_role_of_its_owner(program, member, role, address):
    method = "POST" if address.endswith("links/") else "GET"
    answer = call(program(member(role)), method, address)
    assert answer.status_code == ROLES[address][role], answer.content


@pytest.mark.parametrize("address", ROLES)
def test_a_stranger_does_not_learn_that_a_study_exists(program, study, bob, address):
    method = "POST" if address.endswith("links/") else "GET"
    error(call(program(bob), method, address), 404, "study.unknown")


def test_a_stranger_lists_no_study_and_starts_no_run(program, study, bob):
    assert program(bob).rows("studies/") == []
    error(program(bob).post("runs/", {}), 403, "run.not_allowed")


@pytest.mark.parametrize("address", ROLES)
def test_a_token_limited_to_other_studies_does_not_reach_this_one(program, study, alice, address):
    limited = program(alice, studies=[study.slug])
    type(study).objects.filter(pk=study.pk).update(slug="renamed")
    there = address.replace(study.slug, "renamed")
    method = "POST" if address.endswith("links/") else "GET"
    error(call(limited, method, there), 404, "study.unknown")
    assert limited.rows("studies/") == []


def test_a_token_limited_to_a_study_reaches_it(program, study, alice):
    limited = program(alice, studies=[study.slug])
    assert [row["slug"] for row in limited.rows("studies/")] == [study.slug]
    assert limited.get(STUDY).status_code == 200


@pytest.mark.parametrize(("method", "address"), SCOPES)
def test_nobody_gets_in_without_a_token(db, method, address):
    answer = call(Program(), method, address)
    error(answer, 401, "api.not_authenticated")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_session_reads_and_writes_only_with_the_csrf_token(study, alice):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    address = reverse("api:links", args=(study.slug,))
    assert client.get(reverse("api:studies")).status_code == 200
    error(client.post(address, LINKS, content_type="application/json"), 403, "api.not_allowed")
    client.get(reverse("accounts:tokens"))
    headers = {"X-CSRFToken": client.cookies["csrftoken"].value}
    sent = client.post(address, LINKS, content_type="application/json", headers=headers)
    assert sent.status_code == 201


def test_a_bad_token_is_not_rescued_by_a_session(as_alice):
    answer = as_alice.get("/api/v1/studies/", headers={"Authorization": "Bearer cp_wrong"})
    error(answer, 401, "token.unknown")


def test_a_read_asks_head_with_the_same_scope(program, study, alice):
    reads, other = program(alice, "studies:read"), program(alice, "runs:read")
    assert reads.client.head("/api/v1/studies/", headers=reads.headers).status_code == 200
    assert other.client.head("/api/v1/studies/", headers=other.headers).status_code == 403
